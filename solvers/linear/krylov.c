/* Krylov methods over a vector backend (vector_backend.h): PCG (Hestenes and Stiefel 1952), PCR (conjugate residuals,
 * Saad 2003; the paper's section 8.2) and MINRES (Paige and Saunders 1975), all preconditioned by a symmetric positive
 * definite P. Compiled for f32, f64 and mixed (base/storage.h).
 *
 * PCR minimises the residual in the norm of P over the Krylov space, so that sqrt(r . P r) never grows; on a positive
 * definite system its iterates are those of MINRES. When they stop: stops.h. */
#include <string.h>
#include <tgmath.h>

#include "base/interrupt.h"
#include "linear/pcr.h"
#include "linear/stops.h"
#include "linear/vector_backend.h"
#include "linear_solver.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    MOST_VECTORS = 10
};

/* One solve in progress, of one cycle or several. There are several where the tolerance is of another norm than the
 * recurrences', or the residual is to be verified. A cycle ends where the recurrence says that the tolerance is met.
 * Where b - A x says otherwise, the next one begins from it. */
typedef struct progress {
    nb_vector_backend *backend;
    const nb_system *system;
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    real *rows; /* the iterate as the monitor and the caller know it */
    nb_stops stops;
    int opened;      /* a cycle was */
    int verifies;    /* the residual is formed before it is believed */
    int measures;    /* its norm is not that of the recurrences */
    double start;    /* that norm of b */
    double verified; /* and of b - A x when it was formed last */
} progress;

static nb_status set_up_pattern(void *state, nb_system *system) {
    nb_status status;
    NB_TRY(nb_vector_backend_set_pattern(state, system));
    NB_TRY(nb_vector_backend_set_vectors(state, MOST_VECTORS));
out:
    return status;
}

/* tells the monitor of the iterate x + a d */
static void tell(const progress *p, const storage *x, double a, const storage *d) {
    if (!p->request->monitor) return;
    nb_vector_backend_give(p->backend, x, a, d, p->rows);
    p->request->monitor(p->request->monitor_context, p->outcome->iterations, p->rows);
}

/* the same, and by how much the step to it lowered e^T A e (nb_linear_iterate) */
static void tell_step(const progress *p, double decrease, const storage *x, double a, const storage *d) {
    if (p->request->energy_decrease) *p->request->energy_decrease = decrease;
    tell(p, x, a, d);
}

/* ---- when to stop ---- */

/* the norm that the tolerance is of, from the residual r and z = P r; z is r where P was taken in */
static double size_of(const progress *p, const storage *r, const storage *z) {
    nb_linear_norm norm = p->request->stop.norm;
    if (z == r) return nb_vector_backend_norm(p->backend, norm, r);
    const storage *v = norm == NB_NORM_TRUE ? r : z;
    return sqrt(nb_vector_backend_dot(p->backend, v, v));
}

/* whether a residual of this norm, which the recurrences do not know, ends the cycle */
static int meets(const progress *p, double size) {
    return size <= fmax(p->request->stop.tolerance, p->stops.tiny) * p->start;
}

/* Whether to stop at the residual r, z = P r, of squared norm `weighted` = r . P r; sets the reason. */
static int finished(progress *p, double weighted, const storage *r, const storage *z) {
    nb_linear_outcome *outcome = p->outcome;
    outcome->reason = nb_stops_at_residual(&p->stops, weighted, outcome->iterations, p->request->stop.iterations);
    if (p->measures && isfinite(weighted) && meets(p, size_of(p, r, z))) outcome->reason = NB_REASON_CONVERGED;
    return outcome->reason != NB_REASON_NONE || nb_interrupt_requested();
}

/* Whether to stop at a curvature (stops.h); sets the reason. */
static int curvature_failed(progress *p, double curvature, double square, double weighted) {
    p->outcome->reason = nb_stops_at_curvature(&p->stops, curvature, square, weighted);
    return p->outcome->reason != NB_REASON_NONE;
}

/* Takes the weights and the right-hand side; the residual at x = 0 into r. What fails here, nb_vector_backend_fault
 * tells as well. */
