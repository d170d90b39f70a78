#include "island_polish.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    MOST_STEPS = 12, /* of one problem */
    MOST_SLOW = 2,
    MOST_SLOW_PROXIMAL = 3,
    MOST_STARTS = 4,
    MOST_HALVINGS = 8
};

/* semismooth.c: the least slope; the least shift, and what that may go down to */
static const double least_slope = 1e-9, least_shift = 1e-10, lowest_shift = 1e-14;

/* The first eps is that of an error of 1 m/s, since the loop ends near a solution. Where eps has grown to the largest,
 * the proximal point starts anew, each time with so much more of it. */
static const double first_eps = 10, start_growth = 30, growth = 25, largest_eps = 1;
static const double over_relaxation = 1.5, weight = 10, near_share = 0.1;

/* of the tolerance: an island that comes so near may take all iterations */
static const double near_tolerance = 1e4;

static double length_of(const double *x) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

/* ---- the map ---- */

/* F = x - P(x - rho y) = rho y - P(rho y - x) with y = v + |v_T| e_N: the smaller of the two (constraint/cone_law.c) */
static void map_contact(const double x[3], const double v[3], double rho, double f[3]) {
    const double y[3] = {rho * (v[0] + length_of(v + 1)), rho * v[1], rho * v[2]};
    const double *small = x[0] > y[0] ? y : x, *large = x[0] > y[0] ? x : y;
    double z[3];
    for (int k = 0; k < 3; k++) z[k] = small[k] - large[k];
    nb_cone_project(z, f);
    for (int k = 0; k < 3; k++) f[k] = small[k] - f[k];
}

static void copy_impulses(nb_island *s, size_t to, size_t from) {
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++)
        memcpy((char *)&s->block[i] + to, (const char *)&s->block[i] + from, sizeof s->block[i].x);
}

static void keep_best(nb_island *s) {
    if (!(s->error < s->polish.least)) return;
    s->polish.least = s->error;
    copy_impulses(s, offsetof(nb_island_block, best), offsetof(nb_island_block, x));
}

/* F, |F| and the harness's error at x and the velocities that balance it; y is v */
static void evaluate_residual(nb_island *s) {
    nb_island_polish *p = &s->polish;
    double sum = 0;
    s->kernels->balance(s);
    s->kernels->evaluate(s);
    nb_island_measure(s);
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_lane at = nb_island_lane_of(s, i);
        nb_island_block *c = at.c;
        double x[3], v[3], f[3];
        nb_lanes_get(c->x, 3, at.i, x);
        for (int k = 0; k < 3; k++) {
            v[k] = c->s[k][at.i] * c->value[k][at.i] / s->unit;
            if (p->eps > 0) v[k] += p->eps * (x[k] - c->centre[k][at.i]);
        }
        v[0] += c->compliance[at.i] * x[0];
        map_contact(x, v, p->rho, f);
        for (int k = 0; k < 3; k++) sum += f[k] * f[k];
        nb_lanes_set(c->y, 3, at.i, v);
        nb_lanes_set(c->residual, 3, at.i, f);
    }
    p->norm = sqrt(sum);
}

/* ---- Newton's step ---- */

/* G = (H + diagonal)^-1 is formed by eigenvalues; the normal's row of the rest, e_N (t H - C e_N)^T, is added by
 * Sherman and Morrison's formula, whose denominator is at least 1/2. */
void nb_island_polish_eliminate(nb_island_lane at, double rho, double diagonal) {
    const double compliance = at.c->compliance[at.i];
    double x[3], v[3], f[3], g[3], hg[3], row[3], tilt[2], right[3], inverse[9];
    nb_cone_slope slope;
    nb_lanes_get(at.c->x, 3, at.i, x);
    nb_lanes_get(at.c->y, 3, at.i, v);
    nb_lanes_get(at.c->residual, 3, at.i, f);
    const double length = length_of(v + 1);
    const double z[3] = {x[0] - rho * (v[0] + length), x[1] - rho * v[1], x[2] - rho * v[2]};
    for (int k = 0; k < 2; k++) tilt[k] = length > 0 ? v[1 + k] / length : 0;
    nb_cone_differentiate(z, least_slope, &slope);
    nb_cone_slope_matrix(&slope, 1 / slope.low, 1 / slope.high, 1 / slope.across, inverse);
    for (int k = 0; k < 3; k++)
        right[k] = -(inverse[3 * k] * f[0] + inverse[3 * k + 1] * f[1] + inverse[3 * k + 2] * f[2]) / rho;
    right[0] -= tilt[0] * right[1] + tilt[1] * right[2];
    const double value[3] = {slope.low, slope.high, slope.across}, *t = slope.t;
    for (int k = 0; k < 3; k++) {
        const double h = (1 / value[k] - 1) / rho;
        g[k] = 1 / (h + diagonal);
        hg[k] = h * g[k];
    }
    nb_cone_slope_matrix(&slope, g[0], g[1], g[2], inverse);
    const double along = tilt[0] * t[0] + tilt[1] * t[1];
    const double across = (tilt[1] * t[0] - tilt[0] * t[1]) * hg[2], stretch = along * (hg[1] + hg[0]) / 2;
    row[0] = along * (hg[1] - hg[0]) / 2 - compliance * inverse[0];
    row[1] = stretch * t[0] - across * t[1] - compliance * inverse[1];
    row[2] = stretch * t[1] + across * t[0] - compliance * inverse[2];
    for (int j = 0; j < 3; j++) {
        const double first = inverse[3 * j] / (1 - row[0]);
        for (int k = 0; k < 3; k++) inverse[3 * j + k] += first * row[k];
    }
    nb_lanes_set(at.c->right, 3, at.i, right);
    nb_lanes_set(at.c->inverse, 9, at.i, inverse);
}

