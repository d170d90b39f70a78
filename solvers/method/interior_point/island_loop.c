#include "island_loop.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/largest.h"
#include "cone/smoothed_cone.h"

enum {
    STRIDE = NB_BODY_LU_STRIDE,
    MOST_IDLE = 12,
    MOST_HALVINGS = 20
};

static const double to_boundary = 0.95, least_sigma = 0.1, short_step = 0.1;

/* of tau, on the diagonal of contacts: keeps steps along impulses that cancel from running away */
static const double shift = 1e-3;

/* the proximal term: at first, and then in a tolerance of 1 m/s; its least by halving; its least after a stall, its
 * growth there, and its most */
static const double first_eps = 1e-5, eps_of_tolerance = 0.1, least_eps = 1e-6, stalled_eps = 1e-2, eps_growth = 100,
                    most_eps = 1;

/* tau after a new centre: at most, and in parts of eps far */
static const double centre_tau = 1e-3, centre_share = 0.1;

/* ---- small vectors ---- */

static double dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void apply_symmetric(const double *m, const double *x, double *out) {
    out[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    out[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    out[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

static double length_of(const double *x) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

static void invert(const double m[9], double out[9]) {
    const double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    const double d = 1 / (m[0] * a + m[1] * b + m[2] * c);
    out[0] = a * d, out[1] = (m[2] * m[7] - m[1] * m[8]) * d, out[2] = (m[1] * m[5] - m[2] * m[4]) * d;
    out[3] = b * d, out[4] = (m[0] * m[8] - m[2] * m[6]) * d, out[5] = (m[2] * m[3] - m[0] * m[5]) * d;
    out[6] = c * d, out[7] = (m[1] * m[6] - m[0] * m[7]) * d, out[8] = (m[0] * m[4] - m[1] * m[3]) * d;
}

/* ---- geometry ---- */

/* the velocities of side e; without a body in the island, and of what nothing moves, none where `moving` */
static const double *velocities(const nb_island_contact *c, int e, const double *u, int moving) {
    static const double none[6] = {0};
    if (c->body[e] >= 0) return u + STRIDE * (ptrdiff_t)c->body[e];
    return moving ? none : c->prescribed[e];
}

/* the velocity between the points of a contact, in the world */
static void relative_velocity(const nb_island_contact *c, const double *u, int moving, double out[3]) {
    const double *a = velocities(c, 0, u, moving), *b = velocities(c, 1, u, moving);
    double turn_a[3], turn_b[3];
    cross(a + 3, c->arm[0], turn_a);
    cross(b + 3, c->arm[1], turn_b);
    for (int k = 0; k < 3; k++) out[k] = (a[k] + turn_a[k]) - (b[k] + turn_b[k]);
}

/* 2/(1 + e.e), e = h omega/2 */
static double turn_scale(const nb_island *s, const double *u) {
    return 2 / (1 + s->h * s->h / 4 * dot(u + 3, u + 3));
}

/* the arm of side e at the end of the step, and how fast its end moves (operator/contact_formulas.h) */
static void advance(const nb_island *s, nb_island_contact *c, int e, double moved[3]) {
    const double *u = velocities(c, e, s->u, 0), *start = c->start[e];
    const double scale = c->body[e] >= 0 ? s->scale[c->body[e]] : turn_scale(s, u);
    double half[3], once[3], twice[3];
    for (int k = 0; k < 3; k++) half[k] = s->h / 2 * u[3 + k];
    cross(half, start, once);
    cross(half, once, twice);
    for (int k = 0; k < 3; k++) {
        const double change = scale * (once[k] + twice[k]);
        c->arm[e][k] = start[k] + change;
        moved[k] = u[k] + change / s->h;
    }
}

/* effective inverse masses of the present arms */
static void weigh(const nb_island *s, nb_island_contact *c) {
    double w[3] = {0, 0, 0};
    for (int e = 0; e < 2; e++) {
        if (c->body[e] < 0) continue;
        const double *inverse = s->inverse + 7 * (ptrdiff_t)c->body[e];
        for (int k = 0; k < 3; k++) {
            double t[3], turned[3];
            cross(c->arm[e], c->direction[k], t);
            apply_symmetric(inverse + 1, t, turned);
            w[k] += inverse[0] + dot(t, turned);
        }
    }
    c->w[0] = w[0];
    c->w[1] = (w[1] + w[2]) / 2;
}

/* values of all contacts at u, and where arms turn these and what follows from them */
static void evaluate(nb_island *s) {
    for (int32_t i = 0; s->turns && i < s->bodies; i++) s->scale[i] = turn_scale(s, s->u + STRIDE * (ptrdiff_t)i);
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        double moved[2][3], between[3], normal[3];
        if (c->turns != 0) {
            advance(s, c, 0, moved[0]);
            advance(s, c, 1, moved[1]);
            weigh(s, c);
        }
        relative_velocity(c, s->u, 0, between);
        for (int k = 0; k < 3; k++) normal[k] = c->turns != 0 ? moved[0][k] - moved[1][k] : between[k];
        c->value[0] = c->rate + dot(c->direction[0], normal);
        c->value[1] = dot(c->direction[1], between);
        c->value[2] = dot(c->direction[2], between);
    }
}

/* sums += sign (p, arm x p) of the row impulses z */
static void push(const nb_island_contact *c, const double z[3], double sign, double *sums) {
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = sign * (z[0] * c->direction[0][k] + z[1] * c->direction[1][k] + z[2] * c->direction[2][k]);
    for (int e = 0; e < 2; e++) {
        if (c->body[e] < 0) continue;
        double *sum = sums + STRIDE * (ptrdiff_t)c->body[e], torque[3];
        cross(c->arm[e], p, torque);
        for (int k = 0; k < 3; k++) {
            sum[k] += e ? -p[k] : p[k];
            sum[3 + k] += e ? -torque[k] : torque[k];
        }
    }
}

/* M (u - u~) - J^T z */
static void evaluate_momentum(nb_island *s) {
    for (int32_t i = 0; i < s->bodies; i++) {
        const double *u = s->u + STRIDE * (ptrdiff_t)i, *free = s->free + 6 * (ptrdiff_t)i;
        double *out = s->momentum + STRIDE * (ptrdiff_t)i, spin[3];
        for (int k = 0; k < 3; k++) {
            out[k] = s->mass[i] * (u[k] - free[k]);
            spin[k] = u[3 + k] - free[3 + k];
        }
        apply_symmetric(s->inertia + 6 * (ptrdiff_t)i, spin, out + 3);
    }
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_contact *c = &s->contact[i];
        double z[3];
        nb_island_impulse(s, i, z);
        push(c, z, -1, s->momentum);
    }
}

/* ---- the natural map ---- */

static void measure_momentum(const nb_island *s, double *largest) {
    for (int32_t i = 0; i < s->bodies; i++) {
        const double *inverse = s->inverse + 7 * (ptrdiff_t)i, *g = s->momentum + STRIDE * (ptrdiff_t)i;
        const double radius = sqrt(3 * inverse[0] / (inverse[1] + inverse[2] + inverse[3]));
        double turned[3];
        apply_symmetric(inverse + 1, g + 3, turned);
        for (int k = 0; k < 3; k++) {
            nb_raise(largest, fabs(inverse[0] * g[k]));
            nb_raise(largest, radius * fabs(turned[k]));
        }
    }
}

static void measure_contact(const nb_island *s, const nb_island_contact *c, double *largest) {
    double z[3];
    for (int k = 0; k < 3; k++) z[k] = s->unit * c->s[k] * c->x[k];
    const double a = c->value[0] + s->soft * z[0], force = c->w[0] * z[0], limit = c->mu * z[0];
    const double tangent[2] = {z[1], z[2] / s->ratio}, slip[2] = {c->value[1], s->ratio * c->value[2]};
    nb_raise(largest, fabs(a < force ? a : force));
    nb_raise(largest, nb_disc_error(tangent, slip, c->w[1], limit > 0 ? limit : 0));
}

/* the harness's measure; what is no number is infinite */
static double natural_map(const nb_island *s) {
    double largest = 0;
    measure_momentum(s, &largest);
    for (int32_t i = 0; i < s->contacts; i++) measure_contact(s, &s->contact[i], &largest);
    return isnan(largest) ? INFINITY : largest;
}

/* residuals of the contacts' equations, and the sizes that the loop goes by */
static void evaluate_residuals(nb_island *s) {
    double sum = 0;
    s->size = s->far = 0;
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        for (int k = 0; k < 3; k++) {
            const double off = c->x[k] - c->centre[k];
            c->residual[k] = c->s[k] * c->value[k] / s->unit + s->eps * off - c->y[k];
            nb_raise(&s->far, fabs(off));
        }
        c->residual[0] += c->compliance * c->x[0] + length_of(c->y + 1);
        for (int k = 0; k < 3; k++) nb_raise(&s->size, fabs(c->residual[k]));
        sum += dot(c->x, c->y);
    }
    s->tau = sum / s->contacts;
}

static void look(nb_island *s) {
    evaluate(s);
    evaluate_momentum(s);
    evaluate_residuals(s);
    s->error = natural_map(s);
    s->solved = s->error <= s->tolerance;
    s->ended = s->solved || s->iterations >= s->most;
}

/* what may be a solution before any iteration */
static void look_at_start(nb_island *s) {
    evaluate_momentum(s);
    s->error = natural_map(s);
    s->solved = s->ended = s->error <= s->tolerance;
}

/* ---- starts ---- */

static void scale_contact(const nb_island *s, nb_island_contact *c) {
    const double normal = c->w[0] + s->soft, both = 1 + s->ratio * s->ratio;
    const double weight = c->mu > 0 ? sqrt(3 / (normal + both * c->mu * c->mu * c->w[1])) : 1 / sqrt(normal);
    c->s[0] = weight;
    c->s[1] = c->mu * weight;
    c->s[2] = s->ratio * c->mu * weight;
    c->compliance = s->soft * weight * weight;
}

/* the root mean square of S value at the velocities without impulses */
static double unit_of(nb_island *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->contacts; i++)
        for (int k = 0; k < 3; k++) {
            const double v = s->contact[i].s[k] * s->contact[i].value[k];
            sum += v * v;
        }
    return sum > 0 ? sqrt(sum / s->contacts) : 1;
}

