/* The alternating direction method of multipliers, on the linearised problem v = N z + q (projected.h) with rows scaled
 * by one factor a contact:
 *
 *     x = (N + eta + rho)^-1 (eta x + rho y + w - q - s),   y = P(x - w/rho),   w <- w + rho (y - x)
 *
 * In the end x = y = z, and w = N z + q + s is the velocity with De Saxce's term s_n = mu |w_t|, which is renewed in
 * each iteration (relaxed laws have none). Joint rows are equations: rho and w are zero there. The factor is over the
 * velocities of nodes, and stays as long as rho does.
 *
 * Iterations start from an extrapolation of y and w.
 *
 * Nesterov's: y + b (y - y_before), the same of w, b = (a - 1)/a+, a+ = (1 + sqrt(1 + 4 a^2))/2; back to the iterate
 * before where rho |dy|^2 + |dw|^2/rho does not fall to 0.999 of its last value (Goldstein et al. 2014).
 *
 * Anderson's: least squares over the last 10, every 5th iteration; rejected where the change grows.
 *
 * rho is changed where the primal residual |x - y| and the dual one |eta dx + rho dy| differ by more than a ratio.
 *
 * Sources: Tsounis et al. 2025 (Kamino); Carpentier, Le Lidec, Montaut, "From compliant to rigid contact simulation: a
 * unified and efficient approach", 2024 (Pinocchio); Acary, Bremond, Huber, "On solving contact problems with Coulomb
 * friction", 2018 (Siconos); Wohlberg, "ADMM penalty parameter selection by residual balancing", 2017. */
#include <lapacke.h>
#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "shifted_factor.h"

NB_PRECISIONS(f32, f64);

enum {
    PRESET,
    ETA,
    RHO,
    ACCELERATION,
    BALANCE,
    STOP,
    OWN_TOLERANCE,
    EVERY,
    OPTIONS
};

/* what `acceleration` and `balance` may be; 0: the preset's */
enum {
    NO_ACCELERATION = 1,
    NESTEROV,
    ANDERSON
};

enum {
    NO_BALANCE = 1,
    PLAIN,   /* rho times or over `factor` */
    SCALED,  /* the same, by residuals over the sizes of what they are of */
    SPECTRAL /* by a factor of the spectrum */
};

typedef struct preset {
    double eta, rho; /* [of the scaled N] */
    int scaled;      /* rows have a diagonal near 1 */
    int acceleration, balance;
    double ratio, factor; /* of residuals, and of rho */
    int32_t every, most;  /* iterations from look to look; changes of a step at most */
    int32_t iterations;   /* of a step at most; 0: the method's */
    real start;           /* steps start from this share of the contact impulses of the previous step; 0: from zero */
} preset;

enum {
    NCPBENCH,
    KAMINO,
    KAMINO_BALANCED,
    PINOCCHIO,
    SICONOS,
    SICONOS_SCALED,
    PRESETS
};

static const preset presets[PRESETS] = {
    [NCPBENCH] = {1e-8, 1, 1, ANDERSON, PLAIN, 10, 5, 10, 20},
    [KAMINO] = {1e-5, 1, 1, NESTEROV, NO_BALANCE, 0, 0, 1, 0, 200, (real)0.9},
    [KAMINO_BALANCED] = {1e-5, 1, 1, NESTEROV, PLAIN, 10, 1.5, 1, 1000000, 200, (real)0.9},
    [PINOCCHIO] = {1e-6, 0, 0, NO_ACCELERATION, SPECTRAL, 10, 0, 1, 1000000},
    [SICONOS] = {1e-7, 0.1, 0, NESTEROV, PLAIN, 10, 2, 1, 1000000},
    [SICONOS_SCALED] = {1e-7, 0.1, 0, NESTEROV, SCALED, 10, 2, 1, 1000000},
};

