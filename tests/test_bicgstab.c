/* BiCGSTAB against van der Vorst's algorithm in dense arithmetic, in double; what it costs; and the ways in which it
 * ends. Where it is compared with scipy's: tests/exports.py. */
#include "unsymmetric_solve.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {5, 60, 700};
enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    STEPS = 8
};

/* with options that gmres alone reads */
static nb_solve_report run(random_system *t, const char *name, const char *preconditioner_name, int iterations,
                           double tolerance, history *h, real *x) {
    return run_solver(t, name, (const double[]){50, 0}, preconditioner_name, iterations, tolerance, h, x);
}

/* ---- the same by dense arithmetic ---- */

/* |r| after 0 .. steps iterations, as printed in 1992 */
static void dense_history(random_system *t, int jacobi, int steps, double *norm) {
    double r[MOST], shadow[MOST], p[MOST] = {0}, v[MOST] = {0}, s[MOST], w[MOST], rho = 1, alpha = 1, omega = 1;
    int n = t->rows;
    for (int i = 0; i < n; i++) r[i] = shadow[i] = (double)t->system->b[i];
    norm[0] = sqrt(dot(n, r, r));
    for (int k = 1; k <= steps; k++) {
        double last = rho;
        rho = dot(n, shadow, r);
        double beta = rho / last * (alpha / omega);
        for (int i = 0; i < n; i++) p[i] = r[i] + beta * (p[i] - omega * v[i]);
        dense_product(t, jacobi, p, v);
        alpha = rho / dot(n, shadow, v);
        for (int i = 0; i < n; i++) s[i] = r[i] - alpha * v[i];
        dense_product(t, jacobi, s, w);
        omega = dot(n, w, s) / dot(n, w, w);
        for (int i = 0; i < n; i++) r[i] = s[i] - omega * w[i];
        norm[k] = sqrt(dot(n, r, r));
    }
}

/* Short recurrences magnify rounding by what the residual falls: after eight iterations the tolerance is a thousand
 * times that of one product. */
TEST(test_iterates_are_those_of_the_paper) {
    for (int n = 0; n < SEEDS; n++)
        for (int jacobi = 0; jacobi < 2; jacobi++) {
            random_system t;
            uint64_t state = seeds[n];
            double printed[STEPS + 1];
            real x[MOST];
            history h;
            create(&state, &t);
            dense_history(&t, jacobi, STEPS, printed);
            nb_solve_report report = run(&t, "bicgstab", jacobi ? "jacobi" : "none", STEPS + 1, 0, &h, x);
            print_message("seed %d: %.3g to %.3g\n", (int)seeds[n], printed[0], printed[STEPS]);
            assert_int_equal(report.reason, NB_REASON_ITERATIONS);
            assert_int_equal(h.count, STEPS + 2);
            assert_true(printed[STEPS] < 0.3 * printed[0]); /* something happens */
            for (int k = 0; k <= STEPS; k++)
                CHECK_NEAR(h.residual[k], printed[k], 1e3 * epsilon * largest_row_sum(t.rows, t.dense) * printed[0]);
            /* two products an iteration, one to look at the residual, and P twice */
            assert_int_equal(report.products, 2 * (STEPS + 1) + 1);
            assert_int_equal(report.preconditionings, jacobi ? 2 * (STEPS + 1) : 0);
            random_system_destroy(&t);
        }
}

/* The solution is that of gmres and of a factorisation, with every preconditioner of unsymmetric systems. */
TEST(test_solution_is_that_of_others) {
    static const char *const preconditioners[] = {"none", "jacobi", "block-jacobi", "lu"};
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        real exact[MOST], x[MOST], least[MOST];
        double size = 0;
        create(&state, &t);
        run(&t, "klu", "none", 1, 0, NULL, exact);
        for (int i = 0; i < t.rows; i++) size = fmax(size, fabs((double)exact[i]));
        for (int k = 0; k < 4; k++) {
            double tolerance = sqrt(epsilon);
            nb_solve_report report = run(&t, "bicgstab", preconditioners[k], 500, tolerance, NULL, x);
            nb_solve_report other = run(&t, "gmres", preconditioners[k], 500, tolerance, NULL, least);
            print_message("%s: %d iterations, gmres %d\n", preconditioners[k], (int)report.iterations,
                          (int)other.iterations);
            assert_int_equal(report.reason, NB_REASON_CONVERGED);
            assert_true(report.residual_l2 <= tolerance * report.rhs_l2 * (1 + 1e-3));
            assert_true(report.products >= other.iterations); /* gmres's residuals are the least a product */
            /* A has eigenvalues from 1/2 on, so that errors are twice residuals */
            for (int i = 0; i < t.rows; i++) {
                CHECK_NEAR((double)x[i], (double)exact[i], 4 * tolerance * report.rhs_l2 + 100 * epsilon * size);
                CHECK_NEAR((double)x[i], (double)least[i], 8 * tolerance * report.rhs_l2 + 100 * epsilon * size);
            }
        }
        random_system_destroy(&t);
    }
}

/* The monitor changes nothing but the time. */
TEST(test_history_changes_nothing) {
    random_system t;
    uint64_t state = seeds[0];
    real seen[MOST], unseen[MOST];
    history h;
    create(&state, &t);
    nb_solve_report with = run(&t, "bicgstab", "block-jacobi", 9, 0, &h, seen);
    nb_solve_report without = run(&t, "bicgstab", "block-jacobi", 9, 0, NULL, unseen);
    assert_memory_equal(seen, unseen, (size_t)t.rows * sizeof *seen);
    assert_int_equal(with.products, without.products);
    assert_int_equal(with.preconditionings, without.preconditionings);
    random_system_destroy(&t);
}

