/* One node on a plane with smoothed friction: what lagged, extrapolated and implicit normal forces make of it, with
 * every integrator, held against closed forms. Directions are (t, n); the gap is the node's n. */
#include <string.h>

#include "base/real.h"
#include "check.h"
#include "constraint/smoothed_friction.h"
#include "model/integrator.h"

NB_PRECISIONS(f64);

typedef enum coupling {
    IMPLICIT,
    LAGGED,
    EXTRAPOLATED
} coupling;

typedef struct node {
    nb_smoothed_friction law;
    double mass, mu, k[2][2];             /* K of springs to the ground at the origin */
    void (*force)(double t, double f[2]); /* what pulls the node [N] */
} node;

typedef struct state {
    double y[4]; /* q, v */
} state;

/* forces at a state, those of the contact so many times; `lagged` below 0: implicit. block [9] of (t, other, n), as in
 * smoothed_friction.h */
static void forces(const node *b, double t, const double y[4], double lagged, double times, double f[2],
                   double block[9]) {
    double contact[3];
    const nb_sliding_contact at = {y[1], {y[2], 0}, b->mu, lagged};
    nb_smoothed_block(&b->law, &at, contact, block);
    b->force(t, f);
    for (int i = 0; i < 9; i++) block[i] *= times;
    f[0] += times * contact[0] - b->k[0][0] * y[0] - b->k[0][1] * y[1];
    f[1] += times * contact[2] - b->k[1][0] * y[0] - b->k[1][1] * y[1];
}

/* m (v - v*) = a h f(q* + a h v, v) by Newton's method from v; to round-off */
static void solve_stage(const node *b, double t, double ah, const double from[4], double lagged, double times,
                        double y[4]) {
    double last = INFINITY;
    for (int k = 0; k < 200; k++) {
        double f[2], block[9];
        for (int i = 0; i < 2; i++) y[i] = from[i] + ah * y[2 + i];
        forces(b, t, y, lagged, times, f, block);
        const double r[2] = {b->mass * (y[2] - from[2]) - ah * f[0], b->mass * (y[3] - from[3]) - ah * f[1]};
        const double a00 = b->mass - ah * block[0] + ah * ah * b->k[0][0], a01 = ah * ah * (b->k[0][1] - block[2]),
                     a10 = ah * ah * b->k[1][0], a11 = b->mass + ah * ah * (b->k[1][1] - block[8]);
        const double det = a00 * a11 - a01 * a10, size = hypot(r[0], r[1]);
        if (size < 1e-14 * b->mass || (size >= last && size < 1e-11 * b->mass)) return;
        last = size;
        y[2] -= (r[0] * a11 - r[1] * a01) / det;
        y[3] -= (r[1] * a00 - r[0] * a10) / det;
    }
    fail_msg("a stage's residual stays at %g", last);
}

static double lambda_at(const node *b, const state *s) {
    return nb_penalty_force(&b->law, s->y[1]);
}

/* lambda, *before: of the step's start, and of the one before */
static void step(const node *b, nb_integrator integrator, coupling how, double t, double h, const state *previous,
                 state *s, double *before) {
    nb_integrator_stages stages;
    double rate[4], from[4], first[4], next[4], block[9], f[2];
    const double lambda = lambda_at(b, s);
    const double lagged = how == IMPLICIT ? -1 : how == LAGGED ? lambda : nb_smoothed_extrapolated(lambda, *before);
    nb_integrator_stages_of(integrator, previous != NULL, &stages);
    forces(b, t, s->y, -1, !stages.decoupled, f, block);
    for (int i = 0; i < 2; i++) {
        rate[i] = s->y[2 + i];
        rate[2 + i] = f[i] / b->mass;
    }
    memcpy(next, s->y, sizeof next);
    for (int k = 0; k < stages.count; k++) {
        const nb_integrator_stage *g = &stages.stage[k];
        nb_integrator_stage_start(g, 4, h, s->y, previous ? previous->y : NULL, first, rate, from);
        solve_stage(b, t + g->end * h, g->length * h, from, lagged, g->contact, next);
        memcpy(first, next, sizeof first);
    }
    *before = lambda;
    memcpy(s->y, next, sizeof next);
}

