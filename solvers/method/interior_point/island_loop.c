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

/* the proximal term: at first, and then in a tolerance of 1 m/s; its least by halving; its least after a stall, its
 * growth there, and its most */
static const double first_eps = 1e-5, eps_of_tolerance = 0.1, least_eps = 1e-6, stalled_eps = 1e-2, eps_growth = 100,
                    most_eps = 1;

/* tau after a new centre: at most, and in parts of eps far */
static const double centre_tau = 1e-3, centre_share = 0.1;

/* ---- contacts one by one ---- */

static double length_of(const double *x) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

/* the end of the contacts of one pair of bodies that begin at `first` */
static int32_t end_of_pair(const nb_island *s, const nb_island_contact *contact, int32_t first) {
    int32_t end = first + 1;
    while (end < s->contacts && !memcmp(contact[end].body, contact[first].body, sizeof contact->body)) end++;
    return end;
}

static void choose_slots(nb_island *s, const nb_island_contact *contact) {
    int32_t whole = 0, next = 0;
    for (int32_t i = 0, end; i < s->contacts; i = end) {
        end = end_of_pair(s, contact, i);
        whole += (end - i) / NB_ISLAND_LANES * NB_ISLAND_LANES;
    }
    for (int32_t i = 0, end; i < s->contacts; i = end) {
        end = end_of_pair(s, contact, i);
        const int32_t rest = end - (end - i) % NB_ISLAND_LANES;
        for (int32_t k = i; k < end; k++) s->slot[k] = k < rest ? next++ : whole++;
    }
}

static void set_contact(nb_island_block *c, int i, const nb_island_contact *from) {
    if (i == 0) memset(c, 0, sizeof *c);
    c->live[i] = 1;
    for (int k = 0; k < 3; k++) nb_lanes_set(c->direction[k], 3, i, from->direction[k]);
    for (int e = 0; e < 2; e++) {
        for (int k = i; k < NB_ISLAND_LANES; k++) c->body[e][k] = from->body[e]; /* of lanes without a contact, too */
        nb_lanes_set(c->start[e], 3, i, from->start[e]);
        memcpy(c->prescribed[e][i], from->prescribed[e], sizeof from->prescribed[e]);
    }
    nb_lanes_set(c->impulse, 3, i, from->impulse);
    for (int k = i; k < NB_ISLAND_LANES; k++) c->x[0][k] = c->y[0][k] = 1;
    c->turns[i] = from->turns;
    c->rate[i] = from->rate;
    c->mu[i] = from->mu;
}

void nb_island_set_contacts(nb_island *s, const nb_island_contact *contact) {
    choose_slots(s, contact);
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_lane at = nb_island_lane_of(s, i);
        set_contact(at.c, at.i, &contact[i]);
    }
}

void nb_island_impulse(const nb_island *s, int32_t contact, double z[3]) {
    const nb_island_lane at = nb_island_lane_of(s, contact);
    for (int k = 0; k < 3; k++) z[k] = s->unit * at.c->s[k][at.i] * at.c->x[k][at.i];
}

/* ---- the iterate ---- */

void nb_island_measure(nb_island *s) {
    s->kernels->measure(s);
    if (isnan(s->error)) s->error = INFINITY;
}

static void measure_iterate(nb_island *s) {
    s->kernels->evaluate(s);
    nb_island_measure(s);
    s->solved = s->error <= s->tolerance;
    s->ended = s->solved || s->iterations >= s->most;
}

/* what may be a solution before any iteration */
static void try_start(nb_island *s) {
    nb_island_measure(s);
    s->solved = s->ended = s->error <= s->tolerance;
}

/* ---- starts ---- */

static void scale_contact(const nb_island *s, nb_island_lane at) {
    nb_island_block *c = at.c;
    const double w = c->w[0][at.i], across = c->w[1][at.i], mu = c->mu[at.i];
    const double normal = w + s->soft, both = 1 + s->ratio * s->ratio;
    const double weight = mu > 0 ? sqrt(3 / (normal + both * mu * mu * across)) : 1 / sqrt(normal);
    nb_lanes_set(c->s, 3, at.i, (const double[3]){weight, mu * weight, s->ratio * mu * weight});
    c->compliance[at.i] = s->soft * weight * weight;
}

/* the root mean square of S value at the velocities without impulses */
static double unit_of(nb_island *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->contacts; i++)
        for (int k = 0; k < 3; k++) {
            const nb_island_lane at = nb_island_lane_of(s, i);
            const double v = at.c->s[k][at.i] * at.c->value[k][at.i];
            sum += v * v;
        }
    return sum > 0 ? sqrt(sum / s->contacts) : 1;
}

/* Takes every contact to the central path of `tau`, keeping x - v - |v_T| e_N. */
static void centre(nb_island *s, double tau) {
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_lane at = nb_island_lane_of(s, i);
        nb_island_block *c = at.c;
        nb_smoothed_cone pair;
        double v[3], w[3];
        for (int k = 0; k < 3; k++) v[k] = c->s[k][at.i] * c->value[k][at.i] / s->unit;
        v[0] += length_of(v + 1) + c->compliance[at.i] * c->x[0][at.i];
        for (int k = 0; k < 3; k++) w[k] = c->x[k][at.i] - v[k];
        nb_smoothed_cone_at(tau, w, &pair);
        /* inside the cone in floating point, too */
        pair.x[0] = fmax(pair.x[0], length_of(pair.x + 1) * (1 + 1e-15) + 1e-300);
        pair.y[0] = fmax(pair.y[0], length_of(pair.y + 1) * (1 + 1e-15) + 1e-300);
        nb_lanes_set(c->x, 3, at.i, pair.x);
        nb_lanes_set(c->y, 3, at.i, pair.y);
    }
}

