/* GMRES and FGMRES against what defines them: residuals that are the least over the Krylov space, by dense arithmetic
 * in double; restarts; inner iterations; and the ways in which they end. */
#include "base/memory.h"
#include "unsymmetric_solve.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {5, 60, 700};
enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    STEPS = 12
};

static nb_solve_report run(random_system *t, const char *name, double restart, double inner,
                           const char *preconditioner_name, int iterations, double tolerance, history *h, real *x) {
    return run_solver(t, name, (const double[]){restart, inner}, preconditioner_name, iterations, tolerance, h, x);
}

/* ---- the same by dense arithmetic ---- */

/* takes the parts along q[0 .. count - 1] out of v, twice, and scales it to length one; returns the length it had */
static double orthonormalize(int n, int count, double q[][MOST], double *v) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            double along = dot(n, q[k], v);
            for (int i = 0; i < n; i++) v[i] -= along * q[k][i];
        }
    double length = sqrt(dot(n, v, v));
    for (int i = 0; i < n && length > 0; i++) v[i] /= length;
    return length;
}

/* least[k] = the smallest |r - A P u| over u in the span of r, A P r, .., (A P)^(k-1) r, k = 0 .. steps; the residual
 * itself goes to r */
static void dense_least(random_system *t, int jacobi, int steps, double *r, double *least) {
    double q[STEPS + 1][MOST], w[STEPS][MOST], product[MOST];
    memcpy(q[0], r, sizeof q[0]);
    least[0] = orthonormalize(t->rows, 0, q, q[0]);
    for (int k = 0; k < steps; k++) {
        dense_product(t, jacobi, q[k], product);
        memcpy(w[k], product, sizeof product);
        orthonormalize(t->rows, k, w, w[k]); /* of the images: what is left of r is the least residual */
        double along = dot(t->rows, w[k], r);
        for (int i = 0; i < t->rows; i++) r[i] -= along * w[k][i];
        least[k + 1] = sqrt(dot(t->rows, r, r));
        memcpy(q[k + 1], product, sizeof product);
        orthonormalize(t->rows, k + 1, q, q[k + 1]);
    }
}

/* ---- iterates ---- */

/* Round-off of a step is some n epsilon against the start; C = 1/2 and K keep the condition of A below its row sum. */
static double allowed(random_system *t, double start) {
    return 64 * epsilon * largest_row_sum(t->rows, t->dense) * start;
}

TEST(test_residuals_are_the_least) {
    for (int n = 0; n < SEEDS; n++)
        for (int jacobi = 0; jacobi < 2; jacobi++)
            for (int flexible = 0; flexible < 2; flexible++) {
                random_system t;
                uint64_t state = seeds[n];
                double r[MOST], least[STEPS + 1];
                real x[MOST];
                history h;
                create(&state, &t);
                for (int i = 0; i < t.rows; i++) r[i] = (double)t.system->b[i];
                dense_least(&t, jacobi, STEPS, r, least);
                nb_solve_report report =
                    run(&t, flexible ? "fgmres" : "gmres", 50, 0, jacobi ? "jacobi" : "none", STEPS, 0, &h, x);
                assert_int_equal(report.reason, NB_REASON_ITERATIONS);
                assert_int_equal(h.count, STEPS + 1);
                print_message("seed %d: %.3g to %.3g\n", (int)seeds[n], least[0], least[STEPS]);
                assert_true(least[STEPS] < 0.3 * least[0]); /* something happens */
                for (int k = 0; k <= STEPS; k++) CHECK_NEAR(h.residual[k], least[k], allowed(&t, least[0]));
                /* a product a step and one to look at the residual; P once a step, and once for the solution */
                assert_int_equal(report.products, STEPS + 1);
                assert_int_equal(report.preconditionings, !jacobi ? 0 : flexible ? STEPS : STEPS + 1);
                random_system_destroy(&t);
            }
}