static void run(const node *b, nb_integrator integrator, coupling how, double h, int steps, state *s) {
    state previous = *s;
    double before = lambda_at(b, s);
    for (int n = 0; n < steps; n++) {
        const state now = *s;
        step(b, integrator, how, n * h, h, n ? &previous : NULL, s, &before);
        previous = now;
    }
}

/* ---- a block on a slope of 10 degrees ---- */

static const double gravity = 9.81;

static void pull_of_slope(double t, double f[2]) {
    const double slope = 10 * acos(-1) / 180;
    (void)t;
    f[0] = gravity * sin(slope);
    f[1] = -gravity * cos(slope);
}

static const node block = {.law = {.stiffness = 1e4, .contact_tolerance = 1e-3, .sliding_tolerance = 1e-3},
                           .mass = 1,
                           .mu = 0.177,
                           .force = pull_of_slope};

/* the gap at which the contact carries the weight */
static double loaded_gap(const node *b, double weight) {
    return b->law.contact_tolerance - sqrt(weight * b->law.contact_tolerance / (3 * b->law.stiffness));
}

/* While it slides, a lagged friction with backward Euler loses mu h (lambda_end - lambda_0) of its impulse, and nothing
 * else: the normal motion is the same. To round-off of some hundred steps. */
TEST(lagging_loses_the_change_of_the_normal_force) {
    static const double gaps[] = {1e-3, 2e-4, -1e-4};
    for (int k = 0; k < 3; k++)
        for (double h = 1e-2; h > 1e-3; h /= 3) {
            state implicit = {{0, gaps[k], 1, 0}}, lagged = implicit;
            const double start = lambda_at(&block, &implicit);
            run(&block, NB_INTEGRATOR_BE, IMPLICIT, h, 50, &implicit);
            run(&block, NB_INTEGRATOR_BE, LAGGED, h, 50, &lagged);
            assert_true(lagged.y[2] > 0.1); /* slides all the time */
            CHECK_NEAR(lagged.y[2] - implicit.y[2], 0.177 * h * (lambda_at(&block, &implicit) - start), 1e-11);
        }
}

/* From the loaded start it stops at the closed form's .769 m, whatever friction takes its normal force from; four
 * digits. At a speed of eps it has .000077 m before it. */
TEST(loaded_start_stops_alike) {
    double weight[2];
    pull_of_slope(0, weight);
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (int how = IMPLICIT; how <= LAGGED; how++) {
            state s = {{0, loaded_gap(&block, -weight[1]), 0.1, 0}}, previous = s;
            double before = -weight[1], h = 0.05;
            for (int n = 0; s.y[2] > 1e-3 && n < 1000; n++) {
                const state now = s;
                step(&block, (nb_integrator)i, (coupling)how, 0, h, n ? &previous : NULL, &s, &before);
                previous = now;
            }
            CHECK_NEAR(s.y[0], 0.7689 - (i == NB_INTEGRATOR_BE ? 0.1 * h / 2 : 0), 1.5e-4);
        }
}

/* ---- a load that grows ---- */

/* F = r mu N with N = e^(t/tau): a lagged friction holds below h* = tau ln(1/r), where F(t + h) = mu N(t), an implicit
 * one at every step */