/* Takes every contact to the central path of `tau`, keeping x - v - |v_T| e_N. */
static void centre(nb_island *s, double tau) {
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        nb_smoothed_cone pair;
        double v[3], w[3];
        for (int k = 0; k < 3; k++) v[k] = c->s[k] * c->value[k] / s->unit;
        v[0] += length_of(v + 1) + c->compliance * c->x[0];
        for (int k = 0; k < 3; k++) w[k] = c->x[k] - v[k];
        nb_smoothed_cone_at(tau, w, &pair);
        memcpy(c->x, pair.x, sizeof c->x);
        memcpy(c->y, pair.y, sizeof c->y);
        /* inside the cone in floating point, too */
        c->x[0] = fmax(c->x[0], length_of(c->x + 1) * (1 + 1e-15) + 1e-300);
        c->y[0] = fmax(c->y[0], length_of(c->y + 1) * (1 + 1e-15) + 1e-300);
    }
}

/* S and the unit, by the geometry at the velocities without impulses */
static void choose_scales(nb_island *s) {
    for (int32_t i = 0; i < s->bodies; i++) {
        double *u = s->u + STRIDE * (ptrdiff_t)i;
        memcpy(s->du + STRIDE * (ptrdiff_t)i, u, 6 * sizeof *u);
        memcpy(u, s->free + 6 * (ptrdiff_t)i, 6 * sizeof *u);
    }
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        memcpy(c->arm, c->start, sizeof c->arm);
        weigh(s, c);
        scale_contact(s, c);
    }
    evaluate(s);
    s->unit = unit_of(s);
    for (int32_t i = 0; s->warm && i < s->bodies; i++)
        memcpy(s->u + STRIDE * (ptrdiff_t)i, s->du + STRIDE * (ptrdiff_t)i, 6 * sizeof *s->u);
}

