/* Integrators: their order on linear motions with known solutions, one of them stiff; what they make of constant forces
 * and of what is infinitely stiff. */
#include "model/integrator.h"

#include <string.h>

#include "check.h"

/* two masses of 1 kg: M q'' = -K q - D q' + f, and D = 1e-3 K as of Rayleigh */
typedef struct motion {
    double k[2][2], d[2][2], f[2];
} motion;

typedef struct state {
    double y[4]; /* q, v */
} state;

static void rate_of(const motion *m, const double y[4], double rate[4]) {
    for (int i = 0; i < 2; i++) {
        rate[i] = y[2 + i];
        rate[2 + i] = m->f[i];
        for (int j = 0; j < 2; j++) rate[2 + i] -= m->k[i][j] * y[j] + m->d[i][j] * y[2 + j];
    }
}

/* (1 + a h D + a^2 h^2 K) v = v* + a h (f - K q*) */
static void solve_stage(const motion *m, double ah, const double from[4], double to[4]) {
    double a[2][2], b[2];
    for (int i = 0; i < 2; i++) {
        b[i] = from[2 + i] + ah * m->f[i];
        for (int j = 0; j < 2; j++) {
            a[i][j] = (i == j) + ah * m->d[i][j] + ah * ah * m->k[i][j];
            b[i] -= ah * m->k[i][j] * from[j];
        }
    }
    const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    to[2] = (b[0] * a[1][1] - b[1] * a[0][1]) / det;
    to[3] = (b[1] * a[0][0] - b[0] * a[1][0]) / det;
    for (int i = 0; i < 2; i++) to[i] = from[i] + ah * to[2 + i];
}

static void integrate(const motion *m, nb_integrator integrator, int steps, double h, state *s) {
    state before = *s;
    for (int n = 0; n < steps; n++) {
        nb_integrator_stages stages;
        double rate[4], from[4], first[4], next[4];
        nb_integrator_stages_of(integrator, n > 0, &stages);
        if (stages.needs_rate) rate_of(m, s->y, rate);
        for (int k = 0; k < stages.count; k++) {
            nb_integrator_stage_start(&stages.stage[k], 4, h, s->y, before.y, k ? first : NULL,
                                      stages.needs_rate ? rate : NULL, from);
            solve_stage(m, stages.stage[k].length * h, from, next);
            if (k == 0) memcpy(first, next, sizeof first);
        }
        before = *s;
        memcpy(s->y, next, sizeof next);
    }
}

/* z'' + c z' + w^2 z = 0 from (z, v), underdamped */
static double damped(double w2, double c, double z, double v, double t) {
    const double w = sqrt(w2 - c * c / 4);
    return exp(-c * t / 2) * (z * cos(w * t) + (v + c * z / 2) / w * sin(w * t));
}

/* the order that errors of q at t = 1 show as h is halved twice */
static void check_order(const motion *m, nb_integrator integrator, state start, const double exact[2], int steps) {
    double error[3];
    for (int k = 0; k < 3; k++) {
        state s = start;
        integrate(m, integrator, steps << k, 1.0 / (steps << k), &s);
        error[k] = hypot(s.y[0] - exact[0], s.y[1] - exact[1]);
    }
    const double order = log2(error[1] / error[2]);
    print_message("%s: %.3g %.3g %.3g, order %.3f\n", nb_integrator_names[integrator], error[0], error[1], error[2],
                  order);
    CHECK_NEAR(order, integrator == NB_INTEGRATOR_BE ? 1 : 2, 0.1);
}

/* two oscillators that are not coupled: w = 3, c = .8; w = 5, c = .2 */
TEST(oscillators_are_of_their_order) {
    const motion m = {.k = {{9, 0}, {0, 25}}, .d = {{0.8, 0}, {0, 0.2}}};
    const state start = {{1, 0.5, 0, -1}};
    const double exact[2] = {damped(9, 0.8, 1, 0, 1), damped(25, 0.2, 0.5, -1, 1)};
    for (int i = 0; i < NB_INTEGRATORS; i++) check_order(&m, (nb_integrator)i, start, exact, 160);
}

/* A soft spring to the wall, 10 N/m, and a stiff one between the masses, 1e6 N/m, with Rayleigh damping. One mode has
 * 2.2 rad/s, the other 1400 and decays in 1 ms; steps are of 25 ms and less. tr hardly damps the second mode: with it,
 * decoupled or not, the masses start where that mode has no part. */
