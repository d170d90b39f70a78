/* Profiles against those worked out by hand: ties, failures, one solver, and bands of a known distribution. */
#include "statistics/profile.h"

#include <math.h>

#include "check.h"

/* four problems, three solvers: a tie, a failure, a problem that all fail, one that costs nothing */
static const double cost[] = {
    1,        2,        4,        /* */
    3,        3,        INFINITY, /* */
    INFINITY, INFINITY, INFINITY, /* */
    0,        0,        5,
};

TEST(ratios_are_to_the_best_of_each_problem) {
    double ratio[12];
    const double expected[] = {1, 2, 4, 1, 1, INFINITY, INFINITY, INFINITY, INFINITY, 1, 1, INFINITY};
    nb_profile_ratios(cost, 4, 3, ratio);
    for (int i = 0; i < 12; i++) assert_true(ratio[i] == expected[i]);
}

/* the shares at tau = 1, 2, 4 and far out: failures stay in the denominator */
TEST(performance_profiles_are_those_of_the_hand) {
    double ratio[12];
    const double x[] = {1, 2, 4, 1e9};
    const double expected[3][4] = {{0.75, 0.75, 0.75, 0.75}, {0.5, 0.75, 0.75, 0.75}, {0, 0, 0.25, 0.25}};
    nb_profile_ratios(cost, 4, 3, ratio);
    for (int s = 0; s < 3; s++) {
        nb_profile_point curve[4] = {{.x = x[0]}, {.x = x[1]}, {.x = x[2]}, {.x = x[3]}};
        CHECK_OK(nb_profile_curve(ratio + s, 4, 3, 1, 4, curve));
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(curve[k].share, expected[s][k], 0);
            assert_true(isnan(curve[k].low) && isnan(curve[k].high)); /* four problems make no band */
        }
    }
}

TEST(data_profiles_are_shares_of_costs) {
    nb_profile_point curve[] = {{.x = 0}, {.x = 0.99}, {.x = 1}, {.x = 3}};
    const double expected[] = {0.25, 0.25, 0.5, 0.75};
    CHECK_OK(nb_profile_curve(cost, 4, 3, 1, 4, curve));
    for (int k = 0; k < 4; k++) CHECK_NEAR(curve[k].share, expected[k], 0);
}

TEST(a_solver_alone_is_the_best_wherever_it_succeeds) {
    const double alone[] = {7, INFINITY, 3};
    double ratio[3];
    nb_profile_point curve[] = {{.x = 1}};
    nb_profile_ratios(alone, 3, 1, ratio);
    CHECK_OK(nb_profile_curve(ratio, 3, 1, 1, 1, curve));
    CHECK_NEAR(curve[0].share, 2.0 / 3, 0);
}

TEST(where_all_fail_or_nothing_is_asked_the_share_is_zero) {
    const double failed[] = {INFINITY, INFINITY};
    nb_profile_point curve[] = {{.x = 1e300}};
    CHECK_OK(nb_profile_curve(failed, 2, 1, 1, 1, curve));
    assert_true(curve[0].share == 0 && isnan(curve[0].low));
    CHECK_OK(nb_profile_curve(failed, 0, 1, 1, 1, curve));
    assert_true(curve[0].share == 0);
}

/* Of n = 400 problems a half is reached: the drawn share is binomial with deviation 1/(2 sqrt 400) = 0.025, so that the
 * band is 1/2 +- 0.049; 0.006 is the error of a quantile of 1000 draws, twice, and the step 1/400. */
TEST(bands_are_binomial) {
    double quantity[400];
    nb_profile_point curve[] = {{.x = 1}}, again[] = {{.x = 1}};
    for (int p = 0; p < 400; p++) quantity[p] = p % 2 ? 1 : 2;
    CHECK_OK(nb_profile_curve(quantity, 400, 1, 5, 1, curve));
    CHECK_OK(nb_profile_curve(quantity, 400, 1, 5, 1, again));
    CHECK_NEAR(curve[0].low, 0.451, 0.006);
    CHECK_NEAR(curve[0].high, 0.549, 0.006);
    assert_true(curve[0].low == again[0].low && curve[0].high == again[0].high);
}

/* three problems, of which solver 0 tried two and solver 1 two: nobody's share counts what was never tried */
TEST(what_was_never_tried_is_no_failure) {
    const double tried[] = {1, 2, NAN, 4, 6, NAN};
    const double expected[] = {1, 2, NAN, 1, 1, NAN};
    double ratio[6];
    nb_profile_ratios(tried, 3, 2, ratio);
    for (int i = 0; i < 6; i++) assert_true(ratio[i] == expected[i] || (isnan(ratio[i]) && isnan(expected[i])));
    for (int s = 0; s < 2; s++) {
        nb_profile_point curve[] = {{.x = 1}, {.x = 2}};
        CHECK_OK(nb_profile_curve(ratio + s, 3, 2, 1, 2, curve));
        CHECK_NEAR(curve[0].share, s == 0 ? 1 : 0.5, 0);
        CHECK_NEAR(curve[1].share, 1, 0);
    }
}

/* with fewer than five an interval would not be one of 95 %; what was never tried is none of them */
TEST(few_problems_have_no_band) {
    const double quantity[] = {1, 2, NAN, 1, 2, 1};
    for (int problems = NB_PROFILE_LEAST; problems <= NB_PROFILE_LEAST + 1; problems++) {
        nb_profile_point curve[] = {{.x = 1}};
        CHECK_OK(nb_profile_curve(quantity, problems, 1, 1, 1, curve));
        assert_int_equal(isnan(curve[0].low) && isnan(curve[0].high), problems == NB_PROFILE_LEAST);
    }
}

RUN_TESTS(ratios_are_to_the_best_of_each_problem, performance_profiles_are_those_of_the_hand,
          data_profiles_are_shares_of_costs, a_solver_alone_is_the_best_wherever_it_succeeds,
          where_all_fail_or_nothing_is_asked_the_share_is_zero, bands_are_binomial, what_was_never_tried_is_no_failure,
          few_problems_have_no_band)
