/* A sparse Cholesky factor in single precision: L L^T of a symmetric matrix in a given order, made row after row
 * (Davis, "Direct Methods for Sparse Linear Systems", 2006, section 4.7). Its numbers are floats; a solve sums in
 * double, so that it is the same linear map for right-hand sides of every size (private to solvers/precond). */
#ifndef NB_PRECOND_FLOAT_FACTOR_H
#define NB_PRECOND_FLOAT_FACTOR_H

#include <stdint.h>

#include "base/status.h"

typedef struct nb_float_factor {
    int32_t rows;
    int64_t *start; /* [rows + 1] of L's columns, in the order of elimination; the diagonal is first in each */
    int32_t *row;   /* [start[rows]] ascending in a column */
    float *value;   /* [start[rows]] */
    double flops;   /* of the last factorisation: a multiplication and an addition each */
    /* private */
    int32_t *order, *place;         /* [rows] the row that is eliminated k-th; where row i comes */
    int64_t *upper_start, *upper;   /* [rows + 1] what is above the diagonal of each column: entries of the matrix */
    int32_t *upper_row;             /* their rows in the order of elimination */
    int32_t *parent, *mark, *stack; /* [rows] of the elimination tree */
    int64_t *next;                  /* [rows] where a column goes on */
    float *x;                       /* [rows] zero between factorisations */
    double *y;                      /* [rows] of a solve */
    int64_t start_capacity, row_capacity, value_capacity, order_capacity, place_capacity, upper_start_capacity,
        upper_capacity, upper_row_capacity, parent_capacity, mark_capacity, stack_capacity, next_capacity, x_capacity,
        y_capacity;
} nb_float_factor;

/* The structure of L, and room for its numbers: of a matrix by rows, start [rows + 1] and column [start[rows]], whose
 * pattern is symmetric and has every diagonal entry; order [rows], or NULL for the matrix's own. *factor is zero, or
 * was filled before. The caller clears it, on a fault too. */
nb_status nb_float_factor_set_pattern(nb_float_factor *factor, int32_t rows, const int64_t *start,
                                      const int32_t *column, const int64_t *order);
/* L of the symmetric matrix with these entries; 0 where a pivot is not positive and finite. Allocates nothing. */
int nb_float_factor_make(nb_float_factor *factor, const float *value);
/* x = (L L^T)^-1 b; x may be b */
void nb_float_factor_solve(nb_float_factor *factor, const double *b, double *x);
void nb_float_factor_clear(nb_float_factor *factor);

#endif
