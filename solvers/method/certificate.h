/* A proof that a contact problem has no solution (private to solvers/method).
 *
 * Every solution has u_N >= 0 in the contacts and u = 0 in bilateral rows, for u = W r + q. Normal impulses p >= 0
 * (with any bilateral ones) for which W p = 0 while p.q < 0 contradict that, since p.u = p.q + r.W p: bodies are
 * pressed together faster than they can give way. With a W p that is only small, a solution would need impulses of at
 * least |p.q|/|W p|. Farkas's lemma: where no such p exists, u_N >= 0 can be met, if not always with friction.
 *
 * The interior point on the problem without friction finds p: its impulses go off in that direction. */
#ifndef NB_METHOD_CERTIFICATE_H
#define NB_METHOD_CERTIFICATE_H

#include "interior_step.h"

#define nb_certificate_find NB_REAL_NAME(nb_certificate_find)

/* *found = 1 where a p was found with |p.q| >= 1e8 |W p| in the conic's variables, where solutions have the size 1.
 * Uses the interior point's iterate and leaves the conic without friction. */
nb_status nb_certificate_find(nb_interior *interior, int *found);

#endif
