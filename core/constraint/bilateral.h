/* The law of joints, one row a block: a + E z = 0, a the joint's value over h. */
#ifndef NB_CONSTRAINT_BILATERAL_H
#define NB_CONSTRAINT_BILATERAL_H

#include "constraint/law.h"

#define nb_bilateral_law NB_REAL_NAME(nb_bilateral_law)
#define nb_bilateral_class NB_REAL_NAME(nb_bilateral_class)

typedef struct nb_bilateral_law {
    nb_law base;            /* first, of nb_bilateral_class */
    const real *compliance; /* [blocks] E/h^2 [1/kg]; borrowed */
} nb_bilateral_law;

extern const nb_law_class nb_bilateral_class;

#endif
