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
    int by_operations;               /* 1: the class was told its parts; 0: it is applied row by row */
    nb_vector_operations operations; /* by which it is applied */
    void *work[NB_WORK_VECTORS];     /* theirs */
    real *scratch[2];                /* [rows] */
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

/* ---- operations for preconditioners ---- */

static void load(void *state, const void *rows, void *v) {
    nb_vector_backend_take(state, rows, v);
}

static double product(void *state, const void *y, void *out, int with_sum) {
    double sums[2] = {0};
    nb_vector_backend_begin_product(state, 0, NULL, 1, (storage *)(uintptr_t)y, with_sum ? sums : NULL);
    nb_vector_backend_finish_product(state, y, out);
    return sums[1];
}

static double dot(void *state, const void *x, const void *y) {
    return nb_vector_backend_dot(state, x, y);
}

static void copy(void *state, const void *x, void *y) {
    nb_vector_backend_copy(state, x, y);
}

static void axpy(void *state, double a, const void *x, void *y) {
    nb_vector_backend_axpy(state, a, x, y);
}

static void combine(void *state, double a, const void *x, double b, void *y) {
    nb_vector_backend_combine(state, a, x, b, y);
}

static void multiply(void *state, int transposed, const void *x, void *out) {
    const nb_vector_backend *backend = state;
    backend->type->multiply(backend->state, transposed, x, out);
}

static int iterate(void *state, int count, const double *a, const double *b, const void *r, void *z) {
    const nb_vector_backend *backend = state;
    return backend->type->iterate(backend->state, count, a, b, r, z);
}

static void triangle(void *state, int backward, const void *r, void *z) {
    const nb_vector_backend *backend = state;
    backend->type->triangle(backend->state, backward, r, z);
}

static int failed(void *state) {
    return nb_vector_backend_fault(state) != NB_OK;
}

static const nb_vector_operations operations = {.epsilon = (double)NB_STORAGE_EPSILON,
                                                .load = load,
                                                .product = product,
                                                .dot = dot,
                                                .copy = copy,
                                                .axpy = axpy,
                                                .combine = combine,
                                                .multiply = multiply,
                                                .iterate = iterate,
                                                .triangle = triangle,
                                                .failed = failed};

/* tells the class the preconditioner's parts where it applies it */
static nb_status tell_parts(nb_vector_backend *backend) {
    nb_preconditioner_parts parts;
    backend->by_operations = backend->type->take_parts && nb_preconditioner_works_on_devices(backend->preconditioner);
    if (!backend->by_operations) return NB_OK;
    nb_preconditioner_tell_parts(backend->preconditioner, backend->preconditioner_state, &parts);
    backend->operations = operations;
    backend->operations.state = backend;
    backend->operations.vector = backend->work;
    return backend->type->take_parts(backend->state, &parts, backend->work);
}

/* `apart`: nothing is taken into the operator */
static nb_status set_weights(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner, void *state,
                             int apart) {
    const int is_diagonal = preconditioner && preconditioner->diagonal;
    const real *diagonal = is_diagonal ? preconditioner->diagonal(state) : NULL;
    backend->identity = !preconditioner || (is_diagonal && (!apart || !diagonal));
    backend->preconditioner = backend->identity ? NULL : preconditioner;
    backend->preconditioner_state = state;
    backend->diagonal = !apart && diagonal;
    nb_status status = backend->type->set_weights(backend->state, apart ? NULL : diagonal);
    return status == NB_OK && backend->preconditioner ? tell_parts(backend) : status;
}

nb_status nb_vector_backend_set_weights(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner,
                                        void *state) {
    return set_weights(backend, preconditioner, state, 0);
}

nb_status nb_vector_backend_set_weights_apart(nb_vector_backend *backend, const nb_preconditioner_class *preconditioner,
                                              void *state) {
    return set_weights(backend, preconditioner, state, 1);
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

void nb_vector_backend_run_pcr(nb_vector_backend *backend, nb_pcr_state *pcr, const nb_pcr_run *run) {
    if (backend->type->run_pcr && (backend->identity || backend->by_operations))
        backend->type->run_pcr(backend->state, pcr, run);
}

double nb_vector_backend_finish_pcg(nb_vector_backend *backend, const storage *y, double alpha, storage *x, storage *r,
                                    int with_sum) {
    return backend->type->finish_pcg(backend->state, y, alpha, x, r, with_sum);
}

void nb_vector_backend_precondition(nb_vector_backend *backend, const storage *r, storage *z) {
    if (backend->identity) {
        backend->type->copy(backend->state, r, z);
    } else if (backend->by_operations) {
        nb_preconditioner_apply_by(backend->preconditioner, backend->preconditioner_state, &backend->operations, r, z);
    } else if (backend->type->as_rows && backend->type->as_rows(backend->state)) {
        backend->preconditioner->apply(backend->preconditioner_state, (const real *)(const void *)r, (real *)(void *)z);
    } else {
        nb_vector_backend_give(backend, r, 0, NULL, backend->scratch[0]);
        backend->preconditioner->apply(backend->preconditioner_state, backend->scratch[0], backend->scratch[1]);
        nb_vector_backend_take(backend, backend->scratch[1], z);
    }
}

nb_status nb_vector_backend_take_sweeps(nb_vector_backend *backend, const nb_sweeps *sweeps) {
    const nb_preconditioner_parts parts = {.sweeps = *sweeps};
    return backend->type->take_parts(backend->state, &parts, backend->work);
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
