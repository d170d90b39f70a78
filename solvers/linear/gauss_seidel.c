/* Gauss-Seidel on the blocks of one contact, over bodies without entries: the velocities H^-1 J^T S x are carried
 * along, as in engines' "sequential impulses".
 *
 * In natural order it goes through the blocks as they come. In colour order (operator/colouring.h) it goes through the
 * groups of one colour after the other, which a device takes at once: the iterates are those of this processor. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "blocks.h"
#include "device.h"
#include "linear/sweeps.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"
#include "operator/colouring.h"

NB_PRECISIONS(f32, f64);

enum {
    FORWARD,
    SYMMETRIC,
    WIDEST = NB_BLOCK_ROWS /* rows of the widest block; a body in the stiffness form has as many */
};

enum { /* vectors of a device */
    RIGHT_HAND_SIDE,
    SOLUTION,
    RESIDUAL,
    PRODUCT,
    VECTORS
};

/* what `order` may be; AUTO is NATURAL on this processor and COLOUR on a device */
enum {
    AUTO,
    NATURAL,
    COLOUR
};

static const char *const directions[] = {[FORWARD] = "forward", [SYMMETRIC] = "symmetric", NULL};

static const char *const orders[] = {[AUTO] = "auto", [NATURAL] = "natural", [COLOUR] = "colour", NULL};

static const nb_option gauss_seidel_options[] = {
    {"sweep", "1", FORWARD, 0, 0, 0, directions, "forward only, or forward and backward in each iteration"},
    {"omega", "1", 1, 1e-6, 1.999999, 0, NULL, "over-relaxation factor"},
    {"order", "1", AUTO, 0, 0, 0, orders,
     "block after block, or by colors of independent blocks; auto: colour on a device"},
};

typedef struct gauss_seidel {
    int sweep, order;
    real omega;
    nb_vector_backend *backend; /* of the device, where the system has one */
    int on_device;
    nb_colouring colouring; /* of the pattern, in colour order */
    const nb_csr *matrix;   /* the system's, up to date after set_up_values; NULL where it has blocks */
    int64_t *place;         /* [blocks + 1] where each block's factor starts: n x n, L below the diagonal, D^-1 on it */
    real *factors;
    real *velocity; /* H^-1 J^T S x, where the system has blocks */
    real *residual; /* [rows] b - A x, where it is formed */
    int64_t place_capacity, factor_capacity, velocity_capacity, residual_capacity;
    /* while a solve runs */
    nb_linear_norm norm; /* of what a sweep returns */
    nb_system *system;
    const real *x;
} gauss_seidel;

static void gauss_seidel_destroy(void *state) {
    gauss_seidel *g = state;
    if (!g) return;
    nb_vector_backend_destroy(g->backend);
    nb_colouring_clear(&g->colouring);
    nb_free(g->place);
    nb_free(g->factors);
    nb_free(g->velocity);
    nb_free(g->residual);
    nb_free(g);
}

static nb_status gauss_seidel_create(const double *values, void **state) {
    gauss_seidel *g = NULL;
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, &g));
    g->sweep = (int)values[0];
    g->omega = (real)values[1];
    g->order = (int)values[2];
    NB_TRY(nb_vector_backend_create(&g->backend));
out:
    if (status != NB_OK) {
        gauss_seidel_destroy(g);
        g = NULL;
    }
    *state = g;
    return status;
}

static int rows_of(const nb_delassus *d, int32_t block) {
    return (int)(d->block_start[block + 1] - d->block_start[block]);
}

/* the order of the sweeps on this pattern */
static nb_status set_up_order(gauss_seidel *g, nb_system *system) {
    g->colouring.colours = 0;
    if (system->device && g->order == NATURAL)
        return nb_fail(NB_ERROR_UNSUPPORTED, "gauss-seidel order=natural does not support device %s; use order=colour",
                       system->device->name);
    return system->device || g->order == COLOUR ? nb_colouring_make(system, &g->colouring) : NB_OK;
}

static int32_t gauss_seidel_colours(const void *state) {
    return ((const gauss_seidel *)state)->colouring.colours;
}

static nb_status gauss_seidel_set_up_pattern(void *state, nb_system *system) {
    gauss_seidel *g = state;
    nb_status status;
    const nb_delassus *d = system->delassus;
    g->matrix = NULL;
    g->on_device = system->device != NULL;
    NB_TRY(set_up_order(g, system));
    if (g->on_device) {
        NB_TRY(nb_vector_backend_set_pattern(g->backend, system));
        return nb_vector_backend_set_vectors(g->backend, VECTORS);
    }
    NB_TRY(NB_RESERVE(d->block_count + 1, &g->place_capacity, &g->place));
    g->place[0] = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        int n = rows_of(d, i);
        if (n > WIDEST)
            return nb_fail(NB_ERROR_UNSUPPORTED, "gauss-seidel supports blocks of at most %d rows; block %d has %d",
                           WIDEST, (int)i, n);
        g->place[i + 1] = g->place[i] + (int64_t)n * n;
    }
    NB_TRY(NB_RESERVE(g->place[d->block_count], &g->factor_capacity, &g->factors));
    NB_TRY(NB_RESERVE(system->rows, &g->residual_capacity, &g->residual));
    if (nb_system_has_blocks(system))
        NB_TRY(NB_RESERVE(nb_nodes_length(d->mass->nodes), &g->velocity_capacity, &g->velocity));
    else
        NB_TRY(nb_system_matrix(system, &g->matrix));
