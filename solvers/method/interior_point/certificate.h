/* A proof that a contact problem has no solution (private to solvers/method/interior_point).
 *
 * Every solution has u_N >= 0 in the contacts and u = 0 in bilateral rows, for u = W r + q. Normal impulses p >= 0
 * (with any bilateral ones) for which W p = 0 while p.q < 0 contradict that, since p.u = p.q + r.W p: bodies are
 * pressed together faster than they can give way. Farkas's lemma: where no such p exists, u_N >= 0 can be met, if not
 * always with friction.
 *
 * The problem without friction and with a compliance eps has a solution in every case; as eps goes to zero, eps times
 * that solution goes to p where there is one, and to zero where there is none. Proximal steps from there, the problem
 * with a compliance eps about the last one's solution, add p each time, and ever less of what is not p (the differences
 * of the proximal point on a problem without a solution tend to the least such p; Pazy 1971).
 *
 * A p is believed where W p is nothing but round-off. A W p that is only small is no proof: a solution may have
 * impulses of |p.q|/|W p|, as under a stack of boxes whose uppermost is 10^10 times as heavy as the lowest. So the
 * forces of p are added up on every body, where they must cancel; where W is all that is known, in every row of it. */
#ifndef NB_INTERIOR_POINT_CERTIFICATE_H
#define NB_INTERIOR_POINT_CERTIFICATE_H

#include "semismooth.h"

#define nb_certificate_find NB_REAL_NAME(nb_certificate_find)
#define nb_certificate_holds NB_REAL_NAME(nb_certificate_holds)

/* *found = 1 where a p was found whose forces cancel to 256 units of round-off, with p.q < 0 beyond as much, and with
 * p.u < 0 at the best point known: the problem as it is linearised, or one that round-off cannot tell from it, has no
 * solution. Uses the semismooth method's iterate; takes memory. zero and before [rows] are scratch. */
nb_status nb_certificate_find(nb_semismooth *semismooth, double *zero, double *before, int *found);

/* Whether p [rows], in the cone problem's variables, with p >= 0 in normal rows and none in those of friction, is such
 * a proof. scratch [rows]; takes memory. */
nb_status nb_certificate_holds(nb_scaled_problem *problem, const double *p, double *scratch, int *holds);

#endif
