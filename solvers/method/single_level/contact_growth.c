/* Collision by itself: the least alpha for which the two sets of a pair meet, with their bodies where they are. */
#include <string.h>

#include "base/largest.h"
#include "contact_pair.h"

enum {
    MOST_STEPS = 50,
    MOST_HALVINGS = 25
};

static const double FRACTION = 0.95;

/* largest residuals of equations and products of collision */
static void violation(const nb_contact_pair *pair, double *equality, double *cone) {
    *equality = *cone = 0;
    for (int32_t k = 0; k < pair->gamma; k++)
        nb_raise(k >= pair->lambda && k < pair->s ? cone : equality, fabs(pair->r[k]));
}

static double mean_product(const nb_contact_pair *pair, double t) {
    const double *x = pair->x, *dx = pair->dx;
    double sum = 0;
    int32_t count = 0;
    for (int i = 0; i < 2; i++) count += pair->set[i]->linear + pair->set[i]->cone_count;
    for (int32_t k = 0; k < pair->rows; k++) {
        int32_t l = pair->lambda + k, s = pair->s + k;
        sum += (x[l] + t * dx[l]) * (x[s] + t * dx[s]);
    }
    return sum / count;
}

static double length_of(const nb_contact_pair *pair) {
    return fmin(1, FRACTION * nb_contact_pair_reach(pair, 1 / FRACTION));
}

/* One step, as the whole method's are. Returns 0 where there is none. */
static int step(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double target, double equality,
                double *scratch) {
    double mean = mean_product(pair, 0), before, now, cone;
    if (!nb_contact_pair_eliminate(pair, a, b, 1, scratch, NULL)) return 0;
    nb_contact_pair_recover(pair, a, b, NULL, NULL, scratch);
    double t = length_of(pair), ratio = fmin(fmax(mean_product(pair, t) / mean, 0), 1);
    double aim = fmax(ratio * ratio * ratio * mean, target);
    nb_contact_pair_aim(pair, aim);
    nb_contact_pair_correct(pair, 0.5 * t);
    nb_contact_pair_recover(pair, a, b, NULL, NULL, scratch);
    nb_contact_pair_aim(pair, aim);
    violation(pair, &now, &before);
    t = length_of(pair);
    memcpy(pair->kept, pair->x, (size_t)pair->gamma * sizeof *pair->x);
    for (int halvings = 0;; halvings++, t /= 2) {
        for (int32_t k = 0; k < pair->gamma; k++) pair->x[k] = pair->kept[k] + t * pair->dx[k];
        nb_contact_pair_evaluate(pair, a, b, aim);
        violation(pair, &now, &cone);
        if (now <= equality || cone <= before || halvings == MOST_HALVINGS) break;
    }
    return isfinite(now) && isfinite(cone);
}

int nb_contact_pair_grow(nb_contact_pair *pair, const nb_pair_body *a, const nb_pair_body *b, double target,
                         double *scratch, int32_t *iterations) {
    const int apart = pair->apart;
    int solved = 0;
    pair->apart = 0;
    nb_contact_pair_start_collision(pair, a, b);
    for (int k = 0; k <= MOST_STEPS; k++) {
        double equality, cone;
        nb_contact_pair_evaluate(pair, a, b, target);
        violation(pair, &equality, &cone);
        solved = equality <= target / 10 && cone <= target / 10;
        if (solved || k == MOST_STEPS || !step(pair, a, b, target, equality, scratch)) break;
        ++*iterations;
    }
    pair->apart = apart;
    return solved;
}
