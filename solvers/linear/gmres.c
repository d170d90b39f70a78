/* GMRES and FGMRES over a vector backend (vector_backend.h), restarted, for systems that need not be symmetric.
 * Compiled for f32, f64 and mixed (base/storage.h).
 *
 * Both are preconditioned from the right, A P u = b, x = P u: what they minimise is the 2-norm of the true residual.
 * FGMRES keeps z = P v of every step, so that P may differ from step to step; here it can hold a few iterations of
 * GMRES of its own.
 *
 * A residual by recurrence is believed only after b - A x has been formed, at the end of every cycle: rounding makes
 * them differ. What then no longer falls is round-off.
 *
 * Saad, Schultz 1986; Saad 1993 (flexible); modified Gram-Schmidt suffices for backward stability (Paige, Rozloznik,
 * Strakos 2006). */
#include <tgmath.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64, mixed);

/* one Krylov basis in progress, of at most `most` steps */
typedef struct basis {
    int32_t most;
    int64_t v;      /* the first of [most + 1] vectors of the backend, orthonormal */
    int64_t z;      /* the first of [most] vectors P v; 0: formed again where needed */
    double *r;      /* [most][most + 1] columns of H, rotated to upper triangular form */
    double *cosine; /* [most] of the rotations */
    double *sine;   /* [most] */
    double *g;      /* [most + 1] the right-hand side, with the same rotations */
    double *y;      /* [most] scratch: the solution's coefficients */
    double largest; /* entry on the diagonal of r */
    nb_arena arena; /* holds the numbers */
} basis;

typedef struct gmres {
    nb_vector_backend *backend;
    int flexible;
    int32_t restart, inner_steps; /* options; inner_steps 0: P alone */
    basis outer, inner;
} gmres;

enum { /* the backend's first vectors */
    X,
    SHOWN,    /* the iterate that the monitor sees */
    COMBINED, /* V y */
    PRECONDITIONED,
    FIRST /* of a basis */
};

static const nb_option options[] = {
    {"restart", "1", 50, 1, 1000, 1, NULL, "steps after which the basis is discarded"},
    {"inner", "1", 0, 0, 100, 1, NULL, "steps of an inner GMRES, with the preconditioner, before each step"},
};
enum {
    GMRES_OPTIONS = 1, /* the first */
    FGMRES_OPTIONS = 2
};

static void destroy(void *state) {
    gmres *g = state;
    if (!g) return;
    nb_vector_backend_destroy(g->backend);
    nb_arena_clear(&g->outer.arena);
    nb_arena_clear(&g->inner.arena);
    nb_free(g);
}

static nb_status create(int flexible, const double *values, void **state) {
    nb_status status;
    gmres *g = NULL;
    NB_TRY(NB_ALLOCATE(1, &g));
    NB_TRY(nb_vector_backend_create(&g->backend));
    g->flexible = flexible;
    g->restart = (int32_t)values[0];
    g->inner_steps = flexible ? (int32_t)values[1] : 0;
out:
    if (status != NB_OK) {
        destroy(g);
        g = NULL;
    }
    *state = g;
    return status;
}

static nb_status create_gmres(const double *values, void **state) {
    return create(0, values, state);
}

static nb_status create_fgmres(const double *values, void **state) {
    return create(1, values, state);
}

static void lay_out_numbers(nb_arena *a, basis *b) {
    int64_t n = b->most;
    NB_PLACE(a, n * (n + 1), &b->r);
    NB_PLACE(a, n, &b->cosine);
    NB_PLACE(a, n, &b->sine);
    NB_PLACE(a, n, &b->y);
    NB_PLACE(a, n + 1, &b->g);
}