/* ---- ends ---- */

/* a system of one unsymmetric block, and b */
static void single_block(int rows, double k[MOST][MOST], const double *b, random_system *t) {
    double dense[MOST][MOST] = {{0}};
    system_of_dense(rows, dense, 1, (int32_t[]){0, rows}, 1, (int32_t[]){0, 1}, t);
    CHECK_OK(nb_system_use_blocks(t->system));
    for (int i = 0; i < rows * rows; i++) t->system->k[i] = (real)k[i / rows][i % rows];
    for (int i = 0; i < rows; i++) t->system->b[i] = (real)b[i];
    nb_system_values_changed(t->system);
    dense_of_system(t);
}

/* r . A r = 0 of a skew-symmetric A: the first divisor. x stays what it was. */
TEST(test_breakdown) {
    random_system t;
    double skew[MOST][MOST] = {{0, 2}, {-2, 0}}, b[] = {1, 3};
    real x[MOST];
    single_block(2, skew, b, &t);
    nb_solve_report report = run(&t, "bicgstab", "none", 100, 1e-6, NULL, x);
    assert_int_equal(report.reason, NB_REASON_BREAKDOWN);
    assert_int_equal(report.iterations, 0);
    assert_true(x[0] == 0 && x[1] == 0);
    random_system_destroy(&t);
}

/* Small systems in which, in exact arithmetic, a divisor vanishes on the way: r0 . A P p, r0 . r, t . s and then one of
 * these. A new cycle, or another length, takes each to its solution. */
TEST(test_goes_on_after_a_vanishing_divisor) {
    static const struct {
        double a[9], b[3], x[3];
    } cases[] = {{{1, 0, 0, -1, 1, -1, -1, 2, -1}, {-1, 1, 1}, {-1, 0, 0}},
                 {{-1, -2, 0, 2, -1, 2, -1, 2, -1}, {0, -1, -1}, {2, -1, -3}},
                 {{-1, 2, -1, -1, -2, -2, 1, -1, 2}, {0, 2, 0}, {-2, -2. / 3, 2. / 3}},
                 {{-1, -2, 1, -1, 2, -2, 1, 1, -1}, {-2, -1, -1}, {-1. / 3, 3, 11. / 3}},
                 {{0, 2, 1, 2, 0, 0, -2, 1, 2}, {0, 0, 2}, {0, -2. / 3, 4. / 3}},
                 {{-1, 1, -1, -2, 2, 1, 2, 2, -1}, {-1, 1, 0}, {0.25, 0.25, 1}},
                 {{1, -1, 1, -1, -2, -1, 1, 1, 2}, {0, -2, 0}, {2, 2. / 3, -4. / 3}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        random_system t;
        double a[MOST][MOST] = {{0}}, tolerance = sqrt(epsilon);
        real x[MOST];
        for (int k = 0; k < 9; k++) a[k / 3][k % 3] = cases[n].a[k];
        single_block(3, a, cases[n].b, &t);
        nb_solve_report report = run(&t, "bicgstab", "none", 20, tolerance, NULL, x);
        print_message("%s after %d iterations\n", nb_reason_name(report.reason), (int)report.iterations);
        assert_int_equal(report.reason, NB_REASON_CONVERGED);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR((double)x[i], cases[n].x[i], 40 * tolerance); /* |A^-1| |b| is below 40 */
        random_system_destroy(&t);
    }
}

/* However few iterations there are, and whatever the matrix: half of these are nearly singular, and residuals reach
 * 1e10. */
TEST(test_is_never_worse_than_zero) {
    uint64_t seed = test_seed();
    int unsolved = 0;
    for (int trial = 0; trial < test_trials(300); trial++) {
        enum {
            N = 12
        };
        random_system t;
        double a[MOST][MOST] = {{0}}, b[N];
        real x[MOST];
        history h;
        for (int i = 0; i < N; i++) {
            b[i] = test_random(&seed, -1, 1);
            for (int j = 0; j < N; j++) /* skew, and little more */
                a[i][j] = i == j ? (trial % 2 ? 1e-3 : 0.3)
                                 : test_random(&seed, -1, 1) * (i < j ? 1 : 0.01) - (i > j ? a[j][i] : 0);
        }
        single_block(N, a, b, &t);
        nb_solve_report report = run(&t, "bicgstab", "none", 1 + trial % 40, 1e-3, &h, x);
        unsolved += report.reason != NB_REASON_CONVERGED;
        assert_true(report.residual_l2 <= report.rhs_l2 * (1 + 100 * epsilon));
        CHECK_NEAR(h.last, report.residual_l2,
                   100 * epsilon * report.rhs_l2); /* the last one shown is the one returned */
        random_system_destroy(&t);
    }
    print_message("%d not solved\n", unsolved);
    assert_true(unsolved > 30);
}

/* Asked for more than the precision has, it stops at round-off, near the solution. */
TEST(test_round_off) {
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        real x[MOST];
        create(&state, &t);
        nb_solve_report report = run(&t, "bicgstab", "block-jacobi", 5000, 0, NULL, x);
        print_message("%s after %d: %.3g\n", nb_reason_name(report.reason), (int)report.iterations,
                      report.residual_l2 / report.rhs_l2);
        assert_int_equal(report.reason, NB_REASON_ROUND_OFF);
        assert_true(report.residual_l2 < 1e4 * epsilon * report.rhs_l2);
        random_system_destroy(&t);
    }
}

RUN_TESTS(test_iterates_are_those_of_the_paper, test_solution_is_that_of_others, test_history_changes_nothing,
          test_breakdown, test_goes_on_after_a_vanishing_divisor, test_is_never_worse_than_zero, test_round_off)
