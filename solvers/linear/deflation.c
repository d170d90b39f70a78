#include "linear/deflation.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/dense_room.h"
#include "base/memory.h"
#include "dense_serial.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    WINDOW_RATIO = 10, /* directions collected over vectors of the basis, */
    LEAST_WINDOW = 40, /* and bounds of their number */
    MOST_WINDOW = 300,
    WORK_RATIO = 8, /* of LAPACK's dsyevx, a row */
    INTEGER_RATIO = 6
};

static int32_t window(const nb_deflation *d) {
    const int32_t wanted = WINDOW_RATIO * d->size;
    return wanted < LEAST_WINDOW ? LEAST_WINDOW : wanted < MOST_WINDOW ? wanted : MOST_WINDOW;
}

/* rows of the eigenproblem, at most */
static int64_t order(const nb_deflation *d) {
    return (int64_t)d->size + window(d);
}

void nb_deflation_destroy(nb_deflation *d) {
    if (!d) return;
    void *owned[] = {(void *)d->list[0], (void *)d->list[1], d->basis, d->kept,  d->e,    d->f,   d->image,
                     d->square,          d->diagonal,        d->above, d->cross, d->work, d->log, d->images,
                     d->integers};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    nb_free(d);
}

nb_status nb_deflation_create(int32_t size, nb_deflation **deflation) {
    nb_status status;
    nb_deflation *d = NULL;
    NB_TRY(NB_ALLOCATE(1, &d));
    d->size = size;
    const int64_t k = size, m = window(d), n = order(d);
    NB_TRY(NB_ALLOCATE(k, &d->kept));
    NB_TRY(NB_ALLOCATE(k * k, &d->e));
    NB_TRY(NB_ALLOCATE(k * k, &d->f));
    NB_TRY(NB_ALLOCATE(k, &d->image));
    NB_TRY(NB_ALLOCATE(m, &d->square));
    NB_TRY(NB_ALLOCATE(m, &d->diagonal));
    NB_TRY(NB_ALLOCATE(m, &d->above));
    NB_TRY(NB_ALLOCATE(m * k, &d->cross));
    NB_TRY(NB_ALLOCATE(3 * m, &d->log));
    NB_TRY(NB_ALLOCATE(m * k, &d->images));
    NB_TRY(NB_ALLOCATE(n * n + (WORK_RATIO + 1 + k) * n, &d->work));
    NB_TRY(NB_ALLOCATE(INTEGER_RATIO * n, &d->integers));
    for (int i = 0; i < 2; i++) NB_TRY(NB_ALLOCATE(n > 2 * k ? n : 2 * k, &d->list[i]));
out:
    if (status != NB_OK) {
        nb_deflation_destroy(d);
        d = NULL;
    }
    *deflation = d;
    return status;
}

int64_t nb_deflation_vectors(const nb_deflation *d) {
    return 2 * (int64_t)d->size + window(d) + 1;
}

nb_status nb_deflation_set_pattern(nb_deflation *d, nb_vector_backend *backend, int32_t rows, int64_t first) {
    nb_status status;
    d->backend = backend;
    d->first = first;
    if (d->count > 0 && rows != d->rows) {
        d->count = 0;
        d->dropped = 1;
    }
    d->rows = rows;
    NB_TRY(nb_dense_room());
    NB_TRY(NB_RESERVE((int64_t)d->size * rows, &d->basis_capacity, &d->basis));
out:
    return status;
}

/* ---- the vectors: W, A W, V, and a spare one ---- */

static storage *vector(const nb_deflation *d, int64_t i) {
    return nb_vector_backend_vector(d->backend, d->first + i);
}

static storage *basis_vector(const nb_deflation *d, int32_t j) {
    return vector(d, d->kept[j]);
}

static storage *basis_image(const nb_deflation *d, int32_t j) {
    return vector(d, (int64_t)d->size + d->kept[j]);
}

static storage *direction(const nb_deflation *d, int32_t j) {
    return vector(d, 2 * (int64_t)d->size + j);
}

/* sums[i] = the product of vector i of W, or of A W, with `other`, for the first `count` of them */
static void dots_with(const nb_deflation *d, int32_t count, int images, const storage *other, double *sums) {
    for (int32_t i = 0; i < count; i++) {
        d->list[0][i] = images ? basis_image(d, i) : basis_vector(d, i);
        d->list[1][i] = other;
    }
    nb_vector_backend_dots(d->backend, count, d->list[0], d->list[1], sums);
}

