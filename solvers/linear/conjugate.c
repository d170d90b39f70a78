/* Conjugate methods over a vector backend (vector_backend.h): PCG (Hestenes and Stiefel 1952) and PCR (conjugate
 * residuals, Saad 2003; the paper's section 8.2), preconditioned by a symmetric positive definite P, and deflated where
 * that is asked for (deflation.h). Compiled for f32, f64 and mixed (base/storage.h).
 *
 * PCR minimises the residual in the norm of P over the Krylov space, so that sqrt(r . P r) never grows; on a positive
 * definite system its iterates are those of MINRES. When they stop: stops.h. */
#include <string.h>
#include <tgmath.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "linear/krylov.h"
#include "linear/pcr.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    VECTORS = 6
};

/* the state of pcg and pcr */
typedef struct conjugate {
    nb_vector_backend *backend;
    nb_deflation *deflation; /* NULL: none */
} conjugate;

static const nb_option conjugate_options[] = {
    {"recycle", "1", 0, 0, NB_DEFLATION_MOST, 1, NULL, "number of Ritz vectors of the previous system to deflate by"},
};

/* In f32 the short recurrence of pcg and the projections leave parts of x along what A hardly sees. Residuals do not
 * show them, and Newton iterations do not converge. */
static nb_status check_pcg(const double *values) {
    if (NB_REAL_BITS == 64 || values[0] == 0) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "linear solver 'pcg' does not support --recycle in f32; use pcr, or --precision mixed");
}

static void destroy_conjugate(void *state) {
    conjugate *c = state;
    if (!c) return;
    nb_vector_backend_destroy(c->backend);
    nb_deflation_destroy(c->deflation);
    nb_free(c);
}

static nb_status create_conjugate(const double *values, void **state) {
    nb_status status;
    conjugate *c = NULL;
    NB_TRY(NB_ALLOCATE(1, &c));
    NB_TRY(nb_vector_backend_create(&c->backend));
    if (values[0] > 0) NB_TRY(nb_deflation_create((int32_t)values[0], &c->deflation));
out:
    if (status != NB_OK) {
        destroy_conjugate(c);
        c = NULL;
    }
    *state = c;
    return status;
}

static nb_status set_up_conjugate_pattern(void *state, nb_system *system) {
    conjugate *c = state;
    nb_status status;
    NB_TRY(nb_vector_backend_set_pattern(c->backend, system));
    NB_TRY(
        nb_vector_backend_set_vectors(c->backend, VECTORS + (c->deflation ? nb_deflation_vectors(c->deflation) : 0)));
    if (c->deflation) NB_TRY(nb_deflation_set_pattern(c->deflation, c->backend, system->rows, VECTORS));
out:
    return status;
}

static nb_status set_up_conjugate_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    return nb_vector_backend_solver_set_up_values(((conjugate *)state)->backend, system, outcome);
}

/* The vectors of a solve: z = P r, pad = P ad. Where the backend has taken a diagonal preconditioner in, P = 1 there,
 * and these are r and ad themselves. */
typedef struct vectors {
    storage *x, *d, *r, *z, *ad, *pad;
    double alpha; /* the solution is x + alpha d */
} vectors;

/* ---- conjugate gradients ---- */

/* Sets the reason to stop at the residual r, z = P r, of squared norm rz = r . z; returns whether to stop. */
static int pcg_stops(nb_krylov *p, double rz, const vectors *v) {
    nb_linear_outcome *outcome = p->outcome;
    outcome->reason = nb_stops_at_residual(&p->stops, rz, outcome->iterations, p->request->stop.iterations);
    if (p->other_norm && isfinite(rz) && nb_krylov_norm(p, v->r, v->z) <= nb_krylov_bound(p))
        outcome->reason = NB_REASON_CONVERGED;
    return outcome->reason != NB_REASON_NONE || nb_interrupt_requested();
}

/* Adds the direction d of a step of length alpha from r to r' to the next deflation basis, of squared norms rz and
 * `next`: A d = (r - r') / alpha. image: (A W)^T z, then that of A d; last: the length of the step before, 0: none. */
static void collect_pcg_direction(const nb_krylov *p, const storage *d, double curvature, double rz, double next,
                                  double *image, double *last) {
    const double alpha = rz / curvature, above = *last != 0 ? -rz / (*last * alpha) : 0;
    for (int32_t i = 0; i < p->deflation->used; i++) image[i] = (image[i] - p->deflation->image[i]) / alpha;
    nb_deflation_add_direction(p->deflation, d, curvature, (rz + next) / (alpha * alpha), above, image);
    *last = alpha;
}

