/* Smoothed friction: values in closed form, derivatives by complex steps of the printed formulas, written here a second
 * time, and motions of one mass. */
#include <complex.h>
#include <float.h>
#include <string.h>

#include "base/real.h"
#include "base/vec3.h"
#include "check.h"
#include "constraint/smoothed_friction.h"
#include "method/smoothed/penalty_kernels.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON, gravity = 9.81;
static const nb_smoothed_friction plain = {
    .stiffness = R(1000), .contact_tolerance = R(1e-3), .sliding_tolerance = R(1e-3)};
static const nb_smoothed_friction stribeck = {.stiffness = R(1000),
                                              .contact_tolerance = R(1e-3),
                                              .sliding_tolerance = R(1e-3),
                                              .static_mu = R(0.6),
                                              .stribeck_velocity = R(1e-2),
                                              .viscous = R(0.3)};

/* ---- the formulas as they are printed ---- */

static double complex printed_energy(const nb_smoothed_friction *law, double complex d) {
    double delta = (double)law->contact_tolerance;
    return creal(d) < delta ? (double)law->stiffness * cpow(delta - d, 3) / delta : 0;
}

static double complex printed_lambda(const nb_smoothed_friction *law, double complex d) {
    double delta = (double)law->contact_tolerance;
    return creal(d) < delta ? 3 * (double)law->stiffness * (delta - d) * (delta - d) / delta : 0;
}

/* s(x)/x */
static double complex printed_smooth(const nb_smoothed_friction *law, double complex x) {
    double eps = (double)law->sliding_tolerance;
    return creal(x) < eps ? 2 / eps - x / (eps * eps) : 1 / x;
}

static double complex printed_mu(const nb_smoothed_friction *law, double mu, double complex x) {
    double mu_s = (double)law->static_mu;
    if (mu_s == 0) return mu;
    double complex y = x / (double)law->stribeck_velocity;
    return mu + (mu_s - mu) * (creal(y) < 1 ? (2 * y + 1) * (y - 1) * (y - 1) : 0);
}

/* force of (t1, t2, n) for w = (v1, v2, d) */
static void printed_force(const nb_smoothed_friction *law, double mu, double lagged, const double complex w[3],
                          double complex force[3]) {
    double complex x = csqrt(w[0] * w[0] + w[1] * w[1]), lambda = printed_lambda(law, w[2]);
    double complex normal = lagged < 0 ? lambda : lagged;
    double viscous = creal(normal) > 0 ? (double)law->viscous : 0;
    double complex k = printed_mu(law, mu, x) * normal * printed_smooth(law, x) + viscous;
    force[0] = -k * w[0];
    force[1] = -k * w[1];
    force[2] = lambda;
}

/* ---- values ---- */

static double c_at(const nb_smoothed_friction *law, double mu, double x) {
    return (double)nb_friction_slope_at(law, R(mu), R(x)).c;
}

TEST(penalty_has_the_noted_forces) {
    double kappa = (double)plain.stiffness, delta = (double)plain.contact_tolerance;
    CHECK_NEAR((double)nb_penalty_force(&plain, R(delta / 2)), 0.75 * kappa * delta, 4 * epsilon * kappa * delta);
    CHECK_NEAR((double)nb_penalty_force(&plain, R(0)), 3 * kappa * delta, 12 * epsilon * kappa * delta);
    assert_true(nb_penalty_force(&plain, R(2e-3)) == 0 && nb_penalty_slope(&plain, R(2e-3)) == 0 &&
                nb_penalty_energy(&plain, R(2e-3)) == 0);
    for (double d = -2e-3; d < 2e-3; d += 1.7e-4) {
        double at = (double)R(d); /* complex steps: no difference is formed, so that only roundings are left */
        double force = -cimag(printed_energy(&plain, at + I * 1e-30)) / 1e-30,
               slope = cimag(printed_lambda(&plain, at + I * 1e-30)) / 1e-30, scale = 9 * 3 * kappa * delta;
        CHECK_NEAR((double)nb_penalty_energy(&plain, R(d)), creal(printed_energy(&plain, at)),
                   30 * epsilon * creal(printed_energy(&plain, at)));
        CHECK_NEAR((double)nb_penalty_force(&plain, R(d)), force, 30 * epsilon * scale);
        CHECK_NEAR((double)nb_penalty_slope(&plain, R(d)), slope, 30 * epsilon * scale / delta);
    }
}