#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})
static const nb_option options[OPTIONS] = {
    [PRESET] =
        {"preset", "1", NCPBENCH, 0, 0, 0,
         CHOICES("ncpbench", "kamino", "kamino-balanced", "pinocchio", "siconos", "siconos-scaled"),
         "settings as published: Tsounis et al. 2025 (200 iterations, warm start from 0.9 of the contact impulses); "
         "Carpentier et al. 2024; Acary et al. 2018; or our own"},
    [ETA] = {"admm-eta", "1", 0, 1e-12, 1e3, 0, NULL,
             "weight of the proximal term, against the scaled N; 0: the preset's"},
    [RHO] = {"admm-rho", "1", 0, 1e-9, 1e9, 0, NULL, "penalty of the first iteration, likewise; 0: the preset's"},
    [ACCELERATION] = {"acceleration-rule", "1", 0, 0, 0, 0, CHOICES("preset", "none", "nesterov", "anderson"),
                      "extrapolation of the iterates"},
    [BALANCE] = {"balance", "1", 0, 0, 0, 0, CHOICES("preset", "none", "residuals", "scaled-residuals", "spectral"),
                 "what changes rho"},
    [STOP] = {"stop", "1", 0, 0, 0, 0, CHOICES("natural-map", "own"),
              "what ends a step: the natural map of --newton-tolerance, or the preset's own residuals"},
    [OWN_TOLERANCE] = {"own-tolerance", "1", 1e-6, 1e-300, 1e300, 0, NULL,
                       "own residual at which --stop own ends a step"},
    [EVERY] = {"record-every", "1", 1, 1, 1000000, 1, NULL,
               "iterations from one row of the record, and one look at the tolerance, to the next"},
};

enum {
    PENALTY = NB_PROJECTED_OWN,
    PRIMAL_RESIDUAL,
    DUAL_RESIDUAL,
    OWN_RESIDUAL,
    FACTORISATIONS,
    RESTARTS,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    NB_PROJECTED_COLUMNS,
    [PENALTY] = {"penalty", "1", "rho of the last iteration, against the scaled N"},
    [PRIMAL_RESIDUAL] = {"primal_residual", "1", "largest entry of x - y, of scaled impulses"},
    [DUAL_RESIDUAL] = {"dual_residual", "1", "largest entry of eta dx + rho dy, of scaled velocities"},
    [OWN_RESIDUAL] = {"own_residual", "1", "what the preset's program stops by"},
    [FACTORISATIONS] = {"factorizations", "1", "factorizations of N + eta + rho up to the next row"},
    [RESTARTS] = {"restarts", "1", "restarts or rejections of the acceleration, up to the next row"},
};

enum {
    MEMORY = 10, /* differences that Anderson's rule keeps */
    ANDERSON_EVERY = 5,
    CHUNK = 64 /* rows that least squares take at once */
};

static const double restart_share = 0.999, effective = 0.5; /* Pinocchio's rho is used by half */

typedef struct admm {
    nb_projected_method base;
    preset how; /* with what options change of it */
    /* of the present step */
    nb_shifted_factor factor;
    real *scale, *sigma, *mu, *weight; /* [rows]; weight: rho, 0 of equations */
    real *x, *y, *w, *x_before, *y_before, *w_before, *y_start, *w_start, *b;
    real *x_plain, *y_plain, *w_plain; /* where Anderson's rule goes back to */
    double *made, *moved;              /* [MEMORY + 1][2 (rows but bilaterals)] */
    double rho, spread;                /* spread: L/m of the spectrum */
    double primal, dual, own, change, a;
    int32_t iteration, changes, kept, newest; /* kept, newest: of `made` */
    int extrapolated;
    int64_t factorisations, restarts;
    nb_arena arena;
} admm;

static void lay_out(nb_arena *a, admm *m) {
    const nb_projected *s = m->base.problem;
    real **vectors[] = {&m->scale, &m->sigma,    &m->mu,       &m->weight,   &m->x,       &m->y,
                        &m->w,     &m->x_before, &m->y_before, &m->w_before, &m->y_start, &m->w_start,
                        &m->b,     &m->x_plain,  &m->y_plain,  &m->w_plain};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) NB_PLACE(a, s->rows, vectors[i]);
    const int64_t history = m->how.acceleration == ANDERSON ? (MEMORY + 1) * 2 * (int64_t)(s->rows - s->bilaterals) : 0;
    NB_PLACE(a, history, &m->made);
    NB_PLACE(a, history, &m->moved);
}