/* After a restart it begins anew with the residual that it had. */
TEST(test_restarts) {
    const int restart = 4;
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        double r[MOST], least[STEPS + 1], start;
        real x[MOST];
        history h;
        create(&state, &t);
        for (int i = 0; i < t.rows; i++) r[i] = (double)t.system->b[i];
        start = sqrt(dot(t.rows, r, r));
        run(&t, "gmres", restart, 0, "jacobi", STEPS, 0, &h, x);
        for (int cycle = 0; cycle < STEPS / restart; cycle++) {
            dense_least(&t, 1, restart, r, least);
            for (int k = 0; k <= restart; k++)
                CHECK_NEAR(h.residual[cycle * restart + k], least[k], (1 + cycle) * allowed(&t, start));
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
    for (int flexible = 0; flexible < 2; flexible++)
        for (int inner = 0; inner <= 3 * flexible; inner += 3) {
            const char *name = flexible ? "fgmres" : "gmres";
            nb_solve_report with = run(&t, name, 5, inner, "block-jacobi", 9, 0, &h, seen);
            nb_solve_report without = run(&t, name, 5, inner, "block-jacobi", 9, 0, NULL, unseen);
            assert_memory_equal(seen, unseen, (size_t)t.rows * sizeof *seen);
            assert_int_equal(with.products, without.products);
            assert_int_equal(with.preconditionings, without.preconditionings);
        }
    random_system_destroy(&t);
}

/* With inner steps, one outer step of FGMRES reaches at least what those of GMRES reach; and it converges in fewer. */
TEST(test_inner_iterations) {
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        real x[MOST];
        history inner, plain;
        create(&state, &t);
        nb_solve_report nested = run(&t, "fgmres", 50, 4, "jacobi", 6, 0, &inner, x);
        run(&t, "gmres", 50, 0, "jacobi", 6, 0, &plain, x);
        assert_int_equal(nested.products, 6 * (4 + 1) + 1);
        CHECK_NEAR(inner.residual[1], plain.residual[4], allowed(&t, plain.residual[0])); /* its best length is one */
        for (int k = 1; k <= 6; k++)
            assert_true(inner.residual[k] <= plain.residual[k] + allowed(&t, plain.residual[0]));
        nb_solve_report done = run(&t, "fgmres", 50, 4, "jacobi", 50, sqrt(epsilon), NULL, x);
        assert_int_equal(done.reason, NB_REASON_CONVERGED);
        assert_true(done.residual_l2 <= sqrt(epsilon) * done.rhs_l2 + allowed(&t, plain.residual[0]));
        random_system_destroy(&t);
    }
}

/* ---- ends ---- */

/* a system of one unsymmetric block; b = e_0 */
static void single_block(int rows, double k[MOST][MOST], random_system *t) {
    double dense[MOST][MOST] = {{0}};
    system_of_dense(rows, dense, 1, (int32_t[]){0, rows}, 1, (int32_t[]){0, 1}, t);
    CHECK_OK(nb_system_use_blocks(t->system));
    for (int i = 0; i < rows * rows; i++) t->system->k[i] = (real)k[i / rows][i % rows];
    t->system->b[0] = 1;
    nb_system_values_changed(t->system);
    dense_of_system(t);
}

/* The cyclic shift: nothing at all until the last step of n, which is exact (Greenbaum, Strakos 1994). */
TEST(test_stagnation) {
    enum {
        N = 8
    };
    random_system t;
    double shift[MOST][MOST] = {{0}};
    real x[MOST];
    history h;
    for (int i = 0; i < N; i++) shift[i][(i + 1) % N] = 1;
    single_block(N, shift, &t);
    for (int flexible = 0; flexible < 2; flexible++) {
        const char *name = flexible ? "fgmres" : "gmres";
        nb_solve_report report = run(&t, name, N, 0, "none", 2 * N, 1e-6, &h, x);
        assert_int_equal(report.reason, NB_REASON_CONVERGED);
        assert_int_equal(report.iterations, N);
        for (int k = 0; k < N; k++) CHECK_NEAR(h.residual[k], 1, 4 * epsilon);
        for (int i = 0; i < N; i++) CHECK_NEAR((double)x[i], i == 1, 4 * epsilon);
        report = run(&t, name, N - 1, 0, "none", 100, 1e-6, NULL, x);
        assert_int_equal(report.reason, NB_REASON_STAGNATED);
        assert_int_equal(report.iterations, N - 1);
    }
    random_system_destroy(&t);
}

/* [0 1; 0 0] x = (1, 0) has solutions that the Krylov space of b does not hold: A b = 0 */
TEST(test_breakdown) {
    random_system t;
    double nilpotent[MOST][MOST] = {{0, 1}};
    real x[MOST];
    single_block(2, nilpotent, &t);
    nb_solve_report report = run(&t, "gmres", 10, 0, "none", 100, 1e-6, NULL, x);
    assert_int_equal(report.reason, NB_REASON_BREAKDOWN);
    assert_int_equal(report.iterations, 0);
    assert_true(x[0] == 0 && x[1] == 0);
    random_system_destroy(&t);
}

