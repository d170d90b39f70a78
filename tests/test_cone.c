/* The algebra of one contact's cone: identities, finite differences and random instances up to the boundary. */
#include "cone/cone.h"
#include "cone/smoothed_cone.h"

#include <string.h>

#include "check.h"

enum {
    TRIALS = 2000
};

static const uint64_t seed = 20260514;

/* inside K, x_N - |x_T| between `nearest` and 1 times its length */
static void inside(uint64_t *random, double nearest, double x[3]) {
    double size = pow(10, test_random(random, -3, 3)), angle = test_random(random, 0, 6.28);
    double t = test_random_bits(random) % 5 == 0 ? 0 : size;
    x[1] = t * cos(angle);
    x[2] = t * sin(angle);
    x[0] = t + size * pow(10, test_random(random, log10(nearest), 0));
}

static void anything(uint64_t *random, double size, double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = size * test_random(random, -1, 1);
}

static double length(const double x[3]) {
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void multiply(const double a[9], const double x[3], double out[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

static double margin(const double x[3], const double dx[3], double t) {
    return x[0] + t * dx[0] - hypot(x[1] + t * dx[1], x[2] + t * dx[2]);
}

/* x + t dx is on the boundary at the step and inside before it */
TEST(the_step_ends_at_the_boundary) {
    uint64_t random = seed;
    int bounded = 0;
    for (int i = 0; i < TRIALS; i++) {
        double x[3], dx[3];
        inside(&random, 1e-8, x);
        anything(&random, length(x), dx);
        double t = nb_cone_step(x, dx);
        assert_true(t > 0);
        if (isinf(t)) {
            assert_true(margin(x, dx, 1e6) > 0);
            continue;
        }
        bounded++;
        /* the margin is a difference of numbers of size |x| + t |dx| */
        double round_off = 1e-14 * (length(x) + t * length(dx));
        CHECK_NEAR(margin(x, dx, t), 0, round_off);
        for (int k = 0; k < 8; k++) assert_true(margin(x, dx, t * k / 8) > -round_off);
    }
    assert_true(bounded > TRIALS / 2);
}

/* a line through the apex meets the boundary twice at one place */
TEST(steps_to_the_apex) {
    uint64_t random = seed + 5;
    for (int i = 0; i < TRIALS; i++) {
        double x[3], dx[3], t = test_random(&random, 0.1, 10);
        inside(&random, 1e-3, x);
        for (int k = 0; k < 3; k++) dx[k] = -x[k] / t;
        CHECK_NEAR(nb_cone_step(x, dx) / t, 1, 1e-4); /* a double root: the root of round-off over the margin */
        dx[1] = dx[2] = x[1] = x[2] = 0;
        CHECK_NEAR(nb_cone_step(x, dx) / t, 1, 1e-7);
    }
}

/* straight towards the apex, along the boundary, and inwards */
TEST(steps_with_known_ends) {
    const double x[3] = {2, 0, 1}, towards[3] = {-2, 0, -1}, in[3] = {1, 0, 0}, out[3] = {-1, 0, 0},
                 down[3] = {0, 0, 1};
    CHECK_NEAR(nb_cone_step(x, towards), 1, 1e-12);
    assert_true(isinf(nb_cone_step(x, in)));
    CHECK_NEAR(nb_cone_step(x, out), 1, 1e-15);
    CHECK_NEAR(nb_cone_step(x, down), 1, 1e-15);
    for (int i = 0; i < 6; i++) { /* a NaN is no length, neither infinite nor anything else */
        double point[3] = {2, 0.5, 0}, way[3] = {1, 0.2, -0.1};
        (i < 3 ? point : way)[i % 3] = NAN;
        assert_true(isnan(nb_cone_step(point, way)));
    }
}

TEST(division_undoes_the_product) {
    uint64_t random = seed + 1;
    for (int i = 0; i < TRIALS; i++) {
        double x[3], r[3], q[3], back[3];
        inside(&random, 1e-4, x);
        anything(&random, 1, r);
        nb_cone_divide(x, nb_cone_determinant(x), r, q);
        nb_cone_product(x, q, back);
        /* the division's condition is the ratio of the eigenvalues of x, at most 2e4 */
        for (int k = 0; k < 3; k++) CHECK_NEAR(back[k], r[k], 1e-11);
    }
}

/* F x = F^-1 y = lambda, F F^-1 = 1, F^2 x = y */
TEST(the_scaling_maps_x_to_y) {
    uint64_t random = seed + 2;
    for (int i = 0; i < TRIALS; i++) {
        double x[3], y[3], v[3], square[9], out[3], product[3];
        nb_cone_scaling s;
        inside(&random, 1e-4, x);
        inside(&random, 1e-4, y);
        nb_cone_scale(x, y, &s);
        nb_cone_square(&s, square);
        multiply(square, x, out);
        double condition = 1e4 * 1e-14; /* eigenvalues of F^2 differ by up to (1e4)^2; x is aligned to half of that */
        for (int k = 0; k < 3; k++) CHECK_NEAR(out[k] / length(y), y[k] / length(y), 100 * condition);
        nb_cone_apply_inverse(&s, y, out);
        for (int k = 0; k < 3; k++) CHECK_NEAR(out[k] / length(out), s.lambda[k] / length(out), 100 * condition);
        CHECK_NEAR(s.determinant / nb_cone_determinant(s.lambda), 1, 1e-6);
        anything(&random, 1, v);
        nb_cone_apply(&s, v, out);
        nb_cone_apply_inverse(&s, out, out);
        for (int k = 0; k < 3; k++) CHECK_NEAR(out[k], v[k], 1e-7); /* |F| |F^-1| <= 1e8 */
        nb_cone_product(s.lambda, s.lambda, product);
        CHECK_NEAR(product[0] / (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]), 1, 1e-6);
    }
}

/* variational inequality: (x - Px).(z - Px) <= 0 for all z in K, and Px in K */
TEST(the_projection_is_the_nearest_point) {
    uint64_t random = seed + 3;
    for (int i = 0; i < TRIALS; i++) {
        double x[3], p[3], z[3], product = 0;
        anything(&random, 1, x);
        inside(&random, 1e-3, z);
        nb_cone_project(x, p);
        assert_true(p[0] - hypot(p[1], p[2]) >= -1e-15);
        for (int k = 0; k < 3; k++) product += (x[k] - p[k]) * (z[k] - p[k]);
        CHECK_BELOW(product, 1e-14 * length(z));
        product = 0;
        for (int k = 0; k < 3; k++) product += (x[k] - p[k]) * p[k];
        CHECK_NEAR(product, 0, 1e-15);
    }
}

/* central differences away from the kinks */
TEST(the_slope_is_the_derivative_of_the_projection) {
    uint64_t random = seed + 4;
    const double h = 1e-5;
    int compared = 0;
    for (int i = 0; i < TRIALS; i++) {
        double x[3], v[9], inverse[9], one[3], back[3];
        nb_cone_slope slope;
        anything(&random, 1, x);
        double t = hypot(x[1], x[2]);
        if (fabs(x[0] - t) < 1e-2 || fabs(x[0] + t) < 1e-2 || t < 0.1) continue;
        compared++;
        nb_cone_differentiate(x, 1e-12, &slope);
        nb_cone_slope_matrix(&slope, slope.low, slope.high, slope.across, v);
        for (int j = 0; j < 3; j++) {
            double right[3], left[3];
            memcpy(right, x, sizeof right);
            memcpy(left, x, sizeof left);
            right[j] += h;
            left[j] -= h;
            nb_cone_project(right, right);
            nb_cone_project(left, left);
            /* third derivatives of n t_i/|t| are below 1e3 here: h^2/6 of that */
            for (int k = 0; k < 3; k++) CHECK_NEAR(v[3 * k + j], (right[k] - left[k]) / (2 * h), 1e-7);
        }
        nb_cone_differentiate(x, 1e-3, &slope);
        nb_cone_slope_matrix(&slope, slope.low, slope.high, slope.across, v);
        nb_cone_slope_matrix(&slope, 1 / slope.low, 1 / slope.high, 1 / slope.across, inverse);
        multiply(v, x, one);
        multiply(inverse, one, back);
        for (int k = 0; k < 3; k++) CHECK_NEAR(back[k], x[k], 1e-12); /* a condition of 1e3 */
    }
    assert_true(compared > TRIALS / 2);
}

/* a contact without friction stays on its half-line, exactly */
TEST(a_half_line_stays_one) {
    const double x[3] = {3, 0, 0}, y[3] = {0.5, 0, 0}, dx[3] = {-1.5, 0, 0};
    double out[3];
    nb_cone_scaling s;
    nb_cone_scale(x, y, &s);
    CHECK_NEAR(s.lambda[0], sqrt(1.5), 1e-15);
    nb_cone_apply(&s, dx, out);
    assert_true(out[1] == 0 && out[2] == 0);
    nb_cone_divide(s.lambda, s.determinant, out, out);
    assert_true(out[1] == 0 && out[2] == 0);
    CHECK_NEAR(nb_cone_step(x, dx), 2, 1e-15);
}

/* without friction the cone is a half-line, also for what has no tangential part */
TEST(without_friction_it_is_a_half_line) {
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int k = 0; k < 4; k++) {
            double x[3] = {k % 2 ? 2 : -2, k / 2 ? 0.5 : 0, 0};
            nb_cone_project_friction(dimension, 0, x);
            assert_true(x[0] == (k % 2 ? 2 : 0) && x[1] == 0 && x[2] == 0);
        }
}

/* x - w = y = rho/(x - low) - rho/(high - x), with V its slope, however far bounds and w are apart */
TEST(numbers_between_bounds_are_on_the_central_path) {
    uint64_t random = seed;
    for (int trial = 0; trial < TRIALS; trial++) {
        const double rho = pow(10, test_random(&random, -12, 2)), length = pow(10, test_random(&random, -6, 6)),
                     w = test_random(&random, -1, 1) * pow(10, test_random(&random, -6, 6)), low = -0.3 * length,
                     bounds[4][2] = {{low, low + length}, {low, INFINITY}, {-INFINITY, low}, {-INFINITY, INFINITY}};
        for (int k = 0; k < 4; k++) {
            nb_smoothed_box at, moved;
            const double *b = bounds[k], step = 1e-5 * (fabs(w) + sqrt(rho));
            nb_smoothed_box_at(rho, w, b[0], b[1], &at);
            assert_true(at.x >= b[0] && at.x <= b[1]);
            const double above = fmax(at.x - b[0], 1e-300), below = fmax(b[1] - at.x, 1e-300);
            CHECK_NEAR(at.x - at.y, w, 1e-12 * (fabs(w) + length + sqrt(rho) + rho / length));
            /* as far as the distance from a bound is in the digits of x */
            if (fmin(above, below) > 1e-9 * fabs(at.x))
                CHECK_NEAR(at.y, rho / above - rho / below, 1e-6 * (rho / above + rho / below));
            CHECK_NEAR(at.slope + at.rest, 1, 1e-15);
            nb_smoothed_box_at(rho, w + step, b[0], b[1], &moved);
            const double mean = (moved.x - at.x) / step, error = 1e-15 * (length + fabs(w)) / step;
            CHECK_NEAR(mean, 0.5 * (at.slope + moved.slope), 1e-3 * mean + 4 * error);
        }
    }
}

RUN_TESTS(numbers_between_bounds_are_on_the_central_path, without_friction_it_is_a_half_line,
          the_step_ends_at_the_boundary, steps_to_the_apex, steps_with_known_ends, division_undoes_the_product,
          the_scaling_maps_x_to_y, the_projection_is_the_nearest_point, the_slope_is_the_derivative_of_the_projection,
          a_half_line_stays_one)
