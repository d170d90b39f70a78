/* The law of elements, rows in compliance form: a + E z = 0 with a full block E a block, which is renewed with the
 * iterate as the values are (element_rows.h). For a hyperelastic material E is that of a convex model of the energy;
 * the solution does not depend on it. Linear rows with a compliance each are bilateral.h's.
 *
 * Source: Macklin et al. 2019, section 9.1; core/deformables.md. */
#ifndef NB_ELEMENT_ELASTIC_LAW_H
#define NB_ELEMENT_ELASTIC_LAW_H

#include "constraint/law.h"

#define nb_elastic_law NB_REAL_NAME(nb_elastic_law)
#define nb_elastic_class NB_REAL_NAME(nb_elastic_class)
#define nb_elastic_principal_class NB_REAL_NAME(nb_elastic_principal_class)

typedef struct nb_elastic_law {
    nb_law base;      /* first, of one of the classes below */
    real *compliance; /* [blocks][rows][rows] E [1/kg], symmetric; borrowed */
} nb_elastic_law;

extern const nb_law_class nb_elastic_class;           /* six rows a block: strains */
extern const nb_law_class nb_elastic_principal_class; /* three: principal stretches */

#endif