static void drop(admm *m) {
    nb_shifted_factor_clear(&m->factor);
    nb_projected_destroy(m->base.problem);
    m->base.problem = NULL;
}

static void set_rules(admm *m) {
    const double *of = m->base.values;
    m->how = presets[(int)of[PRESET]];
    if (of[ETA] > 0) m->how.eta = of[ETA];
    if (of[RHO] > 0) m->how.rho = of[RHO];
    if (of[ACCELERATION] > 0) m->how.acceleration = (int)of[ACCELERATION];
    if (of[BALANCE] > 0) {
        const preset *from = &presets[of[BALANCE] == SPECTRAL ? PINOCCHIO : KAMINO_BALANCED];
        m->how.balance = (int)of[BALANCE];
        m->how.ratio = from->ratio;
        m->how.factor = from->factor;
        m->how.most = from->most;
    }
    m->how.eta = fmax(m->how.eta, 64 * (double)NB_REAL_EPSILON);
}

static nb_status begin_step(nb_projected_method *self, nb_problem *p) {
    admm *m = (admm *)self;
    nb_status status;
    nb_projected *s;
    drop(m);
    NB_TRY(nb_projected_create(p, &self->settings, "method admm", (int32_t)self->values[EVERY], &s));
    self->problem = s;
    s->by_rounds = 0;
    s->own_stop = self->values[STOP] == 1;
    set_rules(m);
    NB_TRY(nb_shifted_factor_make(s, &m->factor));
    nb_arena_measure(&m->arena);
    lay_out(&m->arena, m);
    NB_TRY(nb_arena_reserve(&m->arena));
    lay_out(&m->arena, m);
    m->rho = 0;
out:
    return status;
}

/* ---- scales and penalty ---- */

static void set_scales(admm *m) {
    const nb_projected *s = m->base.problem;
    const real *w = s->p->w;
    nb_projected_scales(s, 1, m->scale);
    for (int32_t r = 0; r < s->rows; r++) {
        const int contact = r >= s->bilaterals && r < s->contact_end;
        const int32_t i = contact ? (r - s->bilaterals) / 3 : 0, first = s->bilaterals + 3 * i;
        m->mu[r] = contact ? s->laws.cone->mu[i] : 0;
        if (!m->how.scaled) m->scale[r] = 1;
        if (!contact || !m->how.scaled || m->base.values[PRESET] == NCPBENCH) continue;
        const real largest = fmax(fmax(w[first], w[first + 1]), s->ratio * s->ratio * w[first + 1]);
        m->scale[r] = fmin(fmax(1 / sqrt(largest), (real)0.02), (real)50);
    }
}

static double penalty(const admm *m) {
    return m->how.balance == SPECTRAL ? effective * m->rho : m->rho;
}

static nb_status factorise(admm *m) {
    for (int32_t r = 0; r < m->base.problem->rows; r++) {
        m->weight[r] = nb_projected_is_equation(m->base.problem, r) ? 0 : (real)penalty(m);
        m->sigma[r] = (real)m->how.eta + m->weight[r];
    }
    m->factorisations++;
    return nb_shifted_factor_set(&m->factor, m->scale, m->sigma);
}

static void forget(admm *m) {
    m->kept = 0;
    m->extrapolated = 0;
    m->change = INFINITY;
    m->a = 1;
}

