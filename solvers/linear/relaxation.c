/* Relaxation: Jacobi (plain, damped, l1) on the operator, and Gauss-Seidel on the blocks of one contact.
 *
 * Plain Jacobi diverges on contact scenes; what engines use is damped or l1-Jacobi (Baker, Falgout, Kolev, Yang 2011),
 * whose diagonal d_i = sum_j |a_ij| makes it converge on every symmetric positive definite system. */
#include <tgmath.h>

#include "base/memory.h"
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
    double tolerance = it->request->tolerance;
    if (it->outcome->iterations == 0) it->start = weighted;
    if (!isfinite(weighted) || weighted > 1e16 * it->start)
        it->outcome->reason = NB_REASON_DIVERGED;
    else if (weighted <= tolerance * tolerance * it->start)
        it->outcome->reason = NB_REASON_CONVERGED;
    else if (it->outcome->iterations >= it->request->iterations)
        it->outcome->reason = NB_REASON_ITERATIONS;
    return it->outcome->reason != NB_REASON_NONE;
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
    real *inverse, *residual; /* [rows] */
} jacobi;

static nb_status jacobi_create(const double *values, void **state) {
    jacobi *j;
    nb_status status = NB_ALLOCATE(1, &j);
    if (status == NB_OK) {
        j->variant = (int)values[0];
        j->omega = j->variant == DAMPED ? (real)values[1] : 1;
    }
    *state = j;
    return status;
}

static nb_status jacobi_set_up_pattern(void *state, nb_system *system) {
    jacobi *j = state;
    nb_status status;
    nb_free(j->inverse);
    nb_free(j->residual);
    j->inverse = j->residual = NULL;
    NB_TRY(NB_ALLOCATE(system->rows, &j->inverse));
    NB_TRY(NB_ALLOCATE(system->rows, &j->residual));
out:
    return status;
}

static nb_status jacobi_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    jacobi *j = state;
    (void)outcome;
    nb_system_diagonal(system, j->inverse);
    if (j->variant == L1) {
        const nb_csr *a;
        nb_status status = nb_system_matrix(system, &a);
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

static nb_status jacobi_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                              nb_linear_outcome *outcome) {
    jacobi *j = state;
    iteration it = {request, outcome, x, 0};
    for (;;) {
        double weighted = 0;
        nb_system_residual(system, x, j->residual);
        for (int32_t i = 0; i < system->rows; i++)
            weighted += (double)j->residual[i] * (double)j->residual[i] * (double)j->inverse[i];
        tell(&it);
        if (stop(&it, weighted)) return NB_OK;
        for (int32_t i = 0; i < system->rows; i++) x[i] += j->inverse[i] * j->residual[i];
        outcome->iterations++;
    }
}

static void jacobi_destroy(void *state) {
    jacobi *j = state;
    if (!j) return;
    nb_free(j->inverse);
    nb_free(j->residual);
    nb_free(j);
}

const nb_linear_solver_class NB_REAL_NAME(nb_jacobi) = {
    .name = "jacobi",
    .summary = "Jacobi relaxation: plain, damped or l1",
    .options = jacobi_options,
    .option_count = sizeof jacobi_options / sizeof *jacobi_options,
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
    const nb_csr *matrix; /* the system's, up to date after set_up_values */
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

static nb_status gauss_seidel_set_up_pattern(void *state, nb_system *system) {
    const nb_delassus *d = system->delassus;
    for (int32_t i = 0; i < d->block_count; i++)
        if (d->block_start[i + 1] - d->block_start[i] > WIDEST)
            return nb_fail(NB_ERROR_UNSUPPORTED, "gauss-seidel takes blocks of at most %d rows, block %d has %d",
                           WIDEST, (int)i, (int)(d->block_start[i + 1] - d->block_start[i]));
    return nb_system_matrix(system, &((gauss_seidel *)state)->matrix);
}

static nb_status gauss_seidel_set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)outcome;
    return nb_system_matrix(system, &((gauss_seidel *)state)->matrix);
}

/* Solves the block a x = r of n rows by L D L^T, in place; a pivot that vanishes against its row leaves its unknown
 * alone. */
static void solve_block(int n, real a[WIDEST][WIDEST], real r[WIDEST]) {
    real pivot[WIDEST];
    for (int j = 0; j < n; j++) {
        real diagonal = a[j][j];
        for (int k = 0; k < j; k++) a[j][j] -= a[j][k] * a[j][k] * pivot[k];
        pivot[j] = a[j][j] > 16 * NB_REAL_EPSILON * diagonal ? a[j][j] : 0;
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) a[i][j] -= a[i][k] * pivot[k] * a[j][k];
            a[i][j] = pivot[j] > 0 ? a[i][j] / pivot[j] : 0;
        }
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) r[i] -= a[i][k] * r[k];
    for (int i = 0; i < n; i++) r[i] = pivot[i] > 0 ? r[i] / pivot[i] : 0;
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++) r[i] -= a[k][i] * r[k];
}

/* One block's turn: x_B += omega A_BB^-1 (b - A x)_B. Returns the energy r . A_BB^-1 r of its residual. */
static double relax_block(const gauss_seidel *g, const nb_system *system, int32_t block, real *x) {
    const nb_csr *a = g->matrix;
    int32_t first = system->delassus->block_start[block];
    int n = (int)(system->delassus->block_start[block + 1] - first);
    real own[WIDEST][WIDEST] = {{0}}, r[WIDEST], residual[WIDEST];
    for (int i = 0; i < n; i++) {
        r[i] = system->b[first + i];
        for (int64_t k = a->start[first + i]; k < a->start[first + i + 1]; k++) {
            int32_t column = a->column[k] - first;
            r[i] -= a->value[k] * x[a->column[k]];
            if (column >= 0 && column < n) own[i][column] = a->value[k];
        }
        residual[i] = r[i];
    }
    solve_block(n, own, r);
    double energy = 0;
    for (int i = 0; i < n; i++) {
        energy += (double)residual[i] * (double)r[i];
        x[first + i] += g->omega * r[i];
    }
    return energy;
}

static nb_status gauss_seidel_solve(void *state, nb_system *system, const nb_linear_request *request, real *x,
                                    nb_linear_outcome *outcome) {
    gauss_seidel *g = state;
    iteration it = {request, outcome, x, 0};
    int32_t blocks = system->delassus->block_count;
    double weighted = 0;
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
    nb_free(state);
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
