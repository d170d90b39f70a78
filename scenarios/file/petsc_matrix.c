#include "petsc_matrix.h"

#include <endian.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "bytes.h"

enum {
    MATRIX_ID = 1211216, /* MAT_FILE_CLASSID */
    VECTOR_ID = 1211214, /* VEC_FILE_CLASSID */
    INT = 4,
    REAL = 8
};

int nb_petsc_matrix_is(const char *path) {
    const size_t length = strlen(path);
    return length > 6 && strcasecmp(path + length - 6, ".petsc") == 0;
}

/* the i-th whole number of the bytes */
static int32_t int_at(const char *data, int64_t i) {
    uint32_t big;
    memcpy(&big, data + INT * i, sizeof big);
    return (int32_t)be32toh(big);
}

static nb_status read_reals(const char *path, const char *data, int64_t count, double *value) {
    for (int64_t k = 0; k < count; k++) {
        uint64_t big;
        memcpy(&big, data + REAL * k, sizeof big);
        big = be64toh(big);
        memcpy(&value[k], &big, sizeof big);
        if (!isfinite(value[k]))
            return nb_fail(NB_ERROR_INPUT, "'%.300s': number %lld is not finite", path, (long long)k + 1);
    }
    return NB_OK;
}

static nb_status bad_size(const char *path, int64_t size, int64_t wanted) {
    return nb_fail(NB_ERROR_INPUT, "'%.300s': %lld bytes, and its header announces %lld", path, (long long)size,
                   (long long)wanted);
}

static nb_status parse_vector(const char *path, const char *data, int64_t size, nb_csr_f64 **matrix) {
    nb_status status;
    const int32_t rows = int_at(data, 1);
    const int64_t wanted = 2 * INT + REAL * (int64_t)rows;
    if (rows < 0 || size != wanted) return bad_size(path, size, wanted);
    NB_TRY(nb_csr_create_f64(rows, 1, rows, matrix));
    for (int32_t i = 0; i < rows; i++) (*matrix)->start[i + 1] = i + 1;
    NB_TRY(read_reals(path, data + 2 * INT, rows, (*matrix)->value));
out:
    return status;
}

static nb_status parse_matrix(const char *path, const char *data, int64_t size, nb_csr_f64 **matrix) {
    nb_status status;
    if (size < 4 * INT) return bad_size(path, size, 4 * INT);
    const int32_t rows = int_at(data, 1), columns = int_at(data, 2), entries = int_at(data, 3);
    const int64_t wanted = INT * (4 + (int64_t)rows + entries) + REAL * (int64_t)entries;
    if (rows < 0 || columns < 0 || entries < 0 || size != wanted) return bad_size(path, size, wanted);
    NB_TRY(nb_csr_create_f64(rows, columns, entries, matrix));
    nb_csr_f64 *a = *matrix;
    for (int32_t i = 0; i < rows; i++) {
        const int32_t own = int_at(data, 4 + (int64_t)i);
        if (own < 0 || own > entries - a->start[i])
            NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s': row %d has %d entries", path, (int)i, (int)own));
        a->start[i + 1] = a->start[i] + own;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
            a->column[k] = int_at(data, 4 + (int64_t)rows + k);
            if (a->column[k] < 0 || a->column[k] >= columns || (k > a->start[i] && a->column[k] <= a->column[k - 1]))
                NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s': column %d of row %d is out of range or order", path,
                               (int)a->column[k], (int)i));
        }
    }
    if (a->start[rows] != entries)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s': its rows have %lld entries, and its header announces %d", path,
                       (long long)a->start[rows], (int)entries));
    NB_TRY(read_reals(path, data + INT * (4 + (int64_t)rows + entries), entries, a->value));
out:
    return status;
}

nb_status nb_petsc_matrix_read(const char *path, nb_csr_f64 **matrix) {
    nb_status status;
    char *data = NULL;
    int64_t size;
    *matrix = NULL;
    NB_TRY(nb_bytes_read(path, &data, &size));
    if (size >= 2 * INT && int_at(data, 0) == VECTOR_ID)
        NB_TRY(parse_vector(path, data, size, matrix));
    else if (size >= 2 * INT && int_at(data, 0) == MATRIX_ID)
        NB_TRY(parse_matrix(path, data, size, matrix));
    else
        status = nb_fail(NB_ERROR_INPUT, "'%.300s': no matrix or vector in PETSc's binary format", path);
out:
    nb_free(data);
    if (status != NB_OK) {
        nb_csr_destroy_f64(*matrix);
        *matrix = NULL;
    }
    return status;
}