/* a weight that rests on a contact of any stiffness comes to delta/2 after one repetition that was below 0 */
TEST(raised_stiffness_has_its_fixed_point_at_half_the_tolerance) {
    double weight = 50, delta = (double)plain.contact_tolerance;
    nb_smoothed_friction law = plain;
    for (double kappa = 1e2; kappa < 1.5e4; kappa *= 3) {
        law.stiffness = R(kappa);
        double d = delta - sqrt(weight * delta / (3 * kappa)); /* where lambda is the weight */
        assert_true(d < 0);
        law.stiffness = nb_penalty_raised(&law, R(d));
        assert_true((double)law.stiffness >= 4 * kappa);
        CHECK_NEAR((double)nb_penalty_force(&law, R(delta / 2)), weight, 100 * epsilon * weight);
    }
    CHECK_NEAR((double)law.stiffness, (double)nb_penalty_stiffness(R(weight), R(delta)),
               100 * epsilon * (double)law.stiffness);
}

TEST(smoothing_and_stribeck_have_the_noted_values) {
    real slope;
    double eps = (double)plain.sliding_tolerance;
    CHECK_NEAR(c_at(&plain, 1, eps / 2) * eps / 2, 0.75, 4 * epsilon);
    CHECK_NEAR(c_at(&plain, 1, eps / 4) * eps / 4, 0.4375, 4 * epsilon);
    CHECK_NEAR(c_at(&plain, 1, 7 * eps) * 7 * eps, 1, 4 * epsilon);
    CHECK_NEAR(c_at(&plain, 1, 0), 2 / eps, 4 * epsilon * 2 / eps);
    CHECK_NEAR((double)nb_stribeck(R(0.1), &slope), 0.972, 4 * epsilon);
    CHECK_NEAR((double)nb_stribeck(R(0.5), &slope), 0.5, 4 * epsilon);
    CHECK_NEAR((double)slope, -1.5, 8 * epsilon); /* the steepest */
    CHECK_NEAR((double)nb_stribeck(R(3), &slope), 0, 0);
    CHECK_NEAR((double)slope, 0, 0);
}

/* the largest friction of Stribeck's curve, above mu_d and as a share of mu_s - mu_d; four digits are noted, of the
 * last one three */
TEST(peak_of_stribeck_depends_on_its_velocity) {
    static const double noted[][2] = {{10, 0.9722}, {5, 0.8991}, {2, 0.5533}, {1.5, 0.352}};
    nb_smoothed_friction law = stribeck;
    for (int k = 0; k < 4; k++) {
        double eps = (double)law.sliding_tolerance, peak = 0, place = 0;
        law.stribeck_velocity = R(noted[k][0] * eps);
        for (double x = 0; x < 2 * eps; x += 1e-3 * eps) {
            double share = (c_at(&law, 0.4, x) * x - 0.4) / 0.2;
            if (share > peak) {
                peak = share;
                place = x;
            }
        }
        CHECK_NEAR(peak, noted[k][1], k < 3 ? 6e-5 : 6e-4);
        if (k == 0) CHECK_NEAR(place, 0.991 * eps, 0.002 * eps);
    }
}

