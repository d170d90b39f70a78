/* Updates of a kept Cholesky factor of the stiffness form's matrix,
 *
 *     A = H + sum over rows of w J^T J,   w = S^2 / C,
 *
 * row by row: those whose w J^T J has changed by more than rho are taken out of the factor as they were, and put in as
 * they are (CHOLMOD's multiple-rank updates). Where J is what it was, no eigenvalue of the updated factor's inverse
 * times A lies outside of [1/rho, rho].
 *
 * Davis, Hager 2001, "Multiple-rank modifications of a sparse Cholesky factorization". Private to solvers/precond. */
#ifndef NB_PRECOND_ROW_UPDATES_H
#define NB_PRECOND_ROW_UPDATES_H

#include "cholmod_factor.h"
#include "operator/system.h"

#define nb_row_updates NB_REAL_NAME(nb_row_updates)
#define nb_row_updates_clear NB_REAL_NAME(nb_row_updates_clear)
#define nb_row_updates_set_pattern NB_REAL_NAME(nb_row_updates_set_pattern)
#define nb_row_updates_take NB_REAL_NAME(nb_row_updates_take)
#define nb_row_updates_make NB_REAL_NAME(nb_row_updates_make)

typedef struct nb_row_updates {
    int fits;        /* 1: the system's rows are known, so that there can be updates */
    int32_t changed; /* rows of the last update */
    double flops;    /* of it */
    /* private */
    int32_t *first;                /* [nodes] of A's rows; -1: without mass */
    int32_t *place;                /* [rows of A] in the order of elimination */
    int64_t *start;                /* [rows + 1] of each row of J */
    SuiteSparse_long *at;          /* [start[rows]] places of its entries, ascending */
    double *value, *now;           /* [start[rows]] sqrt(w) J D^-1/2 in the factor, and of the system */
    SuiteSparse_long *column, *in; /* [rows + 1], [start[rows]] of the rows that change, as CHOLMOD's columns */
    double *entry;                 /* [start[rows]] */
    int32_t *row;                  /* [changed] which */
    int64_t first_capacity, place_capacity, start_capacity, at_capacity, value_capacity, now_capacity, column_capacity,
        in_capacity, entry_capacity, row_capacity;
} nb_row_updates;

/* For a system of the stiffness form without K; of others `fits` is 0. The factor was analysed. *updates is zero, or
 * was filled before. */
nb_status nb_row_updates_set_pattern(nb_row_updates *updates, const nb_system *system, const nb_cholmod_factor *factor);
/* The factor is a new one, of the system scaled by `scale` [rows of A]. */
void nb_row_updates_take(nb_row_updates *updates, const nb_system *system, const double *scale);
/* Brings the factor to where no row is off by more than rho; *done 0 where it is no longer positive. */
nb_status nb_row_updates_make(nb_row_updates *updates, const nb_system *system, const double *scale, double rho,
                              nb_cholmod_factor *factor, int *done);
void nb_row_updates_clear(nb_row_updates *updates);

#endif