/* A step of length rz / curvature along d lowers e^T A e by rz^2 / curvature (Hestenes, Stiefel 1952, theorem 6:1;
 * Strakos, Tichy 2002). */
static void pcg_cycle(nb_krylov *p, vectors *v) {
    nb_vector_backend *s = p->backend;
    nb_linear_outcome *outcome = p->outcome;
    const int identity = v->z == v->r;
    double image[NB_DEFLATION_MOST] = {0}, last = 0;
    nb_vector_backend_clear(s, v->d);
    if (!identity) nb_krylov_precondition(p, v->r, v->z);
    double rz = nb_vector_backend_dot(s, v->r, v->z), beta = 0;
    double square = rz; /* d . P^-1 d, by the orthogonality of r and the last d */
    nb_krylov_open_cycle(p, rz, v->x, v->r, v->z);
    while (outcome->reason == NB_REASON_NONE && !pcg_stops(p, rz, v)) {
        /* d = z + beta d */
        double sums[2];
        nb_vector_backend_begin_product(s, 1, v->z, beta, v->d, sums);
        const double curvature = sums[1];
        outcome->reason = nb_stops_at_curvature(&p->stops, curvature, square, rz);
        if (outcome->reason != NB_REASON_NONE) { /* the right-hand side may be outside the range of A */
            outcome->found_null = outcome->null_vector != NULL;
            if (outcome->found_null) nb_vector_backend_give(s, v->d, 0, NULL, outcome->null_vector);
            break;
        }

        /* x += alpha d, r -= alpha A d, z = P r */
        const double decrease = rz / curvature * rz;
        double next = nb_vector_backend_finish_pcg(s, v->d, rz / curvature, v->x, v->r, identity);
        if (!identity) {
            if (p->deflation) memcpy(image, p->deflation->image, (size_t)p->deflation->used * sizeof *image);
            nb_krylov_precondition(p, v->r, v->z);
            next = nb_vector_backend_dot(s, v->r, v->z);
        }
        if (p->deflation) collect_pcg_direction(p, v->d, curvature, rz, next, image, &last);

        beta = next / rz;
        square = next + beta * beta * square;
        rz = next;
        outcome->iterations++;
        nb_krylov_report_step(p, decrease, v->x, 0, NULL);
    }
}

/* ---- conjugate residuals ---- */

/* sets the reason where the tolerance is of a norm that the recurrence does not have */
static void check_other_norm(const nb_krylov *p, const vectors *v, nb_pcr_state *pcr) {
    if (p->other_norm && pcr->reason != NB_REASON_DIVERGED) nb_pcr_check(pcr, nb_krylov_norm(p, v->r, v->z));
}

/* as it is recorded, which counts as no application; without its projection */
static void precondition(const void *krylov, const storage *v, storage *z) {
    const nb_krylov *p = krylov;
    p->outcome->shown_preconditionings += !nb_vector_backend_has_identity(p->backend);
    nb_vector_backend_precondition(p->backend, v, z);
}

/* Adds z of a step to the next deflation basis: A z = ad - beta ad', with square = ad . P ad. image and last: (A W)^T P
 * ad' and the square of the step before, then of this one. z NULL: it is there. */
static void collect_pcr_direction(const nb_krylov *p, const storage *z, const nb_pcr_state *pcr, double square,
                                  double *image, double *last) {
    nb_deflation *d = p->deflation;
    const double beta = pcr->beta;
    for (int32_t i = 0; i < d->used; i++) image[i] = d->image[i] - beta * image[i];
    if (pcr->zaz > 0) nb_deflation_add_direction(d, z, pcr->zaz, square + beta * beta * *last, -beta * *last, image);
    memcpy(image, d->image, (size_t)d->used * sizeof *image);
    *last = square;
}

/* the directions that the device has collected in so many iterations */
static void take_directions(const nb_krylov *p, const nb_pcr_projection *told, int32_t iterations) {
    double image[NB_DEFLATION_MOST] = {0}, last = 0;
    for (int32_t j = 0; j < iterations && j < told->window; j++) {
        const double *log = told->log + 3 * (int64_t)j;
        const nb_pcr_state then = {.zaz = log[0], .beta = log[1]};
        memcpy(p->deflation->image, told->images + (int64_t)j * told->count, (size_t)told->count * sizeof *image);
        collect_pcr_direction(p, NULL, &then, log[2], image, &last);
    }
}

