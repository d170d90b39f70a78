/* Complementarity functions, friction compliance and scaling factors. */
#include "check.h"

#include <string.h>

#include "base/instruction_set.h"
#include "constraint/newton_rows.h"

NB_PRECISIONS(f32, f64);

/* relative accuracy to ask of a formula without cancellation: some roundings */
static const double accuracy = 16 * (double)NB_REAL_EPSILON;

TEST(functions_vanish_exactly_on_the_complementarity_set) {
    for (int f = 0; f < NB_NCP_FUNCTIONS; f++)
        for (double x = 0; x <= 4; x += 0.5) {
            CHECK_NEAR(nb_ncp_normal((nb_ncp_function)f, R(x), 0).phi, 0, 0);
            CHECK_NEAR(nb_ncp_normal((nb_ncp_function)f, 0, R(x)).phi, 0, 0);
        }
    for (int f = 0; f < NB_NCP_FUNCTIONS; f++) {
        assert_true(nb_ncp_normal((nb_ncp_function)f, R(-0.1), R(2)).phi < 0);
        assert_true(nb_ncp_normal((nb_ncp_function)f, R(2), R(-0.1)).phi < 0);
        assert_true(nb_ncp_normal((nb_ncp_function)f, R(0.3), R(0.2)).phi > 0);
    }
}

/* against the textbook formula a + b - sqrt(a^2 + b^2) in extended precision, also where it cancels */
TEST(fischer_burmeister_does_not_cancel) {
    uint64_t seed = 20260101;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 2000; i++) {
        real a = R(test_random(&seed, -1, 1) * pow(10, test_random(&seed, -6, 3)));
        real b = R(test_random(&seed, -1, 1) * pow(10, test_random(&seed, -6, 3)));
        long double x = a, y = b, s = sqrtl(x * x + y * y), phi = x + y > 0 ? 2 * x * y / (x + y + s) : x + y - s;
        nb_ncp_normal_value value = nb_ncp_normal(NB_NCP_FISCHER_BURMEISTER, a, b);
        CHECK_NEAR(value.phi, (double)phi, accuracy * fabs((double)phi) + accuracy * fabs((double)(x + y)));
        CHECK_NEAR(value.alpha, (double)(1 - x / s), accuracy);
        CHECK_NEAR(value.beta, (double)(1 - y / s), accuracy);
    }
}

TEST(derivatives_match_central_differences) {
    if (NB_REAL_BITS == 32) skip(); /* differences of f32 values say nothing */
    uint64_t seed = 7;
    const double step = 1e-6; /* error: step^2 |phi'''| + epsilon/step, about 1e-10 for arguments of size one */
    for (int f = 0; f < NB_NCP_FUNCTIONS; f++)
        for (int i = 0; i < 500; i++) {
            double a = test_random(&seed, -2, 2), b = test_random(&seed, -2, 2);
            if (fabs(a - b) < 0.1 || hypot(a, b) < 0.2) continue; /* off the kinks */
            nb_ncp_function function = (nb_ncp_function)f;
            nb_ncp_normal_value value = nb_ncp_normal(function, R(a), R(b));
            double da = (double)(nb_ncp_normal(function, R(a + step), R(b)).phi -
                                 nb_ncp_normal(function, R(a - step), R(b)).phi) /
                        (2 * step);
            double db = (double)(nb_ncp_normal(function, R(a), R(b + step)).phi -
                                 nb_ncp_normal(function, R(a), R(b - step)).phi) /
                        (2 * step);
            CHECK_NEAR(value.alpha, da, 1e-8);
            CHECK_NEAR(value.beta, db, 1e-8);
        }
}

TEST(a_touching_contact_without_force_is_active) {
    nb_ncp_normal_value value = nb_ncp_normal(NB_NCP_FISCHER_BURMEISTER, 0, 0);
    CHECK_NEAR(value.alpha, 1, 0);
    CHECK_NEAR(value.beta, 0, 0);
}

/* W = (v - psi)/(f + psi/rho) with psi the NCP function of (v, rho (m - f)): the paper's definition, undressed */
static long double compliance(nb_ncp_function function, long double v, long double f, long double m, long double rho) {
    long double b = rho * (m - f),
                psi = function == NB_NCP_MINIMUM_MAP ? (v < b ? v : b) : v + b - sqrtl(v * v + b * b);
    return (v - psi) / (f + psi / rho);
}