static progress begin(nb_vector_backend *s, const nb_system *system, const nb_linear_request *request, real *rows,
                      nb_linear_outcome *outcome, storage *r) {
    const nb_linear_stop *stop = &request->stop;
    int verifies = stop->tolerance > 0 && stop->norm != NB_NORM_NATURAL;
    nb_vector_backend_set_weights(s, request->preconditioner, request->preconditioner_state);
    nb_vector_backend_take(s, system->b, r);
    int measures = verifies && !nb_vector_backend_has_no_preconditioner(s); /* without one all norms are the same */
    return (progress){.backend = s,
                      .system = system,
                      .request = request,
                      .outcome = outcome,
                      .rows = rows,
                      .verifies = verifies,
                      .measures = measures,
                      .stops = {.tolerance = measures ? 0 : stop->tolerance,
                                .elsewhere = measures,
                                .epsilon = (double)NB_STORAGE_EPSILON,
                                .tiny = NB_STORAGE_BITS == 32 ? 1e-6 : 1e-12}};
}

/* A cycle begins at the iterate x, at the residual r, z = P r, of squared norm `weighted` = r . P r. */
static void open_cycle(progress *p, double weighted, const storage *x, const storage *r, const storage *z) {
    p->outcome->reason = NB_REASON_NONE;
    if (p->opened++) return;
    p->stops.start = weighted;
    if (p->verifies) p->start = p->verified = p->measures ? size_of(p, r, z) : sqrt(fmax(weighted, 0));
    tell(p, x, 0, NULL);
    if (weighted == 0) p->outcome->reason = NB_REASON_CONVERGED;
}

/* why to stop at b - A x, whose norm is `size`, or none: it is to be carried on from */
static nb_reason judge(const progress *p, double size, const storage *x) {
    if (!isfinite(size)) return NB_REASON_DIVERGED;
    if (size <= p->request->stop.tolerance * p->start) return NB_REASON_CONVERGED;
    if (size <= p->stops.tiny * p->start) return NB_REASON_ROUND_OFF;
    if (size > 0.5 * p->verified) /* the cycle did not do what it claims */
        return size <= sqrt(p->stops.epsilon) * p->start ||
                       nb_vector_backend_is_round_off(p->backend, x, size, p->start)
                   ? NB_REASON_ROUND_OFF
                   : NB_REASON_STAGNATED;
    return p->outcome->iterations >= p->request->stop.iterations ? NB_REASON_ITERATIONS : NB_REASON_NONE;
}

/* Whether a cycle that ended at x is to be followed by another one. Where it says that the tolerance was met, b - A x
 * is formed in r. z gets P r where that is needed for its norm. `scratch` is overwritten. */
static int goes_on(progress *p, storage *x, storage *r, storage *z, storage *scratch) {
    if (!p->verifies || p->outcome->reason != NB_REASON_CONVERGED || p->start == 0) return 0;
    nb_vector_backend_residual(p->backend, p->system->b, x, r, scratch);
    if (z != r && p->request->stop.norm != NB_NORM_TRUE) nb_vector_backend_precondition(p->backend, r, z);
    double size = size_of(p, r, z);
    p->outcome->reason = judge(p, size, x);
    p->verified = size;
    return p->outcome->reason == NB_REASON_NONE;
}

/* ---- conjugate gradients and residuals ---- */

/* With step length rz / curvature along d, e^T A e falls by rz^2 / curvature (Hestenes, Stiefel 1952, theorem 6:1;
 * Strakos, Tichy 2002). */
static void pcg_cycle(progress *p, storage *x, storage *d, storage *r, storage *z) {
    nb_vector_backend *s = p->backend;
    nb_linear_outcome *outcome = p->outcome;
    nb_vector_backend_clear(s, d);
    if (z != r) nb_vector_backend_precondition(s, r, z);
    double rz = nb_vector_backend_dot(s, r, z), beta = 0;
    double square = rz; /* d . P^-1 d, by the orthogonality of r and the last d */
    open_cycle(p, rz, x, r, z);
    while (outcome->reason == NB_REASON_NONE && !finished(p, rz, r, z)) {
        double sums[2];
        nb_vector_backend_begin_product(s, 1, z, beta, d, sums); /* d = z + beta d */
        double curvature = sums[1];
        if (curvature_failed(p, curvature, square, rz)) break;
        const double decrease = rz / curvature * rz;
        double next = nb_vector_backend_finish_pcg(s, d, rz / curvature, x, r);
        if (z != r) {
            nb_vector_backend_precondition(s, r, z);
            next = nb_vector_backend_dot(s, r, z);
        }
        beta = next / rz;
        square = next + beta * beta * square;
        rz = next;
        outcome->iterations++;
        tell_step(p, decrease, x, 0, NULL);
    }
}