static nb_status read_problem(nb_projected_method *self) {
    admm *m = (admm *)self;
    const nb_projected *s = self->problem;
    const int first = m->rho == 0;
    const real share = first && self->base.warm && m->how.start > 0 ? m->how.start : 1;
    set_scales(m);
    if (first) {
        m->rho = m->how.rho;
        m->iteration = m->changes = 0;
        m->factorisations = m->restarts = 0;
        m->primal = m->dual = m->own = (double)NAN;
        if (m->how.balance == SPECTRAL) {
            m->spread = nb_projected_spectrum(s, m->scale, m->b, m->y_start) / m->how.eta;
            m->base.products += NB_PROJECTED_POWER_STEPS;
            if (!(self->values[RHO] > 0)) m->rho = m->how.eta * sqrt(m->spread) * pow(m->spread, 0.2);
        }
    }
    for (int32_t r = 0; r < s->rows; r++) {
        const real z = r >= s->bilaterals && r < s->contact_end ? share * s->z[r] : s->z[r];
        m->x[r] = m->y[r] = m->y_start[r] = z / m->scale[r];
        if (first) m->w[r] = 0;
        m->w_start[r] = m->w[r];
    }
    m->base.problem->own_met = 0;
    forget(m);
    return factorise(m);
}

/* ---- an iteration ---- */

/* x, y and w from y_start and w_start */
static nb_status split(admm *m) {
    nb_status status;
    const nb_projected *s = m->base.problem;
    const real eta = (real)m->how.eta, inverse = (real)(1 / penalty(m));
    /* Anderson's rule extrapolates a map of where it starts */
    const real *of_slip = m->how.acceleration == ANDERSON ? m->w_start : m->w;
    const size_t size = (size_t)s->rows * sizeof(real);
    for (int32_t r = 0; r < s->rows; r++)
        m->b[r] = eta * m->x[r] + (m->weight[r] * m->y_start[r] + m->w_start[r]) - m->scale[r] * s->q[r];
    for (int32_t r = s->bilaterals; !s->relaxed && r < s->contact_end; r += 3)
        m->b[r] -= m->mu[r] * nb_projected_slip(s, of_slip + r + 1);
    memcpy(m->x_before, m->x, size);
    memcpy(m->y_before, m->y, size);
    memcpy(m->w_before, m->w, size);
    NB_TRY(nb_shifted_factor_refine(&m->factor, m->b, m->x));
    m->base.products += 2;
    for (int32_t r = 0; r < s->rows; r++) m->y[r] = m->x[r] - (m->weight[r] > 0 ? inverse * m->w_start[r] : 0);
    for (int32_t r = s->bilaterals; r < s->contact_end; r += 3) nb_projected_project(s->facets, m->mu[r], m->y + r);
    for (int32_t r = s->contact_end; r < s->rows; r++) m->y[r] = nb_projected_clamp(s, r, m->scale[r], m->y[r]);
    for (int32_t r = 0; r < s->rows; r++) m->w[r] = m->w_start[r] + m->weight[r] * (m->y[r] - m->x[r]);
out:
    return status;
}