void nb_island_begin(nb_island *s) {
    choose_scales(s);
    if (s->warm) evaluate(s);
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        for (int k = 0; k < 3; k++) {
            c->centre[k] = 0;
            c->x[k] = s->warm && c->s[k] > 0 ? c->impulse[k] / (s->unit * c->s[k]) : 0;
            c->y[k] = 0;
        }
        if (!s->warm) c->x[0] = c->y[0] = 1;
    }
    s->eps = fmin(first_eps, eps_of_tolerance * s->tolerance);
    s->theta = 1;
    s->alpha = s->sigma = 0;
    s->least = s->before = INFINITY;
    s->iterations = s->idle = s->centres = 0;
    s->failed = s->ended = 0;
    if (s->warm) look_at_start(s);
    if (s->ended) return;
    if (s->warm) centre(s, s->start_tau);
    look(s);
}

void nb_island_impulse(const nb_island *s, int32_t i, double z[3]) {
    for (int k = 0; k < 3; k++) z[k] = s->unit * s->contact[i].s[k] * s->contact[i].x[k];
}

/* ---- the linear system ---- */

/* (N F^2 + shift)^-1 of a contact, and what directions need; N takes the tilt of |y_T| off the normal */
static void eliminate_contact(nb_island_contact *c, double theta, double diagonal) {
    const double length = length_of(c->y + 1);
    double m[9];
    nb_cone_scale(c->x, c->y, &c->scaling);
    for (int k = 0; k < 2; k++) c->tilt[k] = length > 0 ? theta * c->y[1 + k] / length : 0;
    nb_cone_square(&c->scaling, m);
    for (int k = 0; k < 3; k++) m[k] -= c->tilt[0] * m[3 + k] + c->tilt[1] * m[6 + k];
    for (int k = 0; k < 3; k++) m[4 * k] += diagonal;
    m[0] += c->compliance;
    invert(m, c->inverse);
}

