/* What sparse LU solvers (klu.c, umfpack.c) have in common: the entries in double in the form that SuiteSparse takes,
 * right-hand side and solution in double, steps of iterative refinement, and the reports. The libraries compute in
 * double only: a system in f32 is factorised in double, and its solution rounded.
 *
 * SuiteSparse wants columns, the harness has rows: what is factorised is A^T, and solved with its transpose. */
#ifndef NB_LINEAR_LU_H
#define NB_LINEAR_LU_H

#include <SuiteSparse_config.h>

#include "linear_solver.h"

#define nb_lu_klu NB_REAL_NAME(nb_lu_klu)
#define nb_lu_umfpack NB_REAL_NAME(nb_lu_umfpack)
#define nb_lu_matrix NB_REAL_NAME(nb_lu_matrix)
#define nb_lu_library NB_REAL_NAME(nb_lu_library)
#define nb_lu_matrix_reserve NB_REAL_NAME(nb_lu_matrix_reserve)
#define nb_lu_matrix_take NB_REAL_NAME(nb_lu_matrix_take)
#define nb_lu_matrix_clear NB_REAL_NAME(nb_lu_matrix_clear)
#define nb_lu_out_of_memory NB_REAL_NAME(nb_lu_out_of_memory)
#define nb_lu_options NB_REAL_NAME(nb_lu_options)
#define nb_lu_create NB_REAL_NAME(nb_lu_create)
#define nb_lu_set_up_pattern NB_REAL_NAME(nb_lu_set_up_pattern)
#define nb_lu_set_up_values NB_REAL_NAME(nb_lu_set_up_values)
#define nb_lu_solve NB_REAL_NAME(nb_lu_solve)
#define nb_lu_destroy NB_REAL_NAME(nb_lu_destroy)

/* a matrix as the libraries read it */
typedef struct nb_lu_matrix {
    SuiteSparse_long rows;
    SuiteSparse_long *start, *column; /* by rows of A [rows + 1], [start[rows]] */
    double *value;                    /* [start[rows]] */
    int64_t start_capacity, column_capacity, value_capacity;
} nb_lu_matrix;

/* one library */
typedef struct nb_lu_library {
    const char *name;
    nb_status (*create)(void **state);
    void (*destroy)(void *state); /* NULL allowed */
    /* Analyses the pattern; 0 where memory ran out. */
    int (*analyse)(void *state, const nb_lu_matrix *a);
    /* Factorises; 0 where memory ran out. A zero pivot goes to *failed_row, which is -1 on entry; else the entries of
     * the factors to *nonzeros. */
    int (*factorise)(void *state, const nb_lu_matrix *a, int32_t *failed_row, int64_t *nonzeros);
    /* x = A^-1 x, without allocating; 0 for a fault */
    int (*solve)(void *state, const nb_lu_matrix *a, double *x);
} nb_lu_library;

extern const nb_lu_library nb_lu_klu, nb_lu_umfpack;

/* Makes room for `rows` rows and `nonzeros` entries. */
nb_status nb_lu_matrix_reserve(nb_lu_matrix *a, int64_t rows, int64_t nonzeros);
/* The pattern and the values of the entries, which reserves. */
nb_status nb_lu_matrix_take(nb_lu_matrix *a, const nb_csr *entries);
void nb_lu_matrix_clear(nb_lu_matrix *a);

enum {
    NB_LU_OPTIONS = 1
};
extern const nb_option nb_lu_options[NB_LU_OPTIONS];

nb_status nb_lu_out_of_memory(const nb_lu_library *library, const nb_lu_matrix *a);

/* The functions of a linear solver. */
nb_status nb_lu_create(const nb_lu_library *library, const double *values, void **state);
nb_status nb_lu_set_up_pattern(void *state, nb_system *system);
nb_status nb_lu_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome);
nb_status nb_lu_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome);
void nb_lu_destroy(void *state);

#endif