/* y += W c, or A W c */
static void add(const nb_deflation *d, int images, const double *c, storage *y) {
    for (int32_t j = 0; j < d->used; j++) d->list[0][j] = images ? basis_image(d, j) : basis_vector(d, j);
    nb_vector_backend_axpys(d->backend, d->used, c, d->list[0], y);
}

/* ---- E ---- */

/* row `j` of E's Cholesky factor, of vector `j` and those that are used; 0 where the vector depends on them */
static int factorize_row(nb_deflation *d, int32_t j) {
    const int32_t k = d->size;
    double *row = d->e + (int64_t)j * k;
    double product[NB_DEFLATION_MOST];
    dots_with(d, j + 1, 0, basis_image(d, j), product);
    for (int32_t i = 0; i < j; i++) {
        row[i] = product[i];
        for (int32_t l = 0; l < i; l++) row[i] -= row[l] * d->e[(int64_t)i * k + l];
        row[i] /= d->e[(int64_t)i * k + i];
    }
    const double square = product[j];
    double pivot = square;
    for (int32_t l = 0; l < j; l++) pivot -= row[l] * row[l];
    if (!(pivot > sqrt((double)NB_STORAGE_EPSILON) * square) || !isfinite(pivot)) return 0;
    row[j] = sqrt(pivot);
    return 1;
}

/* c = L^-1 c, or L^-T c, E = L L^T */
static void solve_lower(const nb_deflation *d, double *c) {
    for (int32_t i = 0; i < d->used; i++) {
        for (int32_t l = 0; l < i; l++) c[i] -= d->e[(int64_t)i * d->size + l] * c[l];
        c[i] /= d->e[(int64_t)i * d->size + i];
    }
}

static void solve_upper(const nb_deflation *d, double *c) {
    for (int32_t i = d->used - 1; i >= 0; i--) {
        for (int32_t l = d->used - 1; l > i; l--) c[i] -= d->e[(int64_t)l * d->size + i] * c[l]; /* as a device does */
        c[i] /= d->e[(int64_t)i * d->size + i];
    }
}

void nb_deflation_begin(nb_deflation *d) {
    nb_vector_backend *s = d->backend;
    d->directions = d->used = 0;
    d->collects = 1;
    d->spare = vector(d, 2 * (int64_t)d->size + window(d));
    for (int32_t j = 0; j < d->count; j++) {
        storage *w = vector(d, j), *image = vector(d, (int64_t)d->size + j);
        nb_vector_backend_take(s, d->basis + (int64_t)j * d->rows, w);
        nb_vector_backend_begin_product(s, 0, NULL, 1, w, NULL);
        nb_vector_backend_finish_product(s, w, image);
        d->kept[d->used] = j;
        d->used += factorize_row(d, d->used);
    }
    for (int32_t j = 0; j < d->used; j++) {
        nb_vector_backend_precondition(s, basis_image(d, j), d->spare);
        dots_with(d, j + 1, 1, d->spare, d->f + (int64_t)j * d->size);
    }
}

/* ---- projections ---- */

static void negate(const nb_deflation *d, double *c) {
    for (int32_t j = 0; j < d->used; j++) c[j] = -c[j];
}

double nb_deflation_start(nb_deflation *d, storage *x, storage *r) {
    double *c = d->image, decrease = 0;
    dots_with(d, d->used, 0, r, c);
    solve_lower(d, c);
    for (int32_t j = 0; j < d->used; j++) decrease += c[j] * c[j];
    solve_upper(d, c);
    add(d, 0, c, x);
    negate(d, c);
    add(d, 1, c, r);
    return decrease;
}

/* A W with z, and W with v */
static void list_pairs(const nb_deflation *d, const storage *v, const storage *z) {
    const int32_t k = d->used;
    for (int32_t j = 0; j < k; j++) {
        d->list[0][j] = basis_image(d, j);
        d->list[1][j] = z;
        d->list[0][k + j] = basis_vector(d, j);
        d->list[1][k + j] = v;
    }
}

