/* Krylov methods over a space (space.h): PCG (Hestenes and Stiefel 1952), PCR (conjugate residuals, Saad 2003; the
 * paper's section 8.2) and MINRES (Paige and Saunders 1975), all preconditioned by a symmetric positive definite P.
 *
 * PCR minimises the residual in the norm of P over the Krylov space, so that sqrt(r . P r) never grows; on a positive
 * definite system its iterates are those of MINRES. They all stop at round-off: further iterations would only add noise
 * from the null space of these often singular systems. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "linear/space.h"
#include "linear_solver.h"

enum {
    MOST_VECTORS = 9
};

typedef struct krylov {
    real *memory;
    int64_t capacity;
} krylov;

/* one solve in progress */
typedef struct progress {
    nb_space space;
    void *context;
    const nb_linear_request *request;
    nb_linear_outcome *outcome;
    real *x;
    double start;   /* r . P r at the start */
    double tiny;    /* relative size of a residual that is round-off */
    double least;   /* r . P r so far */
    double largest; /* Rayleigh quotient of P A so far */
} progress;

static nb_status create(const double *values, void **state) {
    (void)values;
    krylov *k;
    nb_status status = NB_ALLOCATE(1, &k);
    *state = k;
    return status;
}

static int64_t stride_of(const nb_system *system) {
    return (system->rows + 15) / 16 * 16;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    krylov *k = state;
    int64_t needed = MOST_VECTORS * stride_of(system);
    if (k->memory && needed <= k->capacity) return NB_OK;
    nb_free(k->memory);
    k->capacity = needed;
    return NB_ALLOCATE(needed, &k->memory);
}

static nb_status set_up_values(void *state, nb_system *system, nb_linear_outcome *outcome) {
    (void)state;
    (void)system;
    (void)outcome;
    return NB_OK;
}

static void destroy(void *state) {
    krylov *k = state;
    if (k) nb_free(k->memory);
    nb_free(k);
}

static void tell(const progress *p) {
    if (p->request->monitor) p->request->monitor(p->request->monitor_context, p->outcome->iterations, p->x);
}

/* Whether to stop at a residual of squared norm `weighted` = r . P r; sets the reason. */
static int finished(progress *p, double weighted) {
    double tolerance = p->request->tolerance;
    p->least = p->outcome->iterations > 0 ? fmin(p->least, weighted) : weighted;
    if (!isfinite(weighted))
        p->outcome->reason = NB_REASON_DIVERGED;
    else if (weighted < 0) /* P is positive, up to round-off */
        p->outcome->reason = -weighted <= p->tiny * p->start ? NB_REASON_ROUND_OFF : NB_REASON_INDEFINITE;
    else if (weighted <= tolerance * tolerance * p->start)
        p->outcome->reason = NB_REASON_CONVERGED;
    else if (weighted <= p->tiny * p->tiny * p->start)
        p->outcome->reason = NB_REASON_ROUND_OFF;
    else if (weighted > 1e16 * p->start)
        p->outcome->reason = NB_REASON_DIVERGED;
    else if (p->outcome->iterations >= p->request->iterations)
        p->outcome->reason = NB_REASON_ITERATIONS;
    return p->outcome->reason != NB_REASON_NONE;
}

/* Whether to stop at `curvature` = v . A v of a direction of squared length `square` = v . P^-1 v, at a residual of
 * squared norm `weighted`. A Rayleigh quotient that is round-off against the largest one seen says that the residual
 * lies in the null space: a step along it would only blow up x. A negative one says that A is indefinite. */
static int curvature_failed(progress *p, double curvature, double square, double weighted) {
    double quotient = curvature / square;
    p->largest = fmax(p->largest, fabs(quotient));
    if (quotient > (double)NB_REAL_EPSILON * p->largest) return 0;
    if (!isfinite(quotient) || weighted > 100 * p->least)
        p->outcome->reason = NB_REASON_DIVERGED; /* PCG on a right-hand side outside the range of A */
    else if (fabs(quotient) <= 1e3 * (double)NB_REAL_EPSILON * p->largest)
        p->outcome->reason = NB_REASON_ROUND_OFF;
    else
        p->outcome->reason = NB_REASON_INDEFINITE;
    return 1;
}