/* a basis of at most `most` steps, of vectors from *next on */
static nb_status make_basis(basis *b, int32_t most, int keep_z, int64_t *next) {
    b->most = most;
    b->v = *next;
    *next += most + 1;
    b->z = keep_z ? *next : 0;
    if (keep_z) *next += most;
    nb_arena_measure(&b->arena);
    lay_out_numbers(&b->arena, b);
    nb_status status = nb_arena_reserve(&b->arena);
    if (status == NB_OK) lay_out_numbers(&b->arena, b);
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    gmres *g = state;
    nb_status status;
    int64_t vectors = FIRST;
    double rows = system->rows;
    nb_system_reduce(system, NB_REDUCTION_SUM, &rows, 1);
    int32_t most = (int32_t)fmin(fmax(rows, 1), INT32_MAX); /* no basis can be larger */
    NB_TRY(nb_vector_backend_set_pattern(g->backend, system));
    NB_TRY(make_basis(&g->outer, g->restart < most ? g->restart : most, g->flexible, &vectors));
    if (g->inner_steps > 0) NB_TRY(make_basis(&g->inner, g->inner_steps < most ? g->inner_steps : most, 0, &vectors));
    NB_TRY(nb_vector_backend_set_vectors(g->backend, vectors));
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    gmres *g = state;
    (void)outcome;
    (void)system;
    return nb_vector_backend_set_values(g->backend);
}

static storage *vector_of(const gmres *g, int64_t which) {
    return nb_vector_backend_vector(g->backend, which);
}

/* ---- one basis ---- */

static void scale(nb_vector_backend *s, double a, storage *v) {
    nb_vector_backend_combine(s, a, v, 0, v);
}

/* Begins with the basis's first vector, of norm `norm`. */
static void begin_basis(const gmres *g, basis *b, double norm) {
    scale(g->backend, 1 / norm, vector_of(g, b->v));
    b->g[0] = norm;
    b->largest = 0;
}

/* the rotations so far on column j, and a new one that clears its last entry; returns the new diagonal entry */
static double rotate(basis *b, int32_t j) {
    double *column = b->r + (int64_t)j * (b->most + 1);
    for (int32_t i = 0; i < j; i++) {
        double upper = column[i];
        column[i] = b->cosine[i] * upper + b->sine[i] * column[i + 1];
        column[i + 1] = -b->sine[i] * upper + b->cosine[i] * column[i + 1];
    }
    double length = hypot(column[j], column[j + 1]);
    b->cosine[j] = length > 0 ? column[j] / length : 1;
    b->sine[j] = length > 0 ? column[j + 1] / length : 0;
    column[j] = length;
    b->g[j + 1] = -b->sine[j] * b->g[j];
    b->g[j] *= b->cosine[j];
    return length;
}

static int extend(gmres *g, basis *b, int32_t j);
static void add_solution(gmres *g, basis *b, int32_t count, storage *x);

/* z = M v_j, M the preconditioner or an inner GMRES with it; returns z */
static const storage *precondition(gmres *g, basis *b, int32_t j) {
    const storage *v = vector_of(g, b->v + j);
    storage *z = vector_of(g, b->z > 0 ? b->z + j : PRECONDITIONED);
    if (b == &g->outer && g->inner_steps > 0) {
        int32_t steps = 0;
        nb_vector_backend_copy(g->backend, v, vector_of(g, g->inner.v));
        begin_basis(g, &g->inner, 1);
        while (steps < g->inner.most && extend(g, &g->inner, steps)) steps++;
        nb_vector_backend_clear(g->backend, z);
        add_solution(g, &g->inner, steps, z);
        return z;
    }
    if (b->z == 0 && nb_vector_backend_has_identity(g->backend)) return v;
    nb_vector_backend_precondition(g->backend, v, z);
    return z;
}

/* Step j: the vector after v_j, and column j of r. 0 where that column is of no use: A P v_j lies in what the columns
 * before it reach, up to round-off. */
