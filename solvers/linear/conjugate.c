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

/* Whether to stop at the residual r, z = P r, of squared norm `weighted` = r . P r; sets the reason. */
static int finished(nb_krylov *p, double weighted, const storage *r, const storage *z) {
    nb_linear_outcome *outcome = p->outcome;
    outcome->reason = nb_stops_at_residual(&p->stops, weighted, outcome->iterations, p->request->stop.iterations);
    if (p->measures && isfinite(weighted) && nb_krylov_meets(p, nb_krylov_size(p, r, z)))
        outcome->reason = NB_REASON_CONVERGED;
    return outcome->reason != NB_REASON_NONE || nb_interrupt_requested();
}

/* Whether to stop at a curvature (stops.h); sets the reason. */
static int curvature_failed(nb_krylov *p, double curvature, double square, double weighted) {
    p->outcome->reason = nb_stops_at_curvature(&p->stops, curvature, square, weighted);
    return p->outcome->reason != NB_REASON_NONE;
}

/* a direction that A hardly sees: the right-hand side may be outside its range */
static void note_null_direction(nb_krylov *p, const storage *d) {
    if (!p->outcome->null_vector) return;
    nb_vector_backend_give(p->backend, d, 0, NULL, p->outcome->null_vector);
    p->outcome->found_null = 1;
}

/* ---- deflation ---- */

/* the state of pcg and pcr */
typedef struct conjugate {
    nb_vector_backend *backend;
    nb_deflation *deflation; /* NULL: none */
} conjugate;

/* the solve begins at x = 0, r = b, which the tolerance is of */
static void open_deflation(nb_krylov *p, storage *x, storage *r, storage *z) {
    nb_deflation *d = p->deflation;
    if (!d) return;
    nb_deflation_begin(d);
    nb_vector_backend_precondition(p->backend, r, z);
    nb_krylov_open_cycle(p, nb_vector_backend_dot(p->backend, r, z), x, r, z);
    p->outcome->recycled = d->dropped ? -1 : d->used;
    d->dropped = 0;
}

static void start_deflation(nb_krylov *p, storage *x, storage *r) {
    if (p->deflation) p->fallen += nb_deflation_start(p->deflation, x, r);
}

/* the next cycle's directions do not go with those of this one */
static void stop_hearing(const nb_krylov *p) {
    if (p->deflation) p->deflation->hears = 0;
}

/* Where the projections of a basis that the system is far from end a cycle early, by round-off, the solve is carried on
 * without it: the residual at x into r. */
static int retreats(nb_krylov *p, storage *x, storage *r, storage *scratch) {
    nb_deflation *d = p->deflation;
    const nb_reason reason = p->outcome->reason;
    if (!d || d->used == 0 || p->outcome->iterations >= p->request->stop.iterations) return 0;
    if (reason == NB_REASON_CONVERGED || reason == NB_REASON_NONE || nb_interrupt_requested()) return 0;
    d->used = 0;
    d->heard = 0; /* these are orthogonal to what is left out */
    d->hears = 1;
    p->stops.largest = 0;
    p->verified = INFINITY;
    nb_vector_backend_residual(p->backend, p->system->b, x, r, scratch);
    return 1;
}

static void finish_deflation(const nb_krylov *p) {
    if (p->deflation) nb_deflation_finish(p->deflation);
}

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

/* ---- conjugate gradients and residuals ---- */

/* what the recurrence has of A d = (r - r') / alpha, for deflation (deflation.h) */
typedef struct pcg_coefficients {
    double image[NB_DEFLATION_MOST]; /* of z, then of A d */
    double alpha;                    /* step length; 0: none yet */
} pcg_coefficients;

/* the direction d of a step from r to r', of squared norms rz and `next` */
static void add_pcg_direction(const nb_krylov *p, pcg_coefficients *of, const storage *d, double curvature, double rz,
                              double next) {
    const double alpha = rz / curvature, above = of->alpha != 0 ? -rz / (of->alpha * alpha) : 0;
    for (int32_t i = 0; i < p->deflation->used; i++) of->image[i] = (of->image[i] - p->deflation->image[i]) / alpha;
    nb_deflation_add_direction(p->deflation, d, curvature, (rz + next) / (alpha * alpha), above, of->image);
    of->alpha = alpha;
}

/* With step length rz / curvature along d, e^T A e falls by rz^2 / curvature (Hestenes, Stiefel 1952, theorem 6:1;
 * Strakos, Tichy 2002). */
