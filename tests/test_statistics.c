/* Order statistics and moments against values known by hand, and invariants on random samples. */
#include "table/statistics.h"

#include "base/random.h"
#include "check.h"

enum {
    COUNT = 101
};

/* quantiles of 1 .. 4 as R's type 7 and numpy give them */
TEST(quantiles_interpolate_between_order_statistics) {
    const double sorted[] = {1, 2, 3, 4};
    const double expected[] = {1, 1.75, 2.5, 3.25, 4};
    for (int i = 0; i <= 4; i++) CHECK_NEAR(nb_quantile(sorted, 4, i / 4.0), expected[i], 0);
    CHECK_NEAR(nb_quantile(sorted, 1, 0.3), 1, 0);
    CHECK_NEAR(nb_quantile((const double[]){3, 13}, 2, 0.9), 12, 2e-15); /* 1 ulp of 12 */
}

TEST(samples_are_sorted_with_nan_last) {
    double sample[] = {3, NAN, -INFINITY, 1, NAN, INFINITY, 2};
    const double expected[] = {-INFINITY, 1, 2, 3, INFINITY};
    assert_int_equal(nb_sort_sample(sample, 7), 5);
    for (int i = 0; i < 5; i++) assert_true(sample[i] == expected[i]);
    assert_true(isnan(sample[5]) && isnan(sample[6]));
}

TEST(infinity_is_a_value_like_others) {
    const double sorted[] = {1, 2, INFINITY, INFINITY, INFINITY};
    CHECK_NEAR(nb_quantile(sorted, 3, 0.5), 2, 0);
    assert_true(nb_quantile(sorted, 5, 0.5) == INFINITY);
    assert_true(nb_quantile(sorted, 5, 0.9) == INFINITY);
    nb_interval ratio; /* infinity over infinity is no number */
    CHECK_OK(nb_bootstrap_ratio(sorted + 2, 3, sorted + 2, 3, 1, &ratio));
    assert_true(isnan(ratio.value) && isnan(ratio.low) && isnan(ratio.high));
}

TEST(an_empty_sample_has_no_number) {
    double only[] = {NAN, NAN};
    assert_int_equal(nb_sort_sample(NULL, 0), 0);
    assert_int_equal(nb_sort_sample(only, 2), 0);
    assert_true(isnan(nb_quantile(only, 0, 0.5)));
    assert_true(isnan(nb_mean(only, 2)));
}

TEST(a_mean_leaves_nan_out) {
    const double sample[] = {2, 4, 4, NAN, 4, 5, 5, 7, 9};
    CHECK_NEAR(nb_mean(sample, 9), 5, 0);
}

/* 0 .. 100 in random order: every quantile is known, whatever the order, the shift and the factor */
TEST(quantiles_and_the_mean_move_with_the_sample) {
    uint64_t seed = 17;
    double sample[COUNT];
    print_message("seed %d\n", 17);
    for (int i = 0; i < COUNT; i++) {
        int j = (int)test_random(&seed, 0, i + 1);
        sample[i] = sample[j];
        sample[j] = 1000 + 0.5 * i;
    }
    CHECK_NEAR(nb_mean(sample, COUNT), 1025, 1e-9);
    assert_int_equal(nb_sort_sample(sample, COUNT), COUNT);
    for (int k = 0; k <= 1000; k++) CHECK_NEAR(nb_quantile(sample, COUNT, k / 1000.0), 1000 + 0.05 * k, 1e-9);
}

/* The median of n = 51 uniform numbers is Beta(26, 26) distributed, with the deviation sqrt(1 / (4 (n + 2))) = 0.0687:
 * a 95 % interval is about 4 deviations wide, and over many samples covers 1/2 in about 95 of 100. Of 200 samples the
 * binomial deviation is 3; the bounds are six of them from 190. */
TEST(intervals_of_the_median_cover_it) {
    uint64_t seed = 7;
    int covered = 0;
    double width = 0, sample[51];
    print_message("seed 7\n");
    for (int trial = 0; trial < 200; trial++) {
        nb_interval interval;
        for (int i = 0; i < 51; i++) sample[i] = test_random(&seed, 0, 1);
        CHECK_OK(nb_bootstrap_median(sample, 51, 1, &interval));
        assert_true(interval.low <= interval.value && interval.value <= interval.high);
        covered += interval.low <= 0.5 && 0.5 <= interval.high;
        width += (interval.high - interval.low) / 200;
    }
    assert_in_range(covered, 172, 200);
    CHECK_NEAR(width, 4 * sqrt(1.0 / (4 * 53)), 0.06); /* a fifth: the distribution is not normal at this count */
}