TEST(stiff_motions_are_of_their_order) {
    const double soft = 10, stiff = 1e6, beta = 1e-3;
    motion m = {.k = {{soft + stiff, -stiff}, {-stiff, stiff}}};
    const double trace = soft + 2 * stiff, det = soft * stiff, gap = sqrt(trace * trace - 4 * det);
    const double w2[2] = {2 * det / (trace + gap), (trace + gap) / 2};
    for (int i = 0; i < 4; i++) m.d[i / 2][i % 2] = beta * m.k[i / 2][i % 2];
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        const double part[2] = {1, i == NB_INTEGRATOR_TR || i == NB_INTEGRATOR_DECOUPLED_TR ? 0 : 1e-3};
        double shape[2][2], exact[2] = {0};
        state start = {{0}};
        for (int k = 0; k < 2; k++) { /* (K - w^2) shape = 0, by its second row */
            const double length = hypot(stiff - w2[k], stiff);
            shape[k][0] = (stiff - w2[k]) / length;
            shape[k][1] = stiff / length;
            for (int j = 0; j < 2; j++) {
                start.y[j] += part[k] * shape[k][j];
                exact[j] += shape[k][j] * damped(w2[k], beta * w2[k], part[k], 0, 1);
            }
        }
        check_order(&m, (nb_integrator)i, start, exact, 40);
    }
}

/* free fall: velocities are exact, and positions of order 2, from the second step on where the first is one of be */
TEST(constant_forces_are_exact) {
    const motion m = {.f = {-9.81, 3}};
    const double h = 0.1;
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        state s = {{1, 2, 3, 4}};
        integrate(&m, (nb_integrator)i, 10, h, &s);
        for (int k = 0; k < 2; k++) {
            double place = 1 + k + (3 + k) * 1.0 + m.f[k] / 2;
            if (i == NB_INTEGRATOR_BE) place += m.f[k] * h / 2;
            /* the error of the first step, f h^2/2, goes on by 1 + 1/3 + 1/9 + .. = 3/2 */
            if (i == NB_INTEGRATOR_BDF2) place += m.f[k] * h * h / 2 * 1.5 * (1 - pow(3, -10));
            CHECK_NEAR(s.y[2 + k], 3 + k + m.f[k], 1e-13);
            CHECK_NEAR(s.y[k], place, 1e-12);
        }
    }
}

/* v' = -c v with h c = 1e9: L-stable ones take it to nothing, tr to its negative */
TEST(stiffness_is_damped_but_by_tr) {
    const motion m = {.d = {{1e9, 0}, {0, 1e9}}};
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        state s = {{0, 0, 1, 1}};
        integrate(&m, (nb_integrator)i, i == NB_INTEGRATOR_BDF2 ? 2 : 1, 1, &s);
        CHECK_NEAR(s.y[2], i == NB_INTEGRATOR_TR || i == NB_INTEGRATOR_DECOUPLED_TR ? -1 : 0, 1e-8);
    }
}

/* ---- a free top ---- */

static const nb_mat3 inertia = {{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}; /* in its own frame [kg m^2] */

typedef struct top {
    nb_quat q;
    nb_vec3 omega; /* in the world's frame */
} top;

/* I^-1 (-omega x I omega), with I where the top is */
static nb_vec3 gyroscopic(nb_quat q, nb_vec3 omega) {
    const nb_mat3 world = nb_mat3_rotated(q, &inertia), inverse = nb_mat3_inverse(&world);
    return nb_mat3_apply(&inverse, nb_cross(nb_mat3_apply(&world, omega), omega));
}

/* the stage's own angular velocity and orientation, by iteration: each one is nearer by about a h |omega| */
static top solve_top_stage(double ah, const top *from) {
    top to = *from;
    for (int k = 0; k < 60; k++) {
        to.q = nb_quat_advance(from->q, ah, to.omega);
        to.omega = nb_add_scaled(from->omega, ah, gyroscopic(to.q, to.omega));
    }
    return to;
}

static top turn(nb_integrator integrator, int steps, double h) {
    top s = {nb_quat_identity(), {0.3, 2, 0.1}}, before = s; /* about the middle axis, which it does not keep */
    for (int n = 0; n < steps; n++) {
        nb_integrator_stages stages;
        top first = s, next = s, from;
        nb_integrator_stages_of(integrator, n > 0, &stages);
        const nb_vec3 rate = gyroscopic(s.q, s.omega);
        for (int k = 0; k < stages.count; k++) {
            const nb_integrator_stage *g = &stages.stage[k];
            from.q = nb_integrator_stage_turn(g, h, s.q, before.q, first.q, s.omega);
            nb_integrator_stage_start(g, 3, h, &s.omega.x, &before.omega.x, &first.omega.x, &rate.x, &from.omega.x);
            next = solve_top_stage(g->length * h, &from);
            if (k == 0) first = next;
        }
        before = s;
        s = next;
    }
    return s;
}

static double distance(const top *a, const top *b) {
    const nb_quat d = nb_quat_product(nb_quat_conjugate(a->q), b->q);
    return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z) + nb_norm(nb_sub(a->omega, b->omega));
}