static void pcg_cycle(nb_krylov *p, storage *x, storage *d, storage *r, storage *z) {
    nb_vector_backend *s = p->backend;
    nb_linear_outcome *outcome = p->outcome;
    pcg_coefficients of = {0};
    nb_vector_backend_clear(s, d);
    if (z != r) nb_krylov_precondition(p, r, z);
    double rz = nb_vector_backend_dot(s, r, z), beta = 0;
    double square = rz; /* d . P^-1 d, by the orthogonality of r and the last d */
    nb_krylov_open_cycle(p, rz, x, r, z);
    while (outcome->reason == NB_REASON_NONE && !finished(p, rz, r, z)) {
        double sums[2];
        nb_vector_backend_begin_product(s, 1, z, beta, d, sums); /* d = z + beta d */
        double curvature = sums[1];
        if (curvature_failed(p, curvature, square, rz)) {
            note_null_direction(p, d);
            break;
        }
        const double decrease = rz / curvature * rz;
        double next = nb_vector_backend_finish_pcg(s, d, rz / curvature, x, r, z == r);
        if (z != r) {
            if (p->deflation) memcpy(of.image, p->deflation->image, (size_t)p->deflation->used * sizeof *of.image);
            nb_krylov_precondition(p, r, z);
            next = nb_vector_backend_dot(s, r, z);
        }
        if (p->deflation) add_pcg_direction(p, &of, d, curvature, rz, next);
        beta = next / rz;
        square = next + beta * beta * square;
        rz = next;
        outcome->iterations++;
        nb_krylov_report_step(p, decrease, x, 0, NULL);
    }
}

/* Where the backend has taken a diagonal preconditioner in, P = 1 there, and P r is r itself. */
static nb_status solve_pcg(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    const conjugate *c = state;
    nb_vector_backend *s = c->backend;
    storage *x = nb_vector_backend_vector(s, 0), *d = nb_vector_backend_vector(s, 1),
            *r = nb_vector_backend_vector(s, 2);
    nb_krylov p = nb_krylov_begin(s, c->deflation, system, request, rows, outcome, r);
    storage *z = nb_vector_backend_has_identity(s) && !p.deflation ? r : nb_vector_backend_vector(s, 3);
    nb_vector_backend_clear(s, x);
    open_deflation(&p, x, r, z);
    do {
        start_deflation(&p, x, r);
        pcg_cycle(&p, x, d, r, z);
        stop_hearing(&p);
    } while (nb_krylov_goes_on(&p, x, r, z, d) || retreats(&p, x, r, d));
    nb_vector_backend_give(s, x, 0, NULL, rows);
    finish_deflation(&p);
    return nb_vector_backend_fault(s);
}

/* the vectors of PCR, and the length of the step that x lags behind by, along d */
typedef struct residuals {
    storage *x, *d, *ad, *r, *z, *pad; /* z = P r and pad = P ad are r and ad where P was taken in */
    double alpha;
} residuals;

/* the decision on the residual, where its norm is another one */
static void pcr_measure(const nb_krylov *p, const residuals *v, nb_pcr_state *pcr) {
    if (p->measures && pcr->reason != NB_REASON_DIVERGED && nb_krylov_meets(p, nb_krylov_size(p, v->r, v->z)))
        pcr->reason = NB_REASON_CONVERGED;
}

/* What a step of PCR along d lowers e^T A e by, 2 alpha d.r - alpha^2 d.A d, from scalars that the method has: with
 * d = z + beta d', d.r = z.r + beta d'.r, and d.A d = z.A z + beta^2 d'.A d', since z.A d' = 0. It is never negative
 * (Hestenes, Stiefel 1952, theorem 7:5). */
typedef struct descent {
    double dr, dad; /* d . r and d . A d */
} descent;

/* before the direction of *pcr is made: d' . r is what the step before left of it */
static void descent_turn(descent *d, const nb_pcr_state *pcr) {
    d->dr = pcr->weighted + pcr->beta * d->dr;
    d->dad = pcr->zaz + pcr->beta * pcr->beta * d->dad;
}

static double descent_step(descent *d, double alpha) {
    const double decrease = alpha * (2 * d->dr - alpha * d->dad);
    d->dr -= alpha * d->dad;
    return decrease;
}

/* what the recurrence has of A z = A d - beta A d', for deflation */
typedef struct pcr_coefficients {
    double image[NB_DEFLATION_MOST]; /* of P A d' */
    double square;                   /* A d' . P A d' */
} pcr_coefficients;

/* z of a step, with the squared norm of A d */
static void add_pcr_direction(const nb_krylov *p, pcr_coefficients *of, const storage *z, double zaz, double beta,
                              double square) {
    nb_deflation *d = p->deflation;
    for (int32_t i = 0; i < d->used; i++) of->image[i] = d->image[i] - beta * of->image[i];
    if (zaz > 0)
        nb_deflation_add_direction(d, z, zaz, square + beta * beta * of->square, -beta * of->square, of->image);
    memcpy(of->image, d->image, (size_t)d->used * sizeof *of->image);
    of->square = square;
}

