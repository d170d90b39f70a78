/* NB_TEST_IN_BOTH_PRECISIONS: complementarity functions, friction compliance and scaling factors. */
#include "check.h"

#include <string.h>

#include "ncp/ncp.h"

/* relative accuracy to ask of a formula without cancellation: some roundings */
static const double accuracy = 16 * (double)NB_REAL_EPSILON;

static void functions_vanish_exactly_on_the_complementarity_set(void **state) {
    (void)state;
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
static void fischer_burmeister_does_not_cancel(void **state) {
    (void)state;
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

static void derivatives_match_central_differences(void **state) {
    (void)state;
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

static void a_touching_contact_without_force_is_active(void **state) {
    (void)state;
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

static void friction_compliance_matches_its_definition(void **state) {
    (void)state;
    uint64_t seed = 11;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < NB_NCP_FUNCTIONS; k++)
        for (int i = 0; i < 1000; i++) {
            real v = R(test_random(&seed, 0.1, 3)), m = R(test_random(&seed, 0.5, 4));
            real f = R(test_random(&seed, 0, 1.5)) * m, rho = R(test_random(&seed, 0.1, 2));
            double expected = (double)compliance((nb_ncp_function)k, v, f, m, rho);
            long double psi_over = f + (double)v; /* conditioning of the denominator where f is near 2 m */
            if ((double)f > 1.2 * (double)m) continue;
            CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, v, f, m, rho), expected,
                       1e3 * accuracy * (fabs(expected) + 1 + (double)psi_over));
        }
}

/* at the solution of a sliding contact f = m, and W f = v: the force opposes the slip at the limit of the disc */
static void sliding_and_sticking_limits(void **state) {
    (void)state;
    for (int k = 0; k < NB_NCP_FUNCTIONS; k++) {
        CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, R(0.5), R(5), R(5), R(0.1)) * 5, 0.5, 4 * accuracy);
        CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, 0, R(2), R(5), R(0.1)), 0, 0);
        CHECK_NEAR(nb_ncp_friction((nb_ncp_function)k, 0, R(5), R(5), R(0.1)), 0, 0);
        assert_true(nb_ncp_friction((nb_ncp_function)k, 0, R(6), R(5), R(0.1)) > 0);
    }
}

static void factors_follow_the_scaling(void **state) {
    (void)state;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_vanish_exactly_on_the_complementarity_set),
        cmocka_unit_test(fischer_burmeister_does_not_cancel),
        cmocka_unit_test(derivatives_match_central_differences),
        cmocka_unit_test(a_touching_contact_without_force_is_active),
        cmocka_unit_test(friction_compliance_matches_its_definition),
        cmocka_unit_test(sliding_and_sticking_limits),
        cmocka_unit_test(factors_follow_the_scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