/* two seconds of a tumbling top, against tr-bdf2 at a twentieth of the shorter step: its error is 400 times smaller */
TEST(turning_keeps_the_order) {
    const top fine = turn(NB_INTEGRATOR_TR_BDF2, 8000, 2.5e-4);
    for (int i = 0; i < NB_INTEGRATORS; i++) {
        const top coarse = turn((nb_integrator)i, 200, 1e-2), finer = turn((nb_integrator)i, 400, 5e-3);
        const double errors[2] = {distance(&coarse, &fine), distance(&finer, &fine)};
        const double order = log2(errors[0] / errors[1]);
        print_message("%s: %.3g %.3g, order %.3f\n", nb_integrator_names[i], errors[0], errors[1], order);
        CHECK_NEAR(order, i == NB_INTEGRATOR_BE ? 1 : 2, 0.1);
    }
    /* what does not change: |I omega|, and the energy */
    const nb_mat3 world = nb_mat3_rotated(fine.q, &inertia);
    const nb_vec3 momentum = nb_mat3_apply(&world, fine.omega);
    CHECK_NEAR(nb_norm(momentum), sqrt(0.09 + 16 + 0.09), 1e-5);
    CHECK_NEAR(nb_dot(momentum, fine.omega), 0.09 + 8 + 0.03, 1e-5);
}

/* q and -q are one rotation: the signs of states that are combined do not matter */
TEST(signs_of_quaternions_do_not_matter) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        nb_integrator_stages s;
        nb_quat q[3], minus[3];
        const nb_vec3 rate = {1, 2, 3};
        nb_integrator_stages_of((nb_integrator)(trial % NB_INTEGRATORS), 1, &s);
        for (int k = 0; k < 3; k++) {
            q[k] = nb_quat_normalized(nb_quat_of(1, test_random(&seed, -0.1, 0.1), test_random(&seed, -0.1, 0.1), 0));
            minus[k] = nb_quat_of(-q[k].w, -q[k].x, -q[k].y, -q[k].z);
        }
        for (int k = 0; k < s.count; k++) {
            const nb_quat a = nb_integrator_stage_turn(&s.stage[k], 0.01, q[0], q[1], q[2], rate),
                          b = nb_integrator_stage_turn(&s.stage[k], 0.01, q[0], minus[1], minus[2], rate),
                          c = nb_integrator_stage_turn(&s.stage[k], 0.01, minus[0], q[1], minus[2], rate);
            CHECK_NEAR(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z, 1, 1e-15);
            CHECK_NEAR(fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z), 1, 1e-15);
            CHECK_NEAR(-(a.w * c.w + a.x * c.x + a.y * c.y + a.z * c.z), 1, 1e-15);
        }
    }
}

TEST(tables_are_consistent) {
    static const char *const names[] = {"be", "tr", "bdf2", "tr-bdf2", "sdirk2", "decoupled-tr"};
    assert_true(nb_integrator_names[NB_INTEGRATORS] == NULL);
    for (int i = 0; i < NB_INTEGRATORS; i++)
        for (int before = 0; before < 2; before++) {
            nb_integrator_stages s;
            nb_integrator_stages_of((nb_integrator)i, before, &s);
            assert_string_equal(nb_integrator_names[i], names[i]);
            const int decoupled = i == NB_INTEGRATOR_DECOUPLED_TR;
            assert_int_equal(s.needs_rate, i == NB_INTEGRATOR_TR || i == NB_INTEGRATOR_TR_BDF2 || decoupled);
            assert_int_equal(s.decoupled, decoupled);
            assert_int_equal(s.needs_previous, i == NB_INTEGRATOR_BDF2);
            assert_int_equal(s.order, i == NB_INTEGRATOR_BE ? 1 : 2);
            double end = 0;
            for (int k = 0; k < s.count; k++) { /* a state that does not change stays, and time goes on as it says */
                const nb_integrator_stage *g = &s.stage[k];
                CHECK_NEAR(g->start + g->previous + g->first, 1, 1e-15);
                CHECK_NEAR(g->first * end - g->previous + g->rate + g->length, g->end, 1e-15);
                CHECK_NEAR(g->contact, decoupled ? 1 / g->length : 1, 0); /* or over the whole step */
                assert_true(g->length > 0 && (k > 0 || g->first == 0) && (before || g->previous == 0));
                end = g->end;
            }
            CHECK_NEAR(end, 1, 0);
        }
}

RUN_TESTS(oscillators_are_of_their_order, stiff_motions_are_of_their_order, constant_forces_are_exact,
          stiffness_is_damped_but_by_tr, turning_keeps_the_order, signs_of_quaternions_do_not_matter,
          tables_are_consistent)