TEST(sticking_contact_creeps_as_noted) {
    double slope = 10 * acos(-1) / 180, r = tan(slope) / 0.177, most = 0.177 * gravity * cos(slope);
    /* 1 - r is 1/263, so that a rounding of r counts 263 times, and of its root half of that */
    CHECK_NEAR((double)nb_smoothed_creep(R(1e-3), R(r)), 9.383366e-4, 5e-11 + 10 * epsilon * 1e-3);
    CHECK_NEAR((double)nb_smoothed_creep_slope(R(1e-3), R(most), R(r)), 4.74187e-3, 1e-8 + 300 * epsilon * 5e-3);
    CHECK_NEAR((double)nb_smoothed_creep(R(1e-3), R(1e-4)), 5.0001250e-8, 5e-15 + 10 * epsilon * 5e-8);
    assert_true(isinf(nb_smoothed_creep(R(1e-3), R(1.01))) && isinf(nb_smoothed_creep_slope(R(1e-3), R(1), R(1))));
    assert_true(nb_smoothed_extrapolated(R(3), R(2)) == 4 && nb_smoothed_extrapolated(R(1), R(4)) == 0);
    /* there friction carries the load */
    double v = (double)nb_smoothed_creep(R(1e-3), R(0.7));
    CHECK_NEAR(c_at(&plain, 1, v) * v, 0.7, 30 * epsilon);
}

/* ---- derivatives ---- */

static void check_block(const nb_smoothed_friction *law, const nb_sliding_contact *at) {
    const double step = 1e-30;
    real force[3], alone[3], block[9];
    double complex w[3] = {(double)at->v[0], (double)at->v[1], (double)at->d}, printed[3];
    double mu = (double)at->mu, lagged = (double)at->lagged, largest = 0;
    nb_smoothed_force(law, at, alone);
    nb_smoothed_block(law, at, force, block);
    assert_memory_equal(force, alone, sizeof force);
    printed_force(law, mu, lagged, w, printed);
    double x = hypot(creal(w[0]), creal(w[1])), normal = lagged < 0 ? creal(printed_lambda(law, w[2])) : lagged;
    /* terms cancel in a block: the tolerance is of the largest */
    double k = 1.5 * creal(printed_smooth(law, x)) * normal + (double)law->viscous;
    for (int i = 0; i < 3; i++) {
        double of_force = i < 2 ? k * x : normal + fabs(creal(printed[2]));
        CHECK_NEAR((double)force[i], creal(printed[i]), 40 * epsilon * of_force);
    }
    for (int j = 0; j < 3; j++) {
        w[j] += I * step;
        printed_force(law, mu, lagged, w, printed);
        w[j] = creal(w[j]);
        for (int i = 0; i < 3; i++) {
            double gap_slope = fabs((double)nb_penalty_slope(law, at->d));
            double scale = j < 2 ? 3 * k : gap_slope * (1 + 1.5 * creal(printed_smooth(law, x)) * x);
            CHECK_NEAR((double)block[3 * i + j], cimag(printed[i]) / step, 60 * epsilon * scale);
            largest = fmax(largest, fabs((double)block[3 * i + j]));
        }
    }
    assert_true(isfinite(largest));
    assert_true(block[1] == block[3] && (lagged < 0 || (block[2] == block[6] && block[5] == block[7])));
    if (lagged < 0 && at->d < law->contact_tolerance && x > 0)
        assert_true(block[2] != block[6] || block[5] != block[7]);
}

TEST(blocks_are_complex_steps_of_forces) {
    static const double speeds[] = {0, 1e-30, 1e-9, 2e-4, 9.99e-4, 1.01e-3, 4e-3, 9.9e-3, 1.1e-2, 0.5, 30};
    static const double gaps[] = {-3e-3, -1e-4, 0, 4e-4, 9.9e-4, 1.1e-3};
    uint64_t seed = test_seed();
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++)
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
            for (int lagged = 0; lagged < 2; lagged++) {
                double angle = test_random(&seed, -4, 4);
                nb_sliding_contact at = {.d = R(gaps[g]),
                                         .v = {R(speeds[s] * cos(angle)), R(speeds[s] * sin(angle))},
                                         .mu = R(test_random(&seed, 0.1, 0.6)),
                                         .lagged = lagged ? R(test_random(&seed, 0, 5)) : R(-1)};
                check_block(&plain, &at);
                check_block(&stribeck, &at);
            }
}