static int extend(gmres *g, basis *b, int32_t j) {
    nb_vector_backend *s = g->backend;
    storage *next = vector_of(g, b->v + j + 1);
    const storage *z = precondition(g, b, j);
    double *column = b->r + (int64_t)j * (b->most + 1);
    nb_vector_backend_begin_product(s, 0, NULL, 1, (storage *)(uintptr_t)z, NULL);
    nb_vector_backend_finish_product(s, z, next);
    for (int32_t i = 0; i <= j; i++) {
        const storage *v = vector_of(g, b->v + i);
        column[i] = nb_vector_backend_dot(s, v, next);
        nb_vector_backend_axpy(s, -column[i], v, next);
    }
    column[j + 1] = sqrt(nb_vector_backend_dot(s, next, next));
    if (column[j + 1] > 0) scale(s, 1 / column[j + 1], next);
    double kept = b->g[j], length = rotate(b, j);
    b->largest = fmax(b->largest, length);
    if (length > (double)NB_STORAGE_EPSILON * b->largest) return 1;
    b->g[j] = kept;
    return 0;
}

/* x += the combination of `count` steps that makes the residual least */
static void add_solution(gmres *g, basis *b, int32_t count, storage *x) {
    nb_vector_backend *s = g->backend;
    storage *combined = vector_of(g, COMBINED), *z = vector_of(g, PRECONDITIONED);
    for (int32_t i = count - 1; i >= 0; i--) {
        double sum = b->g[i];
        for (int32_t j = i + 1; j < count; j++) sum -= b->r[(int64_t)j * (b->most + 1) + i] * b->y[j];
        b->y[i] = sum / b->r[(int64_t)i * (b->most + 1) + i];
    }
    int direct = b->z > 0 || nb_vector_backend_has_identity(s);
    if (!direct) nb_vector_backend_clear(s, combined);
    for (int32_t i = 0; i < count; i++)
        nb_vector_backend_axpy(s, b->y[i], vector_of(g, (b->z > 0 ? b->z : b->v) + i), direct ? x : combined);
    if (direct || count == 0) return;
    nb_vector_backend_precondition(s, combined, z);
    nb_vector_backend_axpy(s, 1, z, x);
}

/* ---- a solve ---- */

typedef struct progress {
    gmres *g;
    const nb_system *system;
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    real *rows;      /* the iterate as the monitor and the caller know it */
    double start;    /* |b| */
    double residual; /* |b - A x| at the start of the cycle */
    double tiny;     /* relative size of a residual that is round-off */
} progress;

/* tells the monitor of the iterate after `count` steps of the cycle; its making is not the solver's work */
static void report(progress *p, int32_t count) {
    gmres *g = p->g;
    storage *shown = vector_of(g, SHOWN);
    if (!p->request->monitor) return;
    double begin = nb_clock_seconds();
    nb_vector_backend_copy(g->backend, vector_of(g, X), shown);
    add_solution(g, &g->outer, count, shown);
    nb_vector_backend_give(g->backend, shown, 0, NULL, p->rows);
    p->outcome->shown_s += nb_clock_seconds() - begin;
    if (count > 0 && g->outer.z == 0 && !nb_vector_backend_has_identity(g->backend))
        p->outcome->shown_preconditionings++;
    p->request->monitor(p->request->monitor_context, p->outcome->iterations, p->rows);
}

/* One cycle of at most `most` steps: x is brought forward. Returns the residual's norm as the recurrence has it. */
static double run_cycle(progress *p, int *broke_down) {
    gmres *g = p->g;
    basis *b = &g->outer;
    int32_t count = 0;
    double residual = p->residual, target = fmax(p->request->stop.tolerance, p->tiny) * p->start;
    *broke_down = 0;
    begin_basis(g, b, residual);
    while (count < b->most && residual > target && p->outcome->iterations < p->request->stop.iterations &&
           !nb_interrupt_requested()) {
        *broke_down = !extend(g, b, count);
        if (*broke_down) break;
        count++;
        residual = fabs(b->g[count]);
        if (!isfinite(residual)) break;
        p->outcome->iterations++;
        report(p, count);
    }
    if (isfinite(residual)) add_solution(g, b, count, vector_of(g, X));
    return residual;
}

/* b - A x into the basis's first vector; returns its norm */
static double true_residual(progress *p) {
    gmres *g = p->g;
    return nb_vector_backend_residual(g->backend, p->system->b, vector_of(g, X), vector_of(g, g->outer.v),
                                      vector_of(g, COMBINED));
}

