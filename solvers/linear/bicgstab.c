/* BiCGSTAB over a vector backend (vector_backend.h), for systems that need not be symmetric: short recurrences, two
 * products an iteration, nine vectors whatever the number of iterations. Compiled for f32, f64 and mixed
 * (base/storage.h).
 *
 * Preconditioned from the right, A P u = b, x = P u, so that the recurrence's residual is that of A x = b. It is
 * believed only after b - A x has been formed; where rounding has parted the two, a new cycle begins at the true one.
 *
 * Where the shadow residual r0 comes to be orthogonal to r or to A P p, a new cycle begins with r0 = r. Where that has
 * done no iteration the method has broken down, as on every skew-symmetric A. Where s is orthogonal to t = A P s,
 * omega = 0 would end it: a length is taken that makes r longer, by 1.22 times.
 *
 * Residuals go up and down. Where one has grown so far that half of the digits are lost, the method goes back to its
 * best iterate, to about a factor of 2. A new cycle begins there. The method goes back in its last iteration, too.
 * Where the cycle had not found a better one the method has broken down. So what it ends at is never worse than x = 0.
 *
 * Van der Vorst 1992, with his preconditioner K_1 = 1; the length: Sleijpen, van der Vorst 1995. */
#include <tgmath.h>

#include "base/interrupt.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64, mixed);

enum { /* the backend's vectors */
    X,
    KEPT, /* the best iterate */
    R,
    SHADOW, /* r0, fixed in a cycle */
    P,
    V, /* A P p */
    T, /* A P s; s is kept in R */
    PRECONDITIONED,
    OTHER, /* P s; scratch of a residual */
    VECTORS
};

/* of s and t, below which omega is not the one that makes r least */
static const double least_cosine = NB_STORAGE_BITS == 32 ? 3e-4 : 1e-8;

static nb_status set_up_pattern(void *state, nb_system *system) {
    nb_status status;
    NB_TRY(nb_vector_backend_set_pattern(state, system));
    NB_TRY(nb_vector_backend_set_vectors(state, VECTORS));
out:
    return status;
}

/* ---- a solve ---- */

typedef struct progress {
    nb_vector_backend *backend;
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    real *rows;      /* the iterate as the monitor and the caller know it */
    double start;    /* |b| */
    double verified; /* |b - A x| at the start of the cycle */
    double residual; /* |r| as the recurrence has it */
    double best;     /* |r| of the best iterate */
    double tiny;     /* relative size of a residual that is round-off */
    double rho, alpha, omega;
} progress;

static storage *vector_of(const progress *p, int64_t which) {
    return nb_vector_backend_vector(p->backend, which);
}

static void report(progress *p) {
    if (!p->request->monitor) return;
    nb_vector_backend_give(p->backend, vector_of(p, X), 0, NULL, p->rows);
    p->request->monitor(p->request->monitor_context, p->outcome->iterations, p->rows);
}

static double target(const progress *p) {
    return fmax(p->request->stop.tolerance, p->tiny) * p->start;
}

/* y = A P v; returns P v, which is v itself or in `room` */
static storage *multiply(progress *p, storage *v, storage *room, storage *y) {
    storage *z = nb_vector_backend_has_identity(p->backend) ? v : room;
    if (z != v) nb_vector_backend_precondition(p->backend, v, z);
    nb_vector_backend_begin_product(p->backend, 0, NULL, 1, z, NULL);
    nb_vector_backend_finish_product(p->backend, z, y);
    return z;
}

/* whether a sum of products is no more than rounding makes of vectors of these lengths, squared */
static int vanishes(double sum, double square_a, double square_b) {
    return !(fabs(sum) > 64 * (double)NB_STORAGE_EPSILON * sqrt(square_a) * sqrt(square_b));
}

/* Keeps the iterate where it is the best; goes back to the best one where it is of no use. Returns whether it did not.
 */
static int end_iteration(progress *p) {
    const int last = ++p->outcome->iterations == p->request->stop.iterations;
    int lost = !(p->residual * sqrt((double)NB_STORAGE_EPSILON) <= p->best);
    if (p->residual < 0.5 * p->best) {
        p->best = p->residual;
        nb_vector_backend_copy(p->backend, vector_of(p, X), vector_of(p, KEPT));
    } else if (lost || (last && p->residual > p->best)) {
        p->residual = p->best;
        nb_vector_backend_copy(p->backend, vector_of(p, KEPT), vector_of(p, X));
    }
    report(p);
    return !lost;
}

