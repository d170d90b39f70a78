#include "exchange/write_matrix_market.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/partial.h"

/* Whether two entries on either side of the diagonal are one number, each rounded for itself: a sum of terms that are
 * no larger than the geometric mean of the diagonal's, or than the entry itself. */
static int is_mirror(double x, double y, double diagonal_product, double epsilon) {
    const double size = fmax(fmax(fabs(x), fabs(y)), sqrt(fabs(diagonal_product)));
    return x == y || fabs(x - y) <= 16 * epsilon * size;
}

/* of the precision that the entries are in */
static double epsilon_of(const nb_csr_f64 *a) {
    for (int64_t k = 0; k < a->start[a->rows]; k++)
        if ((double)(float)a->value[k] != a->value[k]) return DBL_EPSILON;
    return FLT_EPSILON;
}

/* whether A equals its transpose, in places and but for rounding in values; columns ascend within a row */
static nb_status is_symmetric(const nb_csr_f64 *a, int *symmetric) {
    nb_status status;
    int64_t *next = NULL; /* in each row, the first entry that no row above has asked for */
    double *diagonal = NULL;
    const double epsilon = epsilon_of(a);
    *symmetric = a->rows == a->columns;
    NB_TRY(NB_ALLOCATE(a->rows, &next));
    NB_TRY(NB_ALLOCATE(a->rows, &diagonal));
    for (int64_t i = 0; i < a->rows; i++) {
        next[i] = a->start[i];
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] == i) diagonal[i] = a->value[k];
    }
    for (int64_t i = 0; i < a->rows && *symmetric; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1] && *symmetric; k++) {
            int64_t j = a->column[k], mirror = next[j]++;
            *symmetric = mirror < a->start[j + 1] && a->column[mirror] == i &&
                         is_mirror(a->value[mirror], a->value[k], diagonal[i] * diagonal[j], epsilon);
        }
out:
    nb_free(diagonal);
    nb_free(next);
    return status;
}

static void write_entries(FILE *file, const nb_csr_f64 *a, int symmetric) {
    int64_t count = 0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) count += !symmetric || a->column[k] <= i;
    fprintf(file, "%lld %lld %lld\n", (long long)a->rows, (long long)a->columns, (long long)count);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            if (!symmetric || a->column[k] <= i)
                fprintf(file, "%lld %d %.17g\n", (long long)i + 1, (int)a->column[k] + 1, a->value[k]);
}

/* a matrix, or where that is NULL the array x [columns][rows], into the file `partial`, which becomes `path` */
static nb_status write_file(const char *path, const char *partial, const nb_csr_f64 *matrix, int symmetric,
                            int64_t rows, int64_t columns, const double *x, const char *comment) {
    FILE *file = fopen(partial, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    fprintf(file, "%%%%MatrixMarket matrix %s real %s\n%% %s\n", matrix ? "coordinate" : "array",
            symmetric ? "symmetric" : "general", comment);
    if (matrix) {
        write_entries(file, matrix, symmetric);
    } else {
        fprintf(file, "%lld %lld\n", (long long)rows, (long long)columns);
        for (int64_t i = 0; i < rows * columns; i++) fprintf(file, "%.17g\n", x[i]);
    }
    int failed = fflush(file) != 0 || ferror(file), cause = errno;
    if (fclose(file) != 0 && !failed) failed = 1, cause = errno;
    return failed ? nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(cause)) : NB_OK;
}

static nb_status replace_file(const char *path, const nb_csr_f64 *matrix, int symmetric, int64_t rows, int64_t columns,
                              const double *x, const char *comment) {
    char *partial;
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    status = nb_partial_end(write_file(path, partial, matrix, symmetric, rows, columns, x, comment), partial, path);
    nb_free(partial);
    return status;
}

nb_status nb_matrix_market_write(const char *path, const nb_csr_f64 *matrix, const char *comment) {
    int symmetric;
    nb_status status = is_symmetric(matrix, &symmetric);
    return status == NB_OK ? replace_file(path, matrix, symmetric, 0, 0, NULL, comment) : status;
}

nb_status nb_matrix_market_write_array(const char *path, int64_t rows, int64_t columns, const double *x,
                                       const char *comment) {
    return replace_file(path, NULL, 0, rows, columns, x, comment);
}