static double largest_impulse(const nb_island *s) {
    double largest = 1;
    for (int32_t i = 0; i < s->contacts; i++)
        for (int k = 0; k < 3; k++) {
            const nb_island_lane at = nb_island_lane_of(s, i);
            largest = fmax(largest, fabs(at.c->x[k][at.i]));
        }
    return largest;
}

/* what is added to the diagonal, but for eps */
static double shift_of(const nb_island *s) {
    const nb_island_polish *p = &s->polish;
    return fmax(p->shift, 1e-3 * fmin(1, p->norm / p->rho / (p->eps > 0 ? 1 : largest_impulse(s))));
}

/* Halves the step until |F| falls; 0 where it does not. dy keeps the impulses before. */
static double search_line(nb_island *s) {
    const size_t x = offsetof(nb_island_block, x), before = offsetof(nb_island_block, dy);
    const double norm = s->polish.norm;
    double t = 1;
    copy_impulses(s, before, x);
    for (int halvings = 0; halvings <= MOST_HALVINGS; halvings++, t /= 2) {
        for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
            nb_island_block *c = &s->block[i];
            for (int k = 0; k < 3; k++) c->x[k] = c->dy[k] + t * c->dx[k];
        }
        evaluate_residual(s);
        if (s->polish.norm < (1 - 1e-4 * t) * norm) return t;
    }
    copy_impulses(s, x, before);
    evaluate_residual(s);
    return 0;
}

static void take_step(nb_island *s) {
    nb_island_polish *p = &s->polish;
    const double before = p->norm, diagonal = shift_of(s) + p->eps;
    for (int32_t i = 0; i < s->contacts; i++) nb_island_polish_eliminate(nb_island_lane_of(s, i), p->rho, diagonal);
    s->kernels->couple(s);
    nb_island_factorise(s);
    s->kernels->gather(s, 0);
    s->lu_kernels->solve(&s->lu, s->du);
    s->kernels->follow(s);
    s->alpha = search_line(s);
    if (p->eps == 0) {
        if (s->alpha < 1)
            p->shift = least_shift;
        else if (!(p->norm < 0.8 * before))
            p->shift = fmax(lowest_shift, 1e-2 * p->shift);
    }
    p->slow = s->alpha < 0.2 ? p->slow + 1 : 0;
    p->stuck = !(s->alpha > 0);
    p->steps++;
}

/* ---- one problem after another ---- */

static void begin_problem(nb_island *s, double rho, double eps) {
    nb_island_polish *p = &s->polish;
    p->rho = rho;
    p->eps = eps;
    p->shift = least_shift;
    p->steps = p->slow = 0;
    p->stuck = 0;
    evaluate_residual(s);
    p->start = p->norm;
}

/* whether the proximal step is solved */
static int is_near(const nb_island *s) {
    const nb_island_polish *p = &s->polish;
    double sum = 0;
    if (!(p->eps > 0 && p->norm < 0.1 * p->start)) return 0;
    for (int32_t i = 0; i < s->contacts; i++)
        for (int k = 0; k < 3; k++) {
            const nb_island_lane at = nb_island_lane_of(s, i);
            const double far = at.c->x[k][at.i] - at.c->centre[k][at.i];
            sum += far * far;
        }
    return p->norm < near_share * p->rho * p->eps * sqrt(sum);
}

/* Has the proximal point start at the best impulses; returns its eps. */
static double start(nb_island *s) {
    copy_impulses(s, offsetof(nb_island_block, centre), offsetof(nb_island_block, best));
    return first_eps * s->polish.least * pow(start_growth, s->polish.starts++);
}

/* Has the proximal point start, or go on from where it is `near`, or from its centre. */
static void next_problem(nb_island *s, int near) {
    const double before = s->polish.eps;
    double eps = near ? before / 2 : growth * before;
    for (int32_t i = 0; near && i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        for (int k = 0; k < 3; k++) c->centre[k] += over_relaxation * (c->x[k] - c->centre[k]);
    }
    if (!(before > 0) || (!near && eps > largest_eps)) eps = start(s);
    copy_impulses(s, offsetof(nb_island_block, x), offsetof(nb_island_block, centre));
    begin_problem(s, weight / sqrt(eps), eps);
}

/* whether the polish may not go on */
static int is_over(const nb_island *s) {
    const nb_island_polish *p = &s->polish;
    if (s->iterations >= p->most || p->starts > MOST_STARTS) return 1;
    return s->iterations >= p->sure && !(p->least <= near_tolerance * p->tolerance);
}

static void judge(nb_island *s) {
    nb_island_polish *p = &s->polish;
    keep_best(s);
    s->solved = s->error <= p->tolerance;
    s->ended = s->solved || is_over(s);
    if (!s->ended || s->solved) return;
    copy_impulses(s, offsetof(nb_island_block, x), offsetof(nb_island_block, best));
    evaluate_residual(s);
}

void nb_island_polish_begin(nb_island *s) {
    nb_island_polish *p = &s->polish;
    p->begun = 1;
    p->least = INFINITY;
    p->starts = 0;
    s->sigma = 0;
    begin_problem(s, 1, 0);
    judge(s);
}

void nb_island_polish_iterate(nb_island *s) {
    const nb_island_polish *p = &s->polish;
    const int slow = p->slow == (p->eps > 0 ? MOST_SLOW_PROXIMAL : MOST_SLOW), near = is_near(s);
    if (near || slow || p->stuck || p->steps == MOST_STEPS) next_problem(s, near);
    judge(s);
    if (s->ended) return;
    take_step(s);
    s->iterations++;
    judge(s);
}