static int is_round_off(const progress *p, double residual) {
    return nb_vector_backend_is_round_off(p->g->backend, vector_of(p->g, X), residual, p->start);
}

/* why to stop after a cycle that ended at `claimed` by the recurrence and at `residual` in truth */
static nb_reason judge(const progress *p, double claimed, double residual, int broke_down) {
    double root = sqrt((double)NB_STORAGE_EPSILON), tolerance = p->request->stop.tolerance;
    if (!isfinite(residual) || !isfinite(claimed)) return NB_REASON_DIVERGED;
    if (residual <= tolerance * p->start) return NB_REASON_CONVERGED;
    if (residual <= p->tiny * p->start) return NB_REASON_ROUND_OFF;
    /* a cycle that did not do what it claims: rounding, or a preconditioner that is no fixed matrix */
    if (residual > 0.5 * p->residual && claimed < 0.1 * p->residual)
        return residual <= root * p->start || is_round_off(p, residual) ? NB_REASON_ROUND_OFF : NB_REASON_STAGNATED;
    if (broke_down) return residual <= root * p->start ? NB_REASON_ROUND_OFF : NB_REASON_BREAKDOWN;
    if (p->outcome->iterations >= p->request->stop.iterations) return NB_REASON_ITERATIONS;
    /* a cycle without effect would only be repeated */
    if (residual >= (1 - 10 * (double)NB_STORAGE_EPSILON) * p->residual)
        return is_round_off(p, residual) ? NB_REASON_ROUND_OFF : NB_REASON_STAGNATED;
    return NB_REASON_NONE;
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                       nb_linear_outcome *outcome) {
    gmres *g = state;
    nb_vector_backend *s = g->backend;
    progress p = {.g = g,
                  .system = system,
                  .request = request,
                  .outcome = outcome,
                  .rows = rows,
                  .tiny = NB_STORAGE_BITS == 32 ? 1e-6 : 1e-12};
    nb_vector_backend_set_weights_apart(s, request->preconditioner, request->preconditioner_state);
    storage *first = vector_of(g, g->outer.v);
    nb_vector_backend_take(s, system->b, first);
    nb_vector_backend_clear(s, vector_of(g, X));
    p.start = p.residual = sqrt(nb_vector_backend_dot(s, first, first));
    report(&p, 0);
    if (p.start == 0)
        outcome->reason = NB_REASON_CONVERGED;
    else if (request->stop.iterations == 0)
        outcome->reason = NB_REASON_ITERATIONS;
    while (outcome->reason == NB_REASON_NONE && !nb_interrupt_requested()) {
        int broke_down;
        double claimed = run_cycle(&p, &broke_down), residual = true_residual(&p);
        outcome->reason = judge(&p, claimed, residual, broke_down);
        p.residual = residual;
    }
    nb_vector_backend_give(s, vector_of(g, X), 0, NULL, rows);
    return nb_vector_backend_fault(s);
}

extern const nb_linear_solver_class nb_gmres_mixed, nb_fgmres_mixed;

const nb_linear_solver_class NB_STORAGE_NAME(nb_gmres) = {
    .mixed = NB_MIXED_TWIN(nb_gmres),
    .name = "gmres",
    .summary = "restarted GMRES, preconditioned from the right",
    .options = options,
    .option_count = GMRES_OPTIONS,
    .takes_preconditioner = 1,
    .takes_unsymmetric = 1,
    .true_norm_only = 1,
    .create = create_gmres,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve,
    .destroy = destroy,
};

const nb_linear_solver_class NB_STORAGE_NAME(nb_fgmres) = {
    .mixed = NB_MIXED_TWIN(nb_fgmres),
    .name = "fgmres",
    .summary = "flexible GMRES, restarted; the preconditioner can be an inner GMRES",
    .options = options,
    .option_count = FGMRES_OPTIONS,
    .takes_preconditioner = 1,
    .takes_unsymmetric = 1,
    .true_norm_only = 1,
    .create = create_fgmres,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve,
    .destroy = destroy,
};
