/* Damped Gauss-Newton steps against known optima: a linear problem, Rosenbrock's valley, one without full rank, and
 * functions that have no value everywhere or a Jacobian that is wrong. */
#include "run/least_squares.h"

#include <math.h>
#include <string.h>

#include "check.h"

enum {
    MOST = 100
};

typedef struct watched {
    nb_least_squares problem;
    double matrix[24], right[6]; /* of the linear one */
    int told, stop_at, taken;
    double cost[MOST + 1];
} watched;

static nb_status listen(void *context, const nb_least_squares_report *report, const double *x, int *stop) {
    watched *w = context;
    (void)x;
    assert_true(w->told <= MOST);
    if (w->told > 0) {
        assert_true(report->step > 0);
        assert_true(report->taken ? report->cost < w->cost[w->told - 1] : report->cost == w->cost[w->told - 1]);
        w->taken += report->taken;
    }
    w->cost[w->told++] = report->cost;
    *stop = w->told == w->stop_at;
    return NB_OK;
}

static watched watch(int32_t unknowns, int32_t rows,
                     nb_status (*evaluate)(void *, const double *, double *, double *, int *)) {
    return (watched){.problem = {.unknowns = unknowns,
                                 .rows = rows,
                                 .iterations = MOST,
                                 .tolerance = 1e-15,
                                 .evaluate = evaluate,
                                 .tell = listen}};
}

static nb_reason solve(watched *w, double *x) {
    nb_reason reason;
    w->problem.context = w;
    CHECK_OK(nb_least_squares_solve(&w->problem, x, &reason));
    return reason;
}

static nb_status linear(void *context, const double *x, double *residual, double *jacobian, int *none) {
    const watched *w = context;
    const int32_t n = w->problem.unknowns;
    (void)none;
    memcpy(jacobian, w->matrix, (size_t)w->problem.rows * (size_t)n * sizeof *jacobian);
    for (int32_t i = 0; i < w->problem.rows; i++) {
        residual[i] = -w->right[i];
        for (int32_t k = 0; k < n; k++) residual[i] += w->matrix[i * n + k] * x[k];
    }
    return NB_OK;
}

/* at the least, J^T r = 0, whatever the problem */
TEST(a_linear_problem_has_its_least) {
    uint64_t seed = test_seed();
    for (int trial = 0; trial < 20; trial++) {
        watched w = watch(4, 6, linear);
        double x[4] = {0}, residual[6], jacobian[24];
        int none = 0;
        for (int i = 0; i < 24; i++) w.matrix[i] = test_random(&seed, -1, 1);
        for (int i = 0; i < 6; i++) w.right[i] = test_random(&seed, -1, 1);
        assert_true(nb_reason_converged(solve(&w, x)));
        CHECK_OK(linear(&w, x, residual, jacobian, &none));
        for (int k = 0; k < 4; k++) {
            double sum = 0;
            for (int i = 0; i < 6; i++) sum += jacobian[4 * i + k] * residual[i];
            CHECK_BELOW(fabs(sum), 1e-6); /* the cost is flat there: its part of 1e-15 is the root of that here */
        }
        assert_true(w.told <= 16);
    }
}

/* x + y = 1 twice over: of all solutions it finds the one next to its start */
TEST(full_rank_is_not_needed) {
    watched w = watch(2, 2, linear);
    double x[2] = {1, 2};
    memcpy(w.matrix, (const double[]){1, 1, 2, 2}, 4 * sizeof *w.matrix);
    memcpy(w.right, (const double[]){1, 2}, 2 * sizeof *w.right);
    solve(&w, x);
    CHECK_BELOW(fabs(x[0] - 0), 1e-6);
    CHECK_BELOW(fabs(x[1] - 1), 1e-6);
}

static nb_status rosenbrock(void *context, const double *x, double *residual, double *jacobian, int *none) {
    (void)context;
    (void)none;
    residual[0] = 10 * (x[1] - x[0] * x[0]);
    residual[1] = 1 - x[0];
    memcpy(jacobian, (const double[]){-20 * x[0], 10, -1, 0}, 4 * sizeof *jacobian);
    return NB_OK;
}

TEST(a_curved_valley_is_gone_along) {
    watched w = watch(2, 2, rosenbrock);
    double x[2] = {-1.2, 1};
    solve(&w, x);
    CHECK_BELOW(fabs(x[0] - 1), 1e-8);
    CHECK_BELOW(fabs(x[1] - 1), 1e-8);
    assert_true(w.told < 60 && w.taken < w.told - 1); /* some steps go too far */
}

/* no value below x = 1: the least of x^2 is there */
static nb_status fenced(void *context, const double *x, double *residual, double *jacobian, int *none) {
    (void)context;
    *none = x[0] < 1;
    residual[0] = x[0];
    jacobian[0] = 1;
    return NB_OK;
}

TEST(where_there_is_nothing_it_does_not_go) {
    watched w = watch(1, 1, fenced);
    double x[1] = {3};
    nb_reason reason = solve(&w, x);
    assert_true(x[0] >= 1 && x[0] < 1.01);
    assert_int_equal(reason, NB_REASON_STAGNATED);
    x[0] = 0;
    CHECK_FAULT(nb_least_squares_solve(&w.problem, x, &reason), NB_ERROR_NUMERIC, "no cost at the start");
}

/* Rosenbrock's with something that cannot be helped */
static nb_status offset(void *context, const double *x, double *residual, double *jacobian, int *none) {
    residual[2] = 1;
    jacobian[4] = jacobian[5] = 0;
    return rosenbrock(context, x, residual, jacobian, none);
}

static nb_status uphill(void *context, const double *x, double *residual, double *jacobian, int *none) {
    (void)context;
    (void)none;
    residual[0] = 2 + x[0];
    jacobian[0] = -1; /* wrong */
    return NB_OK;
}

TEST(it_ends_where_no_step_helps_or_enough_were_made) {
    watched w = watch(1, 1, uphill);
    double x[1] = {0}, y[2] = {-1.2, 1}, z[2] = {-1.2, 1}, best[2] = {1, 1};
    assert_int_equal(solve(&w, x), NB_REASON_STAGNATED);
    assert_true(x[0] == 0);
    watched few = watch(2, 2, rosenbrock);
    few.problem.iterations = 3;
    assert_int_equal(solve(&few, y), NB_REASON_ITERATIONS);
    assert_int_equal(few.told, 4);
    watched stopped = watch(2, 2, rosenbrock);
    stopped.stop_at = 3;
    assert_int_equal(solve(&stopped, z), NB_REASON_NONE);
    assert_int_equal(stopped.told, 3);
    /* ten steps together lower the cost by less than the tolerance, and not before */
    watched loose = watch(2, 3, offset);
    double far[2] = {-1.2, 1};
    loose.problem.tolerance = 0.3;
    assert_int_equal(solve(&loose, far), NB_REASON_CONVERGED);
    assert_true(loose.told > 10);
    for (int k = 10; k < loose.told; k++) {
        double part = (loose.cost[k - 10] - loose.cost[k]) / loose.cost[k - 10];
        int taken = loose.cost[k] < loose.cost[k - 1];
        assert_int_equal(taken && part <= 0.3, k == loose.told - 1);
    }
    watched there = watch(2, 2, rosenbrock);
    assert_int_equal(solve(&there, best), NB_REASON_CONVERGED);
    assert_int_equal(there.told, 1);
}

RUN_TESTS(a_linear_problem_has_its_least, full_rank_is_not_needed, a_curved_valley_is_gone_along,
          where_there_is_nothing_it_does_not_go, it_ends_where_no_step_helps_or_enough_were_made)