static progress begin(nb_space_cpu *cpu, nb_system *system, const nb_linear_request *request, real *x,
                      nb_linear_outcome *outcome) {
    *cpu = (nb_space_cpu){system, request};
    return (progress){.space = nb_space_of_cpu(cpu),
                      .context = cpu,
                      .request = request,
                      .outcome = outcome,
                      .x = x,
                      .tiny = NB_REAL_BITS == 32 ? 1e-6 : 1e-12};
}

static nb_status solve_pcg(void *state, nb_system *system, const nb_linear_request *request, real *x,
                           nb_linear_outcome *outcome) {
    nb_space_cpu cpu;
    progress p = begin(&cpu, system, request, x, outcome);
    const nb_space *s = &p.space;
    int64_t stride = stride_of(system);
    real *r = ((krylov *)state)->memory, *z = r + stride, *d = z + stride, *ad = d + stride;
    s->copy(p.context, system->b, r);
    s->precondition(p.context, r, z);
    s->copy(p.context, z, d);
    double rz = p.start = s->dot(p.context, r, z);
    double square = rz; /* d . P^-1 d, by the orthogonality of r and the last d */
    tell(&p);
    if (p.start == 0) outcome->reason = NB_REASON_CONVERGED;
    while (outcome->reason == NB_REASON_NONE && !finished(&p, rz)) {
        s->apply(p.context, d, ad);
        double curvature = s->dot(p.context, d, ad);
        if (curvature_failed(&p, curvature, square, rz)) break;
        real alpha = (real)(rz / curvature);
        s->axpy2(p.context, alpha, d, x, -alpha, ad, r);
        s->precondition(p.context, r, z);
        double next = s->dot(p.context, r, z);
        s->xpby(p.context, z, (real)(next / rz), d);
        square = next + next / rz * (next / rz) * square;
        rz = next;
        outcome->iterations++;
        tell(&p);
    }
    return NB_OK;
}

static nb_status solve_pcr(void *state, nb_system *system, const nb_linear_request *request, real *x,
                           nb_linear_outcome *outcome) {
    nb_space_cpu cpu;
    progress p = begin(&cpu, system, request, x, outcome);
    const nb_space *s = &p.space;
    int64_t stride = stride_of(system);
    real *r = ((krylov *)state)->memory, *z = r + stride, *d = z + stride, *az = d + stride, *ad = az + stride,
         *pad = ad + stride;
    double sums[2];
    s->copy(p.context, system->b, r);
    s->precondition(p.context, r, z);
    s->apply(p.context, z, az);
    s->copy(p.context, z, d);
    s->copy(p.context, az, ad);
    s->dots(p.context, z, az, r, sums); /* z . A z and z . r */
    double zaz = sums[0], weighted = p.start = sums[1];
    tell(&p);
    if (p.start == 0) outcome->reason = NB_REASON_CONVERGED;
    while (outcome->reason == NB_REASON_NONE && !finished(&p, weighted)) {
        s->precondition(p.context, ad, pad);
        double curvature = s->dot(p.context, ad, pad);
        if (curvature_failed(&p, zaz, weighted, weighted)) break;
        if (!(curvature > 0)) { /* P A z = 0 although z . A z is not: a product under- or overflowed */
            outcome->reason = NB_REASON_BREAKDOWN;
            break;
        }
        real alpha = (real)(zaz / curvature);
        s->axpy2(p.context, alpha, d, x, -alpha, ad, r);
        s->axpy(p.context, -alpha, pad, z);
        s->apply(p.context, z, az);
        s->dots(p.context, z, az, r, sums);
        s->xpby2(p.context, (real)(sums[0] / zaz), z, d, az, ad);
        zaz = sums[0];
        weighted = sums[1];
        outcome->iterations++;
        tell(&p);
    }
    return NB_OK;
}