/* Kamino's third residual, the largest |x.w| of a contact or a limit [J]; others stop by y.w, which is 0 */
static double complementarity(const admm *m) {
    const nb_projected *s = m->base.problem;
    double largest = 0;
    if (m->base.values[PRESET] != KAMINO && m->base.values[PRESET] != KAMINO_BALANCED) return 0;
    for (int32_t r = s->bilaterals, n; r < s->rows; r += n) {
        double product = 0;
        n = r < s->contact_end ? 3 : 1;
        for (int k = 0; k < n; k++) product += (double)m->x[r + k] * (double)m->w[r + k];
        nb_raise(&largest, fabs(product));
    }
    return largest;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* Siconos's, sqrt(|x - y|^2 + |eta dx + rho dy|^2)/|q| */
static double siconos_residual(const admm *m) {
    const nb_projected *s = m->base.problem;
    double squares = 0, size_q = 0;
    for (int32_t r = 0; r < s->rows; r++) {
        const double scale = (double)m->scale[r], apart = scale * (double)(m->x[r] - m->y[r]),
                     moved = (m->how.eta * (double)(m->x[r] - m->x_before[r]) +
                              (double)m->weight[r] * (double)(m->y[r] - m->y_before[r])) /
                             scale;
        squares += apart * apart + moved * moved;
        size_q += (double)s->q[r] * (double)s->q[r];
    }
    return sqrt(squares / fmax(size_q, 1e-300));
}

/* Of x, y and w; the residual in velocities. Programs stop by those of unscaled rows: `own`. */
static double find_residuals(admm *m, double *size_x, double *size_w) {
    const nb_projected *s = m->base.problem;
    const double eta = m->how.eta;
    const int siconos = m->base.values[PRESET] == SICONOS || m->base.values[PRESET] == SICONOS_SCALED;
    double velocity = 0, own = 0, primal = 0, dual = 0, x = 0, w = 0, sum = 0;
    for (int32_t r = 0; r < s->rows; r++) {
        const double scale = (double)m->scale[r], apart = fabs((double)m->x[r] - (double)m->y[r]),
                     rho = (double)m->weight[r],
                     moved = fabs(eta * ((double)m->x[r] - (double)m->x_before[r]) +
                                  rho * ((double)m->y[r] - (double)m->y_before[r])),
                     unscaled = moved / scale;
        primal = larger(apart, primal);
        dual = larger(moved, dual);
        own = larger(larger(scale * apart, unscaled), own);
        velocity = larger(larger(rho * apart / scale, unscaled), velocity);
        x = larger(larger(fabs((double)m->x[r]), fabs((double)m->y[r])), x);
        w = larger(fabs((double)m->w[r]), w);
        sum += apart + moved;
    }
    m->primal = primal;
    m->dual = dual;
    *size_x = x;
    *size_w = w;
    if (!isfinite(sum)) velocity = own = INFINITY; /* comparisons leave NaN out */
    m->own = siconos ? siconos_residual(m) : larger(own, complementarity(m));
    return velocity;
}

static void take_plain(admm *m) {
    const size_t size = (size_t)m->base.problem->rows * sizeof(real);
    memcpy(m->y_start, m->y, size);
    memcpy(m->w_start, m->w, size);
}

static void extrapolate_nesterov(admm *m) {
    const nb_projected *s = m->base.problem;
    const double rho = penalty(m);
    double change = 0;
    for (int32_t r = s->bilaterals; r < s->rows; r++) {
        const double dy = (double)m->y[r] - (double)m->y_start[r], dw = (double)m->w[r] - (double)m->w_start[r];
        change += rho * dy * dy + dw * dw / rho;
    }
    if (change < restart_share * m->change) {
        const double next = (1 + sqrt(1 + 4 * m->a * m->a)) / 2;
        const real b = (real)((m->a - 1) / next);
        for (int32_t r = s->bilaterals; r < s->rows; r++) {
            m->y_start[r] = m->y[r] + b * (m->y[r] - m->y_before[r]);
            m->w_start[r] = m->w[r] + b * (m->w[r] - m->w_before[r]);
        }
        m->a = next;
        m->change = change;
        return;
    }
    m->a = 1;
    m->change /= restart_share;
    m->restarts++;
    memcpy(m->y_start, m->y_before, (size_t)s->rows * sizeof(real));
    memcpy(m->w_start, m->w_before, (size_t)s->rows * sizeof(real));
}

static double product(int rows, const double *a, const double *b) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < rows; k++) sum += a[k] * b[k];
    return sum;
}

