/* The largest of several numbers, and the NaN that must not be lost among them. */
#include "base/largest.h"

#include "check.h"

static double largest_of(int count, const double *x) {
    double largest = 0;
    for (int i = 0; i < count; i++) nb_raise(&largest, x[i]);
    return largest;
}

TEST(test_largest) {
    CHECK_NEAR(largest_of(4, (const double[]){1, 3, 2, -5}), 3, 0);
    CHECK_NEAR(largest_of(2, (const double[]){-1, -2}), 0, 0);
    assert_true(isinf(largest_of(3, (const double[]){1, INFINITY, 2})));
}

TEST(test_nan_stays_wherever_it_comes) {
    for (int where = 0; where < 4; where++) {
        double x[] = {1, 3, 2, INFINITY};
        x[where] = (double)NAN;
        assert_true(isnan(largest_of(4, x)));
    }
}

RUN_TESTS(test_largest, test_nan_stays_wherever_it_comes)
