#include "linear/vector_backend.h"

#include <math.h>

#include "base/memory.h"
#include "device.h"
#include "linear/vector_backend_class.h"
#include "operator/packed.h"

NB_PRECISIONS(f32, f64, mixed);

struct nb_vector_backend {
    const nb_vector_backend_class *type; /* NULL before the first pattern */
    void *state;
    const nb_system *system;                       /* borrowed */
    int identity;                                  /* P is the identity in this backend */
    int diagonal;                                  /* since a diagonal was taken in */
    const nb_preconditioner_class *preconditioner; /* where it is not */
    void *preconditioner_state;
    nb_preconditioner_class apart;                              /* one with a diagonal that is not to be taken in */
    const real *(*apart_diagonal)(const void *state);           /* which is */
    void (*applies)(void *state, const storage *r, storage *z); /* what the class applies it by; NULL: row by row */
    int64_t *applied;                                           /* how often; or NULL */
    real *scratch[2];                                           /* [rows] */
    int64_t capacity[2];
    storage *vectors; /* [count][stride] */
    int64_t stride;
    int32_t mirrored; /* rows from here on are taken times -1; 0: none are */
};

void nb_vector_backend_destroy(nb_vector_backend *backend) {
    if (!backend) return;
    if (backend->type) backend->type->destroy(backend->state);
    nb_free(backend->scratch[0]);
    nb_free(backend->scratch[1]);
    nb_free(backend);
}

nb_status nb_vector_backend_create(nb_vector_backend **backend) {
    return NB_ALLOCATE(1, backend);
}

/* the class for this system's source and device */
static const nb_vector_backend_class *class_for(const nb_system *system) {
    if (system->device) return system->device->NB_STORAGE_NAME(backend);
    /* the fast kernels know no K */
    return nb_packed_fits(system->delassus) && !system->k ? &nb_vector_backend_bodies : &nb_vector_backend_matrix;
}

nb_status nb_vector_backend_set_pattern(nb_vector_backend *backend, nb_system *system) {
    nb_status status;
    const nb_vector_backend_class *type = class_for(system);
    if (type != backend->type) {
        if (backend->type) backend->type->destroy(backend->state);
        backend->type = NULL;
        backend->vectors = NULL;
        NB_TRY(type->create(&backend->state));
        backend->type = type;
    }
    backend->system = system;
    for (int i = 0; i < 2; i++) NB_TRY(NB_RESERVE(system->rows, &backend->capacity[i], &backend->scratch[i]));
    NB_TRY(type->set_pattern(backend->state, system));
out:
    return status;
}

nb_status nb_vector_backend_set_values(nb_vector_backend *backend) {
    return backend->type->set_values(backend->state);
}

/* gives the class what it may apply the preconditioner by */
static nb_status take_preconditioner(nb_vector_backend *backend) {
    const nb_preconditioner_class *p = backend->preconditioner;
    const nb_vector_backend_class *type = backend->type;
    nb_status status = NB_OK;
    if (p == &backend->apart && backend->apart_diagonal && type->take_diagonal) {
        backend->applied = p->applied;
        backend->applies = type->apply_diagonal;
        NB_TRY(type->take_diagonal(backend->state, backend->apart_diagonal(backend->preconditioner_state)));
    }
    if (p->blocks && type->take_blocks) {
        nb_preconditioner_blocks blocks = {0};
        p->blocks(backend->preconditioner_state, &blocks);
        backend->applied = blocks.applied;
        backend->applies = type->apply_blocks;
        NB_TRY(type->take_blocks(backend->state, &blocks));
    }
    if (p->sweeps && type->take_sweeps) {
        nb_sweeps sweeps = {0};
        p->sweeps(backend->preconditioner_state, &sweeps);
        if (!sweeps.colouring) return NB_OK;
        backend->applied = sweeps.applied;
        backend->applies = type->apply_sweeps;
        NB_TRY(type->take_sweeps(backend->state, &sweeps));
    }
    if (p->polynomial && type->take_polynomial) {
        nb_polynomial polynomial = {0};
        p->polynomial(backend->preconditioner_state, &polynomial);
        backend->applied = polynomial.applied;
        backend->applies = type->apply_polynomial;
        NB_TRY(type->take_polynomial(backend->state, &polynomial));
    }
    if (p->inverse_factor && type->take_inverse_factor) {
        nb_inverse_factor factor = {0};
        p->inverse_factor(backend->preconditioner_state, &factor);
        backend->applied = factor.applied;
        backend->applies = type->apply_inverse_factor;
        NB_TRY(type->take_inverse_factor(backend->state, &factor));
    }
out:
    return status;
}