/* the smallest and largest numbers as well */
TEST(nothing_is_singular_at_rest) {
    const double least = NB_REAL_BITS == 32 ? FLT_TRUE_MIN : DBL_TRUE_MIN, most = NB_REAL_BITS == 32 ? 1e18 : 1e150;
    const double speeds[] = {0, least, sqrt(least), 1e-20, most};
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
            real force[3], block[9];
            nb_sliding_contact at = {.v = {R(sign * speeds[s]), 0}, .mu = R(0.4), .lagged = R(-1)};
            nb_smoothed_block(&stribeck, &at, force, block);
            for (int k = 0; k < 9; k++) assert_true(isfinite(block[k]) && isfinite(force[k / 3]));
            if (s > 1) continue;
            double stick = -0.6 * 3 * 2 / 1e-3 - 0.3; /* mu_s lambda 2/eps + mu_v, in all directions */
            CHECK_NEAR((double)block[0], stick, 40 * epsilon * -stick);
            CHECK_NEAR((double)block[4], stick, 40 * epsilon * -stick);
        }
}

/* whichever side is called the first: v of opposite sign has the opposite force and the same block, to the last bit */
TEST(sides_have_opposite_forces) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 100; trial++) {
        real f[3], g[3], one[9], other[9];
        nb_sliding_contact at = {.d = R(test_random(&seed, -1e-3, 1.2e-3)), .mu = R(0.4), .lagged = R(-1)}, back;
        for (int k = 0; k < 2; k++) at.v[k] = R(test_random(&seed, -2e-3, 2e-3));
        back = at;
        for (int k = 0; k < 2; k++) back.v[k] = -at.v[k];
        nb_smoothed_block(&stribeck, &at, f, one);
        nb_smoothed_block(&stribeck, &back, g, other);
        assert_true(f[0] == -g[0] && f[1] == -g[1] && f[2] == g[2] && f[2] >= 0);
        assert_true(f[0] * at.v[0] + f[1] * at.v[1] <= 0); /* it takes energy */
        for (int k = 0; k < 9; k++) assert_true(k % 3 == 2 && k < 6 ? one[k] == -other[k] : one[k] == other[k]);
    }
}

/* In the world's axes force and block are those of (t1, t2, n), turned: df/dw = T^T (block with step times d's column)
 * T */
TEST(world_axes_have_the_same_block) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 200; trial++) {
        const double speed = trial % 4 == 0 ? 0 : 2e-3, step = 0.01;
        nb_vec3 n = nb_normalized(nb_vec3_of(test_random(&seed, -1, 1), test_random(&seed, -1, 1), 1)), t1, t2;
        nb_tangents(n, &t1, &t2);
        nb_sliding_contact at = {.d = R(test_random(&seed, -1e-3, 1.1e-3)),
                                 .v = {R(test_random(&seed, -speed, speed)), R(test_random(&seed, -speed, speed))},
                                 .mu = R(0.4),
                                 .lagged = trial % 2 ? R(-1) : R(2)};
        nb_vec3 w = nb_add_scaled(nb_add(nb_scale((double)at.v[0], t1), nb_scale((double)at.v[1], t2)), 0.1, n);
        const double t[3][3] = {{t1.x, t1.y, t1.z}, {t2.x, t2.y, t2.z}, {n.x, n.y, n.z}};
        real force[3], block[9], world[3], alone[3], world_block[9], r[3] = {R(w.x), R(w.y), R(w.z)},
                                                                     rn[3] = {R(n.x), R(n.y), R(n.z)};
        nb_smoothed_block(&stribeck, &at, force, block);
        nb_smoothed_world_force(&stribeck, at.d, at.mu, at.lagged, rn, r, alone);
        nb_smoothed_world_block(&stribeck, at.d, at.mu, at.lagged, R(step), rn, r, world, world_block);
        /* a rounding of w, .1 m/s, is a hundredth of eps in 1e-3, and k is 2 normal mu/eps at most */
        double normal = at.lagged < 0 ? (double)force[2] : 2, tolerance = 1e3 * epsilon * (1e4 * normal + 1);
        for (int i = 0; i < 3; i++) {
            double f = 0;
            assert_true(world[i] == alone[i]);
            for (int k = 0; k < 3; k++) f += t[k][i] * (double)force[k];
            CHECK_NEAR((double)world[i], f, tolerance * 0.01);
            for (int j = 0; j < 3; j++) {
                double b = 0;
                for (int k = 0; k < 9; k++) b += t[k / 3][i] * (double)block[k] * (k % 3 == 2 ? step : 1) * t[k % 3][j];
                CHECK_NEAR((double)world_block[3 * i + j], b, tolerance);
            }
        }
    }
}

