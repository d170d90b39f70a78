/* The law of rows whose impulses lie in an interval, one row a block: lower <= z <= upper, and with v = a + e z
 *
 *     v >= 0 where z = lower,   v <= 0 where z = upper,   v = 0 between
 *
 * (mixed complementarity; a box constraint). With [0, inf) it is a joint's limit, with [-b, b] dry friction or a motor
 * of limited effort, with (-inf, inf) a soft row (model/coordinate.h).
 *
 * Newton's method takes phi(rho (z - lower), -phi(rho (upper - z), -v)), which with the minimum map is the natural map
 * and with Fischer-Burmeister the function of Billups (S. C. Billups, Algorithms for complementarity problems and
 * generalized equations, 1995). */
#ifndef NB_CONSTRAINT_BOX_H
#define NB_CONSTRAINT_BOX_H

#include "constraint/law.h"

#define nb_box_law NB_REAL_NAME(nb_box_law)
#define nb_box_class NB_REAL_NAME(nb_box_class)

typedef struct nb_box_law {
    nb_law base;               /* first, of nb_box_class */
    const real *lower, *upper; /* [blocks] impulses [N s]; may be infinite; borrowed, as */
    const real *compliance;    /* [blocks] e/h^2 [1/kg] */
} nb_box_law;

extern const nb_law_class nb_box_class;

#endif