/* by the device alone, where it can and nobody watches */
static void run_unwatched(const nb_krylov *p, const vectors *v, nb_pcr_state *pcr) {
    const int identity = v->z == v->r;
    const int32_t before = pcr->iterations;
    nb_pcr_projection projection;
    const int is_spared = p->deflation && p->other_norm && p->request->stop.norm != NB_NORM_TRUE; /* another P r */
    if (is_spared || p->request->monitor || pcr->reason != NB_REASON_NONE) return;
    if (p->deflation) projection = nb_deflation_projection(p->deflation, v->ad, v->pad);
    nb_vector_backend_run_pcr(p->backend, pcr,
                              &(nb_pcr_run){.x = v->x,
                                            .d = v->d,
                                            .ad = v->ad,
                                            .pad = v->pad,
                                            .r = v->r,
                                            .z = v->z,
                                            .precondition = identity ? NULL : precondition,
                                            .krylov = identity ? NULL : p,
                                            .projection = p->deflation ? &projection : NULL,
                                            .norm = p->other_norm ? (int64_t)p->request->stop.norm : -1});
    const int32_t applied = pcr->iterations - before + (pcr->reason == NB_REASON_BREAKDOWN);
    if (!nb_vector_backend_has_identity(p->backend)) p->outcome->shown_preconditionings -= applied;
    if (p->deflation) take_directions(p, &projection, applied);
}

/* x lags behind by the last step, which is taken as d is read for the next one. A device that can makes all iterations
 * by itself where nobody watches.
 *
 * A step of length alpha along d lowers e^T A e by 2 alpha d.r - alpha^2 d.A d. With d = z + beta d', d.r = z.r + beta
 * d'.r, and d.A d = z.A z + beta^2 d'.A d', since z.A d' = 0. It is never negative (Hestenes, Stiefel 1952, theorem
 * 7:5). */
static void pcr_cycle(nb_krylov *p, vectors *v) {
    nb_vector_backend *s = p->backend;
    const int identity = v->z == v->r;
    double sums[2], image[NB_DEFLATION_MOST] = {0}, last = 0;
    double dr = 0, dad = 0; /* d . r and d . A d */
    nb_vector_backend_clear(s, v->d);
    nb_vector_backend_clear(s, v->ad);
    if (!identity) nb_krylov_precondition(p, v->r, v->z);
    nb_vector_backend_begin_product(s, 0, NULL, 1, v->z, sums);
    const double weighted = identity ? sums[0] : nb_vector_backend_dot(s, v->r, v->z);
    nb_krylov_open_cycle(p, weighted, v->x, v->r, v->z);
    nb_pcr_state pcr = {.stops = p->stops,
                        .zaz = sums[1],
                        .weighted = weighted,
                        .bound = p->other_norm ? nb_krylov_bound(p) : -1,
                        .iterations = p->outcome->iterations,
                        .most = p->request->stop.iterations,
                        .reason = p->outcome->reason};
    if (pcr.reason == NB_REASON_NONE) {
        nb_pcr_decide(&pcr);
        check_other_norm(p, v, &pcr);
    }
    run_unwatched(p, v, &pcr);
    while (pcr.reason == NB_REASON_NONE && !nb_interrupt_requested()) {
        /* x += alpha d of the step before, d = z + beta d, ad = A z + beta ad */
        double square = nb_vector_backend_finish_pcr(s, v->z, pcr.alpha, pcr.beta, v->x, v->d, v->ad, identity);
        if (!identity) {
            nb_krylov_precondition(p, v->ad, v->pad);
            square = nb_vector_backend_dot(s, v->ad, v->pad);
        }
        if (p->deflation) collect_pcr_direction(p, v->z, &pcr, square, image, &last);
        dr = pcr.weighted + pcr.beta * dr;
        dad = pcr.zaz + pcr.beta * pcr.beta * dad;
        nb_pcr_step(&pcr, square);
        if (pcr.reason != NB_REASON_NONE) break;

        /* z -= alpha P ad, r -= alpha ad */
        nb_vector_backend_begin_product(s, -pcr.alpha, v->pad, 1, v->z, sums);
        if (!identity) {
            nb_vector_backend_axpy(s, -pcr.alpha, v->ad, v->r);
            sums[0] = nb_vector_backend_dot(s, v->r, v->z);
        }
        const double decrease = pcr.alpha * (2 * dr - pcr.alpha * dad);
        dr -= pcr.alpha * dad;
        nb_pcr_advance(&pcr, sums[0], sums[1]);
        check_other_norm(p, v, &pcr);
        p->outcome->iterations = pcr.iterations;
        nb_krylov_report_step(p, decrease, v->x, pcr.alpha, v->d);
    }
    p->stops = pcr.stops;
    p->outcome->iterations = pcr.iterations;
    p->outcome->reason = pcr.reason;
    v->alpha = pcr.alpha;
}

