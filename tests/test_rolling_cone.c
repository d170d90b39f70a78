/* The cone of contacts with rolling friction: the projection by its optimality conditions, by other points of the cone
 * and by a search for its normal; its slope by finite differences. */
#include "cone/rolling_cone.h"

#include <string.h>

#include "check.h"

enum {
    TRIALS = 4000
};

/* mu and mu_r, often 0, and small or large */
static double limit_of(uint64_t *random) {
    return test_random_bits(random) % 6 == 0 ? 0 : pow(10, test_random(random, -4, 1));
}

static void anything(uint64_t *random, int dimension, double x[5]) {
    double size = pow(10, test_random(random, -6, 6));
    memset(x, 0, 5 * sizeof *x);
    for (int k = 0; k < dimension; k++)
        if (test_random_bits(random) % 8 > 0)
            x[k] = size * test_random(random, -1, 1) * pow(10, test_random(random, -2, 0));
}

/* |x_T|, |x_R| */
static double part(int dimension, const double *x, int which) {
    int count = (dimension - 1) / 2;
    const double *begin = x + 1 + which * count;
    return count == 1 ? fabs(begin[0]) : hypot(begin[0], begin[1]);
}

static double length(int dimension, const double *x) {
    double sum = 0;
    for (int k = 0; k < dimension; k++) sum += x[k] * x[k];
    return sqrt(sum);
}

/* x = p + rest, p in K, rest in the polar cone, orthogonal: that is the projection, and nothing else is */
TEST(projections_are_optimal) {
    uint64_t random = test_seed();
    int inside = 0, polar = 0, between = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        int dimension = trial % 2 ? 3 : 5;
        double mu = limit_of(&random), mu_r = limit_of(&random), x[5], p[5] = {0}, rest[5] = {0}, product = 0;
        anything(&random, dimension, x);
        nb_rolling_cone_project(dimension, mu, mu_r, x, p, rest);
        double round_off = 8e-16 * length(dimension, x) * (1 + mu + mu_r); /* of sums of up to five numbers */
        for (int k = 0; k < dimension; k++) {
            CHECK_NEAR(p[k] + rest[k], x[k], round_off);
            product += p[k] * rest[k];
        }
        assert_true(p[0] >= 0);
        CHECK_BELOW(part(dimension, p, 0) - mu * p[0], round_off);
        CHECK_BELOW(part(dimension, p, 1) - mu_r * p[0], round_off);
        CHECK_BELOW(rest[0] + mu * part(dimension, rest, 0) + mu_r * part(dimension, rest, 1),
                    round_off * (1 + mu + mu_r));
        CHECK_NEAR(product, 0, round_off * length(dimension, x));
        inside += length(dimension, rest) == 0;
        polar += length(dimension, p) == 0;
        between += length(dimension, rest) > 0 && length(dimension, p) > 0;
    }
    assert_true(inside > TRIALS / 50 && polar > TRIALS / 50 && between > TRIALS / 2);
}

/* the distance of x from the nearest point of K of normal n */
static double distance_at(double n, double mu, double mu_r, const double *x, int dimension) {
    return hypot(n - x[0], hypot(fmax(part(dimension, x, 0) - mu * n, 0), fmax(part(dimension, x, 1) - mu_r * n, 0)));
}

