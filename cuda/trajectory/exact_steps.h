/* The order of the stages of a step's exact solution (see island/program.h, whose macros are defined before), with the
 * rules of method/interior_point/island_loop.c. */
#ifndef NB_TRAJECTORY_EXACT_STEPS_H
#define NB_TRAJECTORY_EXACT_STEPS_H

#include "trajectory/exact_stages.h"

#define NB_EXACT_ARGUMENTS                                                                     \
    nb_trajectory *c, const nb_trajectory_scene *k, nb_island *v, const nb_island_settings *p, \
        const nb_island_shared *s, nb_island_lane *lanes, nb_exact *at, nb_exact_lane *exact
#define NB_EXACT_VALUES c, k, v, p, s, lanes, at, exact

NB_PROGRAM void nb_exact_begin(NB_EXACT_ARGUMENTS) {
    double sums[NB_ISLAND_SUMS];
    nb_body_factor *f = &at->factor;
    (void)p;
    NB_EACH(nb_exact_begin_bodies(c, k, v, s, t, s->threads); nb_body_factor_couple(f, v, s, t, s->threads));
    NB_OWN(nb_exact_begin_contact(c, k, v, s, l, t, NB_MINE(exact)));
    NB_OWN(if (t == 0) nb_body_factor_order(f));
    NB_OWN(nb_exact_sum_squares(v, s, l, t, NB_MINE(exact)));
    NB_REDUCE(NB_SUM);
    f->block = f->first[f->bodies + 1] <= f->room ? f->near_blocks : f->far_blocks;
    at->unit = sums[0] > 0 ? sqrt(sums[0] / v->contacts) : 1;
    at->speed = sums[1] > 0 ? sqrt(sums[1] / v->contacts) : 1;
    at->eps = fmin(1e-5, 0.1 * k->tolerance); /* disturbs no solution at the tolerance */
    at->theta = 1;
    at->least = at->before = INFINITY;
    at->idle = at->centres = at->failed = 0;
}

/* tau, size and far_off of the iterate; returns the harness's natural map */
NB_PROGRAM double nb_exact_error(NB_EXACT_ARGUMENTS) {
    double sums[NB_ISLAND_SUMS];
    NB_OWN(nb_exact_measure(v, s, l, t, at, NB_MINE(exact)));
    NB_REDUCE(NB_ALL_LARGEST_BUT_FIRST);
    at->tau = sums[0] / v->contacts;
    at->size = sums[1];
    at->far_off = sums[2];
    return nb_trajectory_measure(c, k, v, p, s, lanes, 0);
}

/* Moves the proximal term's centre where that term is what is left, or no progress was made; returns whether it did. */
NB_PROGRAM int nb_exact_recentre(NB_EXACT_ARGUMENTS, double error) {
    enum {
        MOST_IDLE = 12
    };
    const double progress = fmin(error, sqrt(at->tau + at->size * at->size)), left = at->eps * at->far_off;
    double tau = 1e-3, over = 1;
    (void)k, (void)p;
    at->idle = progress < 0.9 * at->least ? 0 : at->idle + 1;
    if (at->failed) at->idle = MOST_IDLE;
    at->least = fmin(at->least, progress);
    /* far down the central path round-off makes residuals grow again: no more is to be had there */
    const int spent = at->size < left || at->tau < 1e-5 * left;
    const int settled = error > 0.7 * at->before && at->tau < 0.3 * left && spent;
    at->before = error;
    if (!settled && at->idle < MOST_IDLE) return 0;
    if (settled) {
        over = at->centres++ > 0 ? 1.5 : 1;
        tau = fmin(tau, 0.1 * left);
        at->eps = fmax(at->eps / 2, fmin(at->eps, 1e-6));
    } else {
        at->eps = fmin(1.0, fmax(100 * at->eps, 1e-2));
        at->centres = 0;
    }
    NB_OWN(nb_exact_move_centre(l, settled, over, NB_MINE(exact));
           nb_exact_centre(v, s, l, t, at, tau, NB_MINE(exact)));
    at->idle = 0;
    at->theta = 1;
    at->least = at->before = INFINITY;
    (void)c;
    return 1;
}

NB_PROGRAM void nb_exact_factorize(NB_EXACT_ARGUMENTS) {
    const nb_body_factor *f = &at->factor;
    (void)k, (void)p, (void)v;
    NB_EACH(nb_exact_eliminate(s, l, t, at, NB_MINE(exact)));
    NB_EACH(nb_body_factor_assemble(f, c, s, t, s->threads));
    for (int32_t i = 0; i < f->bodies; i++) {
        NB_EACH(nb_body_factor_scale(f, i, t, s->threads));
        if (f->first[i] < f->first[i + 1]) NB_EACH(nb_body_factor_reduce(f, i, t, s->threads));
    }
    NB_OWN(nb_body_factor_finish(f, t, s->threads));
}