TEST(friction_compliance_matches_its_definition) {
    uint64_t seed = 11;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < NB_NCP_FUNCTIONS; k++)
        for (int i = 0; i < 1000; i++) {
            real v = R(test_random(&seed, 0.1, 3)), m = R(test_random(&seed, 0.5, 4));
            real f = R(test_random(&seed, 0, 1.5)) * m, rho = R(test_random(&seed, 0.1, 2));
            double expected = (double)compliance((nb_ncp_function)k, v, f, m, rho);
            long double psi_over = f + (double)v; /* conditioning of the denominator where f is near 2 m */
            if ((double)f > 1.2 * (double)m) continue;
            CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, v, f, m, rho, rho), expected,
                       1e3 * accuracy * (fabs(expected) + 1 + (double)psi_over));
        }
}

/* at the solution of a sliding contact f = m, and W f = v: the force opposes the slip at the limit of the disc */
TEST(sliding_and_sticking_limits) {
    for (int k = 0; k < NB_NCP_FUNCTIONS; k++) {
        CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, R(0.5), R(5), R(5), R(0.1), R(0.1)) * 5, 0.5, 4 * accuracy);
        CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, 0, R(2), R(5), R(0.1), R(0.1)), 0, 0);
        CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, 0, R(5), R(5), R(0.1), R(0.1)), 0, 0);
        assert_true(nb_ncp_friction((nb_ncp_function)k, 0, R(6), R(5), R(0.1), R(0.1)) > 0);
    }
}

/* W f <= 100 (w f + v), whatever the numbers, and still W f = v on the rim, for limits down to the least that floats
 * know: no false fixed point comes of the bound */
TEST(the_compliance_is_bounded_and_keeps_its_fixed_points) {
    uint64_t seed = 12;
    print_message("seed %llu\n", (unsigned long long)seed);
    int bound = 0;
    for (int i = 0; i < 4000; i++) {
        nb_ncp_function function = (nb_ncp_function)(i % NB_NCP_FUNCTIONS);
        real w = R(pow(10, test_random(&seed, -2, 2))), rho = w * R(pow(10, test_random(&seed, -3, 1)));
        real v = i % 5 == 0 ? 0 : R(pow(10, test_random(&seed, -12, 1))), m = R(pow(10, test_random(&seed, -28, 0)));
        real f = i % 3 == 0 ? m * R(test_random(&seed, 0, 4)) : R(pow(10, test_random(&seed, -12, 0)));
        double natural = (double)w * (double)f + (double)v;
        double row = (double)nb_ncp_friction(function, v, f, m, rho, w) * (double)f;
        assert_true(isfinite(row) && row >= 0);
        CHECK_BELOW(row, 100 * natural * (1 + 8 * accuracy));
        bound += row > 99 * natural;
        CHECK_NEAR((double)nb_ncp_friction(function, v, m, m, rho, w) * (double)m, (double)v, 4 * accuracy * (double)v);
        /* nor is any other force one: off the rim, a sliding contact's row does not vanish */
        if (v > 0 && (f < R(0.99) * m || f > R(1.01) * m)) assert_true(fabs(row - (double)v) > 1e-4 * (double)v);
    }
    assert_true(bound > 100); /* the bound was met */
}

TEST(factors_follow_the_scaling) {
    real n, f;
    nb_ncp_factors(NB_SCALING_IDENTITY, R(0.01), 3, 4, 0, 0, &n, &f);
    CHECK_NEAR(n, 1e4, 1e4 * accuracy);
    CHECK_NEAR(f, 1e2, 1e2 * accuracy);
    nb_ncp_factors(NB_SCALING_TIME_STEP, R(0.01), 3, 4, 0, 0, &n, &f);
    CHECK_NEAR(n, 1, 0);
    CHECK_NEAR(f, 1, 0);
    nb_ncp_factors(NB_SCALING_EFFECTIVE_MASS, R(0.01), 3, 4, 0, 0, &n, &f);
    CHECK_NEAR(n, 3, 0);
    CHECK_NEAR(f, 4, 0);
    nb_ncp_factors(NB_SCALING_EFFECTIVE_MASS_CAPPED, R(0.01), 3, 4, R(0.2), 2, &n, &f);
    CHECK_NEAR(n, 3, 0);
    CHECK_NEAR(f, 0.05, accuracy); /* 0.5 v / m */
    nb_ncp_factors(NB_SCALING_EFFECTIVE_MASS_CAPPED, R(0.01), 3, 4, 100, 2, &n, &f);
    CHECK_NEAR(f, 4, 0);
}

