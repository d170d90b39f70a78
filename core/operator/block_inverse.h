/* The inverse of a small dense matrix in three factors, T = X diag(d) Y, by elimination with complete pivoting: X and Y
 * are well conditioned, and d takes the spread where entries differ by many orders of magnitude. In double. */
#ifndef NB_OPERATOR_BLOCK_INVERSE_H
#define NB_OPERATOR_BLOCK_INVERSE_H

/* Fills x and y [n][n] and d [n] from a [n][n], which is overwritten; a pivot of zero leaves zero in d. Returns 1 where
 * no pivot was zero, else 0. */
int nb_block_invert(int n, double *a, double *x, double *d, double *y);

#endif
