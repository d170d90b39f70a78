/* What every test shares: cmocka, and comparisons of doubles (cmocka's own narrow to float). */
#ifndef NB_TESTS_CHECK_H
#define NB_TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"

/* |actual - expected| <= tolerance; NaN fails. Says both values. */
#define CHECK_NEAR(actual, expected, tolerance)                                                           \
    do {                                                                                                  \
        double a_ = (actual), e_ = (expected), t_ = (tolerance);                                          \
        if (!(fabs(a_ - e_) <= t_))                                                                       \
            fail_msg("%s = %.17g, expected %.17g, differs by %.3g > %.3g", #actual, a_, e_, a_ - e_, t_); \
    } while (0)

/* |actual| <= limit; NaN fails */
#define CHECK_BELOW(actual, limit)                                                  \
    do {                                                                            \
        double a_ = (actual), l_ = (limit);                                         \
        if (!(a_ <= l_)) fail_msg("%s = %.17g is not below %.3g", #actual, a_, l_); \
    } while (0)

#define CHECK_OK(call)                                                                      \
    do {                                                                                    \
        nb_status s_ = (call);                                                              \
        if (s_ != NB_OK) fail_msg("%s: status %d: %s", #call, (int)s_, nb_error_message()); \
    } while (0)

/* the call fails with this status, and the message names `word` */
#define CHECK_FAULT(call, status, word)                                                                           \
    do {                                                                                                          \
        nb_status s_ = (call);                                                                                    \
        if (s_ != (status)) fail_msg("%s: status %d, expected %d", #call, (int)s_, (int)(status));                \
        if (!strstr(nb_error_message(), (word))) fail_msg("message '%s' lacks '%s'", nb_error_message(), (word)); \
    } while (0)

/* A test: TEST(name) { ... } */
#define TEST(name) static void name(__attribute__((unused)) void **fixture_)

/* Runs tests, of which `names` is the list. */
static inline int test_run(const char *names, const CMUnitTestFunction *functions, size_t count) {
    struct CMUnitTest tests[count];
    char *list = strdup(names), *rest = list;
    if (!list) return 1;
    for (size_t i = 0; i < count; i++) {
        char *name = strtok_r(rest, ", ", &rest);
        tests[i] = (struct CMUnitTest){.name = name, .test_func = functions[i]};
    }
    const int failed = _cmocka_run_group_tests("tests", tests, count, NULL, NULL);
    free(list);
    return failed;
}
/* main of a file: RUN_TESTS(NAME, ...) */
#define RUN_TESTS(...)                                                                  \
    int main(void) {                                                                    \
        static const CMUnitTestFunction functions[] = {__VA_ARGS__};                    \
        return test_run(#__VA_ARGS__, functions, sizeof functions / sizeof *functions); \
    }

/* A small reproducible random sequence (splitmix64); print the seed where a test uses it. */
static inline uint64_t test_random_bits(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
/* The seed of a property test, which it prints: NB_TEST_SEED where that is set, to try others. */
static inline uint64_t test_seed(void) {
    const char *chosen = getenv("NB_TEST_SEED");
    uint64_t seed = chosen ? strtoull(chosen, NULL, 10) : 1;
    print_message("seed %llu (NB_TEST_SEED)\n", (unsigned long long)seed);
    return seed;
}
/* Of a long test's trials one in so many is made: NB_TEST_SHARE, as under sanitizers, or all. A list whose cases differ
 * is walked in such steps; of random ones the first test_trials(count) are made. */
static inline int test_share(void) {
    const char *share = getenv("NB_TEST_SHARE");
    const int divisor = share ? atoi(share) : 1;
    return divisor > 1 ? divisor : 1;
}
static inline int test_trials(int count) {
    return (count + test_share() - 1) / test_share();
}
/* uniform in [low, high) */
static inline double test_random(uint64_t *state, double low, double high) {
    return low + (high - low) * (double)(test_random_bits(state) >> 11) * 0x1p-53;
}

#endif
