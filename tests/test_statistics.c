/* Order statistics and moments against values known by hand, and invariants on random samples. */
#include "statistics.h"

#include "check.h"

enum {
    COUNT = 101
};

/* quantiles of 1 .. 4 as R's type 7 and numpy give them */
static void quantiles_interpolate_between_order_statistics(void **state) {
    (void)state;
    const double sorted[] = {1, 2, 3, 4};
    const double expected[] = {1, 1.75, 2.5, 3.25, 4};
    for (int i = 0; i <= 4; i++) CHECK_NEAR(nb_quantile(sorted, 4, i / 4.0), expected[i], 0);
    CHECK_NEAR(nb_quantile(sorted, 1, 0.3), 1, 0);
    CHECK_NEAR(nb_quantile((const double[]){3, 13}, 2, 0.9), 12, 2e-15); /* 1 ulp of 12 */
}

static void samples_are_sorted_with_nan_last(void **state) {
    (void)state;
    double sample[] = {3, NAN, -INFINITY, 1, NAN, INFINITY, 2};
    const double expected[] = {-INFINITY, 1, 2, 3, INFINITY};
    assert_int_equal(nb_sort_sample(sample, 7), 5);
    for (int i = 0; i < 5; i++) assert_true(sample[i] == expected[i]);
    assert_true(isnan(sample[5]) && isnan(sample[6]));
}

static void an_empty_sample_has_no_number(void **state) {
    (void)state;
    double only[] = {NAN, NAN};
    assert_int_equal(nb_sort_sample(NULL, 0), 0);
    assert_int_equal(nb_sort_sample(only, 2), 0);
    assert_true(isnan(nb_quantile(only, 0, 0.5)));
    assert_true(isnan(nb_mean(only, 2)));
    assert_true(isnan(nb_deviation(only, 2)));
    assert_true(isnan(nb_deviation((const double[]){5, NAN}, 2))); /* of one value */
}

/* squares of the differences from the mean 5 add up to 32, over 7 */
static void moments_leave_nan_out_and_divide_by_one_less(void **state) {
    (void)state;
    const double sample[] = {2, 4, 4, NAN, 4, 5, 5, 7, 9};
    CHECK_NEAR(nb_mean(sample, 9), 5, 0);
    CHECK_NEAR(nb_deviation(sample, 9), sqrt(32.0 / 7), 1e-15);
}

/* 0 .. 100 in random order: every quantile is known, whatever the order, the shift and the factor */
static void quantiles_and_moments_move_with_the_sample(void **state) {
    (void)state;
    uint64_t seed = 17;
    double sample[COUNT];
    print_message("seed %d\n", 17);
    for (int i = 0; i < COUNT; i++) {
        int j = (int)test_random(&seed, 0, i + 1);
        sample[i] = sample[j];
        sample[j] = 1000 + 0.5 * i;
    }
    CHECK_NEAR(nb_mean(sample, COUNT), 1025, 1e-9);
    /* the variance of 0 .. n-1 is n (n + 1) / 12 */
    CHECK_NEAR(nb_deviation(sample, COUNT), 0.5 * sqrt(COUNT * (COUNT + 1) / 12.0), 1e-9);
    assert_int_equal(nb_sort_sample(sample, COUNT), COUNT);
    for (int k = 0; k <= 1000; k++) CHECK_NEAR(nb_quantile(sample, COUNT, k / 1000.0), 1000 + 0.05 * k, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate_between_order_statistics),
        cmocka_unit_test(samples_are_sorted_with_nan_last),
        cmocka_unit_test(an_empty_sample_has_no_number),
        cmocka_unit_test(moments_leave_nan_out_and_divide_by_one_less),
        cmocka_unit_test(quantiles_and_moments_move_with_the_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