/* Asked for more than the precision has, it stops at round-off, near the solution. */
TEST(test_round_off) {
    for (int n = 0; n < SEEDS; n++)
        for (int restart = 6; restart <= 60; restart += 54) {
            random_system t;
            uint64_t state = seeds[n];
            real x[MOST];
            create(&state, &t);
            nb_solve_report report = run(&t, "gmres", restart, 0, "block-jacobi", 5000, 0, NULL, x);
            print_message("%s after %d: %.3g\n", nb_reason_name(report.reason), (int)report.iterations,
                          report.residual_l2 / report.rhs_l2);
            assert_int_equal(report.reason, NB_REASON_ROUND_OFF);
            assert_true(report.residual_l2 < 1e4 * epsilon * report.rhs_l2);
            random_system_destroy(&t);
        }
}

/* ---- a preconditioner that is another matrix at every call ---- */

typedef struct fickle {
    int32_t rows;
    int calls;
} fickle;

static nb_status fickle_create(const double *values, void **state) {
    (void)values;
    fickle *p;
    nb_status status = NB_ALLOCATE(1, &p);
    *state = p;
    return status;
}

static nb_status fickle_set_pattern(void *state, nb_system *system) {
    ((fickle *)state)->rows = system->rows;
    return NB_OK;
}

static nb_status fickle_set_values(void *state, nb_system *system, nb_reason *reason) {
    (void)state, (void)system, (void)reason;
    return NB_OK;
}

static void fickle_apply(void *state, const real *r, real *z) {
    fickle *p = state;
    p->calls++;
    for (int32_t i = 0; i < p->rows; i++) z[i] = (i + p->calls) % 3 == 0 ? -2 * r[i] : r[i];
}

static void fickle_destroy(void *state) {
    nb_free(state);
}

/* GMRES believes its recurrence, which speaks of other preconditioners than the one that makes x; FGMRES may. */
TEST(test_fickle_preconditioner) {
    const nb_preconditioner_class type = {.name = "fickle",
                                          .takes_unsymmetric = 1,
                                          .create = fickle_create,
                                          .set_up_pattern = fickle_set_pattern,
                                          .set_up_values = fickle_set_values,
                                          .apply = fickle_apply,
                                          .destroy = fickle_destroy};
    random_system t;
    uint64_t state = seeds[0];
    create(&state, &t);
    for (int flexible = 0; flexible < 2; flexible++) {
        const double values[] = {500, 0};
        const nb_linear_solver_class *solver;
        real x[MOST];
        nb_solve *solve;
        nb_solve_report report;
        CHECK_OK(nb_linear_solver_find(flexible ? "fgmres" : "gmres", &solver));
        CHECK_OK(nb_solve_create(solver, values, &type, NULL, &solve));
        CHECK_OK(nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 1000, .tolerance = 1e-4}, NULL, NULL, x,
                              &report));
        print_message("%s: %.3g\n", nb_reason_name(report.reason), report.residual_l2 / report.rhs_l2);
        assert_int_equal(report.reason, flexible ? NB_REASON_CONVERGED : NB_REASON_STAGNATED);
        nb_solve_destroy(solve);
    }
    random_system_destroy(&t);
}

/* what does not fit an unsymmetric system is named, and what does */
TEST(test_refusals) {
    const nb_linear_solver_class *pcg, *gmres, *klu;
    const nb_preconditioner_class *ssor, *jacobi;
    CHECK_OK(nb_linear_solver_find("pcg", &pcg));
    CHECK_OK(nb_linear_solver_find("gmres", &gmres));
    CHECK_OK(nb_linear_solver_find("klu", &klu));
    CHECK_OK(nb_preconditioner_find("ssor", &ssor));
    CHECK_OK(nb_preconditioner_find("jacobi", &jacobi));
    CHECK_FAULT(nb_check_unsymmetric(pcg, jacobi), NB_ERROR_USAGE, "'pcg' does not support unsymmetric systems");
    CHECK_FAULT(nb_check_unsymmetric(pcg, NULL), NB_ERROR_USAGE, "gmres, fgmres");
    CHECK_FAULT(nb_check_unsymmetric(gmres, ssor), NB_ERROR_USAGE, "none, jacobi, block-jacobi");
    CHECK_OK(nb_check_unsymmetric(gmres, jacobi));
    CHECK_OK(nb_check_unsymmetric(klu, ssor)); /* which it does not use */
}

RUN_TESTS(test_residuals_are_the_least, test_restarts, test_history_changes_nothing, test_inner_iterations,
          test_stagnation, test_breakdown, test_round_off, test_fickle_preconditioner, test_refusals)
