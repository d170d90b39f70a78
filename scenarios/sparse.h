/* A sparse matrix by compressed rows in double, as problem files are read and condensed (private to scenarios). */
#ifndef NB_SCENARIOS_SPARSE_H
#define NB_SCENARIOS_SPARSE_H

#include <stdint.h>

#include "base/status.h"

typedef struct nb_sparse {
    int32_t rows, columns;
    int64_t *start;  /* [rows + 1] */
    int32_t *column; /* [start[rows]] ascending within a row, each at most once */
    double *value;   /* [start[rows]] */
} nb_sparse;

/* One entry each of `count` places; entries at the same place are summed. The indices must be in range. The caller
 * destroys the matrix; on a fault *matrix is NULL. */
nb_status nb_sparse_from_triplets(int32_t rows, int32_t columns, int64_t count, const int32_t *row,
                                  const int32_t *column, const double *value, nb_sparse **matrix);
/* [a b] side by side; both have as many rows. */
nb_status nb_sparse_beside(const nb_sparse *a, const nb_sparse *b, nb_sparse **matrix);
/* [a b; c d] */
nb_status nb_sparse_of_blocks(const nb_sparse *a, const nb_sparse *b, const nb_sparse *c, const nb_sparse *d,
                              nb_sparse **matrix);
nb_status nb_sparse_transpose(const nb_sparse *a, nb_sparse **matrix);
void nb_sparse_destroy(nb_sparse *matrix); /* NULL allowed */

#endif