/* dx, dy and the bodies' step, as nb_exact_aim has it; returns how long it may be, NaN where it is none */
NB_PROGRAM double nb_exact_direction(NB_EXACT_ARGUMENTS, double target, int correct, double weight) {
    const nb_body_factor *f = &at->factor;
    const double to_boundary = 0.95;
    double sums[NB_ISLAND_SUMS];
    (void)k;
    NB_EACH(nb_exact_aim(s, l, t, at, target, correct, weight, NB_MINE(exact)));
    NB_GATHER(NB_ISLAND_FORCE);
    NB_EACH(nb_exact_balance(c, v, s, weight, t, s->threads));
    for (int32_t i = 0; i < f->bodies; i++)
        if (f->first[i] < f->first[i + 1]) NB_EACH(nb_body_factor_forward(f, i, s->momentum, s->slots, t, s->threads));
    NB_EACH(nb_body_factor_middle(f, s->momentum, s->velocity, s->slots, t, s->threads));
    for (int32_t i = f->bodies - 1; i >= 0; i--)
        if (f->first[i] < f->first[i + 1]) NB_EACH(nb_body_factor_back(f, i, s->velocity, s->slots, t, s->threads));
    NB_OWN(nb_exact_follow(s, l, at, NB_MINE(exact)));
    NB_REDUCE(NB_LARGEST);
    const double over = sums[NB_ISLAND_SUMS - 1];
    return over <= to_boundary ? 1 : to_boundary / over;
}

/* predictor, corrector, and centring alone where these are short, with less and less of the residuals */
NB_PROGRAM double nb_exact_choose(NB_EXACT_ARGUMENTS) {
    const double short_step = 0.1, weights[3] = {1, 0.3, 0};
    double sums[NB_ISLAND_SUMS], sigma = 0, target = 0, weight = 1, alpha;
    int correct = 0;
    for (int attempt = 0;; attempt++) {
        alpha = nb_exact_direction(NB_EXACT_VALUES, target, correct, weight);
        if (attempt == 0) {
            NB_OWN(nb_exact_look_ahead(l, alpha, NB_MINE(exact)));
            NB_REDUCE(NB_SUM);
            const double ratio = sums[0] / v->contacts / at->tau;
            sigma = fmax(0.1, ratio > 0 ? fmin(1.0, ratio * ratio * ratio) : 0);
            correct = alpha >= short_step;
            if (!correct) sigma = fmax(sigma, 0.5);
        } else {
            if (alpha >= short_step || attempt == 4) return alpha;
            sigma = 1;
            correct = 0;
            weight = weights[attempt - 1];
        }
        target = sigma * at->tau;
    }
}

NB_PROGRAM void nb_exact_iterate(NB_EXACT_ARGUMENTS) {
    enum {
        MOST_HALVINGS = 20
    };
    double sums[NB_ISLAND_SUMS], alpha;
    nb_exact_factorize(NB_EXACT_VALUES);
    alpha = nb_exact_choose(NB_EXACT_VALUES);
    for (int halvings = 0;; halvings++) {
        at->failed = halvings == MOST_HALVINGS;
        if (at->failed) break;
        NB_OWN(nb_exact_look_ahead(l, alpha, NB_MINE(exact)));
        NB_REDUCE(NB_SUM);
        if (sums[1] == 0) break;
        alpha /= 2;
    }
    if (at->failed) return;
    NB_EACH(nb_exact_step(s, alpha, t, s->threads, NB_MINE(exact)));
    if (alpha < 0.1) at->theta = fmax(0.5, at->theta - 0.3);
    if (alpha > 0.5) at->theta = fmin(1.0, at->theta + 0.05);
}

/* Iterations until the natural map is within the tolerance; else the step has the velocities of the least one. */
NB_PROGRAM void nb_exact_solve(NB_EXACT_ARGUMENTS, nb_trajectory_row *row) {
    enum {
        MOST_STALE = 100 /* iterations without less of an error: hard piles find the solution after up to 80 */
    };
    nb_reason reason = NB_REASON_NONE;
    double best = INFINITY, mark = INFINITY;
    int recentred = 0, marked = 0, warm = k->warm && c->remembered > 0;
    row->newton_iterations = 0;
    row->products = 0;
    nb_exact_begin(NB_EXACT_VALUES);
    if (warm) NB_EACH(nb_exact_recall(c, k, s, l, t, s->threads, at, NB_MINE(exact)));
    for (;;) {
        const double error = warm ? nb_trajectory_measure(c, k, v, p, s, lanes, 0) : nb_exact_error(NB_EXACT_VALUES);
        if (error < 0.9 * mark) {
            mark = error;
            marked = row->newton_iterations;
        }
        if (error < best) {
            best = error;
            NB_OWN(nb_exact_keep_motion(c, s, 0, t, s->threads));
        }
        row->natural_map = isfinite(error) ? best : error;
        if (!isfinite(error)) reason = NB_REASON_DIVERGED;
        if (error <= k->tolerance) reason = NB_REASON_CONVERGED;
        if (reason == NB_REASON_NONE && row->newton_iterations == p->newton_iterations) reason = NB_REASON_ITERATIONS;
        if (reason == NB_REASON_NONE && row->newton_iterations - marked == MOST_STALE) reason = NB_REASON_STAGNATED;
        if (reason != NB_REASON_NONE) break;
        if (warm) {
            warm = 0;
            NB_OWN(nb_exact_centre(v, s, l, t, at, fmin(1.0, 0.1 * error / at->speed), NB_MINE(exact)));
            continue;
        }
        recentred = !recentred && nb_exact_recentre(NB_EXACT_VALUES, error);
        if (recentred) continue;
        nb_exact_iterate(NB_EXACT_VALUES);
        row->newton_iterations++;
    }
    if (reason == NB_REASON_ITERATIONS || reason == NB_REASON_STAGNATED)
        NB_OWN(nb_exact_keep_motion(c, s, 1, t, s->threads));
    if (k->warm) NB_OWN(nb_exact_remember(c, v, l, t));
    row->reason = reason;
}

#endif
