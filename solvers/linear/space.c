#include "linear/space.h"

#include <math.h>

#include "base/memory.h"
#include "device.h"
#include "linear/space_class.h"
#include "operator/packed.h"

NB_PRECISIONS(f32, f64, mixed);

struct nb_space {
    const nb_space_class *type; /* NULL before the first pattern */
    void *state;
    const nb_system *system;                       /* borrowed */
    int identity;                                  /* P is the identity in this space */
    int diagonal;                                  /* since a diagonal was taken in */
    const nb_preconditioner_class *preconditioner; /* where it is not */
    void *preconditioner_state;
    int by_blocks, by_sweeps; /* the class applies it */
    int64_t *applied;         /* how often; or NULL */
    real *scratch[2];         /* [rows] */
    int64_t capacity[2];
    storage *vectors; /* [count][stride] */
    int64_t stride;
};

void nb_space_destroy(nb_space *space) {
    if (!space) return;
    if (space->type) space->type->destroy(space->state);
    nb_free(space->scratch[0]);
    nb_free(space->scratch[1]);
    nb_free(space);
}

nb_status nb_space_create(nb_space **space) {
    return NB_ALLOCATE(1, space);
}

/* the class for this system's source and device */
static const nb_space_class *class_for(const nb_system *system) {
    if (system->device) return system->device->NB_STORAGE_NAME(space);
    /* the fast kernels know no K */
    return nb_packed_fits(system->delassus) && !system->k ? &nb_space_bodies : &nb_space_matrix;
}

nb_status nb_space_set_pattern(nb_space *space, nb_system *system) {
    nb_status status;
    const nb_space_class *type = class_for(system);
    if (type != space->type) {
        if (space->type) space->type->destroy(space->state);
        space->type = NULL;
        space->vectors = NULL;
        NB_TRY(type->create(&space->state));
        space->type = type;
    }
    space->system = system;
    for (int i = 0; i < 2; i++) NB_TRY(NB_RESERVE(system->rows, &space->capacity[i], &space->scratch[i]));
    NB_TRY(type->set_pattern(space->state, system));
out:
    return status;
}

nb_status nb_space_set_values(nb_space *space) {
    return space->type->set_values(space->state);
}

nb_status nb_space_set_weights(nb_space *space, const nb_preconditioner_class *preconditioner, void *state) {
    nb_status status;
    const real *diagonal = NULL;
    space->identity = !preconditioner || preconditioner->diagonal;
    if (preconditioner && preconditioner->diagonal) diagonal = preconditioner->diagonal(state);
    space->preconditioner = space->identity ? NULL : preconditioner;
    space->preconditioner_state = state;
    space->by_sweeps = 0;
    space->by_blocks = space->preconditioner && preconditioner->blocks && space->type->take_blocks;
    space->diagonal = diagonal != NULL;
    NB_TRY(space->type->set_weights(space->state, diagonal));
    if (space->by_blocks) {
        nb_preconditioner_blocks blocks = {0};
        preconditioner->blocks(state, &blocks);
        space->applied = blocks.applied;
        NB_TRY(space->type->take_blocks(space->state, &blocks));
    }
    if (space->preconditioner && preconditioner->sweeps && space->type->take_sweeps) {
        nb_sweeps sweeps = {0};
        preconditioner->sweeps(state, &sweeps);
        space->applied = sweeps.applied;
        space->by_sweeps = sweeps.colouring != NULL;
        if (space->by_sweeps) NB_TRY(space->type->take_sweeps(space->state, &sweeps));
    }
out:
    return status;
}

nb_status nb_space_fault(nb_space *space) {
    return space->type->fault ? space->type->fault(space->state) : NB_OK;
}

int64_t nb_space_length(const nb_space *space) {
    return space->type->length(space->state);
}

nb_status nb_space_set_vectors(nb_space *space, int64_t count) {
    space->stride = (nb_space_length(space) + 63) / 64 * 64;
    return space->type->reserve(space->state, count * space->stride, &space->vectors);
}

storage *nb_space_vector(const nb_space *space, int64_t i) {
    return space->vectors + i * space->stride;
}

double nb_space_bytes(const nb_space *space, int pcr) {
    return space->type->bytes ? space->type->bytes(space->state, pcr) : NAN;
}

