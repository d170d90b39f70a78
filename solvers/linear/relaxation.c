/* Relaxation: Jacobi (plain, damped, l1) on the operator, and Gauss-Seidel on the blocks of one contact, over bodies
 * without entries: the velocities H^-1 J^T S x are carried along, as in engines' "sequential impulses".
 *
 * Plain Jacobi diverges on contact scenes; what engines use is damped or l1-Jacobi (Baker, Falgout, Kolev, Yang 2011),
 * whose diagonal d_i = sum_j |a_ij| makes it converge on every symmetric positive definite system. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "blocks.h"
#include "linear/space.h"
#include "linear/stops.h"
#include "linear_solver.h"

/* Both stop at a tolerance on the residual that they have at hand, in the norm of the diagonal. */

typedef struct iteration {
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    const real *x;
    double start;
} iteration;

/* after a sweep whose residual, in the inverse diagonal's norm, was `weighted` squared; sets the reason */
static int stop(iteration *it, double weighted) {
    nb_linear_outcome *outcome = it->outcome;
    if (outcome->iterations == 0) it->start = weighted;
    outcome->reason =
        nb_stops_at_sweep(it->start, it->request->tolerance, weighted, outcome->iterations, it->request->iterations);
    return outcome->reason != NB_REASON_NONE;
}

static void tell(const iteration *it) {
    if (it->request->monitor) it->request->monitor(it->request->monitor_context, it->outcome->iterations, it->x);
}

/* ---- Jacobi ---- */

enum {
    PLAIN,
    DAMPED,
    L1
};

static const char *const variants[] = {[PLAIN] = "plain", [DAMPED] = "damped", [L1] = "l1", NULL};

static const nb_option jacobi_options[] = {
    {"variant", "1", L1, 0, 0, 0, variants,
     "plain, damped by omega, or with the l1 row sums as diagonal, which never diverges"},
    {"omega", "1", 0.3, 1e-6, 2, 0, NULL, "damping factor of the damped variant"},
};

typedef struct jacobi {
    int variant;
    real omega;
    nb_space *space;
    real *inverse; /* [rows] omega / d */
    int64_t inverse_capacity;
} jacobi;

static void jacobi_destroy(void *state) {
    jacobi *j = state;
    if (!j) return;
    nb_space_destroy(j->space);
    nb_free(j->inverse);
    nb_free(j);
}

static nb_status jacobi_create(const double *values, void **state) {
    nb_status status;
    jacobi *j = NULL;
    NB_TRY(NB_ALLOCATE(1, &j));
    j->variant = (int)values[0];
    j->omega = j->variant == DAMPED ? (real)values[1] : 1;
    NB_TRY(nb_space_create(&j->space));
out:
    if (status != NB_OK) {
        jacobi_destroy(j);
        j = NULL;
    }
    *state = j;
    return status;
}

static nb_status jacobi_set_up_pattern(void *state, nb_system *system) {
    jacobi *j = state;
    nb_status status;
    NB_TRY(nb_space_set_pattern(j->space, system));
    NB_TRY(NB_RESERVE(system->rows, &j->inverse_capacity, &j->inverse));
    NB_TRY(nb_space_set_vectors(j->space, 2));
out:
    return status;
}

static nb_status jacobi_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    jacobi *j = state;
    (void)outcome;
    nb_status status = nb_space_set_values(j->space);
    if (status != NB_OK) return status;
    nb_system_diagonal(system, j->inverse);
    if (j->variant == L1) {
        const nb_csr *a;
        status = nb_system_matrix(system, &a);
        if (status != NB_OK) return status;
        for (int32_t i = 0; i < system->rows; i++) {
            j->inverse[i] = 0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) j->inverse[i] += fabs(a->value[k]);
        }
    }
    /* a row without anything on its diagonal is left alone */
    for (int32_t i = 0; i < system->rows; i++) j->inverse[i] = j->inverse[i] > 0 ? j->omega / j->inverse[i] : 0;
    return NB_OK;
}

