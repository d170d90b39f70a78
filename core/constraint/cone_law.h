/* The laws of contacts with friction, three rows a block. Coulomb's: the normal is unilateral, and the friction lies in
 * the disc of radius mu z_n, opposing the slip (problem.h). Its convex relaxation (model/friction_law.h) has the same
 * parameters. The second tangents may have another friction: an ellipse. */
#ifndef NB_CONSTRAINT_CONE_LAW_H
#define NB_CONSTRAINT_CONE_LAW_H

#include "constraint/law.h"

#define nb_cone_law NB_REAL_NAME(nb_cone_law)
#define nb_cone_class NB_REAL_NAME(nb_cone_class)
#define nb_relaxed_class NB_REAL_NAME(nb_relaxed_class)

typedef struct nb_cone_law {
    nb_law base;    /* first, of one of the two classes */
    const real *mu; /* [blocks] along the first tangent; borrowed */
    real ratio;     /* of the friction along the second tangents to that along the first; 1: a disc */
    real soft;      /* compliance e/h^2 of every normal [1/kg]; 0: rigid */
} nb_cone_law;

extern const nb_law_class nb_cone_class;    /* Coulomb's (cone_law.c) */
extern const nb_law_class nb_relaxed_class; /* relaxed (relaxed_law.c) */

#endif
