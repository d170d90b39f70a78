/* Rows of bench: what no idle machine shows is left out. */
#include "bench/parts.h"

#include <math.h>
#include <string.h>

#include "check.h"

static nb_status keep(void *context, const nb_timing *row) {
    *(nb_timing *)context = *row;
    return NB_OK;
}

TEST(negative_samples_are_left_out) {
    const double samples[] = {3e-9, -1e-9, 5e-9, 4e-9, -2e-9, 6e-9, 7e-9};
    nb_timing row = {.contacts = 2, .triad = 1, .bytes = NAN}, kept;
    CHECK_OK(nb_bench_row(&row, samples, 7, keep, &kept));
    assert_int_equal(kept.sample_count, 5);
    /* [ns] of two contacts, to round-off */
    CHECK_NEAR(kept.least, 1.5, 1e-12);
    CHECK_NEAR(kept.median, 2.5, 1e-12);
    CHECK_NEAR(kept.most, 3.5, 1e-12);
    CHECK_NEAR(kept.samples[1], 2.5, 1e-12);
    assert_true(isnan(kept.samples[5]));
    CHECK_FAULT(nb_bench_row(&row, (const double[]){-1, -1, 1e-9}, 3, keep, &kept), NB_ERROR_NUMERIC,
                "2 of 3 samples are negative");
}

/* 8 bytes in 1 ns are 8 GB/s */
TEST(a_bandwidth_that_was_disturbed_is_none) {
    const double samples[] = {1e-9, 1e-9, 1e-9};
    const double triads[] = {8, 5, 3};
    for (int i = 0; i < 3; i++) {
        nb_timing row = {.contacts = 1, .triad = triads[i], .bytes = 8}, kept;
        CHECK_NEAR(nb_bench_rate(&row, samples, 3), 8, 1e-12);
        CHECK_OK(nb_bench_row(&row, samples, 3, keep, &kept));
        CHECK_NEAR(kept.median, 1, 1e-12);
        if (i < 2)
            CHECK_NEAR(kept.fraction, 8 / triads[i], 1e-12);
        else
            assert_true(isnan(kept.fraction) && isnan(kept.triad));
    }
}

RUN_TESTS(negative_samples_are_left_out, a_bandwidth_that_was_disturbed_is_none)
