/* Krylov methods over a space (space.h): PCG (Hestenes and Stiefel 1952), PCR (conjugate residuals, Saad 2003; the
 * paper's section 8.2) and MINRES (Paige and Saunders 1975), all preconditioned by a symmetric positive definite P.
 * Compiled for f32, f64 and mixed (base/storage.h).
 *
 * PCR minimises the residual in the norm of P over the Krylov space, so that sqrt(r . P r) never grows; on a positive
 * definite system its iterates are those of MINRES. When they stop: stops.h. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "linear/pcr.h"
#include "linear/space.h"
#include "linear/stops.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    MOST_VECTORS = 8
};

typedef struct krylov {
    nb_space *space;
} krylov;

/* one solve in progress */
typedef struct progress {
    nb_space *space;
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    real *rows; /* the iterate as the monitor and the caller know it */
    nb_stops stops;
} progress;

static void destroy(void *state) {
    krylov *k = state;
    if (!k) return;
    nb_space_destroy(k->space);
    nb_free(k);
}

static nb_status create(const double *values, void **state) {
    nb_status status;
    (void)values;
    krylov *k = NULL;
    NB_TRY(NB_ALLOCATE(1, &k));
    NB_TRY(nb_space_create(&k->space));
out:
    if (status != NB_OK) {
        destroy(k);
        k = NULL;
    }
    *state = k;
    return status;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    krylov *k = state;
    nb_status status = nb_space_set_pattern(k->space, system);
    return status == NB_OK ? nb_space_set_vectors(k->space, MOST_VECTORS) : status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)system;
    (void)outcome;
    return nb_space_set_values(((krylov *)state)->space);
}

static storage *vector_of(const krylov *k, int i) {
    return nb_space_vector(k->space, i);
}

/* tells the monitor of the iterate x + a d */
static void tell(const progress *p, const storage *x, double a, const storage *d) {
    if (!p->request->monitor) return;
    nb_space_give(p->space, x, a, d, p->rows);
    p->request->monitor(p->request->monitor_context, p->outcome->iterations, p->rows);
}

/* Whether to stop at a residual of squared norm `weighted` = r . P r; sets the reason. */
static int finished(progress *p, double weighted) {
    nb_linear_outcome *outcome = p->outcome;
    outcome->reason = nb_stops_at_residual(&p->stops, weighted, outcome->iterations, p->request->stop.iterations);
    return outcome->reason != NB_REASON_NONE;
}

/* Whether to stop at a curvature (stops.h); sets the reason. */
static int curvature_failed(progress *p, double curvature, double square, double weighted) {
    p->outcome->reason = nb_stops_at_curvature(&p->stops, curvature, square, weighted);
    return p->outcome->reason != NB_REASON_NONE;
}

/* Takes the weights and the right-hand side; the residual at x = 0 into r. What fails here, nb_space_fault tells as
 * well. */
static progress begin(krylov *k, const nb_system *system, const nb_linear_request *request, real *rows,
                      nb_linear_outcome *outcome, storage *r) {
    nb_space_set_weights(k->space, request->preconditioner, request->preconditioner_state);
    nb_space_take(k->space, system->b, r);
    return (progress){.space = k->space,
                      .request = request,
                      .outcome = outcome,
                      .rows = rows,
                      .stops = {.tolerance = request->stop.tolerance,
                                .epsilon = (double)NB_STORAGE_EPSILON,
                                .tiny = NB_STORAGE_BITS == 32 ? 1e-6 : 1e-12}};
}

/* Where the space has taken a diagonal preconditioner in, P = 1 there, and P r is r itself. */
static nb_status solve_pcg(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    krylov *k = state;
    nb_space *s = k->space;
    storage *x = vector_of(k, 0), *d = vector_of(k, 1), *r = vector_of(k, 2);
    progress p = begin(k, system, request, rows, outcome, r);
    int plain = nb_space_has_identity(s);
    storage *z = plain ? r : vector_of(k, 3);
    nb_space_clear(s, x);
    nb_space_clear(s, d);
    if (!plain) nb_space_precondition(s, r, z);
    double rz = p.stops.start = nb_space_dot(s, r, z), beta = 0;
    double square = rz; /* d . P^-1 d, by the orthogonality of r and the last d */
    tell(&p, x, 0, NULL);
    if (p.stops.start == 0) outcome->reason = NB_REASON_CONVERGED;
    while (outcome->reason == NB_REASON_NONE && !finished(&p, rz)) {
        double sums[2];
        nb_space_begin_product(s, 1, z, beta, d, sums); /* d = z + beta d */
        double curvature = sums[1];
        if (curvature_failed(&p, curvature, square, rz)) break;
        double next = nb_space_finish_pcg(s, d, rz / curvature, x, r);
        if (!plain) {
            nb_space_precondition(s, r, z);
            next = nb_space_dot(s, r, z);
        }
        beta = next / rz;
        square = next + beta * beta * square;
        rz = next;
        outcome->iterations++;
        tell(&p, x, 0, NULL);
    }
    nb_space_give(s, x, 0, NULL, rows);
    return nb_space_fault(s);
}