/* Where the backend has taken a diagonal preconditioner in, P = 1 there, and P r is r itself. */
static nb_status solve_pcg(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                           nb_linear_outcome *outcome) {
    nb_vector_backend *s = state;
    storage *x = nb_vector_backend_vector(s, 0), *d = nb_vector_backend_vector(s, 1),
            *r = nb_vector_backend_vector(s, 2);
    progress p = begin(s, system, request, rows, outcome, r);
    storage *z = nb_vector_backend_has_identity(s) ? r : nb_vector_backend_vector(s, 3);
    nb_vector_backend_clear(s, x);
    do pcg_cycle(&p, x, d, r, z);
    while (goes_on(&p, x, r, z, d));
    nb_vector_backend_give(s, x, 0, NULL, rows);
    return nb_vector_backend_fault(s);
}

/* the vectors of PCR, and the length of the step that x lags behind by, along d */
typedef struct residuals {
    storage *x, *d, *ad, *r, *z, *pad; /* z = P r and pad = P ad are r and ad where P was taken in */
    double alpha;
} residuals;

/* the decision on the residual, where its norm is another one */
static void pcr_measure(const progress *p, const residuals *v, nb_pcr_state *pcr) {
    if (p->measures && pcr->reason != NB_REASON_DIVERGED && meets(p, size_of(p, v->r, v->z)))
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

static void pcr_cycle(progress *p, residuals *v) {
    nb_vector_backend *s = p->backend;
    int plain = v->z == v->r;
    double sums[2];
    nb_vector_backend_clear(s, v->d);
    nb_vector_backend_clear(s, v->ad);
    if (!plain) nb_vector_backend_precondition(s, v->r, v->z);
    nb_vector_backend_begin_product(s, 0, NULL, 1, v->z, sums);
    double weighted = plain ? sums[0] : nb_vector_backend_dot(s, v->r, v->z);
    open_cycle(p, weighted, v->x, v->r, v->z);
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
        double square = nb_vector_backend_finish_pcr(s, v->z, pcr.alpha, pcr.beta, v->x, v->d, v->ad);
        if (!plain) {
            nb_vector_backend_precondition(s, v->ad, v->pad);
            square = nb_vector_backend_dot(s, v->ad, v->pad);
        }
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
        tell_step(p, decrease, v->x, pcr.alpha, v->d);
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
    nb_vector_backend *s = state;
    residuals v = {.x = nb_vector_backend_vector(s, 0),
                   .d = nb_vector_backend_vector(s, 1),
                   .ad = nb_vector_backend_vector(s, 2),
                   .r = nb_vector_backend_vector(s, 3)};
    progress p = begin(s, system, request, rows, outcome, v.r);
    int plain = nb_vector_backend_has_identity(s);
    v.z = plain ? v.r : nb_vector_backend_vector(s, 4);
    v.pad = plain ? v.ad : nb_vector_backend_vector(s, 5);
    nb_vector_backend_clear(s, v.x);
    for (;;) {
        pcr_cycle(&p, &v);
        if (!p.verifies) break;
        nb_vector_backend_axpy(s, v.alpha, v.d, v.x);
        v.alpha = 0;
        if (!goes_on(&p, v.x, v.r, v.z, v.ad)) break;
    }
    nb_vector_backend_give(s, v.x, v.alpha, v.d, rows);
    return nb_vector_backend_fault(s);
}

/* ---- minimum residual ---- */

/* y <- A v - (beta/beta_old) r1 - (alpha/beta) r2 with v = y/beta: the next Lanczos vector; returns alpha */
static double lanczos(nb_vector_backend *s, double beta, double beta_old, const storage *r1, const storage *r2,
                      storage *v, storage *y) {
    nb_vector_backend_combine(s, 1 / beta, y, 0, v);
    nb_vector_backend_begin_product(s, 0, NULL, 1, v, NULL);
    nb_vector_backend_finish_product(s, v, y);
    if (beta_old > 0) nb_vector_backend_axpy(s, -beta / beta_old, r1, y);
    double alpha = nb_vector_backend_dot(s, v, y);
    nb_vector_backend_axpy(s, -alpha / beta, r2, y);
    return alpha;
}

/* Whether the step to x made the residual larger than *norm, that of the iterate before, where the recurrence has
 * claimed < before in the norm of P. That norm may fall where the 2-norm grows, but not by this much, or not in truth.
 * Near the inverse of a singular A, P magnifies rounding by as much as what is outside of A's range; in one of eight
 * such systems x was blown up, by up to 1e16, while the recurrence went on down. */
static int step_grew(progress *p, const real *b, storage *x, double claimed, storage *r, storage *z, double *norm) {
    double residual = nb_vector_backend_residual(p->backend, b, x, r, z), last = *norm;
    *norm = residual;
    if (residual <= last) return 0;
    if (!(residual <= 10 * last)) return 1;
    nb_vector_backend_precondition(p->backend, r, z);
    return !(sqrt(nb_vector_backend_dot(p->backend, r, z)) <= 1.01 * claimed);
}

static void rotate(storage **a, storage **b, storage **c) {
    storage *first = *a;
    *a = *b;
    *b = *c;
    *c = first;
}

/* MINRES in progress: its vectors, and the scalars of the Lanczos recurrence and of the rotations that take its
 * tridiagonal to upper triangular form. Of what is left of a residual, |A r| / |r| is hypot(gamma_bar, delta_bar), and
 * its Rayleigh quotient -cosine gamma_bar, with the cosine of the rotation before. */
typedef struct minres {
    storage *x, *r1, *r2, *y, *v, *w1, *w2, *w;
    storage *measured; /* r, or P r, by its recurrence, where its norm is measured */
    double alpha, beta, beta_old, square, residual, largest;
    double cosine, sine, delta, delta_bar, epsilon, epsilon_old, gamma, gamma_bar;
    int watched;        /* steps are, as they may make the residual larger in truth, and the recurrence does not know */
    storage *kept;      /* the iterate before a watched step */
    double first, norm; /* |b - A x| of the cycle's start, and where steps are watched */
} minres;

/* the next Lanczos vector, and the rotation of its column */
static void minres_extend(const progress *p, minres *m) {
    nb_vector_backend *s = p->backend;
    m->alpha = lanczos(s, m->beta, m->beta_old, m->r1, m->r2, m->v, m->y);
    rotate(&m->r1, &m->r2, &m->y); /* r1 <- r2, r2 <- y; y is free for P r2 */
    nb_vector_backend_precondition(s, m->r2, m->y);
    m->beta_old = m->beta;
    m->square = nb_vector_backend_dot(s, m->r2, m->y);
    m->beta = sqrt(fmax(m->square, 0));
    m->epsilon_old = m->epsilon;
    m->delta = m->cosine * m->delta_bar + m->sine * m->alpha;
    m->gamma_bar = m->sine * m->delta_bar - m->cosine * m->alpha;
    m->gamma = hypot(m->gamma_bar, m->beta);
    m->epsilon = m->sine * m->beta;
    m->delta_bar = -m->cosine * m->beta;
    m->largest = fmax(m->largest, m->gamma);
}

/* From now on steps are watched: |b - A x|, before the next of them. */
static void minres_watch(const progress *p, minres *m) {
    nb_vector_backend *s = p->backend;
    if (m->watched++) return;
    if (!p->measures)
        m->norm = nb_vector_backend_residual(s, p->system->b, m->x, m->measured, m->w1);
    else
        m->norm =
            p->request->stop.norm == NB_NORM_TRUE ? sqrt(nb_vector_backend_dot(s, m->measured, m->measured)) : INFINITY;
}

/* Why a step along the column would be of no use, or none. Where the square of |A r| / |r| and the Rayleigh quotient of
 * r are round-off, what is left of the residual lies in the null space. A step would only blow up x. Ten times: with
 * one, 78 of 400 such systems went on from just above it under IC(0). By the first alone eigenvalues of 1e-8 would be
 * taken for zero; of these x grows so much that steps are watched. */
static nb_reason minres_column(const progress *p, minres *m) {
    const double epsilon = p->stops.epsilon;
    if (m->square < -1e3 * epsilon * m->largest * m->largest) return NB_REASON_INDEFINITE; /* P is */
    if (!isfinite(m->gamma)) return NB_REASON_DIVERGED;
    if (hypot(m->gamma_bar, m->delta_bar) > 10 * sqrt(epsilon) * m->largest) return NB_REASON_NONE;
    if (!(fabs(m->cosine * m->gamma_bar) > 1e3 * epsilon * m->largest)) return NB_REASON_ROUND_OFF;
    minres_watch(p, m);
    return NB_REASON_NONE;
}

/* w <- (v - epsilon w1 - delta w2) / gamma, x += cosine residual w, and r by Choi, Paige and Saunders 2011, (3.15) */
static void minres_step(const progress *p, minres *m) {
    nb_vector_backend *s = p->backend;
    m->cosine = m->gamma_bar / m->gamma;
    m->sine = m->beta / m->gamma;
    rotate(&m->w1, &m->w2, &m->w);
    nb_vector_backend_combine(s, 1 / m->gamma, m->v, 0, m->w);
    nb_vector_backend_axpy(s, -m->epsilon_old / m->gamma, m->w1, m->w);
    nb_vector_backend_axpy(s, -m->delta / m->gamma, m->w2, m->w);
    nb_vector_backend_axpy(s, m->cosine * m->residual, m->w, m->x);
    if (!p->measures) return;
    double last = m->beta > 0 ? -m->cosine * m->sine * m->residual / m->beta : 0;
    nb_vector_backend_combine(s, last, p->request->stop.norm == NB_NORM_TRUE ? m->r2 : m->y, m->sine * m->sine,
                              m->measured);
}

static int minres_finished(progress *p, const minres *m) {
    nb_linear_outcome *outcome = p->outcome;
    double weighted = m->residual * m->residual;
    outcome->reason = nb_stops_at_residual(&p->stops, weighted, outcome->iterations, p->request->stop.iterations);
    if (p->measures && isfinite(weighted)) {
        const storage *v = m->measured;
        int plain = nb_vector_backend_has_identity(p->backend);
        double size = plain ? nb_vector_backend_norm(p->backend, p->request->stop.norm, v)
                            : sqrt(nb_vector_backend_dot(p->backend, v, v));
        if (meets(p, size)) outcome->reason = NB_REASON_CONVERGED;
    }
    return outcome->reason != NB_REASON_NONE || nb_interrupt_requested();
}

/* Whether the step to x made the residual larger: it is taken back then. */
static int minres_grew(progress *p, minres *m) {
    double last = m->norm;
    if (!step_grew(p, p->system->b, m->x, m->sine * m->residual, m->v, m->w1, &m->norm)) return 0;
    nb_vector_backend_copy(p->backend, m->kept, m->x);
    m->norm = last;
    p->outcome->reason = NB_REASON_ROUND_OFF;
    return 1;
}

/* From the residual r2 on. Returns 1 where it ends as a step made the residual larger. */
static int minres_cycle(progress *p, minres *m) {
    nb_vector_backend *s = p->backend;
    nb_linear_outcome *outcome = p->outcome;
    storage *const cleared[] = {m->r1, m->v, m->w1, m->w2, m->w};
    for (size_t i = 0; i < sizeof cleared / sizeof *cleared; i++) nb_vector_backend_clear(s, cleared[i]);
    nb_vector_backend_precondition(s, m->r2, m->y);
    double start = nb_vector_backend_dot(s, m->r2, m->y);
    m->beta = m->residual = sqrt(fmax(start, 0));
    m->beta_old = m->sine = m->delta_bar = m->epsilon = 0;
    m->cosine = -1;
    m->norm = m->first = sqrt(nb_vector_backend_dot(s, m->r2, m->r2));
    m->watched = p->request->preconditioner && p->request->preconditioner->factorises;
    if (p->measures) nb_vector_backend_copy(s, p->request->stop.norm == NB_NORM_TRUE ? m->r2 : m->y, m->measured);
    open_cycle(p, start, m->x, m->r2, nb_vector_backend_has_identity(s) ? m->r2 : m->y);
    if (start < 0) outcome->reason = NB_REASON_INDEFINITE; /* P is */
    while (outcome->reason == NB_REASON_NONE && !minres_finished(p, m)) {
        minres_extend(p, m);
        outcome->reason = minres_column(p, m);
        if (outcome->reason != NB_REASON_NONE) break;
        if (m->watched) nb_vector_backend_copy(s, m->x, m->kept);
        minres_step(p, m);
        if (m->watched && minres_grew(p, m)) return 1;
        m->residual *= m->sine;
        outcome->iterations++;
        tell(p, m->x, 0, NULL);
    }
    return 0;
}

/* Whether to begin again from b - A x, after a cycle that made a residual half as large before it grew. */
static int minres_goes_on(progress *p, minres *m, int grew) {
    nb_vector_backend *s = p->backend;
    if (!grew) return goes_on(p, m->x, m->r2, nb_vector_backend_has_identity(s) ? m->r2 : m->y, m->v);
    int strong = p->request->preconditioner && p->request->preconditioner->factorises; /* it would grow again */
    if (strong || !(m->norm <= 0.5 * m->first) || p->outcome->iterations >= p->request->stop.iterations) return 0;
    nb_vector_backend_residual(s, p->system->b, m->x, m->r2, m->v);
    return 1;
}

static nb_status solve_minres(void *state, nb_system *system, const nb_linear_request *request, real *rows,
                              nb_linear_outcome *outcome) {
    nb_vector_backend *s = state;
    minres m = {.x = nb_vector_backend_vector(s, 0),
                .r1 = nb_vector_backend_vector(s, 1),
                .r2 = nb_vector_backend_vector(s, 2),
                .y = nb_vector_backend_vector(s, 3),
                .v = nb_vector_backend_vector(s, 4),
                .w1 = nb_vector_backend_vector(s, 5),
                .w2 = nb_vector_backend_vector(s, 6),
                .w = nb_vector_backend_vector(s, 7),
                .measured = nb_vector_backend_vector(s, 8),
                .kept = nb_vector_backend_vector(s, 9)};
    int grew;
    progress p = begin(s, system, request, rows, outcome, m.r2);
    nb_vector_backend_clear(s, m.x);
    do grew = minres_cycle(&p, &m);
    while (minres_goes_on(&p, &m, grew));
    nb_vector_backend_give(s, m.x, 0, NULL, rows);
    return nb_vector_backend_fault(s);
}

extern const nb_linear_solver_class nb_pcg_mixed, nb_pcr_mixed, nb_minres_mixed;

const nb_linear_solver_class NB_STORAGE_NAME(nb_pcg) = {
    .mixed = NB_MIXED_TWIN(nb_pcg),
    .name = "pcg",
    .summary = "preconditioned conjugate gradients",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .create = nb_vector_backend_solver_create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = nb_vector_backend_solver_set_up_values,
    .solve = solve_pcg,
    .destroy = nb_vector_backend_solver_destroy,
};

const nb_linear_solver_class NB_STORAGE_NAME(nb_pcr) = {
    .mixed = NB_MIXED_TWIN(nb_pcr),
    .name = "pcr",
    .summary = "preconditioned conjugate residuals, monotone in the norm of the preconditioner",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .create = nb_vector_backend_solver_create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = nb_vector_backend_solver_set_up_values,
    .solve = solve_pcr,
    .destroy = nb_vector_backend_solver_destroy,
};

const nb_linear_solver_class NB_STORAGE_NAME(nb_minres) = {
    .mixed = NB_MIXED_TWIN(nb_minres),
    .name = "minres",
    .summary = "minimum residual; also for indefinite systems",
    .takes_preconditioner = 1,
    .on_devices = 1,
    .create = nb_vector_backend_solver_create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = nb_vector_backend_solver_set_up_values,
    .solve = solve_minres,
    .destroy = nb_vector_backend_solver_destroy,
};
