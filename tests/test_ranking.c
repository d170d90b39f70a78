/* Rankings against means, prices and groups worked out by hand, and intervals of a known distribution. */
#include "statistics/ranking.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static nb_solver_costs matrix(double *seconds, double *work, double *error, int64_t problems, int64_t solvers) {
    return (nb_solver_costs){.cost = {seconds, work}, .error = error, .problems = problems, .solvers = solvers};
}

/* three problems, two solvers; the second fails one, and nobody solves the last */
TEST(failures_cost_ten_times_the_most) {
    double seconds[] = {1, 4, 2, INFINITY, INFINITY, INFINITY}, work[] = {10, 20, 30, INFINITY, INFINITY, INFINITY};
    double error[] = {1e-9, 1e-5, 1e-7, 1e-3, 1, 1};
    const nb_solver_costs costs = matrix(seconds, work, error, 3, 2);
    nb_ranked *rows;
    int64_t common;
    CHECK_OK(nb_rank(&costs, -1, &common, &rows));
    assert_int_equal(common, 2);
    const double s = nb_ranking_shift[0], w = nb_ranking_shift[1];
    assert_int_equal(rows[0].solver, 0);
    CHECK_NEAR(rows[0].seconds.value, sqrt((1 + s) * (2 + s)) - s, 1e-14);
    CHECK_NEAR(rows[1].seconds.value, sqrt((4 + s) * (20 + s)) - s, 1e-13);
    CHECK_NEAR(rows[1].ratio.value, rows[1].seconds.value / rows[0].seconds.value, 1e-14);
    CHECK_NEAR(rows[1].work, sqrt((20 + w) * (300 + w)) - w, 1e-11);
    assert_true(rows[0].solved == 2 && rows[1].solved == 1 && rows[1].tried == 3);
    const double first[] = {2.0 / 3, 2.0 / 3, 2.0 / 3, 1.0 / 3}, second[] = {2.0 / 3, 1.0 / 3, 0, 0};
    for (int k = 0; k < NB_RANKING_LEVELS; k++) {
        CHECK_NEAR(rows[0].share[k], first[k], 1e-15);
        CHECK_NEAR(rows[1].share[k], second[k], 1e-15);
    }
    assert_true(isnan(rows[0].seconds.low) && rows[0].group == -1); /* three problems make no interval */
    nb_free(rows);
}

/* The second solver tried one problem of three, in which it is slower; it would be first by the mean of what each
 * tried. */
TEST(means_are_of_common_problems) {
    double seconds[] = {1, 2, 100, NAN, 100, NAN}, work[] = {1, 1, 1, NAN, 1, NAN}, error[] = {0, 0, 0, NAN, 0, NAN};
    const nb_solver_costs costs = matrix(seconds, work, error, 3, 2);
    nb_ranked *rows;
    int64_t common;
    CHECK_OK(nb_rank(&costs, -1, &common, &rows));
    assert_int_equal(common, 1);
    assert_true(rows[0].solver == 0 && rows[0].solved == 3 && rows[1].tried == 1);
    CHECK_NEAR(rows[0].seconds.value, 1, 1e-14);
    CHECK_NEAR(rows[1].ratio.value, 2, 1e-14);
    nb_free(rows);
}

/* Problems differ by factors of up to e^6; the second solver takes 1.5 times the first's time but for 2 %, the third
 * 1.001 times but for 10 %. Ratios of the same problems separate the second, though its times overlap, and leave the
 * third with the first. The standard error of the mean logarithm ratio gives the interval. */
TEST(groups_are_told_apart_by_ratios_of_the_same_problems) {
    enum {
        PROBLEMS = 40
    };
    double seconds[3 * PROBLEMS], work[3 * PROBLEMS], error[3 * PROBLEMS], logs[PROBLEMS], square = 0;
    uint64_t random = 7;
    for (int p = 0; p < PROBLEMS; p++) {
        const double size = exp(nb_random_uniform(&random, 0, 6)), off = nb_random_uniform(&random, -.02, .02);
        seconds[3 * p] = size;
        seconds[3 * p + 1] = 1.5 * size * exp(off);
        seconds[3 * p + 2] = 1.001 * size * exp(nb_random_uniform(&random, -.1, .1));
        logs[p] = off;
        for (int s = 0; s < 3; s++) work[3 * p + s] = 1, error[3 * p + s] = 0;
    }
    const nb_solver_costs costs = matrix(seconds, work, error, PROBLEMS, 3);
    nb_ranked *rows;
    int64_t common;
    CHECK_OK(nb_rank(&costs, 0, &common, &rows));
    const double mean = nb_mean(logs, PROBLEMS);
    for (int p = 0; p < PROBLEMS; p++) square += (logs[p] - mean) * (logs[p] - mean);
    const double deviation = sqrt(square) / PROBLEMS; /* of the mean */
    assert_int_equal(rows[2].solver, 1);
    assert_int_equal(rows[2].group, 1);
    assert_int_equal(rows[0].group, 0);
    assert_int_equal(rows[1].group, 0);
    /* 2000 draws have the quantiles to some 5 % of the deviation */
    CHECK_NEAR(log(rows[2].ratio.low / 1.5), mean - 1.96 * deviation, .2 * deviation);
    CHECK_NEAR(log(rows[2].ratio.high / 1.5), mean + 1.96 * deviation, .2 * deviation);
    nb_free(rows);
}

RUN_TESTS(failures_cost_ten_times_the_most, means_are_of_common_problems,
          groups_are_told_apart_by_ratios_of_the_same_problems)