static void pcr_cycle(nb_krylov *p, residuals *v) {
    nb_vector_backend *s = p->backend;
    int plain = v->z == v->r;
    double sums[2];
    pcr_coefficients of = {0};
    nb_vector_backend_clear(s, v->d);
    nb_vector_backend_clear(s, v->ad);
    if (!plain) nb_krylov_precondition(p, v->r, v->z);
    nb_vector_backend_begin_product(s, 0, NULL, 1, v->z, sums);
    double weighted = plain ? sums[0] : nb_vector_backend_dot(s, v->r, v->z);
    nb_krylov_open_cycle(p, weighted, v->x, v->r, v->z);
    descent fall = {0, 0};
    nb_pcr_state pcr = {.stops = p->stops,
                        .zaz = sums[1],
                        .weighted = weighted,
                        .iterations = p->outcome->iterations,
                        .most = p->request->stop.iterations,
                        .reason = p->outcome->reason};
    if (pcr.reason == NB_REASON_NONE) {
        nb_pcr_decide(&pcr);
        pcr_measure(p, v, &pcr);
    }
    if (plain && !p->measures && !p->request->monitor && pcr.reason == NB_REASON_NONE)
        nb_vector_backend_run_pcr(s, &pcr, v->x, v->d, v->ad, v->z);
    while (pcr.reason == NB_REASON_NONE && !nb_interrupt_requested()) {
        double square = nb_vector_backend_finish_pcr(s, v->z, pcr.alpha, pcr.beta, v->x, v->d, v->ad, plain);
        if (!plain) {
            nb_krylov_precondition(p, v->ad, v->pad);
            square = nb_vector_backend_dot(s, v->ad, v->pad);
        }
        if (p->deflation) add_pcr_direction(p, &of, v->z, pcr.zaz, pcr.beta, square);
        descent_turn(&fall, &pcr);
        nb_pcr_step(&pcr, square);
        if (pcr.reason != NB_REASON_NONE) break;
        nb_vector_backend_begin_product(s, -pcr.alpha, v->pad, 1, v->z, sums); /* z -= alpha P A d */
        if (!plain) {
            nb_vector_backend_axpy(s, -pcr.alpha, v->ad, v->r);
            sums[0] = nb_vector_backend_dot(s, v->r, v->z);
        }
        const double decrease = descent_step(&fall, pcr.alpha);
        nb_pcr_advance(&pcr, sums[0], sums[1]);
        pcr_measure(p, v, &pcr);
        p->outcome->iterations = pcr.iterations;
        nb_krylov_report_step(p, decrease, v->x, pcr.alpha, v->d);
    }
    p->stops = pcr.stops;
    p->outcome->iterations = pcr.iterations;
    p->outcome->reason = pcr.reason;
    v->alpha = pcr.alpha;
}

/* x lags behind by its last step, which is taken as d is read for the next one. A device that can makes all iterations
 * by itself where nobody watches, and where the recurrences know the norm that the tolerance is of. */
static nb_status solve_pcr(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    const conjugate *c = state;
    nb_vector_backend *s = c->backend;
    residuals v = {.x = nb_vector_backend_vector(s, 0),
                   .d = nb_vector_backend_vector(s, 1),
                   .ad = nb_vector_backend_vector(s, 2),
                   .r = nb_vector_backend_vector(s, 3)};
    nb_krylov p = nb_krylov_begin(s, c->deflation, system, request, rows, outcome, v.r);
    int plain = nb_vector_backend_has_identity(s) && !p.deflation;
    v.z = plain ? v.r : nb_vector_backend_vector(s, 4);
    v.pad = plain ? v.ad : nb_vector_backend_vector(s, 5);
    nb_vector_backend_clear(s, v.x);
    open_deflation(&p, v.x, v.r, v.z);
    for (;;) {
        start_deflation(&p, v.x, v.r);
        pcr_cycle(&p, &v);
        stop_hearing(&p);
        if (!p.verifies && !p.deflation) break;
        nb_vector_backend_axpy(s, v.alpha, v.d, v.x);
        v.alpha = 0;
        if (!nb_krylov_goes_on(&p, v.x, v.r, v.z, v.ad) && !retreats(&p, v.x, v.r, v.ad)) break;
    }
    nb_vector_backend_give(s, v.x, v.alpha, v.d, rows);
    finish_deflation(&p);
    return nb_vector_backend_fault(s);
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