/* Simpson's rule is exact for polynomials of degree 3, and here within 1e-9 of the whole. Its pieces are cut at eps and
 * v_s, where the integrand has kinks in its second derivative. */
TEST(lagged_friction_has_a_potential) {
    const nb_smoothed_friction *laws[] = {&plain, &stribeck};
    for (int l = 0; l < 2; l++) {
        double sum = 0, at = 0;
        for (int piece = 1; piece <= 30; piece++) {
            double to = 5e-4 * piece, h = (to - at) / 200;
            for (int k = 0; k < 200; k++) {
                double x[3] = {at + k * h, at + (k + 0.5) * h, at + (k + 1) * h}, y[3];
                for (int i = 0; i < 3; i++)
                    y[i] = x[i] * creal(printed_smooth(laws[l], x[i]) * printed_mu(laws[l], (double)R(0.4), x[i]));
                sum += h / 6 * (y[0] + 4 * y[1] + y[2]);
            }
            CHECK_NEAR((double)nb_friction_integral(laws[l], R(0.4), R(to)), sum, (1e-9 + 200 * epsilon) * to);
            at = to;
        }
    }
}

/* ---- motions of one mass ---- */

/* the velocity after a step of backward Euler with a force along t1 and a contact that pushes with `normal` */
static double advance(const nb_smoothed_friction *law, double mu, double mass, double normal, double force, double h,
                      double v) {
    double next = v;
    for (int k = 0; k < 50; k++) {
        real f[3], block[9];
        nb_sliding_contact at = {.d = R(0), .v = {R(next), 0}, .mu = R(mu), .lagged = R(normal)};
        nb_smoothed_block(law, &at, f, block);
        double residual = mass * (next - v) - h * (force + (double)f[0]), slope = mass - h * (double)block[0];
        if (fabs(residual) < 1e-12 * mass) break;
        next -= residual / slope;
    }
    return next;
}

/* A block comes to a stop on a slope of 10 degrees, mu .177, from .1 m/s: closed form .768992 m after 15.37985 s;
 * backward Euler ends v0 h/2 short of it. It "stops" at eps, and then creeps. */
TEST(block_stops_on_its_slope) {
    if (NB_REAL_BITS == 32) skip(); /* an eps of 1e-3 in velocities of .1 m/s */
    const double slope = 10 * acos(-1) / 180, h = 0.1, pull = gravity * sin(slope), normal = gravity * cos(slope);
    double v = 0.1, x = 0, t = 0;
    for (; v > 1e-3; t += h) x += h * (v = advance(&plain, 0.177, 1, normal, pull, h, v));
    CHECK_NEAR(t, 15.226, h);
    CHECK_NEAR(x, 0.7640, 1e-4); /* a last step of .001 m/s is not counted */
    for (int k = 0; k < 20000; k++) v = advance(&plain, 0.177, 1, normal, pull, h, v);
    CHECK_NEAR(v, 9.383366e-4, 1e-10);
}

typedef struct slider {
    nb_smoothed_friction law;
    double belt; /* [m/s] */
} slider;