enum {
    CONTACTS = 61 /* no multiple of any register, so that the kernels' remainders run as well */
};

/* contacts of all kinds: sliding and sticking, separated, without force, without motion */
typedef struct contacts {
    real mu[CONTACTS], value[3 * CONTACTS], z[3 * CONTACTS], w[3 * CONTACTS];
    real s[3 * CONTACTS], c[3 * CONTACTS], b[3 * CONTACTS], update[3 * CONTACTS];
} contacts;

static void fill(contacts *some, uint64_t *seed) {
    for (int i = 0; i < CONTACTS; i++) {
        some->mu[i] = i % 11 == 0 ? 0 : R(test_random(seed, 0.1, 1));
        some->w[3 * i] = R(pow(10, test_random(seed, -2, 2)));
        some->w[3 * i + 1] = some->w[3 * i + 2] = R(pow(10, test_random(seed, -2, 2)));
        for (int r = 3 * i; r < 3 * i + 3; r++) {
            some->value[r] = i % 7 == 0 ? 0 : R(test_random(seed, -1, 1));
            some->z[r] = i % 5 == 0 ? 0 : R(test_random(seed, -1, 1));
        }
    }
}

/* One contact's rows in extended precision, from the definitions: the textbook form of the functions. */
static void check_contact(const nb_newton_rows *rows, int i) {
    const int r = 3 * i;
    long double a = rows->value[r], z = rows->z[r], m = (long double)rows->mu[i] * z, h = rows->h;
    long double ratio = rows->ratio, stretch[3] = {1, 1, ratio};
    long double v = hypotl(rows->value[r + 1], ratio * rows->value[r + 2]);
    long double f = hypotl(rows->z[r + 1], rows->z[r + 2] / ratio), mean = rows->w[r + 1] * (1 + ratio * ratio) / 2;
    long double soft = rows->soft, effective = rows->w[r] + soft, normal[] = {1 / (h * h), 1, effective, effective};
    long double friction[] = {1 / h, 1, mean, mean};
    long double rho = normal[rows->scaling], rho_f = friction[rows->scaling];
    if (rows->scaling == NB_SCALING_EFFECTIVE_MASS_CAPPED && m > 0) rho_f = fminl(rho_f, 0.5L * fmaxl(v, 1e-4L) / m);
    a += soft * z;
    long double x = rho * z, s = hypotl(a, x), phi = a + x - s, alpha = 1, beta = 0;
    if (rows->function == NB_NCP_MINIMUM_MAP) {
        phi = fminl(a, x);
        alpha = a <= x;
        beta = 1 - alpha;
    } else if (s > 0) {
        alpha = 1 - a / s;
        beta = 1 - x / s;
    }
    long double weight = sqrtl(fmaxl(alpha, rows->alpha_minimum)), divisor = weight;
    if (rows->paper_row_scaling) weight = alpha, divisor = 1;
    /* whether alpha vanishes is for the function's own rounding to say where it nearly does */
    int dead = rows->function == NB_NCP_MINIMUM_MAP ? alpha == 0 : !(rows->s[r] > 0);
    if (dead) weight = 0, divisor = 1;
    double size = (double)(fabsl(a) + fabsl(x));
    /* the root magnifies the rounding of alpha where it is small; alpha_minimum bounds that */
    double root = rows->paper_row_scaling ? 1 : 1 / sqrt((double)rows->alpha_minimum);
    CHECK_NEAR((double)rows->s[r], (double)weight, accuracy * root);
    CHECK_NEAR((double)rows->c[r], (double)(beta * rho + weight * divisor * soft),
               accuracy * root * (double)(rho + soft));
    CHECK_NEAR((double)rows->b[r], (double)(-phi / divisor), accuracy * size * root * root);
    CHECK_NEAR((double)rows->update[r], (double)divisor, accuracy * root);

    long double t = m - f, s_f = sqrtl(v * v + rho_f * rho_f * t * t), own = mean, magnified = 1;
    long double w = rows->paper_row_scaling ? 1 : own;
    long double most = 100 * (own + v / fmaxl(f, m)), light = 1;
    if (m > 0 && rows->function == NB_NCP_MINIMUM_MAP) {
        w = v <= rho_f * t ? 0 : (v - rho_f * t) / m;
        magnified = (v + rho_f * (m + f)) / m;
    } else if (m > 0) {
        long double denominator =
            s_f > 0 ? m - rho_f * t * t / (s_f + v) : m; /* far outside of the disc it is negative */
        w = s_f > 0 ? (denominator > 0 ? (s_f - rho_f * t) / denominator : most) : 0;
        magnified = (s_f + rho_f * (m + f)) * (m + f) / (denominator * denominator);
    }
    if (m > 0 && w >= most) w = most, magnified = 4 * most;
    if (m > 0 && w > 100 * own && !rows->paper_row_scaling) light = sqrtl(100 * own / w);
    for (int k = 1; k < 3; k++) {
        double bound = accuracy * (double)magnified, ratio_of_row = (double)stretch[k];
        double speed = ratio_of_row * (double)rows->value[r + k], force = (double)rows->z[r + k] / ratio_of_row;
        double at = light < 1 ? (double)magnified / (double)w * accuracy : 0; /* of the weight, relative */
        at = fmax(at, ratio_of_row == 1 ? 0 : accuracy);
        CHECK_NEAR((double)rows->s[r + k], (double)((m > 0) * light) * ratio_of_row, at * ratio_of_row);
        CHECK_NEAR((double)rows->update[r + k], (m > 0 ? (double)light : 1) * ratio_of_row, at * ratio_of_row);
        CHECK_NEAR((double)rows->c[r + k], (double)(light * light * w), bound);
        CHECK_NEAR((double)rows->b[r + k], (double)-light * ((m > 0) * speed + (double)w * force),
                   bound * fabs(force) + accuracy * (1 + (double)w * fabs(force)));
        if (m > 0 && !rows->paper_row_scaling)
            CHECK_BELOW((double)rows->c[r + k], 100 * (double)own * (1 + 8 * accuracy));
    }
}