static const real *jacobi_diagonal(const void *state) {
    return ((const jacobi *)state)->inverse;
}

/* With P = omega / d taken into the operator, the sweep x += P (b - A x) becomes x += r, r -= A r. */
static nb_status jacobi_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                              nb_linear_outcome *outcome) {
    static const nb_preconditioner_class scaling = {.diagonal = jacobi_diagonal};
    jacobi *j = state;
    nb_space *space = j->space;
    word *solution = nb_space_vector(space, 0), *r = nb_space_vector(space, 1);
    iteration it = {request, outcome, x, 0};
    nb_status status = nb_space_set_weights(space, &scaling, j);
    if (status != NB_OK) return status;
    nb_space_take(space, system->b, r);
    nb_space_clear(space, solution);
    double weighted = nb_space_dot(space, r, r);
    for (;;) {
        if (request->monitor) nb_space_give(space, solution, 0, NULL, x);
        tell(&it);
        if (stop(&it, weighted)) break;
        nb_space_begin_product(space, 0, NULL, 1, r, NULL);
        weighted = nb_space_finish_pcg(space, r, 1, solution, r);
        outcome->iterations++;
    }
    nb_space_give(space, solution, 0, NULL, x);
    return nb_space_fault(space);
}

const nb_linear_solver_class NB_REAL_NAME(nb_jacobi) = {
    .name = "jacobi",
    .summary = "Jacobi relaxation: plain, damped or l1",
    .options = jacobi_options,
    .option_count = sizeof jacobi_options / sizeof *jacobi_options,
    .on_devices = 1,
    .create = jacobi_create,
    .set_up_pattern = jacobi_set_up_pattern,
    .set_up_values = jacobi_set_up_values,
    .solve = jacobi_solve,
    .destroy = jacobi_destroy,
};

/* ---- Gauss-Seidel on blocks ---- */

enum {
    FORWARD,
    SYMMETRIC,
    WIDEST = 6 /* rows of the widest block: a body in the stiffness form */
};

static const char *const sweeps[] = {[FORWARD] = "forward", [SYMMETRIC] = "symmetric", NULL};

static const nb_option gauss_seidel_options[] = {
    {"sweep", "1", FORWARD, 0, 0, 0, sweeps, "forward only, or forward and backward in each iteration"},
    {"omega", "1", 1, 1e-6, 1.999999, 0, NULL, "over-relaxation factor"},
};

typedef struct gauss_seidel {
    int sweep;
    real omega;
    const nb_csr *matrix; /* the system's, up to date after set_up_values; NULL where it has blocks */
    int64_t *place;       /* [blocks + 1] where each block's factor starts: n x n, L below the diagonal, D^-1 on it */
    real *factors;
    real *velocity; /* H^-1 J^T S x, where the system has blocks */
    int64_t place_capacity, factor_capacity, velocity_capacity;
} gauss_seidel;

static nb_status gauss_seidel_create(const double *values, void **state) {
    gauss_seidel *g;
    nb_status status = NB_ALLOCATE(1, &g);
    if (status == NB_OK) {
        g->sweep = (int)values[0];
        g->omega = (real)values[1];
    }
    *state = g;
    return status;
}

static int rows_of(const nb_delassus *d, int32_t block) {
    return (int)(d->block_start[block + 1] - d->block_start[block]);
}

static nb_status gauss_seidel_set_up_pattern(void *state, nb_system *system) {
    gauss_seidel *g = state;
    nb_status status;
    const nb_delassus *d = system->delassus;
    g->matrix = NULL;
    NB_TRY(NB_RESERVE(d->block_count + 1, &g->place_capacity, &g->place));
    g->place[0] = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        int n = rows_of(d, i);
        if (n > WIDEST)
            return nb_fail(NB_ERROR_UNSUPPORTED, "gauss-seidel takes blocks of at most %d rows, block %d has %d",
                           WIDEST, (int)i, n);
        g->place[i + 1] = g->place[i] + (int64_t)n * n;
    }
    NB_TRY(NB_RESERVE(g->place[d->block_count], &g->factor_capacity, &g->factors));
    if (nb_system_has_blocks(system))
        NB_TRY(NB_RESERVE(d->class->velocity_words(d), &g->velocity_capacity, &g->velocity));
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
    system->delassus->class->block_velocity(system->delassus, block, velocity, r);
    for (int i = 0; i < n; i++)
        r[i] = system->b[first + i] - system->s[first + i] * r[i] - system->c[first + i] * x[first + i];
    if (!system->k) return;
    const real *k = nb_system_block_place(system, block);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) r[i] -= k[i * n + j] * x[first + j];
}

