/* Timings full of random numbers and their comparison, for tests of records and texts. */
#ifndef NB_TESTS_RANDOM_TIMING_H
#define NB_TESTS_RANDOM_TIMING_H

#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "check.h"
#include "record/timing.h"

static inline nb_timing test_random_timing(uint64_t *seed) {
    nb_timing t = {.contacts = 1 + (int32_t)nb_random_uniform(seed, 0, 1e6),
                   .scenes = 1 + (int32_t)nb_random_uniform(seed, 0, 1e4),
                   .threads = 1 + (int32_t)nb_random_uniform(seed, 0, 64),
                   .sample_count = 1 + (int32_t)nb_random_uniform(seed, 0, NB_TIMING_SAMPLES),
                   .median = nb_random_uniform(seed, 0, 1e3),
                   .least = nb_random_uniform(seed, 0, 1e3),
                   .most = nb_random_uniform(seed, 0, 1e3),
                   .triad = nb_random_uniform(seed, 0, 1e3),
                   .bytes = nb_random_bits(seed) % 2 ? NAN : nb_random_uniform(seed, 0, 1e3),
                   .fraction = nb_random_uniform(seed, 0, 1)};
    snprintf(t.kernel, sizeof t.kernel, "%.*s", (int)(nb_random_bits(seed) % 32),
             "a name as long as there is room for");
    snprintf(t.precision, sizeof t.precision, nb_random_bits(seed) % 2 ? "f32" : "f64");
    snprintf(t.device, sizeof t.device, nb_random_bits(seed) % 2 ? "cpu" : "emulated");
    snprintf(t.order, sizeof t.order, nb_random_bits(seed) % 2 ? "built" : "shuffled");
    for (int i = 0; i < NB_TIMING_SAMPLES; i++)
        t.samples[i] = i < t.sample_count ? nb_random_uniform(seed, 0, 1e3) : NAN;
    return t;
}

/* texts, then integers and numbers bit by bit, NaN included */
static inline void check_same_timing(const nb_timing *a, const nb_timing *b) {
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->device, b->device);
    assert_string_equal(a->precision, b->precision);
    assert_string_equal(a->order, b->order);
    size_t first = offsetof(nb_timing, contacts);
    assert_memory_equal((const char *)a + first, (const char *)b + first, sizeof *a - first);
}

#endif
