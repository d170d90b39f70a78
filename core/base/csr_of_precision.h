/* What csr.h declares in each precision. Whoever includes this defines NB_CSR, the type of the matrix; NB_CSR_NUMBER,
 * that of its entries; and NB_CSR_NAME, which gives names their ending. */

typedef struct NB_CSR {
    int32_t rows, columns;
    int64_t capacity;     /* entries that column and value have room for; start[rows] of them are there */
    int64_t *start;       /* [rows + 1] row i is start[i] .. start[i + 1] - 1; NULL: there is no matrix */
    int32_t *column;      /* [start[rows]] ascending within a row, each at most once */
    NB_CSR_NUMBER *value; /* [start[rows]] */
    uint8_t *triple;      /* [rows] 1: this row and the next two have the same columns; NULL: not looked at */
} NB_CSR;

/* A matrix with room for `capacity` entries, all zero. The caller destroys it; on a fault *matrix is NULL, as in all
 * that create one. */
nb_status NB_CSR_NAME(nb_csr_create)(int32_t rows, int32_t columns, int64_t capacity, NB_CSR **matrix);

/* The same as part of something else. The caller clears it; on a fault it is empty. */
nb_status NB_CSR_NAME(nb_csr_make)(int32_t rows, int32_t columns, int64_t capacity, NB_CSR *matrix);

/* One entry each of `count` places, in any order; entries at the same place are summed. Indices must be in range. */
nb_status NB_CSR_NAME(nb_csr_from_triplets)(int32_t rows, int32_t columns, int64_t count, const int32_t *row,
                                            const int32_t *column, const NB_CSR_NUMBER *value, NB_CSR **matrix);

/* A with its entries; `triple` is not looked at. */
nb_status NB_CSR_NAME(nb_csr_copy)(const NB_CSR *a, NB_CSR **matrix);

/* A^T; `triple` is not looked at. */
nb_status NB_CSR_NAME(nb_csr_transpose)(const NB_CSR *a, NB_CSR **matrix);

void NB_CSR_NAME(nb_csr_destroy)(NB_CSR *matrix); /* NULL allowed */

/* Gives back what a matrix holds, and leaves none. NULL is not allowed. */
void NB_CSR_NAME(nb_csr_clear)(NB_CSR *matrix);

/* where the first entry of the row stands that is not left of the column; the end of the row: none */
int64_t NB_CSR_NAME(nb_csr_find)(const NB_CSR *matrix, int32_t row, int32_t column);

/* how many entries it has; none: 0 */
int64_t NB_CSR_NAME(nb_csr_nonzeros)(const NB_CSR *matrix);

/* place[i]: where the diagonal entry of row i, which must be there, stands in the matrix */
void NB_CSR_NAME(nb_csr_diagonal)(const NB_CSR *matrix, int64_t *place);

/* Fills `triple` of a matrix whose pattern is final: the rows of a contact in a pattern of blocks. Products with it
 * then take three rows at a time. */
nb_status NB_CSR_NAME(nb_csr_find_triples)(NB_CSR *matrix);

/* y = A x */
void NB_CSR_NAME(nb_csr_apply)(const NB_CSR *matrix, const NB_CSR_NUMBER *x, NB_CSR_NUMBER *y);
