#include "penalty_state.h"

#include <stdio.h>
#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "constraint/cone_law.h"

NB_PRECISIONS(f32, f64);

/* one contact */
typedef struct point {
    real mu, lambda, normal, slip; /* lambda of the gap, the normal force of friction, |v_t| */
} point;

static point point_at(const nb_penalty_rows *rows, const nb_problem *p, const nb_law_range *range, int32_t i,
                      int32_t contact) {
    const real *value = p->value + range->first_row + 3 * (ptrdiff_t)i;
    const real lambda = nb_penalty_force(&rows->law, p->h * value[0]);
    return (point){((const nb_cone_law *)range->law)->mu[range->first + i], lambda,
                   rows->lagged ? rows->lagged[contact] : lambda, hypot(value[1], value[2])};
}

/* NaN gives way */
static void raise_to(double *most, double x) {
    if (!(*most >= x)) *most = x;
}

static void add_creep(const nb_smoothed_friction *law, const point *at, nb_penalty_state *s) {
    const real most = fmax(at->mu, law->static_mu);
    if (!(most > 0 && at->lambda > 0 && at->slip < law->sliding_tolerance)) return;
    const real force = at->normal * nb_friction_slope_at(law, at->mu, at->slip).c * at->slip;
    raise_to(&s->creep, (double)at->slip);
    if (force < most * at->lambda) raise_to(&s->share, (double)(force / (most * at->lambda)));
}

/* the contact's share of 1/stribeck_step [kg/s] to its nodes */
static void add_fall(const nb_smoothed_friction *law, const nb_problem *p, int32_t block, const point *at,
                     double *fall) {
    int32_t node[NB_BLOCK_NODES];
    const double step = (double)nb_stribeck_step(law, at->mu, R(1), at->normal);
    if (isinf(step)) return;
    const int count = p->delassus->type->block_nodes(p->delassus, block, node);
    for (int k = 0; k < count; k++) fall[node[k]] += 1 / step;
}

static double least_step(const nb_problem *p, const nb_world *world, const double *fall) {
    double least = INFINITY;
    for (int32_t i = 0; i < p->nodes->count; i++) {
        const int32_t particle = i - p->nodes->bodies;
        const double mass = particle < 0 ? world->bodies[i].mass : world->particles[particle].mass;
        if (fall[i] > 0) least = fmin(least, mass / fall[i]);
    }
    return least;
}

nb_penalty_state nb_penalty_state_of(const nb_penalty_rows *rows, const nb_problem *p, const nb_world *world,
                                     double *fall) {
    nb_penalty_state s = {(double)NAN, (double)NAN, (double)NAN, (double)INFINITY};
    int32_t contact = 0;
    memset(fall, 0, (size_t)p->nodes->count * sizeof *fall);
    for (int32_t k = 0; k < p->range_count; k++) {
        const nb_law_range *range = &p->ranges[k];
        if (range->law->type != &nb_cone_class) continue;
        for (int32_t i = 0; i < range->blocks; i++, contact++) {
            const point at = point_at(rows, p, range, i, contact);
            add_creep(&rows->law, &at, &s);
            add_fall(&rows->law, p, range->first_block + i, &at, fall);
        }
    }
    if (!isnan(s.share)) s.creep_bound = (double)nb_smoothed_creep(rows->law.sliding_tolerance, (real)s.share);
    s.stribeck_step = least_step(p, world, fall);
    return s;
}

void nb_penalty_state_describe(const nb_penalty_state *s, const nb_smoothed_friction *law, double h,
                               double stribeck_step, char *text, size_t size) {
    size_t used = 0;
    *text = '\0';
    if (s->creep_bound > 0)
        used = (size_t)snprintf(
            text, size, "contacts that stick creep at up to %.3g m/s = eps (1 - sqrt(1 - r)), eps %.3g m/s, r %.4g",
            s->creep_bound, (double)law->sliding_tolerance, s->share);
    if (h > stribeck_step && used < size)
        snprintf(text + used, size - used,
                 "%swarning: the time step %.3g s is beyond %.3g s, above which friction that falls with slip may have "
                 "several solutions",
                 used ? "; " : "", h, stribeck_step);
}
