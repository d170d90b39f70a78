/* The minimum-residual method over a vector backend (vector_backend.h): MINRES (Paige and Saunders 1975),
 * preconditioned by a symmetric positive definite P, also for indefinite systems, such as the saddle form with its
 * mirrored rows (system.h). Compiled for f32, f64 and mixed (base/storage.h). When it stops: stops.h. */
#include <tgmath.h>

#include "base/interrupt.h"
#include "linear/krylov.h"

NB_PRECISIONS(f32, f64, mixed);

enum {
    VECTORS = 10
};

static nb_status set_up_pattern(void *state, nb_system *system) {
    nb_status status;
    NB_TRY(nb_vector_backend_set_pattern(state, system));
    NB_TRY(nb_vector_backend_set_vectors(state, VECTORS));
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    nb_vector_backend_set_mirrored(state, system->symmetric ? 0 : system->mirrored);
    return nb_vector_backend_solver_set_up_values(state, system, outcome);
}

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
static int step_grew(nb_krylov *p, const real *b, storage *x, double claimed, storage *r, storage *z, double *norm) {
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
static void minres_extend(const nb_krylov *p, minres *m) {
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
static void minres_watch(const nb_krylov *p, minres *m) {
    nb_vector_backend *s = p->backend;
    if (m->watched++) return;
    if (!p->other_norm)
        m->norm = nb_vector_backend_residual(s, p->system->b, m->x, m->measured, m->w1);
    else
        m->norm =
            p->request->stop.norm == NB_NORM_TRUE ? sqrt(nb_vector_backend_dot(s, m->measured, m->measured)) : INFINITY;
}

/* Why a step along the column would be of no use, or none. Where the square of |A r| / |r| and the Rayleigh quotient of
 * r are round-off, what is left of the residual lies in the null space. A step would only blow up x. Ten times: with
 * one, 78 of 400 such systems went on from just above it under IC(0). By the first alone eigenvalues of 1e-8 would be
 * taken for zero; of these x grows so much that steps are watched. */
static nb_reason minres_column(const nb_krylov *p, minres *m) {
    const double epsilon = p->stops.epsilon;
    if (m->square < -1e3 * epsilon * m->largest * m->largest) return NB_REASON_INDEFINITE; /* P is */
    if (!isfinite(m->gamma)) return NB_REASON_DIVERGED;
    if (hypot(m->gamma_bar, m->delta_bar) > 10 * sqrt(epsilon) * m->largest) return NB_REASON_NONE;
    if (!(fabs(m->cosine * m->gamma_bar) > 1e3 * epsilon * m->largest)) return NB_REASON_ROUND_OFF;
    minres_watch(p, m);
    return NB_REASON_NONE;
}

/* w <- (v - epsilon w1 - delta w2) / gamma, x += cosine residual w, and r by Choi, Paige and Saunders 2011, (3.15) */
static void minres_step(const nb_krylov *p, minres *m) {
    nb_vector_backend *s = p->backend;
    m->cosine = m->gamma_bar / m->gamma;
    m->sine = m->beta / m->gamma;
    rotate(&m->w1, &m->w2, &m->w);
    nb_vector_backend_combine(s, 1 / m->gamma, m->v, 0, m->w);
    nb_vector_backend_axpy(s, -m->epsilon_old / m->gamma, m->w1, m->w);
    nb_vector_backend_axpy(s, -m->delta / m->gamma, m->w2, m->w);
    nb_vector_backend_axpy(s, m->cosine * m->residual, m->w, m->x);
    if (!p->other_norm) return;
    double last = m->beta > 0 ? -m->cosine * m->sine * m->residual / m->beta : 0;
    nb_vector_backend_combine(s, last, p->request->stop.norm == NB_NORM_TRUE ? m->r2 : m->y, m->sine * m->sine,
                              m->measured);
}

static int minres_finished(nb_krylov *p, const minres *m) {
    nb_linear_outcome *outcome = p->outcome;
    double weighted = m->residual * m->residual;
    outcome->reason = nb_stops_at_residual(&p->stops, weighted, outcome->iterations, p->request->stop.iterations);
    if (p->other_norm && isfinite(weighted)) {
        const storage *v = m->measured;
        int plain = nb_vector_backend_has_identity(p->backend);
        double size = plain ? nb_vector_backend_norm(p->backend, p->request->stop.norm, v)
                            : sqrt(nb_vector_backend_dot(p->backend, v, v));
        if (size <= nb_krylov_bound(p)) outcome->reason = NB_REASON_CONVERGED;
    }
    return outcome->reason != NB_REASON_NONE || nb_interrupt_requested();
}

/* Whether the step to x made the residual larger: it is taken back then. */
static int minres_grew(nb_krylov *p, minres *m) {
    double last = m->norm;
    if (!step_grew(p, p->system->b, m->x, m->sine * m->residual, m->v, m->w1, &m->norm)) return 0;
    nb_vector_backend_copy(p->backend, m->kept, m->x);
    m->norm = last;
    p->outcome->reason = NB_REASON_ROUND_OFF;
    return 1;
}

/* From the residual r2 on. Returns 1 where it ends as a step made the residual larger. */
static int minres_cycle(nb_krylov *p, minres *m) {
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
    if (p->other_norm) nb_vector_backend_copy(s, p->request->stop.norm == NB_NORM_TRUE ? m->r2 : m->y, m->measured);
    nb_krylov_open_cycle(p, start, m->x, m->r2, nb_vector_backend_has_identity(s) ? m->r2 : m->y);
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
        nb_krylov_report(p, m->x, 0, NULL);
    }
    return 0;
}

/* Whether to restart from b - A x, after a cycle that made a residual half as large before it grew. */
static int minres_restarts(nb_krylov *p, minres *m, int grew) {
    nb_vector_backend *s = p->backend;
    if (!grew) return nb_krylov_restarts(p, m->x, m->r2, nb_vector_backend_has_identity(s) ? m->r2 : m->y, m->v);
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
    nb_krylov p = nb_krylov_begin(s, NULL, system, request, rows, outcome, m.r2);
    nb_vector_backend_clear(s, m.x);
    do grew = minres_cycle(&p, &m);
    while (minres_restarts(&p, &m, grew));
    nb_vector_backend_give(s, m.x, 0, NULL, rows);
    return nb_vector_backend_fault(s);
}

extern const nb_linear_solver_class nb_minres_mixed;

const nb_linear_solver_class NB_STORAGE_NAME(nb_minres) = {
    .mixed = NB_MIXED_TWIN(nb_minres),
    .name = "minres",
    .summary = "minimum residual; also for indefinite systems",
    .takes_preconditioner = 1,
    .takes_mirrored = 1,
    .on_devices = 1,
    .create = nb_vector_backend_solver_create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_minres,
    .destroy = nb_vector_backend_solver_destroy,
};