/* One block's turn, of n rows: x_B += omega A_BB^-1 (b - A x)_B. Returns the energy r . A_BB^-1 r of its residual. */
static inline double relax_rows(const gauss_seidel *g, const nb_system *system, int32_t block, int n, real *x) {
    const nb_delassus *d = system->delassus;
    int32_t first = d->block_start[block];
    real r[WIDEST], residual[WIDEST], step[WIDEST];
    double energy = 0;
    if (g->matrix)
        residual_by_entries(system, g->matrix, first, n, x, r);
    else
        residual_by_velocity(system, block, first, n, g->velocity, x, r);
    for (int i = 0; i < n; i++) residual[i] = r[i];
    nb_block_solve_symmetric(n, g->factors + g->place[block], r);
    for (int i = 0; i < n; i++) {
        energy += (double)residual[i] * (double)r[i];
        x[first + i] += g->omega * r[i];
        step[i] = system->s[first + i] * g->omega * r[i];
    }
    if (!g->matrix) d->class->push_block(d, block, step, g->velocity);
    return energy;
}

static double relax_block(const gauss_seidel *g, const nb_system *system, int32_t block, real *x) {
    int n = rows_of(system->delassus, block);
    return n == 3 ? relax_rows(g, system, block, 3, x) : relax_rows(g, system, block, n, x); /* 3: loops unrolled */
}

static nb_status gauss_seidel_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                                    nb_linear_outcome *outcome) {
    gauss_seidel *g = state;
    iteration it = {request, outcome, x, 0};
    int32_t blocks = system->delassus->block_count;
    double weighted = 0;
    if (!g->matrix) /* x = 0 */
        memset(g->velocity, 0, (size_t)system->delassus->class->velocity_words(system->delassus) * sizeof(real));
    tell(&it);
    if (request->iterations == 0) outcome->reason = NB_REASON_ITERATIONS;
    while (outcome->reason == NB_REASON_NONE) {
        weighted = 0;
        for (int32_t i = 0; i < blocks; i++) weighted += relax_block(g, system, i, x);
        nb_system_count_product(system);
        for (int32_t i = blocks; g->sweep == SYMMETRIC && i > 0; i--) relax_block(g, system, i - 1, x);
        if (g->sweep == SYMMETRIC) nb_system_count_product(system);
        if (outcome->iterations == 0) it.start = weighted;
        outcome->iterations++;
        tell(&it);
        if (stop(&it, weighted)) break;
    }
    return NB_OK;
}

static void gauss_seidel_destroy(void *state) {
    gauss_seidel *g = state;
    if (!g) return;
    nb_free(g->place);
    nb_free(g->factors);
    nb_free(g->velocity);
    nb_free(g);
}

const nb_linear_solver_class NB_REAL_NAME(nb_gauss_seidel) = {
    .name = "gauss-seidel",
    .summary = "block Gauss-Seidel over contacts: forward, symmetric, over-relaxed",
    .options = gauss_seidel_options,
    .option_count = sizeof gauss_seidel_options / sizeof *gauss_seidel_options,
    .needs_entries = 1,
    .create = gauss_seidel_create,
    .set_up_pattern = gauss_seidel_set_up_pattern,
    .set_up_values = gauss_seidel_set_up_values,
    .solve = gauss_seidel_solve,
    .destroy = gauss_seidel_destroy,
};
