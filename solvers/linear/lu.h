/* What sparse LU solvers (klu.c, umfpack.c, multifrontal.c) have in common: the entries in double in the form that
 * SuiteSparse takes, right-hand side and solution in double, steps of iterative refinement, and the reports. All of
 * them compute in double only: a system in f32 is factorised in double, and its solution rounded.
 *
 * SuiteSparse wants columns, the harness has rows: what KLU and UMFPACK factorise is A^T, solved with its transpose. */
#ifndef NB_LINEAR_LU_H
#define NB_LINEAR_LU_H

#include <SuiteSparse_config.h>

#include "linear_solver.h"

#define nb_lu_klu NB_REAL_NAME(nb_lu_klu)
#define nb_lu_umfpack NB_REAL_NAME(nb_lu_umfpack)
#define nb_lu_multifrontal NB_REAL_NAME(nb_lu_multifrontal)
#define nb_lu_matrix NB_REAL_NAME(nb_lu_matrix)
#define nb_lu_library NB_REAL_NAME(nb_lu_library)
#define nb_lu_matrix_reserve NB_REAL_NAME(nb_lu_matrix_reserve)
#define nb_lu_matrix_copy NB_REAL_NAME(nb_lu_matrix_copy)
#define nb_lu_matrix_clear NB_REAL_NAME(nb_lu_matrix_clear)
#define nb_lu_factors NB_REAL_NAME(nb_lu_factors)
#define nb_lu_fail NB_REAL_NAME(nb_lu_fail)
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
    uint8_t *triple;                  /* [rows] as of nb_csr */
    int scaled;                       /* 1: it comes scaled, to diagonal blocks of one size */
    int64_t start_capacity, column_capacity, value_capacity, triple_capacity;
} nb_lu_matrix;

/* what came of a factorisation */
typedef struct nb_lu_factors {
    int32_t failed_row;   /* of a zero pivot, or -1 */
    int32_t replaced_row; /* of a pivot that was round-off and was replaced, or -1 */
    int64_t nonzeros;     /* of L and U */
    double flops;         /* of the factorisation */
    int old_pivots;       /* 1: over the pivots of earlier values: good for a solution that is looked at */
} nb_lu_factors;

/* One library. Faults come with a message (nb_lu_fail). */
typedef struct nb_lu_library {
    const char *name;
    nb_status (*create)(void **state);
    void (*destroy)(void *state); /* NULL allowed */
    nb_status (*analyse)(void *state, const nb_lu_matrix *a);
    /* over old pivots only where `fresh` is 0 */
    nb_status (*factorise)(void *state, const nb_lu_matrix *a, int fresh, nb_lu_factors *factors);
    /* x = A^-1 x, or A^-T x, without allocating */
    nb_status (*solve)(void *state, const nb_lu_matrix *a, int transposed, double *x);
} nb_lu_library;

extern const nb_lu_library nb_lu_klu, nb_lu_umfpack, nb_lu_multifrontal;

/* Makes room for `rows` rows and `nonzeros` entries. */
nb_status nb_lu_matrix_reserve(nb_lu_matrix *a, int64_t rows, int64_t nonzeros);
/* The pattern and the values of the entries, which reserves. Diagonal entries of rows with filled[row] 1 are left out:
 * they are places only (system.h), and a stored zero there destroys the block triangular form. NULL: none. */
nb_status nb_lu_matrix_copy(nb_lu_matrix *a, const nb_csr *entries, const uint8_t *filled);
void nb_lu_matrix_clear(nb_lu_matrix *a);

enum {
    NB_LU_OPTIONS = 1
};
extern const nb_option nb_lu_options[NB_LU_OPTIONS];

/* The fault of a library that says `code`: NB_ERROR_MEMORY where that means that memory ran out, else NB_ERROR_NUMERIC.
 */
nb_status nb_lu_fail(const nb_lu_library *library, const nb_lu_matrix *a, int out_of_memory, int code);

/* The functions of a linear solver. */
nb_status nb_lu_create(const nb_lu_library *library, const double *values, void **state);
nb_status nb_lu_set_up_pattern(void *state, nb_system *system);
nb_status nb_lu_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome);
nb_status nb_lu_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome);
void nb_lu_destroy(void *state);

/* The linear solver nb_<id>, named "<id>", over the library nb_lu_<id>. */
#define NB_LU_SOLVER(id, text)                                         \
    static nb_status id##_create(const double *values, void **state) { \
        return nb_lu_create(&nb_lu_##id, values, state);               \
    }                                                                  \
    const nb_linear_solver_class NB_REAL_NAME(nb_##id) = {             \
        .name = #id,                                                   \
        .summary = text "; f32 systems are factorized in double",      \
        .options = nb_lu_options,                                      \
        .option_count = NB_LU_OPTIONS,                                 \
        .direct = 1,                                                   \
        .takes_unsymmetric = 1,                                        \
        .create = id##_create,                                         \
        .set_up_pattern = nb_lu_set_up_pattern,                        \
        .set_up_values = nb_lu_set_up_values,                          \
        .solve = nb_lu_solve,                                          \
        .destroy = nb_lu_destroy,                                      \
    };

#endif