nb_status nb_vector_backend_set_weights(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner,
                                        void *state) {
    nb_status status;
    const real *diagonal = NULL;
    backend->identity = !preconditioner || preconditioner->diagonal;
    if (preconditioner && preconditioner->diagonal) diagonal = preconditioner->diagonal(state);
    backend->preconditioner = backend->identity ? NULL : preconditioner;
    backend->preconditioner_state = state;
    backend->applies = NULL;
    backend->applied = NULL;
    backend->diagonal = diagonal != NULL;
    NB_TRY(backend->type->set_weights(backend->state, diagonal));
    if (backend->preconditioner) NB_TRY(take_preconditioner(backend));
out:
    return status;
}

nb_status nb_vector_backend_set_weights_apart(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner,
                                              void *state) {
    if (!preconditioner || (preconditioner->diagonal && !preconditioner->diagonal(state)))
        return nb_vector_backend_set_weights(backend, NULL, state);
    backend->apart = *preconditioner;
    backend->apart_diagonal = preconditioner->diagonal;
    backend->apart.diagonal = NULL;
    return nb_vector_backend_set_weights(backend, &backend->apart, state);
}

void nb_vector_backend_set_mirrored(nb_vector_backend *backend, int32_t mirrored) {
    backend->mirrored = mirrored;
}

void nb_vector_backend_mirror(const nb_vector_backend *backend, storage *v) {
    for (int32_t i = backend->mirrored; backend->mirrored > 0 && i < backend->system->rows; i++) v[i] = -v[i];
}

nb_status nb_vector_backend_fault(nb_vector_backend *backend) {
    return backend->type->fault ? backend->type->fault(backend->state) : NB_OK;
}

int64_t nb_vector_backend_length(const nb_vector_backend *backend) {
    return backend->type->length(backend->state);
}

nb_status nb_vector_backend_set_vectors(nb_vector_backend *backend, int64_t count) {
    backend->stride = (nb_vector_backend_length(backend) + 63) / 64 * 64;
    return backend->type->reserve(backend->state, count * backend->stride, &backend->vectors);
}

storage *nb_vector_backend_vector(const nb_vector_backend *backend, int64_t i) {
    return backend->vectors + i * backend->stride;
}

double nb_vector_backend_bytes(const nb_vector_backend *backend, int pcr) {
    return backend->type->bytes ? backend->type->bytes(backend->state, pcr) : NAN;
}

int nb_vector_backend_has_identity(const nb_vector_backend *backend) {
    return backend->identity;
}

int nb_vector_backend_has_no_preconditioner(const nb_vector_backend *backend) {
    return backend->identity && !backend->diagonal;
}

void nb_vector_backend_take(nb_vector_backend *backend, const real *rows, storage *v) {
    backend->type->take(backend->state, rows, v);
}

void nb_vector_backend_give(nb_vector_backend *backend, const storage *x, double a, const storage *d, real *rows) {
    backend->type->give(backend->state, x, a, d, rows);
}

void nb_vector_backend_begin_product(nb_vector_backend *backend, double a, const storage *x, double b, storage *y,
                                     double sums[2]) {
    if (sums) sums[0] = sums[1] = 0;
    backend->type->begin_product(backend->state, a, x, b, y, sums);
}

void nb_vector_backend_finish_product(nb_vector_backend *backend, const storage *y, storage *out) {
    backend->type->finish_product(backend->state, y, out);
    nb_vector_backend_mirror(backend, out);
}

double nb_vector_backend_finish_pcr(nb_vector_backend *backend, const storage *y, double alpha, double beta, storage *x,
                                    storage *d, storage *ad, int with_sum) {
    return backend->type->finish_pcr(backend->state, y, alpha, beta, x, d, ad, with_sum);
}

void nb_vector_backend_run_pcr(nb_vector_backend *backend, nb_pcr_state *pcr, storage *x, storage *d, storage *ad,
                               storage *z) {
    if (backend->type->run_pcr) backend->type->run_pcr(backend->state, pcr, x, d, ad, z);
}

double nb_vector_backend_finish_pcg(nb_vector_backend *backend, const storage *y, double alpha, storage *x, storage *r,
                                    int with_sum) {
    return backend->type->finish_pcg(backend->state, y, alpha, x, r, with_sum);
}

void nb_vector_backend_precondition(nb_vector_backend *backend, const storage *r, storage *z) {
    if (backend->identity) {
        backend->type->copy(backend->state, r, z);
    } else if (backend->applies) {
        if (backend->applied) ++*backend->applied;
        backend->applies(backend->state, r, z);
    } else {
        nb_vector_backend_give(backend, r, 0, NULL, backend->scratch[0]);
        backend->preconditioner->apply(backend->preconditioner_state, backend->scratch[0], backend->scratch[1]);
        nb_vector_backend_take(backend, backend->scratch[1], z);
    }
}