int nb_space_has_identity(const nb_space *space) {
    return space->identity;
}

int nb_space_has_no_preconditioner(const nb_space *space) {
    return space->identity && !space->diagonal;
}

void nb_space_take(nb_space *space, const real *rows, storage *v) {
    space->type->take(space->state, rows, v);
}

void nb_space_give(nb_space *space, const storage *x, double a, const storage *d, real *rows) {
    space->type->give(space->state, x, a, d, rows);
}

void nb_space_begin_product(nb_space *space, double a, const storage *x, double b, storage *y, double sums[2]) {
    if (sums) sums[0] = sums[1] = 0;
    space->type->begin_product(space->state, a, x, b, y, sums);
}

void nb_space_finish_product(nb_space *space, const storage *y, storage *out) {
    space->type->finish_product(space->state, y, out);
}

double nb_space_finish_pcr(nb_space *space, const storage *y, double alpha, double beta, storage *x, storage *d,
                           storage *ad) {
    return space->type->finish_pcr(space->state, y, alpha, beta, x, d, ad);
}

void nb_space_run_pcr(nb_space *space, nb_pcr_state *pcr, storage *x, storage *d, storage *ad, storage *z) {
    if (space->type->run_pcr) space->type->run_pcr(space->state, pcr, x, d, ad, z);
}

double nb_space_finish_pcg(nb_space *space, const storage *y, double alpha, storage *x, storage *r) {
    return space->type->finish_pcg(space->state, y, alpha, x, r);
}

void nb_space_precondition(nb_space *space, const storage *r, storage *z) {
    if (space->identity) {
        space->type->copy(space->state, r, z);
    } else if (space->by_blocks || space->by_sweeps) {
        if (space->applied) ++*space->applied;
        (space->by_blocks ? space->type->apply_blocks : space->type->apply_sweeps)(space->state, r, z);
    } else {
        nb_space_give(space, r, 0, NULL, space->scratch[0]);
        space->preconditioner->apply(space->preconditioner_state, space->scratch[0], space->scratch[1]);
        nb_space_take(space, space->scratch[1], z);
    }
}

nb_status nb_space_take_sweeps(nb_space *space, const nb_sweeps *sweeps) {
    return space->type->take_sweeps(space->state, sweeps);
}

void nb_space_start_sweep(nb_space *space) {
    space->type->start_sweep(space->state);
}

double nb_space_sweep(nb_space *space, int backward, const storage *b, storage *x) {
    return space->type->sweep(space->state, backward, b, x);
}

double nb_space_dot(nb_space *space, const storage *x, const storage *y) {
    return space->type->dot(space->state, x, y);
}

double nb_space_norm(nb_space *space, nb_linear_norm norm, const storage *v) {
    if (norm == NB_NORM_NATURAL || !space->diagonal) return sqrt(space->type->dot(space->state, v, v));
    return sqrt(space->type->scaled_square(space->state, norm == NB_NORM_TRUE, v));
}

double nb_space_weighted_norm(nb_space *space, const real *weights, const storage *x) {
    double sum = 0;
    real *rows = space->scratch[0];
    nb_space_give(space, x, 0, NULL, rows);
    for (int32_t i = 0; i < space->system->rows; i++) {
        double product = (double)weights[i] * (double)rows[i];
        sum += product * product;
    }
    nb_system_reduce(space->system, NB_REDUCTION_SUM, &sum, 1);
    return sqrt(sum);
}

void nb_space_copy(nb_space *space, const storage *x, storage *y) {
    space->type->copy(space->state, x, y);
}

void nb_space_clear(nb_space *space, storage *x) {
    space->type->clear(space->state, x);
}

void nb_space_axpy(nb_space *space, double a, const storage *x, storage *y) {
    space->type->axpy(space->state, a, x, y);
}

void nb_space_combine(nb_space *space, double a, const storage *x, double b, storage *y) {
    space->type->combine(space->state, a, x, b, y);
}

double nb_space_residual(nb_space *space, const real *b, storage *x, storage *r, storage *ax) {
    nb_space_begin_product(space, 0, NULL, 1, x, NULL);
    nb_space_finish_product(space, x, ax);
    nb_space_take(space, b, r);
    nb_space_axpy(space, -1, ax, r);
    return sqrt(nb_space_dot(space, r, r));
}
