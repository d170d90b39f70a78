/* The law of stops and joint limits, one row a block: 0 <= a + e z  _|_  z >= 0, a the gap over h. A contact's normal
 * without its friction. */
#ifndef NB_CONSTRAINT_UNILATERAL_H
#define NB_CONSTRAINT_UNILATERAL_H

#include "constraint/law.h"

#define nb_unilateral_law NB_REAL_NAME(nb_unilateral_law)
#define nb_unilateral_class NB_REAL_NAME(nb_unilateral_class)
#define nb_unilateral_error NB_REAL_NAME(nb_unilateral_error)

typedef struct nb_unilateral_law {
    nb_law base; /* first, of nb_unilateral_class */
    real soft;   /* compliance e/h^2 of every row [1/kg]; 0: rigid */
} nb_unilateral_law;

extern const nb_law_class nb_unilateral_class;

/* |min(a, force)| of a row's value and of w z, both in m/s; at least `noise` where it comes from the value */
NB_INLINE_FN double nb_normal_error(double a, double force, double noise) {
    return a < force ? fmax(fabs(a), noise) : fabs(force);
}

/* Raises the errors by those of one row: |min(a + e z, w z)|, and how deep it is in. */
void nb_unilateral_error(const nb_law_state *at, int32_t row, real soft, nb_law_errors *errors);

#endif