/* (S D)^T inverse (S D), D the frame: what a contact adds between velocities in the world */
static void world_matrix(const nb_island_contact *c, double k[9]) {
    double d[3][3], t[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d[i][j] = c->s[i] * c->direction[i][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t[i][j] = c->inverse[3 * i] * d[0][j] + c->inverse[3 * i + 1] * d[1][j] + c->inverse[3 * i + 2] * d[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) k[3 * i + j] = d[0][i] * t[0][j] + d[1][i] * t[1][j] + d[2][i] * t[2][j];
}

static void assemble(nb_island *s) {
    s->kernels->begin(&s->lu, s->mass, s->inertia);
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        double k[9];
        eliminate_contact(c, s->theta, shift * s->tau + s->eps);
        world_matrix(c, k);
        s->kernels->add(&s->lu, c->body[0], c->body[1], (const double(*)[3])c->arm, k);
    }
    s->kernels->factorise(&s->lu);
}

static void apply_inverse(const nb_island_contact *c, const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = dot(c->inverse + 3 * k, b);
}

/* du, dx of the right-hand sides `right`, and `weight` of the momentum */
static void solve(nb_island *s, double weight) {
    for (ptrdiff_t i = 0; i < STRIDE * (ptrdiff_t)s->bodies; i++) s->du[i] = -weight * s->momentum[i];
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_contact *c = &s->contact[i];
        double z[3];
        apply_inverse(c, c->right, z);
        for (int k = 0; k < 3; k++) z[k] *= s->unit * c->s[k];
        push(c, z, 1, s->du);
    }
    s->kernels->solve(&s->lu, s->du);
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        double between[3], b[3];
        relative_velocity(c, s->du, 1, between);
        for (int k = 0; k < 3; k++) b[k] = c->right[k] - c->s[k] * dot(c->direction[k], between) / s->unit;
        apply_inverse(c, b, c->dx);
    }
}

static void shorten(double *length, double step) {
    if (!(step >= *length)) *length = step; /* NaN stays */
}

/* dx, dy, du for g in the contacts and `weight` of the residuals; returns the step's length */
static double find_direction(nb_island *s, double weight) {
    double length = 1 / to_boundary;
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        nb_cone_apply(&c->scaling, c->g, c->dy);
        memcpy(c->right, c->dy, sizeof c->right);
        c->right[0] -= c->tilt[0] * c->dy[1] + c->tilt[1] * c->dy[2];
        for (int k = 0; k < 3; k++) c->right[k] -= weight * c->residual[k];
    }
    solve(s, weight);
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        double f[3];
        nb_cone_apply(&c->scaling, c->dx, f);
        nb_cone_apply(&c->scaling, f, f);
        for (int k = 0; k < 3; k++) c->dy[k] -= f[k];
        shorten(&length, nb_cone_step(c->x, c->dx));
        shorten(&length, nb_cone_step(c->y, c->dy));
    }
    return to_boundary * length;
}

/* ---- the step ---- */

static double complementarity_after(const nb_island *s, double t) {
    double sum = 0;
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_contact *c = &s->contact[i];
        for (int k = 0; k < 3; k++) sum += (c->x[k] + t * c->dx[k]) * (c->y[k] + t * c->dy[k]);
    }
    return sum / s->contacts;
}

/* g = -lambda + lambda^-1 o (target e - second), `second` the product of the last direction's parts or nothing */
static void aim(nb_island *s, double target, int correct) {
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        double r[3] = {target, 0, 0};
        if (correct) {
            double a[3], b[3];
            nb_cone_apply(&c->scaling, c->dx, a);
            nb_cone_apply_inverse(&c->scaling, c->dy, b);
            nb_cone_product(a, b, a);
            for (int k = 0; k < 3; k++) r[k] -= a[k];
        }
        nb_cone_divide(c->scaling.lambda, c->scaling.determinant, r, r);
        for (int k = 0; k < 3; k++) c->g[k] = r[k] - c->scaling.lambda[k];
    }
}

