#include "linear_problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "matrix_market.h"
#include "petsc_matrix.h"

int nb_linear_problem_is(const char *path) {
    char begin[14];
    size_t length = strlen(path);
    if (nb_petsc_matrix_is(path) || (length >= 4 && strcasecmp(path + length - 4, ".mtx") == 0)) return 1;
    FILE *file;
    if (nb_file_open(path, 'r', &file) != NB_OK) return 0;
    const size_t got = fread(begin, 1, sizeof begin, file);
    fclose(file);
    return got == sizeof begin && strncasecmp(begin, "%%MatrixMarket", sizeof begin) == 0;
}

static nb_status read_matrix(const char *path, nb_csr_f64 **matrix) {
    return nb_petsc_matrix_is(path) ? nb_petsc_matrix_read(path, matrix) : nb_matrix_market_read(path, matrix);
}

static double diagonal(const nb_csr_f64 *a, int32_t row) {
    for (int64_t k = a->start[row]; k < a->start[row + 1]; k++)
        if (a->column[k] == row) return a->value[k];
    return 0;
}

/* A and its transpose side by side: both have their columns ascending */
static double asymmetry_of(const nb_csr_f64 *a, const nb_csr_f64 *t, const double *scale) {
    const double round_off = 64 * DBL_EPSILON;
    double most = 0;
    for (int32_t i = 0; i < a->rows; i++) {
        int64_t k = a->start[i], l = t->start[i];
        while (k < a->start[i + 1] || l < t->start[i + 1]) {
            int32_t left = k < a->start[i + 1] ? a->column[k] : INT32_MAX;
            int32_t right = l < t->start[i + 1] ? t->column[l] : INT32_MAX;
            int32_t j = left < right ? left : right;
            double x = left == j ? a->value[k++] : 0, y = right == j ? t->value[l++] : 0;
            double size = fmax(scale[i] * scale[j], fmax(fabs(x), fabs(y)));
            if (x != y) most = fmax(most, fabs(x - y) / size);
        }
    }
    return most > round_off ? most : 0;
}

static nb_status look_at_matrix(const char *path, const nb_csr_f64 *a, double *asymmetry) {
    nb_status status;
    nb_csr_f64 *t = NULL;
    double *scale = NULL;
    if (a->rows != a->columns)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s' is %d x %d: a square matrix is needed to solve with", path,
                       (int)a->rows, (int)a->columns));
    NB_TRY(NB_ALLOCATE(a->rows, &scale));
    for (int32_t i = 0; i < a->rows; i++) scale[i] = sqrt(fabs(diagonal(a, i)));
    NB_TRY(nb_csr_transpose_f64(a, &t));
    *asymmetry = asymmetry_of(a, t, scale);
out:
    nb_csr_destroy_f64(t);
    nb_free(scale);
    return status;
}

/* whatever it is: what is no regular file is refused when it is read */
static int is_there(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

int nb_linear_problem_in_folder(const char *folder, char *path, size_t size) {
    static const char *const names[] = {"A.petsc", "A.mtx"};
    for (int i = 0; i < 2; i++) {
        const int length = snprintf(path, size, "%s/%s", folder, names[i]);
        if (length > 0 && (size_t)length < size && is_there(path)) return 1;
    }
    return 0;
}

nb_status nb_linear_problem_find_rhs(const char *path, const char *given, char **rhs) {
    *rhs = NULL;
    if (given) return strcmp(given, NB_LINEAR_ONES) == 0 ? NB_OK : nb_copy_text(given, rhs);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t folder = (size_t)(name - path), length = strlen(name), size = strlen(path) + 8;
    const char *ending = nb_petsc_matrix_is(path) ? name + length - 6 : ".mtx";
    if (length >= strlen(ending) && strcasecmp(name + length - strlen(ending), ending) == 0) length -= strlen(ending);
    nb_status status = nb_allocate((int64_t)size, 1, rhs);
    if (status != NB_OK) return status;
    snprintf(*rhs, size, "%.*s_b%s", (int)(folder + length), path, ending);
    if (is_there(*rhs)) return NB_OK;
    snprintf(*rhs, size, "%.*sb%s", (int)folder, path, ending);
    if (length == 1 && (*name == 'A' || *name == 'a') && is_there(*rhs)) return NB_OK;
    nb_free(*rhs);
    *rhs = NULL;
    return NB_OK;
}

/* adds the columns of the matrix in this file to b */
static nb_status read_rhs(const char *path, nb_linear_problem *p) {
    nb_csr_f64 *block;
    const int64_t rows = p->a->rows;
    int64_t capacity = p->columns * rows;
    nb_status status = read_matrix(path, &block);
    if (status != NB_OK) return status;
    if (block->rows != rows || block->columns < 1)
        NB_TRY(nb_fail(NB_ERROR_INPUT,
                       "'%.300s' is %d x %d: right-hand sides of %d rows are needed (--rhs FILE.mtx, or --rhs ones)",
                       path, (int)block->rows, (int)block->columns, (int)rows));
    if (p->columns + block->columns > INT32_MAX) NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s': too many columns", path));
    NB_TRY(NB_RESERVE((p->columns + block->columns) * rows, &capacity, &p->b));
    memset(p->b + p->columns * rows, 0, (size_t)(block->columns * rows) * sizeof *p->b);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = block->start[i]; k < block->start[i + 1]; k++)
            p->b[(p->columns + block->column[k]) * rows + i] = block->value[k];
    p->columns += block->columns;
out:
    nb_csr_destroy_f64(block);
    return status;
}

nb_status nb_linear_problem_read(const char *path, const char *rhs_files, nb_linear_problem **problem) {
    nb_status status;
    nb_linear_problem *p = NULL;
    char name[NB_FILE_NAME];
    *problem = NULL;
    NB_TRY(NB_ALLOCATE(1, &p));
    NB_TRY(read_matrix(path, &p->a));
    NB_TRY(look_at_matrix(path, p->a, &p->asymmetry));
    while (nb_file_list_next(&rhs_files, name)) NB_TRY(read_rhs(name, p));
    if (p->columns == 0) {
        const nb_csr_f64 *a = p->a;
        p->columns = 1;
        NB_TRY(NB_ALLOCATE(a->rows, &p->b));
        for (int32_t i = 0; i < a->rows; i++)
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) p->b[i] += a->value[k];
    }
    *problem = p;
    p = NULL;
out:
    nb_linear_problem_destroy(p);
    return status;
}

void nb_linear_problem_destroy(nb_linear_problem *problem) {
    if (!problem) return;
    nb_csr_destroy_f64(problem->a);
    nb_free(problem->b);
    nb_free(problem);
}
