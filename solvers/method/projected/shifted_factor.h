/* A Cholesky factor of S N S + sigma, with which splittings solve (private to solvers/method/projected). Of nodes it is
 * that of the primal form, H + J^T S (C + sigma)^-1 S J, over their velocities (operator/primal.h); of a matrix its
 * own. */
#ifndef NB_PROJECTED_SHIFTED_FACTOR_H
#define NB_PROJECTED_SHIFTED_FACTOR_H

#include "operator/form.h"
#include "projected.h"

#define nb_shifted_factor NB_REAL_NAME(nb_shifted_factor)
#define nb_shifted_factor_make NB_REAL_NAME(nb_shifted_factor_make)
#define nb_shifted_factor_clear NB_REAL_NAME(nb_shifted_factor_clear)
#define nb_shifted_factor_set NB_REAL_NAME(nb_shifted_factor_set)
#define nb_shifted_factor_refine NB_REAL_NAME(nb_shifted_factor_refine)

typedef struct nb_shifted_factor {
    const nb_projected *problem; /* borrowed */
    nb_system *rows;             /* S N S + sigma */
    nb_form *form;               /* NULL: `rows` is factorised itself */
    const nb_linear_solver_class *solver;
    void *state;
    real *momentum, *du; /* [velocities] zero; scratch */
    real *change;        /* [rows] scratch */
    int has_pattern;
} nb_shifted_factor;

/* For a step's problem. The factor is zero; the caller clears it, on a fault too. Takes memory. */
nb_status nb_shifted_factor_make(const nb_projected *problem, nb_shifted_factor *factor);
void nb_shifted_factor_clear(nb_shifted_factor *factor); /* {0} allowed */

/* Factorises for these scales S and positive sigma [rows]. Takes memory. NB_ERROR_UNSUPPORTED, by name, where the
 * matrix is not positive definite, to rounding. */
nb_status nb_shifted_factor_set(nb_shifted_factor *factor, const real *scale, const real *sigma);

/* One step of iterative refinement for (S N S + sigma) x = b, from x on: x += F^-1 (b - (S N S + sigma) x), all [rows].
 * The factor's rounding, which is large where sigma is small, and the asymmetry of a file's matrix then do not count.
 */
nb_status nb_shifted_factor_refine(nb_shifted_factor *factor, const real *b, real *x);

#endif