/* ---- a solve ---- */

/* Whether to restart without deflation where a cycle ended early by the round-off of projections on a basis that the
 * system is far from. Then the residual at x is in r. */
static int restarts_undeflated(nb_krylov *p, const vectors *v) {
    nb_deflation *d = p->deflation;
    const nb_reason reason = p->outcome->reason;
    if (!d || d->used == 0 || p->outcome->iterations >= p->request->stop.iterations) return 0;
    if (reason == NB_REASON_CONVERGED || reason == NB_REASON_NONE || nb_interrupt_requested()) return 0;
    d->used = 0;
    d->directions = 0; /* these are orthogonal to the basis that is left out */
    d->collects = 1;
    p->stops.largest = 0;
    p->verified = INFINITY;
    nb_vector_backend_residual(p->backend, p->system->b, v->x, v->r, v->ad);
    return 1;
}

static nb_status solve(const conjugate *c, void (*cycle)(nb_krylov *p, vectors *v), nb_system *system,
                       const nb_linear_request *request, real *rows, nb_linear_outcome *outcome) {
    nb_vector_backend *s = c->backend;
    vectors v = {.x = nb_vector_backend_vector(s, 0),
                 .d = nb_vector_backend_vector(s, 1),
                 .ad = nb_vector_backend_vector(s, 2),
                 .r = nb_vector_backend_vector(s, 3)};
    nb_krylov p = nb_krylov_begin(s, c->deflation, system, request, rows, outcome, v.r);
    nb_deflation *d = p.deflation;
    const int identity = nb_vector_backend_has_identity(s) && !d;
    v.z = identity ? v.r : nb_vector_backend_vector(s, 4);
    v.pad = identity ? v.ad : nb_vector_backend_vector(s, 5);
    nb_vector_backend_clear(s, v.x);
    if (d) { /* the norm of r = b before its projection is what the tolerance is relative to */
        nb_deflation_begin(d);
        nb_vector_backend_precondition(s, v.r, v.z);
        nb_krylov_open_cycle(&p, nb_vector_backend_dot(s, v.r, v.z), v.x, v.r, v.z);
        outcome->recycled = d->dropped ? -1 : d->used;
        d->dropped = 0;
    }
    for (;;) {
        if (d) p.projected_decrease += nb_deflation_start(d, v.x, v.r);
        cycle(&p, &v);
        if (d) d->collects = 0; /* directions of the next cycle are not orthogonal to those of this one */
        if (!p.verifies && !d) break;
        if (v.alpha != 0) nb_vector_backend_axpy(s, v.alpha, v.d, v.x);
        v.alpha = 0;
        if (!nb_krylov_restarts(&p, v.x, v.r, v.z, v.ad) && !restarts_undeflated(&p, &v)) break;
    }
    nb_vector_backend_give(s, v.x, v.alpha, v.alpha != 0 ? v.d : NULL, rows);
    if (d) nb_deflation_finish(d);
    return nb_vector_backend_fault(s);
}

static nb_status solve_pcg(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    return solve(state, pcg_cycle, system, request, rows, outcome);
}

static nb_status solve_pcr(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    return solve(state, pcr_cycle, system, request, rows, outcome);
}

extern const nb_linear_solver_class nb_pcg_mixed, nb_pcr_mixed;

const nb_linear_solver_class NB_STORAGE_NAME(nb_pcg) = {
    .mixed = NB_MIXED_TWIN(nb_pcg),
    .name = "pcg",
    .summary = "preconditioned conjugate gradients",
    .check = check_pcg,
    .takes_preconditioner = 1,
    .on_devices = 1,
    .options = conjugate_options,
    .option_count = sizeof conjugate_options / sizeof *conjugate_options,
    .create = create_conjugate,
    .set_up_pattern = set_up_conjugate_pattern,
    .set_up_values = set_up_conjugate_values,
    .solve = solve_pcg,
    .destroy = destroy_conjugate,
};

const nb_linear_solver_class NB_STORAGE_NAME(nb_pcr) = {
    .mixed = NB_MIXED_TWIN(nb_pcr),
    .name = "pcr",
    .summary = "preconditioned conjugate residuals, monotone in the norm of the preconditioner",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .options = conjugate_options,
    .option_count = sizeof conjugate_options / sizeof *conjugate_options,
    .create = create_conjugate,
    .set_up_pattern = set_up_conjugate_pattern,
    .set_up_values = set_up_conjugate_values,
    .solve = solve_pcr,
    .destroy = destroy_conjugate,
};
