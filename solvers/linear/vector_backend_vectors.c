#include "linear/vector_backend_vectors.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64, mixed);

static int64_t length_of(const void *state) {
    return ((const nb_vector_backend_vectors *)state)->length;
}

nb_status nb_vector_backend_vectors_reserve(void *state, int64_t length, storage **memory) {
    nb_vector_backend_vectors *v = state;
    nb_status status = NB_RESERVE(length, &v->capacity, &v->memory);
    *memory = v->memory;
    return status;
}

int nb_vector_backend_vectors_unscaled(nb_vector_backend_vectors *v, int inverse) {
    int wanted = 1 + inverse, other = v->scaled != wanted;
    if (other) memset(v->scale, 0, (size_t)v->length * sizeof *v->scale); /* what pads it */
    v->scaled = wanted;
    return other;
}

double nb_vector_backend_vectors_scaled_square(const nb_vector_backend_vectors *v, const storage *x) {
    int64_t n = v->length, i = 0;
    double sum[4] = {0}; /* as below */
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) {
            double scaled = (double)v->scale[i + k] * (double)x[i + k];
            sum[k] += scaled * scaled;
        }
    for (; i < n; i++) sum[0] += (double)v->scale[i] * (double)x[i] * ((double)v->scale[i] * (double)x[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double nb_vector_backend_vectors_dot(void *state, const storage *x, const storage *y) {
    int64_t n = length_of(state), i = 0;
    double sum[4] = {0}; /* four chains, so that the additions do not wait for each other */
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += (double)x[i + k] * (double)y[i + k];
    for (; i < n; i++) sum[0] += (double)x[i] * (double)y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void nb_vector_backend_vectors_clear(void *state, storage *x) {
    memset(x, 0, (size_t)length_of(state) * sizeof *x);
}

void nb_vector_backend_vectors_copy(void *state, const storage *x, storage *y) {
    memcpy(y, x, (size_t)length_of(state) * sizeof *y);
}

void nb_vector_backend_vectors_axpy(void *state, double a, const storage *x, storage *y) {
    for (int64_t i = 0, n = length_of(state); i < n; i++) y[i] = (storage)((real)y[i] + (real)a * (real)x[i]);
}

void nb_vector_backend_vectors_combine(void *state, double a, const storage *x, double b, storage *y) {
    for (int64_t i = 0, n = length_of(state); i < n; i++) y[i] = (storage)((real)a * (real)x[i] + (real)b * (real)y[i]);
}
