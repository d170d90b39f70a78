/* A Delassus operator that is a symmetric matrix in memory: problem files (W of FCLIB, a Matrix Market file), and
 * tests; and the matrix of a form (form.h), which need not be symmetric. */
#ifndef NB_OPERATOR_DELASSUS_MATRIX_H
#define NB_OPERATOR_DELASSUS_MATRIX_H

#include "base/csr.h"
#include "operator/system.h"

#define nb_delassus_matrix_create NB_REAL_NAME(nb_delassus_matrix_create)
#define nb_delassus_matrix_destroy NB_REAL_NAME(nb_delassus_matrix_destroy)
#define nb_delassus_matrix_replace NB_REAL_NAME(nb_delassus_matrix_replace)
#define nb_delassus_matrix_halve NB_REAL_NAME(nb_delassus_matrix_halve)
#define nb_delassus_matrix_values NB_REAL_NAME(nb_delassus_matrix_values)
#define nb_delassus_matrix_of NB_REAL_NAME(nb_delassus_matrix_of)

/* D = `matrix`, which holds a place for every diagonal entry and is taken over (also on a fault). Blocks and groups as
 * in nb_delassus: `block_start` [block_count + 1] and `group_start` [group_count + 1] are copied; NULL for block_start
 * means one row a block, NULL for group_start one block a group. Changing the values of `matrix` afterwards is allowed
 * (then nb_system_values_changed). The caller destroys it. */
nb_status nb_delassus_matrix_create(nb_csr *matrix, int32_t block_count, const int32_t *block_start,
                                    int32_t group_count, const int32_t *group_start, nb_delassus **delassus);
void nb_delassus_matrix_destroy(nb_delassus *delassus);

/* Another matrix with as many rows in the place of the one that there is; taken over as above. The caller tells systems
 * over it (nb_system_pattern_changed). */
nb_status nb_delassus_matrix_replace(nb_delassus *delassus, nb_csr *matrix);

/* Products on one thread may read half of the matrix from here on where it has blocks of 3 or 6 rows (half_blocks.h),
 * and the half of one that takes its place; `values` tells when. */
nb_status nb_delassus_matrix_halve(nb_delassus *delassus);
/* The values of the matrix have changed; `symmetric`: they are, and half of them is copied. Until then, and where they
 * are not, products read all. */
void nb_delassus_matrix_values(nb_delassus *delassus, int symmetric);

/* the matrix of such an operator; NULL for others */
nb_csr *nb_delassus_matrix_of(const nb_delassus *delassus);

#endif