/* S and the unit, by the geometry at the velocities without impulses */
static void choose_scales(nb_island *s) {
    for (int32_t i = 0; i < s->bodies; i++) {
        double *u = s->u + STRIDE * (ptrdiff_t)i;
        memcpy(s->du + STRIDE * (ptrdiff_t)i, u, 6 * sizeof *u);
        memcpy(u, s->free + 6 * (ptrdiff_t)i, 6 * sizeof *u);
    }
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++)
        memcpy(s->block[i].arm, s->block[i].start, sizeof s->block[i].arm);
    s->kernels->weigh(s);
    for (int32_t i = 0; i < s->contacts; i++) scale_contact(s, nb_island_lane_of(s, i));
    s->kernels->evaluate(s);
    s->unit = unit_of(s);
    for (int32_t i = 0; s->warm && i < s->bodies; i++)
        memcpy(s->u + STRIDE * (ptrdiff_t)i, s->du + STRIDE * (ptrdiff_t)i, 6 * sizeof *s->u);
}

void nb_island_begin(nb_island *s) {
    choose_scales(s);
    if (s->warm) s->kernels->evaluate(s);
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_lane at = nb_island_lane_of(s, i);
        nb_island_block *c = at.c;
        for (int k = 0; k < 3; k++) {
            c->centre[k][at.i] = 0;
            c->x[k][at.i] = s->warm && c->s[k][at.i] > 0 ? c->impulse[k][at.i] / (s->unit * c->s[k][at.i]) : 0;
            c->y[k][at.i] = 0;
        }
        if (!s->warm) c->x[0][at.i] = c->y[0][at.i] = 1;
    }
    s->eps = fmin(first_eps, eps_of_tolerance * s->tolerance);
    s->theta = 1;
    s->alpha = s->sigma = 0;
    s->least = s->before = INFINITY;
    s->iterations = s->idle = s->centres = 0;
    s->failed = s->ended = 0;
    if (s->warm) try_start(s);
    if (s->ended) return;
    if (s->warm) centre(s, s->start_tau);
    measure_iterate(s);
}

/* ---- the step ---- */

void nb_island_factorise(nb_island *s) {
    s->lu_kernels->begin(&s->lu, s->mass, s->inertia);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        s->lu_kernels->add(&s->lu, (const int32_t(*)[NB_ISLAND_LANES])c->body, (const nb_lanes(*)[3])c->arm, c->k);
    }
    s->lu_kernels->factorise(&s->lu);
}

/* dx, dy, du; returns the step's length; NaN where there is none */
static double find_direction(nb_island *s, double target, int correct, double weight) {
    s->kernels->aim(s, target, correct, weight);
    s->lu_kernels->solve(&s->lu, s->du);
    s->kernels->follow(s);
    const double length = s->kernels->longest_step(s);
    return length >= 1 / to_boundary ? 1 : to_boundary * length;
}

/* predictor, corrector, and centring alone where these are short, with less and less of the residuals */
static double choose_direction(nb_island *s) {
    static const double weights[] = {1, 0.3, 0};
    double alpha = find_direction(s, 0, 0, 1);
    const double ratio = s->kernels->complementarity(s, alpha) / s->tau;
    s->sigma = fmax(least_sigma, ratio > 0 ? fmin(1, ratio * ratio * ratio) : 0);
    const int predicted = alpha >= short_step;
    if (!predicted) s->sigma = fmax(s->sigma, 0.5);
    alpha = find_direction(s, s->sigma * s->tau, predicted, 1);
    for (int i = 0; i < 3 && !(alpha >= short_step); i++) {
        s->sigma = 1;
        alpha = find_direction(s, s->tau, 0, weights[i]);
    }
    return alpha;
}

static void take_step(nb_island *s) {
    double alpha = choose_direction(s);
    int halvings = 0;
    while (halvings < MOST_HALVINGS && !s->kernels->is_inside(s, alpha)) {
        alpha /= 2;
        halvings++;
    }
    s->failed = halvings == MOST_HALVINGS;
    s->alpha = s->failed ? 0 : alpha;
    if (s->failed) return;
    s->kernels->step(s, alpha);
    if (alpha < short_step) s->theta = fmax(0.5, s->theta - 0.3);
    if (alpha > 0.5) s->theta = fmin(1, s->theta + 0.05);
}

/* ---- the proximal term ---- */

/* c goes to x, beyond it after the first time; less eps */
static double settle(nb_island *s) {
    const double over = s->centres++ > 0 ? 1.5 : 1, tau = fmin(centre_tau, centre_share * s->eps * s->far);
    for (int32_t i = 0; i < nb_island_blocks(s->contacts); i++) {
        nb_island_block *c = &s->block[i];
        for (int k = 0; k < 3; k++) c->centre[k] += over * (c->x[k] - c->centre[k]);
    }
    s->eps = fmax(s->eps / 2, fmin(s->eps, least_eps));
    return tau;
}

/* c goes to what x is by itself admitted as; more eps */
static double unblock(nb_island *s) {
    for (int32_t i = 0; i < s->contacts; i++) {
        const nb_island_lane at = nb_island_lane_of(s, i);
        double x[3];
        nb_lanes_get(at.c->x, 3, at.i, x);
        nb_cone_project(x, x);
        nb_lanes_set(at.c->centre, 3, at.i, x);
    }
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
    nb_island_measure(s);
    s->idle = 0;
    s->theta = 1;
    s->least = s->before = INFINITY;
}

void nb_island_iterate(nb_island *s) {
    move_centre(s);
    s->kernels->scale(s);
    nb_island_factorise(s);
    take_step(s);
    s->iterations++;
    measure_iterate(s);
}
