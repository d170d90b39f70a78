/* A proof that a contact problem has no solution (private to solvers/method).
 *
 * Every solution has u_N >= 0 in the contacts and u = 0 in bilateral rows, for u = W r + q. Normal impulses p >= 0
 * (with any bilateral ones) for which W p = 0 while p.q < 0 contradict that, since p.u = p.q + r.W p: bodies are
 * pressed together faster than they can give way. With a W p that is only small, a solution would need impulses of at
 * least |p.q|/|W p|. Farkas's lemma: where no such p exists, u_N >= 0 can be met, if not always with friction.
 *
 * The problem without friction and with a compliance eps has a solution in every case; as eps goes to zero, eps times
 * that solution goes to p where there is one, and to zero where there is none. */
#ifndef NB_METHOD_CERTIFICATE_H
#define NB_METHOD_CERTIFICATE_H

#include "semismooth.h"

#define nb_certificate_find NB_REAL_NAME(nb_certificate_find)

/* *found = 1 where a p was found with |p.q| >= 1e7 |W p| (f32: 1e3) in the conic's variables, where solutions have the
 * size 1, and with p.u < 0 at the best point known. That is the problem as it is linearised.
 * Uses the semismooth method's iterate. zero and before [rows] are scratch. */
nb_status nb_certificate_find(nb_semismooth *semismooth, double *zero, double *before, int *found);

#endif