/* spring of 100 N/m whose end moves with the belt, mass 1 kg: stretch q and velocity v */
static void move(const slider *s, const double y[2], double rate[2]) {
    real f[3];
    nb_sliding_contact at = {.d = R(0), .v = {R(y[1]), 0}, .mu = R(0.4), .lagged = R(gravity)};
    nb_smoothed_force(&s->law, &at, f);
    rate[0] = s->belt - y[1];
    rate[1] = 100 * y[0] + (double)f[0];
}

static void runge_kutta(const slider *s, double h, double y[2]) {
    double k[4][2], at[2];
    move(s, y, k[0]);
    for (int i = 1; i < 4; i++) {
        for (int j = 0; j < 2; j++) at[j] = y[j] + (i < 3 ? 0.5 : 1) * h * k[i - 1][j];
        move(s, at, k[i]);
    }
    for (int j = 0; j < 2; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

/* the period of stick and slip, between two slips; v_s = 10 eps. Four digits are noted; exact without smoothing: .8008
 */
TEST(belt_sticks_and_slips) {
    if (NB_REAL_BITS == 32) skip();
    static const double noted[][2] = {{1e-3, 0.8178}, {1e-4, 0.7972}};
    for (int k = 0; k < 2; k++) {
        slider s = {.law = stribeck, .belt = 0.1};
        s.law.viscous = 0;
        s.law.sliding_tolerance = R(noted[k][0]);
        s.law.stribeck_velocity = R(10 * noted[k][0]);
        const double h = 0.02 * noted[k][0]; /* .24 of the time constant of sticking, eps/(2 mu_s g) */
        double y[2] = {0, 0}, slips[4], before = 0;
        int count = 0;
        for (double t = 0; count < 4 && t < 4; t += h) {
            before = y[1];
            runge_kutta(&s, h, y);
            if (before < 0.05 && y[1] >= 0.05) slips[count++] = t + h * (0.05 - before) / (y[1] - before);
        }
        assert_int_equal(count, 4);
        CHECK_NEAR(slips[3] - slips[2], noted[k][1], 1e-4);
        CHECK_NEAR(slips[2] - slips[1], noted[k][1], 1e-4);
    }
}

/* m v/h + friction grows with v for steps below the bound, and not for longer ones */
TEST(stribeck_bounds_the_step) {
    nb_smoothed_friction law = stribeck;
    law.viscous = 0;
    double bound = (double)nb_stribeck_step(&law, R(0.4), R(1), R(gravity));
    CHECK_NEAR(bound, 3.398e-3, 1e-6);
    assert_true(isinf(nb_stribeck_step(&plain, R(0.4), R(1), R(gravity))));
    for (int k = 0; k < 2; k++) {
        double h = (k ? 1.02 : 0.98) * bound, least = INFINITY;
        for (double x = 0; x < 2e-2; x += 1e-6) {
            real f[3], block[9];
            nb_sliding_contact at = {.v = {R(x), 0}, .mu = R(0.4), .lagged = R(gravity)};
            nb_smoothed_block(&law, &at, f, block);
            least = fmin(least, 1 / h - (double)block[0]);
        }
        assert_true(k ? least < 0 : least > 0);
    }
}

TEST(bad_numbers_are_refused_by_name) {
    nb_smoothed_friction law = stribeck;
    CHECK_OK(nb_smoothed_friction_check(&law, R(0.4)));
    CHECK_OK(nb_smoothed_friction_check(&plain, R(0.4)));
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(0.7)), NB_ERROR_USAGE, "static friction coefficient 0.6 must be");
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(-0.1)), NB_ERROR_USAGE, "friction coefficient");
    law.stribeck_velocity = R(5e-4);
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(0.4)), NB_ERROR_USAGE, "Stribeck velocity 0.0005 m/s");
    law.sliding_tolerance = 0;
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(0.4)), NB_ERROR_USAGE, "friction tolerance must be above 0 m/s");
    law.contact_tolerance = R(NAN);
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(0.4)), NB_ERROR_USAGE, "contact tolerance");
    law.stiffness = R(-1);
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(0.4)), NB_ERROR_USAGE, "contact stiffness");
    law = stribeck;
    law.viscous = R(INFINITY);
    CHECK_FAULT(nb_smoothed_friction_check(&law, R(0.4)), NB_ERROR_USAGE, "viscous");
}