/* a search by thirds over the normal, where the distance is convex; and no point of K is nearer */
TEST(no_point_is_nearer) {
    uint64_t random = test_seed();
    for (int trial = 0; trial < TRIALS / 10; trial++) {
        int dimension = trial % 2 ? 3 : 5;
        double mu = limit_of(&random), mu_r = limit_of(&random), x[5], p[5], rest[5];
        anything(&random, dimension, x);
        nb_rolling_cone_project(dimension, mu, mu_r, x, p, rest);
        double size = length(dimension, x), low = 0, high = 2 * size * (1 + mu + mu_r);
        for (int i = 0; i < 200; i++) {
            double a = low + (high - low) / 3, b = high - (high - low) / 3;
            if (distance_at(a, mu, mu_r, x, dimension) < distance_at(b, mu, mu_r, x, dimension))
                high = b;
            else
                low = a;
        }
        /* a minimum is found to the root of round-off */
        CHECK_NEAR(p[0], low, 1e-7 * size * (1 + mu + mu_r));
        CHECK_NEAR(length(dimension, rest), distance_at(low, mu, mu_r, x, dimension), 1e-12 * size * (1 + mu + mu_r));
        for (int i = 0; i < 50; i++) { /* others, near and far */
            double other[5], q[5], difference[5];
            anything(&random, dimension, other);
            for (int k = 0; k < dimension; k++)
                other[k] = i % 2 ? other[k] : p[k] + 1e-3 * size * test_random(&random, -1, 1);
            double scale = fmin(part(dimension, other, 0) > 0 ? mu * fabs(other[0]) / part(dimension, other, 0) : 1, 1);
            double scale_r =
                fmin(part(dimension, other, 1) > 0 ? mu_r * fabs(other[0]) / part(dimension, other, 1) : 1, 1);
            q[0] = fabs(other[0]);
            for (int k = 1; k < dimension; k++) q[k] = other[k] * (k <= (dimension - 1) / 2 ? scale : scale_r);
            for (int k = 0; k < dimension; k++) difference[k] = q[k] - x[k];
            assert_true(length(dimension, difference) >= length(dimension, rest) * (1 - 1e-12));
        }
    }
}

static void multiply(const double a[25], const double x[5], double out[5]) {
    for (int i = 0; i < 5; i++) {
        out[i] = 0;
        for (int j = 0; j < 5; j++) out[i] += a[5 * i + j] * x[j];
    }
}

/* which of its pieces the projection is on: its limits that bind, and the polar cone */
static int piece_of(const double x[5], double *rest) {
    double p[5];
    nb_rolling_cone_project(5, 1, 1, x, p, rest);
    int polar = length(5, p) == 0;
    return 4 * polar + 2 * (hypot(rest[1], rest[2]) > 0) + (hypot(rest[3], rest[4]) > 0);
}

/* where a step stays on a piece, the difference is the slope's; and matrices of a slope are those of its eigenvalues */
TEST(the_slope_is_the_derivative) {
    uint64_t random = test_seed();
    const double step = 1e-6;
    int seen[8] = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        double x[5], dx[5], ahead[5], behind[5], p[5], q[5], rest[5], v[25], inverse[25], found[5], back[5];
        double along[3], across[2];
        nb_rolling_slope slope;
        for (int k = 0; k < 5; k++) x[k] = test_random(&random, -1, 1);
        for (int k = 0; k < 5; k++) dx[k] = test_random(&random, -1, 1);
        for (int k = 0; k < 5; k++) ahead[k] = x[k] + step * dx[k], behind[k] = x[k] - step * dx[k];
        int piece = piece_of(x, rest);
        if (hypot(x[1], x[2]) < 0.05 || hypot(x[3], x[4]) < 0.05) continue; /* third derivatives like 1/|x_T|^2 */
        if (piece_of(ahead, rest) != piece || piece_of(behind, rest) != piece) continue;
        seen[piece]++;
        nb_rolling_cone_project(5, 1, 1, ahead, p, rest);
        nb_rolling_cone_project(5, 1, 1, behind, q, rest);
        nb_rolling_cone_differentiate(x, 1e-12, &slope);
        nb_rolling_slope_matrix(&slope, slope.along, slope.across, v);
        multiply(v, dx, found);
        for (int k = 0; k < 5; k++)
            CHECK_NEAR(found[k], (p[k] - q[k]) / (2 * step), 1e-8); /* step^2/0.05^2, eps/step */
        nb_rolling_cone_differentiate(x, 1e-3, &slope);
        nb_rolling_slope_matrix(&slope, slope.along, slope.across, v);
        for (int k = 0; k < 3; k++) along[k] = 1 / slope.along[k];
        for (int k = 0; k < 2; k++) across[k] = 1 / slope.across[k];
        nb_rolling_slope_matrix(&slope, along, across, inverse);
        multiply(v, dx, found);
        multiply(inverse, found, back);
        for (int k = 0; k < 5; k++) CHECK_NEAR(back[k], dx[k], 1e-12); /* a condition of 1e3 */
    }
    for (int piece = 0; piece < 4; piece++) assert_true(seen[piece] > 20);
    assert_true(seen[7] > 20);
}

RUN_TESTS(projections_are_optimal, no_point_is_nearer, the_slope_is_the_derivative)