/* One iteration; 0 where the cycle cannot go on. `first`: of a cycle, whose direction is the residual itself. */
static int iterate(progress *p, int first) {
    nb_vector_backend *s = p->backend;
    storage *x = vector_of(p, X), *r = vector_of(p, R), *shadow = vector_of(p, SHADOW), *d = vector_of(p, P);
    storage *v = vector_of(p, V), *t = vector_of(p, T);
    double rho = nb_vector_backend_dot(s, shadow, r), shadow_square = nb_vector_backend_dot(s, shadow, shadow);
    if (vanishes(rho, shadow_square, p->residual * p->residual)) return 0;
    if (first) {
        nb_vector_backend_copy(s, r, d);
    } else { /* d = r + beta (d - omega v) */
        double beta = rho / p->rho * (p->alpha / p->omega);
        nb_vector_backend_axpy(s, -p->omega, v, d);
        nb_vector_backend_combine(s, 1, r, beta, d);
    }
    p->rho = rho;
    const storage *pd = multiply(p, d, vector_of(p, PRECONDITIONED), v);
    double along = nb_vector_backend_dot(s, shadow, v);
    if (vanishes(along, shadow_square, nb_vector_backend_dot(s, v, v))) return 0;
    p->alpha = rho / along;
    nb_vector_backend_axpy(s, p->alpha, pd, x);
    nb_vector_backend_axpy(s, -p->alpha, v, r);
    p->residual = sqrt(nb_vector_backend_dot(s, r, r));
    if (!(p->residual > target(p)) || !isfinite(p->residual)) return end_iteration(p);
    const storage *ps = multiply(p, r, vector_of(p, OTHER), t);
    double ts = nb_vector_backend_dot(s, t, r), tt = nb_vector_backend_dot(s, t, t);
    double length = p->residual / sqrt(tt), cosine = ts / (p->residual * sqrt(tt));
    if (!isfinite(length)) { /* t = 0: what was done goes into x */
        end_iteration(p);
        return 0;
    }
    p->omega = fabs(cosine) > least_cosine ? ts / tt : copysign(0.7 * length, cosine);
    nb_vector_backend_axpy(s, p->omega, ps, x);
    nb_vector_backend_axpy(s, -p->omega, t, r);
    p->residual = sqrt(nb_vector_backend_dot(s, r, r));
    return end_iteration(p);
}

/* Iterations until the recurrence is at the target, or cannot go on: *broke_down, where a new cycle would repeat it. */
static void run_cycle(progress *p, int *broke_down) {
    const int32_t before = p->outcome->iterations;
    const double best = p->best;
    int first = 1;
    *broke_down = 0;
    nb_vector_backend_copy(p->backend, vector_of(p, R), vector_of(p, SHADOW));
    p->residual = p->verified;
    while (p->residual > target(p) && p->outcome->iterations < p->request->stop.iterations &&
           !nb_interrupt_requested()) {
        if (iterate(p, first)) {
            first = 0;
            continue;
        }
        *broke_down = p->outcome->iterations == before || (p->residual == p->best && p->best == best);
        break;
    }
}

/* Why to stop at b - A x, which was `before` at the start of the cycle, or none: a new one begins there. */
static nb_reason judge(const progress *p, double before, int broke_down) {
    const double residual = p->verified, root = sqrt((double)NB_STORAGE_EPSILON);
    if (!isfinite(residual)) return NB_REASON_DIVERGED;
    if (residual <= p->request->stop.tolerance * p->start) return NB_REASON_CONVERGED;
    if (residual <= p->tiny * p->start) return NB_REASON_ROUND_OFF;
    int failed = p->residual <= target(p) && residual > 0.5 * before; /* the cycle did not do what it claims */
    if ((failed || broke_down) && (residual <= root * p->start ||
                                   nb_vector_backend_is_round_off(p->backend, vector_of(p, X), residual, p->start)))
        return NB_REASON_ROUND_OFF;
    if (failed) return NB_REASON_STAGNATED;
    if (broke_down) return NB_REASON_BREAKDOWN;
    return p->outcome->iterations >= p->request->stop.iterations ? NB_REASON_ITERATIONS : NB_REASON_NONE;
}

static nb_status solve(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                       nb_linear_outcome *outcome) {
    nb_vector_backend *backend = state;
    progress p = {.backend = backend,
                  .request = request,
                  .outcome = outcome,
                  .rows = rows,
                  .tiny = NB_STORAGE_BITS == 32 ? 1e-6 : 1e-12};
    nb_vector_backend_set_weights_apart(backend, request->preconditioner, request->preconditioner_state);
    storage *r = vector_of(&p, R), *x = vector_of(&p, X);
    nb_vector_backend_take(backend, system->b, r);
    nb_vector_backend_clear(backend, x);
    nb_vector_backend_clear(backend, vector_of(&p, KEPT));
    p.start = p.verified = p.best = sqrt(nb_vector_backend_dot(backend, r, r));
    report(&p);
    if (p.start == 0)
        outcome->reason = NB_REASON_CONVERGED;
    else if (request->stop.iterations == 0)
        outcome->reason = NB_REASON_ITERATIONS;
    while (outcome->reason == NB_REASON_NONE && !nb_interrupt_requested()) {
        const double before = p.verified;
        int broke_down;
        run_cycle(&p, &broke_down);
        p.verified = nb_vector_backend_residual(backend, system->b, x, r, vector_of(&p, OTHER));
        outcome->reason = judge(&p, before, broke_down);
        if (p.verified > p.best && p.residual > p.best) continue; /* it is another iterate that is the best */
        p.best = p.verified;
        nb_vector_backend_copy(backend, x, vector_of(&p, KEPT));
    }
    nb_vector_backend_give(backend, x, 0, NULL, rows);
    return nb_vector_backend_fault(backend);
}

extern const nb_linear_solver_class nb_bicgstab_mixed;

const nb_linear_solver_class NB_STORAGE_NAME(nb_bicgstab) = {
    .mixed = NB_MIXED_TWIN(nb_bicgstab),
    .name = "bicgstab",
    .summary = "BiCGSTAB, preconditioned from the right: short recurrences for unsymmetric systems",
    .takes_preconditioner = 1,
    .takes_unsymmetric = 1,
    .true_norm_only = 1,
    .create = nb_vector_backend_solver_create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = nb_vector_backend_solver_set_up_values,
    .solve = solve,
    .destroy = nb_vector_backend_solver_destroy,
};