/* gamma of least |moved - sum gamma_i d moved_i|, d of one kept iteration to the next; 0: none was found */
static int solve_least_squares(const admm *m, int64_t n, double gamma[MEMORY]) {
    const int count = m->kept - 1;
    double gram[MEMORY * MEMORY] = {0}, trace = 0;
    const double *last = m->moved + m->newest * n;
    for (int i = 0; i < count; i++) gamma[i] = 0;
    const double *of[MEMORY + 1];
    for (int i = 0; i <= count; i++) of[i] = m->moved + ((m->newest - count + i + MEMORY + 1) % (MEMORY + 1)) * n;
    for (int64_t r = 0; r < n; r += CHUNK) {
        double d[MEMORY][CHUNK];
        const int rows = n - r < CHUNK ? (int)(n - r) : CHUNK;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < rows; k++) d[i][k] = of[i + 1][r + k] - of[i][r + k];
        for (int i = 0; i < count; i++) {
            gamma[i] += product(rows, d[i], last + r);
            for (int j = 0; j <= i; j++) gram[i * count + j] += product(rows, d[i], d[j]);
        }
    }
    for (int i = 0; i < count; i++) trace += gram[i * count + i];
    for (int i = 0; i < count; i++) gram[i * count + i] += 1e-10 * trace;
    if (!(trace > 0) || LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', count, 1, gram, count, gamma, count) != 0) return 0;
    double square = 0;
    for (int i = 0; i < count; i++) square += gamma[i] * gamma[i];
    return square < 1e8;
}

/* Whether the iterate stays; else the start is where the rule left the plain iteration. */
static int extrapolate_anderson(admm *m) {
    const nb_projected *s = m->base.problem;
    const int64_t half = s->rows - s->bilaterals, n = 2 * half;
    const double root = sqrt(penalty(m)), inverse = 1 / root;
    const size_t size = (size_t)s->rows * sizeof(real);
    const int32_t place = m->kept > 0 ? (m->newest + 1) % (MEMORY + 1) : 0;
    double *made = m->made + place * n, *moved = m->moved + place * n, square = 0, gamma[MEMORY];
    for (int64_t k = 0; k < half; k++) {
        const int64_t r = s->bilaterals + k;
        made[k] = (double)m->y[r] * root;
        made[half + k] = (double)m->w[r] * inverse;
        moved[k] = made[k] - (double)m->y_start[r] * root;
        moved[half + k] = made[half + k] - (double)m->w_start[r] * inverse;
        square += moved[k] * moved[k] + moved[half + k] * moved[half + k];
    }
    if (m->extrapolated && square > m->change) {
        memcpy(m->x, m->x_plain, size);
        memcpy(m->y, m->y_plain, size);
        memcpy(m->w, m->w_plain, size);
        take_plain(m);
        m->kept = m->extrapolated = 0;
        m->restarts++;
        return 0;
    }
    m->change = square;
    m->newest = place;
    m->kept = m->kept < MEMORY + 1 ? m->kept + 1 : MEMORY + 1;
    m->extrapolated = 0;
    take_plain(m);
    if (m->kept < 2 || m->iteration % ANDERSON_EVERY != 0 || !solve_least_squares(m, n, gamma)) return 1;
    memcpy(m->x_plain, m->x, size);
    memcpy(m->y_plain, m->y, size);
    memcpy(m->w_plain, m->w, size);
    const int count = m->kept - 1;
    for (int64_t k = 0; k < half; k++) {
        double y = made[k], w = made[half + k];
        for (int i = 0; i < count; i++) {
            const double *one = m->made + ((place - count + i + MEMORY + 1) % (MEMORY + 1)) * n,
                         *next = m->made + ((place - count + i + 1 + MEMORY + 1) % (MEMORY + 1)) * n;
            y -= gamma[i] * (next[k] - one[k]);
            w -= gamma[i] * (next[half + k] - one[half + k]);
        }
        m->y_start[s->bilaterals + k] = (real)(y * inverse);
        m->w_start[s->bilaterals + k] = (real)(w * root);
    }
    m->extrapolated = 1;
    return 1;
}

/* a new rho where the residuals are too far apart */
static nb_status balance(admm *m, double size_x, double size_w) {
    const preset *how = &m->how;
    if (how->balance == NO_BALANCE || m->iteration % how->every != 0 || m->changes >= how->most) return NB_OK;
    double primal = m->primal, dual = m->dual;
    if (how->balance == SCALED) {
        primal /= fmax(size_x, 1e-300);
        dual /= fmax(size_w, 1e-300);
    }
    const double factor = how->balance == SPECTRAL ? pow(m->spread, 0.05) : how->factor;
    const double to = primal > how->ratio * dual   ? m->rho * factor
                      : dual > how->ratio * primal ? m->rho / factor
                                                   : m->rho;
    if (to == m->rho || !(to >= 1e-9 && to <= 1e12)) return NB_OK;
    m->rho = to;
    m->changes++;
    if (m->extrapolated) take_plain(m);
    forget(m);
    return factorise(m);
}