TEST(growing_load_slips_at_its_step) {
    const nb_smoothed_friction law = {.stiffness = 1, .contact_tolerance = 1, .sliding_tolerance = 1e-3};
    const double tau = 0.5, r = 0.9, mu = 0.4, bound = tau * log(1 / r), ratio[3] = {0.98, 1.02, 3};
    for (int k = 0; k < 3; k++)
        for (int implicit = 0; implicit < 2; implicit++) {
            const double h = ratio[k] * bound;
            double v = 0;
            for (double t = 0; t < 3; t += h) {
                const double pull = r * mu * exp((t + h) / tau), start = v;
                for (int n = 0; n < 100; n++) {
                    real f[3], slope[9];
                    const nb_sliding_contact at = {0, {v, 0}, mu, exp((t + (implicit ? h : 0)) / tau)};
                    nb_smoothed_block(&law, &at, f, slope);
                    const double residual = v - start - h * (pull + f[0]);
                    if (fabs(residual) < 1e-12) break;
                    v -= residual / (1 - h * slope[0]);
                }
            }
            if (implicit || k == 0)
                CHECK_BELOW(v, 1e-3);
            else
                assert_true(v > 2e-3);
        }
}

/* ---- passes ---- */

/* so that friction lets go of what presses: the implicit equations have a solution at every mu */
static void push_down(double t, double f[2]) {
    (void)t;
    f[0] = -400;
    f[1] = -30;
}

/* Within a step of backward Euler a pass takes the normal force of the last one. Where the node slides, each comes
 * nearer by the factor mu h^2 k_n |A^-1_nt|/(1 + h^2 k_n A^-1_nn), A = M + h^2 K. A soft direction between t and n
 * makes it large; beyond 1 passes part. */
TEST(passes_contract_as_predicted) {
    static const double mus[] = {0.2, 0.5, 1.2};
    for (int k = 0; k < 3; k++) {
        const double h = 0.01, angle = 20 * acos(-1) / 180, hard = 1e5, soft = 1e3;
        const double c = cos(angle), s = sin(angle);
        node b = {.law = {.stiffness = 1e6, .contact_tolerance = 1e-3, .sliding_tolerance = 1e-9},
                  .mass = 1,
                  .mu = mus[k],
                  .k = {{hard * s * s + soft * c * c, (soft - hard) * c * s},
                        {(soft - hard) * c * s, hard * c * c + soft * s * s}},
                  .force = push_down};
        const double from[4] = {0, 2e-4, 0, 0};
        double y[4], difference[2] = {0}, lambda[3];
        memcpy(y, from, sizeof y);
        solve_stage(&b, 0, h, from, -1, 1, y); /* where passes are to come to */
        const double exact = nb_penalty_force(&b.law, y[1]), kn = -nb_penalty_slope(&b.law, y[1]);
        const double a00 = 1 + h * h * b.k[0][0], a01 = h * h * b.k[0][1], a11 = 1 + h * h * b.k[1][1];
        const double det = a00 * a11 - a01 * a01;
        const double factor = b.mu * h * h * kn * fabs(a01 / det) / (1 + h * h * kn * a00 / det);
        assert_true(fabs(y[2]) > 1e-6 && exact > 0);
        lambda[0] = exact * (1 + 1e-6);
        for (int pass = 1; pass < 3; pass++) {
            solve_stage(&b, 0, h, from, lambda[pass - 1], 1, y);
            lambda[pass] = nb_penalty_force(&b.law, y[1]);
        }
        for (int pass = 0; pass < 2; pass++) difference[pass] = fabs(lambda[pass + 1] - exact);
        print_message("mu %g: factor %.4g, seen %.4g\n", b.mu, factor, difference[1] / difference[0]);
        CHECK_NEAR(difference[1] / difference[0], factor, 2e-3 * factor); /* linear to 1e-6 of lambda, known to 1e-9 */
        assert_int_equal(difference[1] > difference[0], factor > 1);
    }
}

/* the determinant of a stage's matrix where the node slides at 1 m/s towards `sense` */
static double determinant(const node *b, double ah, double gap, double sense) {
    double contact[3], slope[9];
    const nb_sliding_contact at = {gap, {sense, 0}, b->mu, -1};
    nb_smoothed_block(&b->law, &at, contact, slope);
    return (b->mass - ah * slope[0] + ah * ah * b->k[0][0]) * (b->mass + ah * ah * (b->k[1][1] - slope[8])) -
           ah * ah * (b->k[0][1] - slope[2]) * ah * ah * b->k[1][0];
}

