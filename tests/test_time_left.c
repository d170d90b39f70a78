/* The time left of a command (analysis/program/progress.h): what runs that are done tell, and nothing else. */
#include "progress.h"

#include <math.h>

#include "check.h"

static double left(const nb_timed_run *runs, int64_t at, int repeat, double elapsed, double rest) {
    return nb_time_left(runs, 3, at, repeat, elapsed, rest);
}

/* three runs, the last like the first but for the seed */
static void make_three(nb_timed_run runs[3]) {
    for (int i = 0; i < 3; i++) runs[i] = (nb_timed_run){.kind = i % 2, .passes = 1, .repeats = 2};
}

TEST(test_nothing_is_known_of_runs_unlike_those_done) {
    nb_timed_run runs[3];
    make_three(runs);
    assert_true(isnan(left(runs, -1, 0, 0, NAN)));
    runs[0].passes = 0;
    runs[0].pass_s = 5;
    assert_true(isnan(left(runs, -1, 0, 0, NAN))); /* of the second run */
    runs[1].passes = runs[1].repeats = 0;
    CHECK_NEAR(left(runs, -1, 0, 0, NAN), 5 * (2 + 1 + 2), 0); /* a repetition as the pass: it takes no longer */
    runs[0].repeat_s = 3;
    CHECK_NEAR(left(runs, -1, 0, 0, NAN), 3 * 2 + 5 + 3 * 2, 0);
}

TEST(test_the_pass_in_progress) {
    nb_timed_run runs[3];
    make_three(runs);
    runs[1].passes = runs[1].repeats = 0;
    runs[0].passes = 0; /* it has begun */
    assert_true(isnan(left(runs, 0, 0, 1, NAN)));
    CHECK_NEAR(left(runs, 0, 0, 1, 4), 4 + 5 * (2 + 1 + 2), 0); /* its own steps say 5 s */
    runs[0].pass_s = 5;
    runs[2].passes = 0;
    CHECK_NEAR(left(runs, 2, 0, 2, NAN), 3 + 5 * (2 + 2), 0); /* as its kind took */
    CHECK_NEAR(left(runs, 2, 0, 2, 1), 1 + 5 * (2 + 2), 0);   /* its own steps are nearer */
    CHECK_NEAR(left(runs, 2, 0, 5.5, NAN), 5 * (2 + 2), 0);
    assert_true(isnan(left(runs, 2, 0, 6, NAN))); /* much longer than its kind took */
    runs[0].repeats = runs[2].repeats = 0;
    CHECK_NEAR(left(runs, 2, 1, 2, NAN), 3, 0);
    runs[0].repeat_s = 4;
    CHECK_NEAR(left(runs, 2, 1, 2, NAN), 2, 0);
}

TEST(test_all_is_done) {
    const nb_timed_run runs[3] = {{0}};
    CHECK_NEAR(left(runs, -1, 0, 0, NAN), 0, 0);
}

RUN_TESTS(test_nothing_is_known_of_runs_unlike_those_done, test_the_pass_in_progress, test_all_is_done)