static nb_status iterate(nb_projected_method *self) {
    admm *m = (admm *)self;
    double size_x, size_w;
    int stays = 1;
    nb_status status;
    NB_TRY(split(m));
    m->iteration++;
    const double residual = find_residuals(m, &size_x, &size_w);
    if (m->how.acceleration == NESTEROV)
        extrapolate_nesterov(m);
    else if (m->how.acceleration == ANDERSON)
        stays = extrapolate_anderson(m);
    else
        take_plain(m);
    if (stays) self->residual = residual;
    self->problem->own_met = stays && m->iteration > 1 && m->own <= self->values[OWN_TOLERANCE];
    if (stays) NB_TRY(balance(m, size_x, size_w));
out:
    return status;
}

static void write_impulses(nb_projected_method *self) {
    const admm *m = (const admm *)self;
    for (int32_t r = 0; r < self->problem->rows; r++) self->problem->z[r] = m->scale[r] * m->y[r];
}

static void write_columns(nb_projected_method *self) {
    admm *m = (admm *)self;
    double *of = self->problem->report.values;
    of[PENALTY] = m->rho;
    of[PRIMAL_RESIDUAL] = m->primal;
    of[DUAL_RESIDUAL] = m->dual;
    of[OWN_RESIDUAL] = m->own;
    of[FACTORISATIONS] = (double)m->factorisations;
    of[RESTARTS] = (double)m->restarts;
    m->factorisations = m->restarts = 0;
}

static const nb_projected_method_class splittings = {.begin_step = begin_step,
                                                     .iterate = iterate,
                                                     .read_problem = read_problem,
                                                     .write_impulses = write_impulses,
                                                     .write_columns = write_columns};

static nb_status step(nb_method *self, nb_problem *p, nb_measure *measure, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    nb_status status =
        nb_projected_method_step((nb_projected_method *)self, &splittings, p, measure, observer, outcome);
    drop((admm *)self); /* as psor does */
    return status;
}

static void destroy(nb_method *self) {
    admm *m = (admm *)self;
    if (!m) return;
    drop(m);
    nb_arena_clear(&m->arena);
    nb_free(m);
}

static const char *why_ignored(const double *values, int i) {
    return i == OWN_TOLERANCE && values[STOP] == 0 ? "stop natural-map" : NULL;
}

static const char *why_unused(const double *values, const char *setting) {
    return values[STOP] == 1 && strcmp(setting, "newton-tolerance") == 0 ? "stop own" : NULL;
}

static void set_defaults(const double *values, int32_t *newton_iterations, int *warm_start) {
    const preset *of = &presets[(int)values[PRESET]];
    if (of->iterations > 0) *newton_iterations = of->iterations;
    *warm_start = of->start > 0;
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    return nb_projected_method_create(type, settings, sizeof(admm), self);
}

const nb_method_class NB_REAL_NAME(nb_admm_method) = {
    .name = "admm",
    .summary = "alternating direction method of multipliers, as Kamino, Pinocchio and Siconos have it, and our own",
    .options = options,
    .option_count = OPTIONS,
    .columns = columns,
    .column_count = COLUMNS,
    .alone = 1,
    .own_tolerance = "own-tolerance",
    .record_every = "record-every",
    .condenses = 1,
    .friction_laws = NB_FRICTION_ROUND | NB_FRICTION_FACETED,
    .newton_iterations = 1000,
    .defaults = set_defaults,
    .why_ignored = why_ignored,
    .why_unused = why_unused,
    .create = create,
    .step = step,
    .destroy = destroy,
};
