/* How singular a matrix is: its singular values, its numerical rank, its condition. */
#ifndef NB_SINGULAR_VALUES_H
#define NB_SINGULAR_VALUES_H

#include "base/csr.h"
#include "base/status.h"

/* The singular values [n] of a square matrix of n rows, largest first. Dense: 8 n^2 bytes and some 3 n^3 operations.
 * NB_ERROR_NUMERIC where LAPACK finds none. */
nb_status nb_singular_values(const nb_csr_f64 *matrix, double *values);

/* How many of them are above n units of round-off of the largest: what a matrix of their rank and these roundings has.
 */
int32_t nb_singular_rank(int32_t n, const double *values);

/* The largest over the least that counts in the rank: the condition in the space that the matrix reaches. 0 where it
 * reaches nothing. */
double nb_singular_condition(int32_t n, const double *values);

#endif