/* predictor, corrector, and centring alone where these are short, with less and less of the residuals */
static double choose_direction(nb_island *s) {
    static const double weights[] = {1, 0.3, 0};
    aim(s, 0, 0);
    double alpha = find_direction(s, 1);
    const double ratio = complementarity_after(s, alpha) / s->tau;
    s->sigma = fmax(least_sigma, ratio > 0 ? fmin(1, ratio * ratio * ratio) : 0);
    const int predicted = alpha >= short_step;
    if (!predicted) s->sigma = fmax(s->sigma, 0.5);
    aim(s, s->sigma * s->tau, predicted);
    alpha = find_direction(s, 1);
    for (int i = 0; i < 3 && !(alpha >= short_step); i++) {
        s->sigma = 1;
        aim(s, s->tau, 0);
        alpha = find_direction(s, weights[i]);
    }
    return alpha;
}

/* whether x and y stay inside their cones, in floating point */
static int is_inside(const nb_island *s, double t) {
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_contact *c = &s->contact[i];
        double x[3], y[3];
        for (int k = 0; k < 3; k++) {
            x[k] = c->x[k] + t * c->dx[k];
            y[k] = c->y[k] + t * c->dy[k];
        }
        if (!(x[0] > 0 && y[0] > 0 && nb_cone_determinant(x) > 0 && nb_cone_determinant(y) > 0)) return 0;
    }
    return 1;
}

static void take_step(nb_island *s) {
    double alpha = choose_direction(s);
    int halvings = 0;
    while (halvings < MOST_HALVINGS && !is_inside(s, alpha)) {
        alpha /= 2;
        halvings++;
    }
    s->failed = halvings == MOST_HALVINGS;
    s->alpha = s->failed ? 0 : alpha;
    if (s->failed) return;
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        for (int k = 0; k < 3; k++) {
            c->x[k] += alpha * c->dx[k];
            c->y[k] += alpha * c->dy[k];
        }
    }
    for (ptrdiff_t i = 0; i < STRIDE * (ptrdiff_t)s->bodies; i++) s->u[i] += alpha * s->du[i];
    if (alpha < short_step) s->theta = fmax(0.5, s->theta - 0.3);
    if (alpha > 0.5) s->theta = fmin(1, s->theta + 0.05);
}

/* ---- the proximal term ---- */

/* c goes to x, beyond it after the first time; less eps */
static double settle(nb_island *s) {
    const double over = s->centres++ > 0 ? 1.5 : 1, tau = fmin(centre_tau, centre_share * s->eps * s->far);
    for (int32_t i = 0; i < s->contacts; i++) {
        nb_island_contact *c = &s->contact[i];
        for (int k = 0; k < 3; k++) c->centre[k] += over * (c->x[k] - c->centre[k]);
    }
    s->eps = fmax(s->eps / 2, fmin(s->eps, least_eps));
    return tau;
}

/* c goes to what x is by itself admitted as; more eps */
static double unblock(nb_island *s) {
    for (int32_t i = 0; i < s->contacts; i++) nb_cone_project(s->contact[i].x, s->contact[i].centre);
    s->eps = fmin(most_eps, fmax(s->eps * eps_growth, stalled_eps));
    s->centres = 0;
    return centre_tau;
}

/* Moves the centre where the proximal term is what is left, or no progress was made. */
static void move_centre(nb_island *s) {
    const double progress = fmin(s->error, sqrt(s->tau + s->size * s->size)), left = s->eps * s->far;
    s->idle = progress < 0.9 * s->least ? 0 : s->idle + 1;
    if (s->failed || !(s->error < INFINITY)) s->idle = MOST_IDLE;
    s->least = fmin(s->least, progress);
    const int settled = s->error > 0.7 * s->before && s->tau < 0.3 * left && s->size < left;
    s->before = s->error;
    if (!settled && s->idle < MOST_IDLE) return;
    centre(s, settled ? settle(s) : unblock(s));
    evaluate_momentum(s);
    evaluate_residuals(s);
    s->idle = 0;
    s->theta = 1;
    s->least = s->before = INFINITY;
}

void nb_island_iterate(nb_island *s) {
    move_centre(s);
    assemble(s);
    take_step(s);
    s->iterations++;
    look(s);
}