/* x lags behind by its last step, which is taken as d is read for the next one. A device that can makes all iterations
 * by itself where nobody watches. */
static nb_status solve_pcr(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    krylov *k = state;
    nb_space *s = k->space;
    storage *x = vector_of(k, 0), *d = vector_of(k, 1), *ad = vector_of(k, 2), *r = vector_of(k, 3);
    progress p = begin(k, system, request, rows, outcome, r);
    int plain = nb_space_has_identity(s);
    storage *z = plain ? r : vector_of(k, 4), *pad = plain ? ad : vector_of(k, 5);
    double sums[2];
    nb_space_clear(s, x);
    nb_space_clear(s, d);
    nb_space_clear(s, ad);
    if (!plain) nb_space_precondition(s, r, z);
    nb_space_begin_product(s, 0, NULL, 1, z, sums);
    nb_pcr_state pcr = {.stops = p.stops, .zaz = sums[1], .most = request->stop.iterations};
    pcr.weighted = pcr.stops.start = plain ? sums[0] : nb_space_dot(s, r, z);
    tell(&p, x, 0, NULL);
    if (pcr.weighted == 0)
        pcr.reason = NB_REASON_CONVERGED;
    else
        nb_pcr_decide(&pcr);
    if (plain && !request->monitor && pcr.reason == NB_REASON_NONE) nb_space_run_pcr(s, &pcr, x, d, ad, z);
    while (pcr.reason == NB_REASON_NONE) {
        double square = nb_space_finish_pcr(s, z, pcr.alpha, pcr.beta, x, d, ad);
        if (!plain) {
            nb_space_precondition(s, ad, pad);
            square = nb_space_dot(s, ad, pad);
        }
        nb_pcr_step(&pcr, square);
        if (pcr.reason != NB_REASON_NONE) break;
        nb_space_begin_product(s, -pcr.alpha, pad, 1, z, sums); /* z -= alpha P A d */
        if (!plain) {
            nb_space_axpy(s, -pcr.alpha, ad, r);
            sums[0] = nb_space_dot(s, r, z);
        }
        nb_pcr_advance(&pcr, sums[0], sums[1]);
        outcome->iterations = pcr.iterations;
        tell(&p, x, pcr.alpha, d);
    }
    outcome->iterations = pcr.iterations;
    outcome->reason = pcr.reason;
    nb_space_give(s, x, pcr.alpha, d, rows);
    return nb_space_fault(s);
}

/* y <- A v - (beta/beta_old) r1 - (alpha/beta) r2 with v = y/beta: the next Lanczos vector; returns alpha */
static double lanczos(nb_space *s, double beta, double beta_old, const storage *r1, const storage *r2, storage *v,
                      storage *y) {
    nb_space_combine(s, 1 / beta, y, 0, v);
    nb_space_begin_product(s, 0, NULL, 1, v, NULL);
    nb_space_finish_product(s, v, y);
    if (beta_old > 0) nb_space_axpy(s, -beta / beta_old, r1, y);
    double alpha = nb_space_dot(s, v, y);
    nb_space_axpy(s, -alpha / beta, r2, y);
    return alpha;
}

/* Whether the step to x made the residual larger than *norm, that of the iterate before, where the recurrence has
 * claimed < before in the norm of P. That norm may fall where the 2-norm grows, but not by this much, or not in truth.
 * Near the inverse of a singular A, P magnifies rounding by as much as what is outside of A's range; in one of eight
 * such systems x was blown up, by up to 1e16, while the recurrence went on down. */
static int step_grew(progress *p, const real *b, storage *x, double claimed, storage *r, storage *z, double *norm) {
    double residual = nb_space_residual(p->space, b, x, r, z), last = *norm;
    *norm = residual;
    if (residual <= last) return 0;
    if (!(residual <= 10 * last)) return 1;
    nb_space_precondition(p->space, r, z);
    return !(sqrt(nb_space_dot(p->space, r, z)) <= 1.01 * claimed);
}

static void rotate(storage **a, storage **b, storage **c) {
    storage *first = *a;
    *a = *b;
    *b = *c;
    *c = first;
}

