#include "pair_centre.h"

#include <tgmath.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

/* how far a point is off */
typedef struct distance {
    double equality, cone; /* of an equation; of a product, over its target */
} distance;

static double part_of(const nb_contact_pair *pair, int32_t k) {
    return k < pair->gamma ? 1 : k == pair->gamma ? pair->part[0] : pair->part[1];
}

static int is_product(const nb_contact_pair *pair, int32_t k) {
    return (k >= pair->lambda && k < pair->s) || k == pair->gamma || (k >= pair->psi && k < pair->psi + 4);
}

/* evaluates */
static distance measure(nb_pair_problem *s, double target) {
    distance d = {0};
    double equality, cone;
    nb_pair_problem_evaluate(s, target, &equality, &cone);
    for (int32_t i = 0; s->r && i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++) nb_raise(&d.equality, fabs(s->r[6 * (int64_t)i + k]));
    for (int32_t j = 0; j < s->joint_count; j++)
        for (int k = 0; s->joints[j].row >= 0 && k < s->joints[j].count; k++)
            nb_raise(&d.equality, fabs(s->joint_residual[s->joints[j].first + k]));
    for (int32_t i = 0; i < s->found.count; i++) {
        const nb_contact_pair *pair = &s->pairs[i];
        for (int32_t k = 0; k < pair->size; k++)
            if (is_product(pair, k))
                nb_raise(&d.cone, fabs(pair->r[k]) / (part_of(pair, k) * target));
            else
                nb_raise(&d.equality, fabs(pair->r[k]));
    }
    return d;
}

/* Goes along the step, to the boundary at most, halved until one of the two falls. */
static distance move(nb_pair_problem *s, double target, distance before) {
    const int most = 30;
    const double fraction = 0.99;
    distance now = before;
    double t = fmin(1, fraction * nb_pair_problem_reach(s, 1 / fraction));
    for (int halved = 0; halved < most; halved++, t /= 2) {
        nb_pair_problem_move(s, t);
        now = measure(s, target);
        if (now.equality < before.equality || now.cone < before.cone) break;
    }
    return now;
}

static double larger(distance d) {
    return d.equality <= d.cone ? d.cone : d.equality; /* not a number if the equations are none */
}

/* Round-off is where neither falls any more. Where friction and a joint hold the same, what regularises the joint lets
 * equations fall by a third in an iteration, and products stand still meanwhile. */
static int is_enough(distance d, distance before) {
    const double equality = 1e-13, cone = 1e-8;
    if (d.equality <= equality && d.cone <= cone) return 1;
    return larger(d) <= nb_pair_centre_least && d.equality >= 0.8 * before.equality && d.cone >= 0.5 * before.cone;
}

nb_status nb_pair_centre(nb_pair_problem *s, const nb_method_settings *settings, double target, double *residual,
                         int32_t *iterations) {
    const double less = 0.1, near = 0.5; /* what targets come down by, and how near to them; far products come along */
    const int32_t most = 60;
    nb_status status = NB_OK;
    nb_pair_problem_scale(s, 0); /* derivatives are of the equations as written */
    nb_pair_problem_relax(s, 0);
    s->monotone = 0;
    const distance nothing = {INFINITY, INFINITY};
    double above = 1 + measure(s, target).cone;
    distance d = measure(s, above * target), before = nothing;
    *iterations = 0;
    for (;;) {
        double heard_s = 0;
        int solved;
        while (above > 1 && d.cone < near) {
            above = fmax(1, less * above);
            d = measure(s, above * target);
        }
        if ((above == 1 && is_enough(d, before)) || *iterations == most) break;
        before = above == 1 ? d : nothing;
        nb_pair_problem_eliminate(s, &solved);
        if (solved) NB_TRY(nb_pair_problem_direction(s, settings, NULL, -1, NULL, &heard_s, &solved));
        if (!solved) break;
        d = move(s, above * target, d);
        ++*iterations;
    }
    *residual = above > 1 ? (double)INFINITY : larger(d);
out:
    return status;
}
