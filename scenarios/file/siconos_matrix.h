/* A matrix as Siconos prints it, in any of its storages (private to scenarios/file).
 *
 *     storage   rows   columns
 *     dense (0):          rows   columns   the entries, column by column
 *     sparse blocks (1):  blocks   block rows   block columns
 *                         the end of each block row, in rows, and of each block column
 *                         f + 1   blocks   the first block of each of f block rows, and the end;   the block column of
 *                         each;   for each block: its number from 0, its entries, column by column
 *     sparse (2):         1, 2 or 3, then a line with the version of CSparse, then one of
 *         triplets (1):       "triplet: ROWS-by-COLUMNS, nzmax: ANY nnz: COUNT", and lines "ROW COLUMN : ENTRY"
 *         by columns (2):     "ROWS-by-COLUMNS, nzmax: ANY nnz: COUNT, 1-norm: ANY", and for each column
 *                             "col J : locations BEGIN to LAST" and lines "ROW : ENTRY"
 *         by rows (3):        the same with rows for columns; of a square matrix alone, since Siconos's printing of
 *                             others goes astray
 *
 * Duplicates are summed. Dense and block storages have 25 digits: every bit. Siconos prints sparse storages by %g: six
 * digits. */
#ifndef NB_SCENARIOS_SICONOS_MATRIX_H
#define NB_SCENARIOS_SICONOS_MATRIX_H

#include "base/csr.h"
#include "siconos_words.h"

enum {
    NB_SICONOS_DIGITS = 6 /* of entries in a sparse storage */
};

/* what stands before the entries */
typedef struct nb_siconos_matrix {
    char name; /* in messages: 'W', 'M', 'H' */
    int64_t storage, rows, columns;
} nb_siconos_matrix;

/* Storage and size, of 1 to 2^31 - 2 rows and columns. */
nb_status nb_siconos_matrix_begin(nb_siconos_words *words, nb_siconos_matrix *matrix);

/* The rest. The text was checked to hold as many numbers as there are rows, and columns, besides. `digits` becomes 6
 * where entries have no more; the caller destroys *to. */
nb_status nb_siconos_matrix_read(nb_siconos_words *words, const nb_siconos_matrix *matrix, int *digits,
                                 nb_csr_f64 **to);

#endif
