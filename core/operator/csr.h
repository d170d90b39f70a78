/* A square sparse matrix by compressed rows. */
#ifndef NB_SYSTEM_CSR_H
#define NB_SYSTEM_CSR_H

#include <stdint.h>

#include "base/real.h"
#include "base/status.h"

#define nb_csr NB_REAL_NAME(nb_csr)
#define nb_csr_create NB_REAL_NAME(nb_csr_create)
#define nb_csr_destroy NB_REAL_NAME(nb_csr_destroy)
#define nb_csr_apply NB_REAL_NAME(nb_csr_apply)
#define nb_csr_diagonal NB_REAL_NAME(nb_csr_diagonal)
#define nb_csr_find_triples NB_REAL_NAME(nb_csr_find_triples)

typedef struct nb_csr {
    int32_t rows;    /* = columns */
    int64_t *start;  /* [rows + 1] row i is start[i] .. start[i + 1] - 1 */
    int32_t *column; /* [start[rows]] ascending within a row; the diagonal is always there */
    real *value;     /* [start[rows]] */
    uint8_t *triple; /* [rows] 1: this row and the next two have the same columns; NULL: not looked at */
} nb_csr;

/* A matrix with room for `nonzeros` entries, all zero. The caller destroys it. */
nb_status nb_csr_create(int32_t rows, int64_t nonzeros, nb_csr **matrix);
void nb_csr_destroy(nb_csr *matrix);

/* place[i]: where the diagonal entry of row i, which must be there, stands in the matrix */
void nb_csr_diagonal(const nb_csr *matrix, int64_t *place);

/* Fills `triple` of a matrix whose pattern is final: the rows of a contact in a pattern of blocks. Products with it
 * then take three rows at a time. */
nb_status nb_csr_find_triples(nb_csr *matrix);

/* y = A x */
void nb_csr_apply(const nb_csr *matrix, const real *x, real *y);

#endif