/* y <- A v - (beta/beta_old) r1 - (alpha/beta) r2 with v = y/beta: the next Lanczos vector; returns alpha */
static double lanczos(const progress *p, double beta, double beta_old, const real *r1, const real *r2, real *v,
                      real *y) {
    const nb_space *s = &p->space;
    s->copy(p->context, y, v);
    s->scale(p->context, (real)(1 / beta), v);
    s->apply(p->context, v, y);
    if (beta_old > 0) s->axpy(p->context, (real)(-beta / beta_old), r1, y);
    double alpha = s->dot(p->context, v, y);
    s->axpy(p->context, (real)(-alpha / beta), r2, y);
    return alpha;
}

static void rotate(real **a, real **b, real **c) {
    real *first = *a;
    *a = *b;
    *b = *c;
    *c = first;
}

static nb_status solve_minres(void *state, nb_system *system, const nb_linear_request *request, real *x,
                              nb_linear_outcome *outcome) {
    nb_space_cpu cpu;
    progress p = begin(&cpu, system, request, x, outcome);
    const nb_space *s = &p.space;
    int64_t stride = stride_of(system);
    real *r1 = ((krylov *)state)->memory, *r2 = r1 + stride, *y = r2 + stride, *v = y + stride, *w1 = v + stride,
         *w2 = w1 + stride, *w = w2 + stride, *r = w + stride;
    memset(r1, 0, (size_t)(8 * stride) * sizeof *r1);
    s->copy(p.context, system->b, r2);
    s->precondition(p.context, r2, y);
    p.start = s->dot(p.context, r2, y);
    double beta = sqrt(fmax(p.start, 0)), beta_old = 0, residual = beta, largest = 0;
    double cosine = -1, sine = 0, delta_bar = 0, epsilon = 0;
    tell(&p);
    if (p.start == 0) outcome->reason = NB_REASON_CONVERGED;
    while (outcome->reason == NB_REASON_NONE && !finished(&p, residual * residual)) {
        double alpha = lanczos(&p, beta, beta_old, r1, r2, v, y);
        rotate(&r1, &r2, &y); /* r1 <- r2, r2 <- y; y is free for P r2 */
        s->precondition(p.context, r2, y);
        beta_old = beta;
        beta = sqrt(fmax(s->dot(p.context, r2, y), 0));
        /* the plane rotation that takes this column of the tridiagonal to upper triangular form */
        double epsilon_old = epsilon, delta = cosine * delta_bar + sine * alpha;
        double gamma_bar = sine * delta_bar - cosine * alpha, gamma = hypot(gamma_bar, beta);
        epsilon = sine * beta;
        delta_bar = -cosine * beta;
        /* |A r| / |r|: where its square is round-off, what is left of the residual lies in the null space, and a step
         * would only blow up x */
        largest = fmax(largest, gamma);
        if (!(hypot(gamma_bar, delta_bar) > sqrt((double)NB_REAL_EPSILON) * largest)) {
            outcome->reason = isfinite(gamma) ? NB_REASON_ROUND_OFF : NB_REASON_DIVERGED;
            break;
        }
        cosine = gamma_bar / gamma;
        sine = beta / gamma;
        /* w <- (v - epsilon w1 - delta w2) / gamma */
        rotate(&w1, &w2, &w);
        s->copy(p.context, v, r);
        s->axpy(p.context, (real)-epsilon_old, w1, r);
        s->axpy(p.context, (real)-delta, w2, r);
        s->scale(p.context, (real)(1 / gamma), r);
        s->copy(p.context, r, w);
        s->axpy(p.context, (real)(cosine * residual), w, x);
        residual *= sine;
        outcome->iterations++;
        tell(&p);
    }
    return NB_OK;
}

const nb_linear_solver_class NB_REAL_NAME(nb_pcg) = {
    .name = "pcg",
    .summary = "preconditioned conjugate gradients",
    .takes_preconditioner = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_pcg,
    .destroy = destroy,
};

const nb_linear_solver_class NB_REAL_NAME(nb_pcr) = {
    .name = "pcr",
    .summary = "preconditioned conjugate residuals, monotone in the norm of the preconditioner",
    .takes_preconditioner = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_pcr,
    .destroy = destroy,
};

const nb_linear_solver_class NB_REAL_NAME(nb_minres) = {
    .name = "minres",
    .summary = "minimum residual; also for indefinite systems",
    .takes_preconditioner = 1,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .solve = solve_minres,
    .destroy = destroy,
};