/* Wilson's interval of ten outcomes; its ends are exact where all are alike. */
TEST(intervals_of_shares_are_known) {
    static const double known[][3] = {{0, 0, 0.277533}, {0.5, 0.236593, 0.763407}, {1, 0.722467, 1}};
    for (int i = 0; i < 3; i++) {
        nb_interval interval;
        nb_share_interval(known[i][0], 10, &interval);
        CHECK_NEAR(interval.low, known[i][1], known[i][0] > 0 ? 1e-6 : 0);
        CHECK_NEAR(interval.high, known[i][2], known[i][0] < 1 ? 1e-6 : 0);
    }
}

/* Of five values the median drawn is the least with the chance of three or more of five draws, 0.058: the middle 95 %
 * goes from the least to the largest. Four values have no interval. */
TEST(intervals_of_small_samples_are_known) {
    nb_interval interval;
    CHECK_OK(nb_bootstrap_median((const double[]){1, NAN, 0, 2, 4, 3}, 6, 1, &interval));
    CHECK_NEAR(interval.value, 2, 0);
    CHECK_NEAR(interval.low, 0, 0);
    CHECK_NEAR(interval.high, 4, 0);
    CHECK_OK(nb_bootstrap_median((const double[]){3, 3, 3, 3, 3}, 5, 1, &interval));
    CHECK_NEAR(interval.low, 3, 0);
    CHECK_NEAR(interval.high, 3, 0);
    CHECK_OK(nb_bootstrap_median((const double[]){1, NAN, 0, 2, 3}, 5, 1, &interval));
    CHECK_NEAR(interval.value, 1.5, 0);
    assert_true(isnan(interval.low) && isnan(interval.high));
    CHECK_OK(nb_bootstrap_median(NULL, 0, 1, &interval));
    assert_true(isnan(interval.value));
}

/* Of 17 values the median drawn is one of the least five with the chance of nine or more of 17 draws of 5 in 17, 0.036,
 * of the least four with 0.011: the middle 95 % begins at the fifth, the middle 90 % at the sixth (0.092). The
 * share of 2000 draws has a deviation of 0.004: of 40 ends at most four may fall beside. */
TEST(intervals_leave_out_a_fortieth_at_each_end) {
    double sample[17];
    int there = 0;
    for (int i = 0; i < 17; i++) sample[i] = i + 1;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        nb_interval interval;
        CHECK_OK(nb_bootstrap_median(sample, 17, seed, &interval));
        there += (interval.low == 5) + (interval.high == 13);
    }
    assert_in_range(there, 36, 40);
}

/* Of 200 pairs of samples of one distribution, intervals of 95 % leave 1 out in 10; 19 are three deviations more. With
 * every count of values: where so few are not enough for it, there must be no interval. */
TEST(pairs_that_are_alike_are_seldom_told_apart) {
    uint64_t seed = 7;
    for (int count = 2; count <= 12; count++) {
        int apart = 0;
        for (int pair = 0; pair < 200; pair++) {
            double sample[2][12];
            nb_interval ratio;
            for (int i = 0; i < 2 * count; i++) sample[i % 2][i / 2] = nb_random_uniform(&seed, 1, 1.1);
            CHECK_OK(nb_bootstrap_ratio(sample[0], count, sample[1], count, 1, &ratio));
            apart += ratio.low > 1 || ratio.high < 1;
        }
        print_message("%d values: %d of 200 pairs apart\n", count, apart);
        assert_in_range(apart, 0, 19);
    }
}

/* b = 2 a: the ratio is 2 whatever the scale; the same seed gives the same interval, samples alike one around 1 */
TEST(ratios_of_medians_have_intervals) {
    const double a[] = {1, 1.1, 0.9, 1.05, 0.95}, b[] = {2, 2.2, 1.8, 2.1, 1.9};
    nb_interval first, again, same;
    CHECK_OK(nb_bootstrap_ratio(a, 5, b, 5, 3, &first));
    CHECK_OK(nb_bootstrap_ratio(a, 5, b, 5, 3, &again));
    CHECK_NEAR(first.value, 2, 0);
    assert_true(first.low == again.low && first.high == again.high);
    assert_true(first.low >= 1.8 / 1.1 && first.low > 1 && first.high <= 2.2 / 0.9 && first.high > 2);
    CHECK_OK(nb_bootstrap_ratio(a, 5, a, 5, 3, &same));
    assert_true(same.low < 1 && same.high > 1);
    CHECK_OK(nb_bootstrap_ratio(a, 4, b, 5, 3, &same));
    assert_true(isnan(same.low));
}

RUN_TESTS(quantiles_interpolate_between_order_statistics, samples_are_sorted_with_nan_last,
          infinity_is_a_value_like_others, an_empty_sample_has_no_number, a_mean_leaves_nan_out,
          quantiles_and_the_mean_move_with_the_sample, intervals_of_the_median_cover_it,
          intervals_of_small_samples_are_known, intervals_of_shares_are_known,
          intervals_leave_out_a_fortieth_at_each_end, pairs_that_are_alike_are_seldom_told_apart,
          ratios_of_medians_have_intervals)