out:
    return status;
}

static nb_status gauss_seidel_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    gauss_seidel *g = state;
    const nb_delassus *d = system->delassus;
    nb_status status;
    (void)outcome;
    if (g->on_device) return nb_vector_backend_set_values(g->backend);
    if (g->matrix) NB_TRY(nb_system_matrix(system, &g->matrix));
    for (int32_t i = 0; i < d->block_count; i++) {
        real *factor = g->factors + g->place[i];
        if (g->matrix)
            nb_block_copy(g->matrix, d->block_start[i], rows_of(d, i), factor);
        else
            nb_system_block(system, i, i, factor);
        nb_block_factorize_symmetric(rows_of(d, i), factor, NB_PIVOT_SKIP);
    }
    status = NB_OK;
out:
    return status;
}

/* (b - A x)_B by the entries */
static void residual_by_entries(const nb_system *system, const nb_csr *a, int32_t first, int n, const real *x,
                                real *r) {
    for (int i = 0; i < n; i++) {
        r[i] = system->b[first + i];
        for (int64_t k = a->start[first + i]; k < a->start[first + i + 1]; k++) r[i] -= a->value[k] * x[a->column[k]];
    }
}

/* (b - A x)_B = (b - S J v - C x - K x)_B by the velocities v = H^-1 J^T S x */
static inline void residual_by_velocity(const nb_system *system, int32_t block, int32_t first, int n,
                                        const real *velocity, const real *x, real *r) {
    system->delassus->type->block_velocity(system->delassus, block, velocity, r);
    for (int i = 0; i < n; i++)
        r[i] = system->b[first + i] - system->s[first + i] * r[i] - system->c[first + i] * x[first + i];
    if (!system->k) return;
    const real *k = nb_system_diagonal_block(system, block);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) r[i] -= k[i * n + j] * x[first + j];
}

/* What a block's residual r and z = A_BB^-1 r come to in the norm: |r|^2 but for rows that are left alone, |z|^2, or
 * the energy r . z. */
static inline double square_of(nb_linear_norm norm, int n, const real *r, const real *z) {
    const real *left = norm == NB_NORM_PRECONDITIONED ? z : r, *right = norm == NB_NORM_TRUE ? r : z;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += z[i] != 0 ? (double)left[i] * (double)right[i] : 0;
    return sum;
}

/* One block's turn, of n rows: x_B += omega A_BB^-1 (b - A x)_B. Returns what square_of makes of its residual. */
static inline double relax_rows(const gauss_seidel *g, const nb_system *system, int32_t block, int n, real *x) {
    const nb_delassus *d = system->delassus;
    int32_t first = d->block_start[block];
    real r[WIDEST], residual[WIDEST], step[WIDEST];
    if (g->matrix)
        residual_by_entries(system, g->matrix, first, n, x, r);
    else
        residual_by_velocity(system, block, first, n, g->velocity, x, r);
    for (int i = 0; i < n; i++) residual[i] = r[i];
    nb_block_solve_symmetric(n, g->factors + g->place[block], r);
    for (int i = 0; i < n; i++) {
        x[first + i] += g->omega * r[i];
        step[i] = system->s[first + i] * g->omega * r[i];
    }
    if (!g->matrix) d->type->push_block(d, block, step, g->velocity);
    return square_of(g->norm, n, residual, r);
}

static double relax_block(const gauss_seidel *g, const nb_system *system, int32_t block, real *x) {
    int n = rows_of(system->delassus, block);
    return n == 3 ? relax_rows(g, system, block, 3, x) : relax_rows(g, system, block, n, x); /* 3: loops unrolled */
}

/* all blocks in the order of a sweep, or from the last one back; returns what the residuals met come to */
static double sweep(const gauss_seidel *g, nb_system *system, int backward, real *x) {
    int32_t blocks = system->delassus->block_count;
    const int32_t *order = g->colouring.colours > 0 ? g->colouring.block : NULL;
    double sum = 0;
    for (int32_t i = 0; i < blocks; i++) {
        int32_t at = backward ? blocks - 1 - i : i;
        sum += relax_block(g, system, order ? order[at] : at, x);
    }
    return sum;
}