TEST(rows_of_contacts_match_the_definitions_on_every_instruction_set) {
    static const char *const sets[] = {"avx512", "avx2", "baseline"};
    uint64_t seed = 20261121;
    print_message("seed %llu\n", (unsigned long long)seed);
    contacts some;
    fill(&some, &seed);
    for (int set = 0; set < 3; set++) {
        if (nb_instruction_set_named(sets[set]) < 0) continue;
        setenv("NCPBENCH_KERNELS", sets[set], 1);
        for (int kind = 0; kind < 4 * NB_NCP_FUNCTIONS * NB_SCALINGS; kind++) {
            nb_newton_rows rows = {.function = (nb_ncp_function)(kind / 2 % NB_NCP_FUNCTIONS),
                                   .scaling = (nb_ncp_scaling)(kind / 2 / NB_NCP_FUNCTIONS % NB_SCALINGS),
                                   .paper_row_scaling = kind % 2,
                                   .h = R(0.125),
                                   .alpha_minimum = R(1e-3),
                                   .ratio = kind % 3 == 1 ? R(1.5) : 1,
                                   .soft = kind < 2 * NB_NCP_FUNCTIONS * NB_SCALINGS ? 0 : R(0.5),
                                   .mu = some.mu,
                                   .value = some.value,
                                   .z = some.z,
                                   .w = some.w,
                                   .s = some.s,
                                   .c = some.c,
                                   .b = some.b,
                                   .update = some.update};
            real *written[] = {some.s, some.c, some.b, some.update};
            for (int k = 0; k < 4; k++) memset(written[k], 0xff, sizeof some.s); /* NaN */
            nb_newton_rows_assemble(&rows, CONTACTS);
            for (int i = 0; i < CONTACTS; i++) check_contact(&rows, i);
        }
    }
    unsetenv("NCPBENCH_KERNELS");
}

RUN_TESTS(functions_vanish_exactly_on_the_complementarity_set, fischer_burmeister_does_not_cancel,
          derivatives_match_central_differences, a_touching_contact_without_force_is_active,
          friction_compliance_matches_its_definition, sliding_and_sticking_limits,
          the_compliance_is_bounded_and_keeps_its_fixed_points, factors_follow_the_scaling,
          rows_of_contacts_match_the_definitions_on_every_instruction_set)
