/* The backend over whatever nb_system_apply multiplies, by rows: stored matrices, and what no other backend takes. */
#include <tgmath.h>

#include "base/memory.h"
#include "linear/vector_backend_class.h"
#include "linear/vector_backend_vectors.h"

NB_PRECISIONS(f32, f64, mixed);

typedef struct backend {
    nb_vector_backend_vectors vectors; /* first */
    nb_system *system;                 /* borrowed */
    int plain;                         /* 1: no diagonal was taken in */
    real *root;                        /* [rows] its square root, else 1 */
    real *scaled, *ay;                 /* [rows] root y, and the product that was begun */
    int64_t capacity[3];
} backend;

static void destroy(void *state) {
    backend *s = state;
    if (!s) return;
    nb_free(s->vectors.memory);
    nb_free(s->vectors.scale);
    nb_free(s->root);
    nb_free(s->scaled);
    nb_free(s->ay);
    nb_free(s);
}

static nb_status create(void **state) {
    backend *s;
    nb_status status = NB_ALLOCATE(1, &s);
    *state = s;
    return status;
}

static nb_status set_pattern(void *state, nb_system *system) {
    backend *s = state;
    nb_status status;
    s->system = system;
    s->vectors.length = system->rows;
    NB_TRY(NB_RESERVE(system->rows, &s->vectors.scale_capacity, &s->vectors.scale));
    NB_TRY(NB_RESERVE(system->rows, &s->capacity[0], &s->root));
    NB_TRY(NB_RESERVE(system->rows, &s->capacity[1], &s->scaled));
    NB_TRY(NB_RESERVE(system->rows, &s->capacity[2], &s->ay));
out:
    return status;
}

static nb_status set_values(void *state) {
    (void)state;
    return NB_OK;
}

static nb_status set_weights(void *state, const real *diagonal) {
    backend *s = state;
    for (int32_t i = 0; i < s->system->rows; i++) s->root[i] = diagonal ? sqrt(diagonal[i]) : 1;
    s->plain = !diagonal;
    s->vectors.scaled = 0;
    return NB_OK;
}

static int64_t length(const void *state) {
    return ((const backend *)state)->system->rows;
}

static void take(void *state, const real *rows, storage *v) {
    const backend *s = state;
    for (int32_t i = 0; i < s->system->rows; i++) v[i] = (storage)(s->root[i] * rows[i]);
}

static void give(void *state, const storage *x, double a, const storage *d, real *rows) {
    const backend *s = state;
    for (int32_t i = 0; i < s->system->rows; i++)
        rows[i] = s->root[i] * (d ? (real)x[i] + (real)a * (real)d[i] : (real)x[i]);
}

/* whether vectors may be handed on as rows */
static int as_rows(const void *state) {
    return NB_STORAGE_BITS == NB_REAL_BITS && ((const backend *)state)->plain;
}

/* all of the product is made here */
static void begin_product(void *state, double a, const storage *x, double b, storage *y, double sums[2]) {
    backend *s = state;
    const int32_t n = s->system->rows;
    const real *from = as_rows(s) ? (const real *)(const void *)y : s->scaled;
    if (x)
        for (int32_t i = 0; i < n; i++) y[i] = (storage)((real)a * (real)x[i] + (real)b * (real)y[i]);
    for (int32_t i = 0; from == s->scaled && i < n; i++) s->scaled[i] = s->root[i] * (real)y[i];
    nb_system_apply(s->system, from, s->ay);
    for (int32_t i = 0; !s->plain && i < n; i++) s->ay[i] *= s->root[i];
    if (!sums) return;
    double square[4] = {0}, product[4] = {0}; /* four chains, so that the additions do not wait for each other */
    int32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) {
            square[k] += (double)y[i + k] * (double)y[i + k];
            product[k] += (double)y[i + k] * (double)s->ay[i + k];
        }
    for (; i < n; i++) {
        square[0] += (double)y[i] * (double)y[i];
        product[0] += (double)y[i] * (double)s->ay[i];
    }
    sums[0] = (square[0] + square[1]) + (square[2] + square[3]);
    sums[1] = (product[0] + product[1]) + (product[2] + product[3]);
}

static void finish_product(void *state, const storage *y, storage *out) {
    const backend *s = state;
    (void)y;
    for (int32_t i = 0; i < s->system->rows; i++) out[i] = (storage)s->ay[i];
}

static double finish_pcr(void *state, const storage *y, double alpha, double beta, storage *x, storage *d, storage *ad,
                         int with_sum) {
    (void)with_sum;
    const backend *s = state;
    double sum = 0;
    for (int32_t i = 0; i < s->system->rows; i++) {
        x[i] = (storage)((real)x[i] + (real)alpha * (real)d[i]);
        d[i] = (storage)((real)y[i] + (real)beta * (real)d[i]);
        ad[i] = (storage)(s->ay[i] + (real)beta * (real)ad[i]);
        sum += (double)ad[i] * (double)ad[i];
    }
    return sum;
}

static double finish_pcg(void *state, const storage *y, double alpha, storage *x, storage *r, int with_sum) {
    backend *s = state;
    for (int32_t i = 0; i < s->system->rows; i++) {
        x[i] = (storage)((real)x[i] + (real)alpha * (real)y[i]);
        r[i] = (storage)((real)r[i] - (real)alpha * s->ay[i]);
    }
    return with_sum ? nb_vector_backend_vectors_dot(s, r, r) : 0;
}

static double scaled_square(void *state, int inverse, const storage *v) {
    backend *s = state;
    real *scale = s->vectors.scale;
    if (nb_vector_backend_vectors_unscaled(&s->vectors, inverse))
        for (int32_t i = 0; i < s->system->rows; i++) scale[i] = nb_vector_backend_vectors_scale(s->root[i], inverse);
    return nb_vector_backend_vectors_scaled_square(&s->vectors, v);
}

const nb_vector_backend_class nb_vector_backend_matrix = {
    .create = create,
    .destroy = destroy,
    .set_pattern = set_pattern,
    .set_values = set_values,
    .set_weights = set_weights,
    .length = length,
    .as_rows = as_rows,
    .take = take,
    .give = give,
    .begin_product = begin_product,
    .finish_product = finish_product,
    .finish_pcr = finish_pcr,
    .finish_pcg = finish_pcg,
    .scaled_square = scaled_square,
    NB_VECTOR_BACKEND_VECTORS,
};