/* the vectors of a solve: on this processor, the caller's x; on a device, its own, which x is a copy of */
static void begin(const gauss_seidel *g, nb_system *system) {
    if (g->on_device) {
        nb_vector_backend_take(g->backend, system->b, nb_vector_backend_vector(g->backend, RIGHT_HAND_SIDE));
        nb_vector_backend_clear(g->backend, nb_vector_backend_vector(g->backend, SOLUTION));
        nb_vector_backend_start_sweep(g->backend);
    } else if (!g->matrix) { /* x = 0 */
        memset(g->velocity, 0, (size_t)nb_nodes_length(system->delassus->mass->nodes) * sizeof(real));
    }
}

static double relax(const gauss_seidel *g, nb_system *system, int backward, real *x) {
    nb_system_count_product(system);
    if (!g->on_device) return sweep(g, system, backward, x);
    return nb_vector_backend_sweep(g->backend, backward, nb_vector_backend_vector(g->backend, RIGHT_HAND_SIDE),
                                   nb_vector_backend_vector(g->backend, SOLUTION));
}

static void show(const gauss_seidel *g, const nb_iteration *it, real *x) {
    if (!it->request->monitor) return;
    if (g->on_device) nb_vector_backend_give(g->backend, nb_vector_backend_vector(g->backend, SOLUTION), 0, NULL, x);
    nb_iteration_report(it);
}

/* on a device the velocities are those of x afterwards, as they were */
static double form_residual(const void *solver) {
    const gauss_seidel *g = solver;
    nb_vector_backend *s = g->backend;
    if (!g->on_device) {
        double size = nb_system_residual(g->system, g->x, g->residual);
        return size * size;
    }
    double size =
        nb_vector_backend_residual(s, g->system->b, nb_vector_backend_vector(s, SOLUTION),
                                   nb_vector_backend_vector(s, RESIDUAL), nb_vector_backend_vector(s, PRODUCT));
    return size * size;
}

/* how the solve is to stop, and what it is to have for that */
static nb_iteration begin_iteration(gauss_seidel *g, nb_system *system, const nb_linear_request *request, const real *x,
                                    nb_linear_outcome *outcome) {
    nb_iteration it = nb_iteration_begin(request, outcome, x);
    g->norm = request->stop.tolerance > 0 ? request->stop.norm : NB_NORM_NATURAL;
    g->system = system;
    g->x = x;
    it.solver = g;
    if (g->norm != NB_NORM_TRUE) return it;
    it.residual = form_residual;
    for (int32_t i = 0; i < system->rows; i++) it.start += (double)system->b[i] * (double)system->b[i];
    nb_system_reduce(system, NB_REDUCTION_SUM, &it.start, 1);
    return it;
}

static nb_status gauss_seidel_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                                    nb_linear_outcome *outcome) {
    gauss_seidel *g = state;
    nb_iteration it = begin_iteration(g, system, request, x, outcome);
    const nb_sweeps sweeps = {.colouring = &g->colouring, .omega = g->omega, .norm = g->norm};
    nb_status status = NB_OK;
    if (g->on_device) {
        NB_TRY(nb_vector_backend_set_weights(g->backend, NULL, NULL));
        NB_TRY(nb_vector_backend_take_sweeps(g->backend, &sweeps));
    }
    begin(g, system);
    show(g, &it, x);
    if (request->stop.iterations == 0) outcome->reason = NB_REASON_ITERATIONS;
    while (outcome->reason == NB_REASON_NONE) {
        double weighted = relax(g, system, 0, x);
        if (g->sweep == SYMMETRIC) relax(g, system, 1, x);
        if (outcome->iterations == 0 && g->norm != NB_NORM_TRUE) it.start = weighted;
        outcome->iterations++;
        show(g, &it, x);
        if (nb_iteration_stops(&it, weighted)) break;
    }
    if (!g->on_device) return NB_OK;
    nb_vector_backend_give(g->backend, nb_vector_backend_vector(g->backend, SOLUTION), 0, NULL, x);
    status = nb_vector_backend_fault(g->backend);
out:
    return status;
}

const nb_linear_solver_class NB_REAL_NAME(nb_gauss_seidel) = {
    .name = "gauss-seidel",
    .summary = "block Gauss-Seidel over contacts: forward, symmetric, over-relaxed",
    .options = gauss_seidel_options,
    .option_count = sizeof gauss_seidel_options / sizeof *gauss_seidel_options,
    .on_devices = 1,
    .create = gauss_seidel_create,
    .set_up_pattern = gauss_seidel_set_up_pattern,
    .set_up_values = gauss_seidel_set_up_values,
    .solve = gauss_seidel_solve,
    .colours = gauss_seidel_colours,
    .destroy = gauss_seidel_destroy,
};
