#include "exchange/write_petsc.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "record/partial.h"

enum {
    MATRIX_ID = 1211216, /* MAT_FILE_CLASSID */
    VECTOR_ID = 1211214  /* VEC_FILE_CLASSID */
};

static void put_int(FILE *file, int64_t number) {
    const uint32_t big = htobe32((uint32_t)number);
    fwrite(&big, sizeof big, 1, file);
}

static void put_real(FILE *file, double number) {
    uint64_t big;
    memcpy(&big, &number, sizeof big);
    big = htobe64(big);
    fwrite(&big, sizeof big, 1, file);
}

static void put_matrix(FILE *file, const nb_csr_f64 *a) {
    const int64_t entries = a->start[a->rows];
    put_int(file, MATRIX_ID);
    put_int(file, a->rows);
    put_int(file, a->columns);
    put_int(file, entries);
    for (int64_t i = 0; i < a->rows; i++) put_int(file, a->start[i + 1] - a->start[i]);
    for (int64_t k = 0; k < entries; k++) put_int(file, a->column[k]);
    for (int64_t k = 0; k < entries; k++) put_real(file, a->value[k]);
}

static void put_vector(FILE *file, int64_t count, const double *x) {
    put_int(file, VECTOR_ID);
    put_int(file, count);
    for (int64_t i = 0; i < count; i++) put_real(file, x[i]);
}

/* a matrix, or where that is NULL the vector x [count], into the file `partial`, which becomes `path` */
static nb_status write_file(const char *path, const char *partial, const nb_csr_f64 *matrix, int64_t count,
                            const double *x) {
    FILE *file = fopen(partial, "w");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(errno));
    if (matrix)
        put_matrix(file, matrix);
    else
        put_vector(file, count, x);
    int failed = fflush(file) != 0 || ferror(file), cause = errno;
    if (fclose(file) != 0 && !failed) failed = 1, cause = errno;
    return failed ? nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, strerror(cause)) : NB_OK;
}

static nb_status replace_file(const char *path, const nb_csr_f64 *matrix, int64_t count, const double *x) {
    char *partial;
    nb_status status = nb_partial_begin(path, &partial);
    if (status != NB_OK) return status;
    status = nb_partial_end(write_file(path, partial, matrix, count, x), partial, path);
    nb_free(partial);
    return status;
}

nb_status nb_petsc_write(const char *path, const nb_csr_f64 *matrix) {
    if (matrix->start[matrix->rows] > INT32_MAX)
        return nb_fail(NB_ERROR_UNSUPPORTED, "'%.300s': PETSc's binary format takes at most %lld entries (got %lld)",
                       path, (long long)INT32_MAX, (long long)matrix->start[matrix->rows]);
    return replace_file(path, matrix, 0, NULL);
}

nb_status nb_petsc_write_vector(const char *path, int64_t count, const double *x) {
    return replace_file(path, NULL, count, x);
}