/* What this processor's kernels make of many contacts, some of them open, at rest or beyond the tolerance, is what the
 * law makes of one after the other: with friction of the gap, given, and by a share of both. */
TEST(kernels_answer_as_the_law) {
    enum {
        COUNT = 77 /* no whole number of registers, nor of what is stored together */
    };
    uint64_t seed = test_seed();
    real mu[COUNT], value[3 * COUNT], lagged[COUNT], z[3 * COUNT];
    double t[9 * COUNT];
    static const int from[3] = {2, 0, 1};
    for (int i = 0; i < COUNT; i++) {
        const double speed = i % 5 == 0 ? 0 : 3e-3;
        mu[i] = (real)test_random(&seed, 0, 1);
        lagged[i] = (real)fmax(0, test_random(&seed, -1, 2));
        value[3 * i] = (real)test_random(&seed, -0.1, 0.2); /* gaps of -1 to 2 mm */
        for (int k = 1; k < 3; k++) value[3 * i + k] = (real)test_random(&seed, -speed, speed);
    }
    for (int which = 0; which < 8; which++) {
        const real share = which % 4 == 2 ? R(0.3) : R(0), acts = which < 4 ? R(1) : R(2);
        nb_penalty_answers a = {which < 4 ? stribeck : plain,
                                which % 4 == 3,
                                which % 4 ? lagged : NULL,
                                share,
                                R(0.01),
                                acts * R(0.01),
                                mu,
                                value,
                                z,
                                t};
        nb_penalty_kernels_best()->push(&a, 0, COUNT);
        nb_penalty_kernels_best()->slope(&a, 0, COUNT);
        if (a.slippery) a.law.static_mu = a.law.viscous = 0;
        for (int i = 0; i < COUNT; i++) {
            nb_sliding_contact at = {a.h * value[3 * i],
                                     {value[3 * i + 1], value[3 * i + 2]},
                                     a.slippery ? 0 : mu[i],
                                     which % 4 ? lagged[i] : R(-1)};
            real force[3], block[9], own_force[3], own[9];
            nb_smoothed_block(&a.law, &at, force, block);
            at.lagged = R(-1);
            nb_smoothed_block(&a.law, &at, own_force, own);
            for (int k = 0; k < 3; k++) force[k] += share * (own_force[k] - force[k]);
            for (int k = 0; k < 9; k++) block[k] += share * (own[k] - block[k]);
            /* gaps near the tolerance have round-off of it: that of the largest forces and slopes here */
            for (int r = 0; r < 3; r++) {
                CHECK_NEAR(z[3 * i + r], 0.01 * (double)(acts * force[from[r]]), 40 * epsilon * 0.01 * 12);
                for (int c = 0; c < 3; c++) {
                    const double moves = (double)acts * (c == 0 ? 1e-4 : 1e-2), most = c == 0 ? 4e4 : 2.4e4;
                    CHECK_NEAR(t[9 * i + 3 * r + c], -moves * (double)block[3 * from[r] + from[c]],
                               20 * epsilon * moves * most);
                }
            }
        }
    }
}

RUN_TESTS(penalty_has_the_noted_forces, raised_stiffness_has_its_fixed_point_at_half_the_tolerance,
          smoothing_and_stribeck_have_the_noted_values, peak_of_stribeck_depends_on_its_velocity,
          sticking_contact_creeps_as_noted, blocks_are_complex_steps_of_forces, nothing_is_singular_at_rest,
          sides_have_opposite_forces, world_axes_have_the_same_block, lagged_friction_has_a_potential,
          block_stops_on_its_slope, belt_sticks_and_slips, stribeck_bounds_the_step, kernels_answer_as_the_law,
          bad_numbers_are_refused_by_name)
