/* What sparse LU solvers (klu.c, umfpack.c) have in common: the entries in double in the form that SuiteSparse takes,
 * right-hand side and solution in double, steps of iterative refinement, and the reports. The libraries compute in
 * double only: a system in f32 is factorised in double, and its solution rounded.
 *
 * SuiteSparse wants columns, the harness has rows: what is factorised is A^T, and solved with its transpose. */
#ifndef NB_LINEAR_LU_H
#define NB_LINEAR_LU_H

#include <SuiteSparse_config.h>

#include "linear_solver.h"

#define nb_lu NB_REAL_NAME(nb_lu)
#define nb_lu_options NB_REAL_NAME(nb_lu_options)
#define nb_lu_create NB_REAL_NAME(nb_lu_create)
#define nb_lu_set_up_pattern NB_REAL_NAME(nb_lu_set_up_pattern)
#define nb_lu_set_up_values NB_REAL_NAME(nb_lu_set_up_values)
#define nb_lu_solve NB_REAL_NAME(nb_lu_solve)
#define nb_lu_destroy NB_REAL_NAME(nb_lu_destroy)

typedef struct nb_lu nb_lu;

/* one library */
typedef struct nb_lu_library {
    const char *name;
    nb_status (*create)(void **state);
    void (*destroy)(void *state); /* NULL allowed */
    /* Analyses the pattern; 0 where memory ran out. */
    int (*analyse)(void *state, const nb_lu *lu);
    /* Factorises; 0 where memory ran out. A zero pivot goes to outcome->reason and failed_row; else the entries of the
     * factors to factor_nonzeros. */
    int (*factorise)(void *state, const nb_lu *lu, nb_linear_outcome *outcome);
    /* x = A^-1 x, without allocating */
    int (*solve)(void *state, const nb_lu *lu, double *x);
} nb_lu_library;

struct nb_lu {
    const nb_lu_library *library;
    void *state;
    int refinements;
    int64_t factor_nonzeros;
    SuiteSparse_long rows;
    SuiteSparse_long *start, *column; /* by rows of A [rows + 1], [start[rows]] */
    double *value;                    /* [start[rows]] */
    double *x, *r;                    /* [rows] */
    int64_t start_capacity, column_capacity, value_capacity, x_capacity, r_capacity;
};

enum {
    NB_LU_OPTIONS = 1
};
extern const nb_option nb_lu_options[NB_LU_OPTIONS];

nb_status nb_lu_create(const nb_lu_library *library, const double *values, void **state);
nb_status nb_lu_set_up_pattern(void *state, nb_system *system);
nb_status nb_lu_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome);
nb_status nb_lu_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome);
void nb_lu_destroy(void *state);

#endif