static nb_status solve_minres(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                              nb_linear_outcome *outcome) {
    krylov *k = state;
    nb_space *s = k->space;
    storage *x = vector_of(k, 0), *r1 = vector_of(k, 1), *r2 = vector_of(k, 2), *y = vector_of(k, 3),
            *v = vector_of(k, 4), *w1 = vector_of(k, 5), *w2 = vector_of(k, 6), *w = vector_of(k, 7);
    progress p = begin(k, system, request, rows, outcome, r2);
    for (int i = 0; i < MOST_VECTORS; i++)
        if (vector_of(k, i) != r2) nb_space_clear(s, vector_of(k, i));
    nb_space_precondition(s, r2, y);
    p.stops.start = nb_space_dot(s, r2, y);
    double beta = sqrt(fmax(p.stops.start, 0)), beta_old = 0, residual = beta, largest = 0;
    double cosine = -1, sine = 0, delta_bar = 0, epsilon = 0;
    int watched = request->preconditioner && request->preconditioner->factorises;
    double norm = watched ? sqrt(nb_space_dot(s, r2, r2)) : 0; /* |b - A x| */
    tell(&p, x, 0, NULL);
    if (p.stops.start == 0) outcome->reason = NB_REASON_CONVERGED;
    if (p.stops.start < 0) outcome->reason = NB_REASON_INDEFINITE; /* P is */
    while (outcome->reason == NB_REASON_NONE && !finished(&p, residual * residual)) {
        double alpha = lanczos(s, beta, beta_old, r1, r2, v, y);
        rotate(&r1, &r2, &y); /* r1 <- r2, r2 <- y; y is free for P r2 */
        nb_space_precondition(s, r2, y);
        beta_old = beta;
        double square = nb_space_dot(s, r2, y);
        beta = sqrt(fmax(square, 0));
        /* the plane rotation that takes this column of the tridiagonal to upper triangular form */
        double epsilon_old = epsilon, delta = cosine * delta_bar + sine * alpha;
        double gamma_bar = sine * delta_bar - cosine * alpha, gamma = hypot(gamma_bar, beta);
        epsilon = sine * beta;
        delta_bar = -cosine * beta;
        /* |A r| / |r|: where its square is round-off, what is left of the residual lies in the null space, and a step
         * would only blow up x. Ten times: with one, 78 of 400 such systems went on from just above it under IC(0) */
        largest = fmax(largest, gamma);
        if (square < -1e3 * (double)NB_STORAGE_EPSILON * largest * largest) {
            outcome->reason = NB_REASON_INDEFINITE; /* of P */
            break;
        }
        if (!(hypot(gamma_bar, delta_bar) > 10 * sqrt((double)NB_STORAGE_EPSILON) * largest)) {
            outcome->reason = isfinite(gamma) ? NB_REASON_ROUND_OFF : NB_REASON_DIVERGED;
            break;
        }
        cosine = gamma_bar / gamma;
        sine = beta / gamma;
        /* w <- (v - epsilon w1 - delta w2) / gamma */
        rotate(&w1, &w2, &w);
        nb_space_combine(s, 1 / gamma, v, 0, w);
        nb_space_axpy(s, -epsilon_old / gamma, w1, w);
        nb_space_axpy(s, -delta / gamma, w2, w);
        if (watched) nb_space_give(s, x, 0, NULL, rows);
        nb_space_axpy(s, cosine * residual, w, x);
        if (watched && step_grew(&p, system->b, x, sine * residual, v, w1, &norm)) {
            outcome->reason = NB_REASON_ROUND_OFF;
            return nb_space_fault(s); /* with the iterate before */
        }
        residual *= sine;
        outcome->iterations++;
        tell(&p, x, 0, NULL);
    }
    nb_space_give(s, x, 0, NULL, rows);
    return nb_space_fault(s);
}

/* the f64 classes know their mixed ones */
#if NB_REAL_BITS == 64 && NB_STORAGE_BITS == 64
#define MIXED(name) &name##_mixed
extern const nb_linear_solver_class nb_pcg_mixed, nb_pcr_mixed, nb_minres_mixed;
#else
#define MIXED(name) NULL
#endif

const nb_linear_solver_class NB_STORAGE_NAME(nb_pcg) = {
    .mixed = MIXED(nb_pcg),
    .name = "pcg",
    .summary = "preconditioned conjugate gradients",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_pcg,
    .destroy = destroy,
};

const nb_linear_solver_class NB_STORAGE_NAME(nb_pcr) = {
    .mixed = MIXED(nb_pcr),
    .name = "pcr",
    .summary = "preconditioned conjugate residuals, monotone in the norm of the preconditioner",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_pcr,
    .destroy = destroy,
};

const nb_linear_solver_class NB_STORAGE_NAME(nb_minres) = {
    .mixed = MIXED(nb_minres),
    .name = "minres",
    .summary = "minimum residual; also for indefinite systems",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_minres,
    .destroy = destroy,
};