nb_status nb_vector_backend_take_sweeps(nb_vector_backend *backend, const nb_sweeps *sweeps) {
    return backend->type->take_sweeps(backend->state, sweeps);
}

void nb_vector_backend_start_sweep(nb_vector_backend *backend) {
    backend->type->start_sweep(backend->state);
}

double nb_vector_backend_sweep(nb_vector_backend *backend, int backward, const storage *b, storage *x) {
    return backend->type->sweep(backend->state, backward, b, x);
}

double nb_vector_backend_dot(nb_vector_backend *backend, const storage *x, const storage *y) {
    return backend->type->dot(backend->state, x, y);
}

/* how many of `left` go into one call of the class */
static int32_t share(int32_t left) {
    return left < NB_VECTOR_BACKEND_PAIRS ? left : NB_VECTOR_BACKEND_PAIRS;
}

void nb_vector_backend_dots(nb_vector_backend *backend, int32_t count, const storage *const *x, const storage *const *y,
                            double *sums) {
    const nb_vector_backend_class *type = backend->type;
    for (int32_t i = 0, n; i < count; i += n) {
        n = type->dots ? share(count - i) : 1;
        if (type->dots)
            type->dots(backend->state, n, x + i, y + i, sums + i);
        else
            sums[i] = type->dot(backend->state, x[i], y[i]);
    }
}

void nb_vector_backend_axpys(nb_vector_backend *backend, int32_t count, const double *a, const storage *const *x,
                             storage *y) {
    const nb_vector_backend_class *type = backend->type;
    for (int32_t i = 0, n; i < count; i += n) {
        n = type->axpys ? share(count - i) : 1;
        if (type->axpys)
            type->axpys(backend->state, n, a + i, x + i, y);
        else
            type->axpy(backend->state, a[i], x[i], y);
    }
}

double nb_vector_backend_norm(nb_vector_backend *backend, nb_linear_norm norm, const storage *v) {
    if (norm == NB_NORM_NATURAL || !backend->diagonal) return sqrt(backend->type->dot(backend->state, v, v));
    return sqrt(backend->type->scaled_square(backend->state, norm == NB_NORM_TRUE, v));
}

double nb_vector_backend_weighted_norm(nb_vector_backend *backend, const real *weights, const storage *x) {
    double sum = 0;
    real *rows = backend->scratch[0];
    nb_vector_backend_give(backend, x, 0, NULL, rows);
    for (int32_t i = 0; i < backend->system->rows; i++) {
        double product = (double)weights[i] * (double)rows[i];
        sum += product * product;
    }
    nb_system_reduce(backend->system, NB_REDUCTION_SUM, &sum, 1);
    return sqrt(sum);
}

int nb_vector_backend_is_round_off(nb_vector_backend *backend, const storage *x, double residual, double start) {
    nb_system_diagonal(backend->system, backend->scratch[1]);
    double size = nb_vector_backend_weighted_norm(backend, backend->scratch[1], x);
    return residual <= 16 * (double)NB_STORAGE_EPSILON * (size + start);
}

void nb_vector_backend_copy(nb_vector_backend *backend, const storage *x, storage *y) {
    backend->type->copy(backend->state, x, y);
}

void nb_vector_backend_clear(nb_vector_backend *backend, storage *x) {
    backend->type->clear(backend->state, x);
}

void nb_vector_backend_axpy(nb_vector_backend *backend, double a, const storage *x, storage *y) {
    backend->type->axpy(backend->state, a, x, y);
}

void nb_vector_backend_combine(nb_vector_backend *backend, double a, const storage *x, double b, storage *y) {
    backend->type->combine(backend->state, a, x, b, y);
}

double nb_vector_backend_residual(nb_vector_backend *backend, const real *b, storage *x, storage *r, storage *ax) {
    nb_vector_backend_begin_product(backend, 0, NULL, 1, x, NULL);
    nb_vector_backend_finish_product(backend, x, ax);
    nb_vector_backend_take(backend, b, r);
    nb_vector_backend_mirror(backend, r);
    nb_vector_backend_axpy(backend, -1, ax, r);
    return sqrt(nb_vector_backend_dot(backend, r, r));
}

/* ---- solvers whose state is a backend ---- */

nb_status nb_vector_backend_solver_create(const double *values, void **state) {
    nb_vector_backend *backend;
    nb_status status = nb_vector_backend_create(&backend);
    (void)values;
    *state = backend;
    return status;
}

nb_status nb_vector_backend_solver_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)system;
    (void)outcome;
    return nb_vector_backend_set_values(state);
}

void nb_vector_backend_solver_destroy(void *state) {
    nb_vector_backend_destroy(state);
}