/* Implicit friction makes a node's matrix singular at the mu at which passes would no longer contract, where the node
 * slides in the sense in which friction presses it down; not in the other one, nor with shorter steps. */
TEST(implicit_friction_can_be_singular) {
    const double angle = 20 * acos(-1) / 180, c = cos(angle), s = sin(angle), hard = 1e5, soft = 1e3, gap = 2e-4;
    double before = 0;
    for (double h = 0.1; h > 1e-3; h /= 3) {
        node b = {.law = {.stiffness = 1e6, .contact_tolerance = 1e-3, .sliding_tolerance = 1e-3},
                  .mass = 1,
                  .mu = 1,
                  .k = {{hard * s * s + soft * c * c, (soft - hard) * c * s},
                        {(soft - hard) * c * s, hard * c * c + soft * s * s}}};
        const double kn = -nb_penalty_slope(&b.law, gap), a00 = 1 + h * h * b.k[0][0], a01 = h * h * b.k[0][1],
                     det = a00 * (1 + h * h * b.k[1][1]) - a01 * a01,
                     bound = (1 + h * h * kn * a00 / det) / (h * h * kn * fabs(a01 / det));
        assert_true(bound > before);
        before = bound;
        for (int k = 0; k < 2; k++) {
            b.mu = (k ? 1.01 : 0.99) * bound;
            const double one = determinant(&b, h, gap, 1), other = determinant(&b, h, gap, -1);
            assert_int_equal(fmin(one, other) < 0, k);
            assert_true(fmax(one, other) > 0);
        }
    }
}

/* ---- orders ---- */

static void press_in_turns(double t, double f[2]) {
    f[0] = 0;
    f[1] = -20 * (1 + 0.5 * sin(6 * t));
}

/* the sliding velocity at t = 1 of a node that is pressed down by a load which changes */
static double slid(nb_integrator integrator, coupling how, int steps) {
    const node b = {.law = {.stiffness = 200, .contact_tolerance = 0.5, .sliding_tolerance = 1e-3},
                    .mass = 1,
                    .mu = 0.3,
                    .force = press_in_turns};
    state s = {{0, loaded_gap(&b, 20), 20, 0}};
    run(&b, integrator, how, 1.0 / steps, steps, &s);
    return s.y[2];
}

/* Implicit friction has the integrator's order, and order 1 where contact forces are of the step's end; lagged friction
 * has order 1 with all. The extrapolated one has order 2 again where a step has one stage. */
TEST(lagging_has_order_one) {
    const double exact =
        (4 * slid(NB_INTEGRATOR_TR_BDF2, IMPLICIT, 20480) - slid(NB_INTEGRATOR_TR_BDF2, IMPLICIT, 10240)) / 3;
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (int how = IMPLICIT; how <= EXTRAPOLATED; how++) {
            const nb_integrator integrator = (nb_integrator)i;
            if (how == EXTRAPOLATED && integrator != NB_INTEGRATOR_TR && integrator != NB_INTEGRATOR_BDF2) continue;
            const int first =
                          how == LAGGED || integrator == NB_INTEGRATOR_BE || integrator == NB_INTEGRATOR_DECOUPLED_TR,
                      steps = !first                                     ? 640
                              : integrator == NB_INTEGRATOR_DECOUPLED_TR ? 40960
                                                                         : 5120;
            const double errors[2] = {slid(integrator, (coupling)how, steps) - exact,
                                      slid(integrator, (coupling)how, 2 * steps) - exact};
            const double order = log2(fabs(errors[0] / errors[1]));
            print_message("%s %d: %.3g %.3g, order %.3f\n", nb_integrator_names[i], how, errors[0], errors[1], order);
            CHECK_NEAR(order, first ? 1 : 2, 0.1);
        }
}

RUN_TESTS(lagging_loses_the_change_of_the_normal_force, loaded_start_stops_alike, growing_load_slips_at_its_step,
          passes_contract_as_predicted, implicit_friction_can_be_singular, lagging_has_order_one)