/* all products at once, as a device is waited for once then */
void nb_deflation_project(nb_deflation *d, const storage *v, storage *z) {
    const int32_t k = d->used;
    double c[NB_DEFLATION_MOST], product[2 * NB_DEFLATION_MOST];
    list_pairs(d, v, z);
    nb_vector_backend_dots(d->backend, 2 * k, d->list[0], d->list[1], product);
    for (int32_t j = 0; j < k; j++) {
        d->image[j] = product[j];
        c[j] = product[j] - product[k + j];
    }
    solve_lower(d, c);
    solve_upper(d, c);
    negate(d, c);
    add(d, 0, c, z);
}

nb_pcr_projection nb_deflation_projection(nb_deflation *d, const storage *v, const storage *z) {
    list_pairs(d, v, z);
    const int32_t left = d->collects ? window(d) - d->directions : 0;
    return (nb_pcr_projection){.count = d->used,
                               .x = d->list[0],
                               .y = d->list[1],
                               .factor = d->e,
                               .stride = d->size,
                               .window = left,
                               .directions = left > 0 ? direction(d, d->directions) : NULL,
                               .length = vector(d, 1) - vector(d, 0),
                               .log = d->log,
                               .images = d->images};
}

/* ---- the next basis ---- */

void nb_deflation_add_direction(nb_deflation *d, const storage *v, double square, double diagonal, double above,
                                const double *cross) {
    const int32_t j = d->directions;
    if (!d->collects || j == window(d)) return;
    if (v) nb_vector_backend_combine(d->backend, 1 / sqrt(square), v, 0, direction(d, j));
    d->square[j] = square;
    d->diagonal[j] = diagonal / square;
    d->above[j] = j > 0 ? above / sqrt(square * d->square[j - 1]) : 0;
    for (int32_t i = 0; i < d->used; i++) d->cross[(int64_t)j * d->size + i] = cross[i] / sqrt(square);
    d->directions++;
}

/* L^-1 F L^-T of W, and L^-1 of what V has with W: with A-orthogonal [W L^-T V], G = 1; a [n][n] */
static void fill(const nb_deflation *d, int32_t n, double *a) {
    const int32_t k = d->used;
    double c[NB_DEFLATION_MOST];
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (int32_t j = 0; j < k; j++) { /* rows of F L^-T */
        for (int32_t i = 0; i < k; i++) c[i] = d->f[(int64_t)(i > j ? i : j) * d->size + (i > j ? j : i)];
        solve_lower(d, c);
        for (int32_t i = 0; i < k; i++) a[(int64_t)i * n + j] = c[i];
    }
    for (int32_t i = 0; i < k; i++) solve_lower(d, a + (int64_t)i * n);
    for (int32_t j = 0; j < d->directions; j++) {
        double *row = a + (int64_t)(k + j) * n;
        memcpy(row, d->cross + (int64_t)j * d->size, (size_t)k * sizeof *row);
        solve_lower(d, row);
        row[k + j] = d->diagonal[j];
        if (j > 0) row[k + j - 1] = d->above[j];
    }
}

/* the spare vector = Z y */
static void combine(const nb_deflation *d, double *y) {
    nb_vector_backend *s = d->backend;
    solve_upper(d, y);
    nb_vector_backend_clear(s, d->spare);
    for (int32_t j = 0; j < d->used; j++) d->list[0][j] = basis_vector(d, j);
    for (int32_t j = 0; j < d->directions; j++) d->list[0][d->used + j] = direction(d, j);
    nb_vector_backend_axpys(s, d->used + d->directions, y, d->list[0], d->spare);
}

void nb_deflation_finish(nb_deflation *d) {
    const int32_t n = d->used + d->directions, wanted = n < d->size ? n : d->size;
    const int64_t most = order(d);
    double *a = d->work, *values = a + (int64_t)n * n, *work = values + most, *vectors = work + WORK_RATIO * most;
    lapack_int found = 0;
    if (d->directions == 0) return;
    fill(d, n, a);
    nb_dense_serial_begin();
    const lapack_int info =
        LAPACKE_dsyevx_work(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, a, n, 0, 0, 1, wanted, 0, &found, values, vectors, n,
                            work, (lapack_int)(WORK_RATIO * most), d->integers, d->integers + 5 * most);
    nb_dense_serial_end();
    if (info != 0) return; /* the old one stays */
    for (int32_t i = 0; i < found; i++) {
        combine(d, vectors + (int64_t)i * n);
        nb_vector_backend_give(d->backend, d->spare, 0, NULL, d->basis + (int64_t)i * d->rows);
    }
    d->count = found;
}
