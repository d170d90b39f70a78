/* Whether impulses balance each other, which certificates of problems without a solution ask (certificate.h,
 * projected.h). What is left must be round-off of the forces that make it up. */
#ifndef NB_PROJECTED_BALANCE_H
#define NB_PROJECTED_BALANCE_H

#include "base/csr.h"
#include "operator/sum.h"

#define nb_balanced_on_nodes NB_REAL_NAME(nb_balanced_on_nodes)
#define nb_balanced_in_rows NB_REAL_NAME(nb_balanced_in_rows)

/* a sum that is this small against its terms is round-off: of the problem's data, and of the sum */
#define NB_BALANCE_NOTHING (256 * (double)NB_REAL_EPSILON)

/* Whether the impulses s p [rows] come to nothing on every node (s NULL: 1). sums [velocities] and terms [nodes]:
 * scratch. */
int nb_balanced_on_nodes(const nb_delassus *d, const real *s, const double *p, double *sums, double *terms);

/* The same of the velocities D s p, where D is known by its entries alone. */
int nb_balanced_in_rows(const nb_csr *d, const real *s, const double *p);

#endif
