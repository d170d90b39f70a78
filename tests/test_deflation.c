/* Deflation of conjugate methods (linear/deflation.h): residuals orthogonal to the basis to round-off, the basis
 * against dense eigenvectors, and fewer iterations on what comes after. */
#include <lapacke.h>

#include "linear/deflation.h"
#include "operator/solve.h"
#include "random_system.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {7, 60, 500};
enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    BASIS = 4,
    MOST_OPTIONS = 8
};

typedef struct trial {
    random_system t;
    nb_vector_backend *backend;
    nb_deflation *d;
    storage *x, *r, *z, *direction;
} trial;

/* no preconditioner: P = 1 */
static void trial_begin(uint64_t seed, trial *v) {
    random_system_create(&seed, 0, 0.5, &v->t);
    dense_of_system(&v->t);
    for (int i = 0; i < v->t.rows; i++) v->t.system->b[i] = (real)test_random(&seed, -1, 1);
    CHECK_OK(nb_vector_backend_create(&v->backend));
    CHECK_OK(nb_vector_backend_set_pattern(v->backend, v->t.system));
    CHECK_OK(nb_vector_backend_set_values(v->backend));
    CHECK_OK(nb_deflation_create(BASIS, &v->d));
    CHECK_OK(nb_vector_backend_set_vectors(v->backend, 4 + nb_deflation_vectors(v->d)));
    CHECK_OK(nb_deflation_set_pattern(v->d, v->backend, v->t.rows, 4));
    CHECK_OK(nb_vector_backend_set_weights_apart(v->backend, NULL, NULL));
    v->x = nb_vector_backend_vector(v->backend, 0);
    v->r = nb_vector_backend_vector(v->backend, 1);
    v->z = nb_vector_backend_vector(v->backend, 2);
    v->direction = nb_vector_backend_vector(v->backend, 3);
}

static void trial_end(trial *v) {
    nb_deflation_destroy(v->d);
    nb_vector_backend_destroy(v->backend);
    random_system_destroy(&v->t);
}

/* the largest cosine between r and a vector of the basis W, or of A W */
static double largest_cosine(const trial *v, const storage *r, int of_images) {
    const int n = v->t.rows;
    double worst = 0, own = nb_vector_backend_dot(v->backend, r, r);
    for (int k = 0; k < v->d->count; k++) {
        const real *w = v->d->basis + (int64_t)k * n;
        double sum = 0, square = 0;
        for (int i = 0; i < n; i++) {
            double entry = of_images ? 0 : (double)w[i];
            for (int j = 0; of_images && j < n; j++) entry += v->t.dense[i][j] * (double)w[j];
            sum += entry * (double)r[i];
            square += entry * entry;
        }
        worst = fmax(worst, fabs(sum) / sqrt(own * square));
    }
    return worst;
}

/* conjugate gradients on what deflation leaves, until |r| is `least` of its start; the largest |W . r|, over |b| */
static double iterate(trial *v, double least) {
    nb_vector_backend *s = v->backend;
    double worst = 0, before = 0, size;
    nb_vector_backend_clear(s, v->x);
    nb_vector_backend_take(s, v->t.system->b, v->r);
    const double b = sqrt(nb_vector_backend_dot(s, v->r, v->r));
    nb_deflation_begin(v->d);
    nb_deflation_start(v->d, v->x, v->r);
    nb_vector_backend_copy(s, v->r, v->z);
    nb_deflation_project(v->d, v->r, v->z);
    nb_vector_backend_clear(s, v->direction);
    double rz = nb_vector_backend_dot(s, v->r, v->z), beta = 0, alpha = 0;
    for (int k = 0; k < 4 * v->t.rows && (size = sqrt(nb_vector_backend_dot(s, v->r, v->r))) > least * b; k++) {
        double sums[2], image[NB_DEFLATION_MOST];
        worst = fmax(worst, largest_cosine(v, v->r, 0) * size / b);
        if (k == 0) CHECK_BELOW(largest_cosine(v, v->z, 1), 16 * v->t.rows * epsilon);
        nb_vector_backend_begin_product(s, 1, v->z, beta, v->direction, sums);
        before = alpha;
        alpha = rz / sums[1];
        nb_vector_backend_finish_pcg(s, v->direction, alpha, v->x, v->r, 0);
        nb_vector_backend_copy(s, v->r, v->z);
        memcpy(image, v->d->image, (size_t)v->d->used * sizeof *image);
        nb_deflation_project(v->d, v->r, v->z);
        const double next = nb_vector_backend_dot(s, v->r, v->z);
        for (int i = 0; i < v->d->used; i++) image[i] = (image[i] - v->d->image[i]) / alpha;
        nb_deflation_add_direction(v->d, v->direction, sums[1], (rz + next) / (alpha * alpha),
                                   before != 0 ? -rz / (before * alpha) : 0, image);
        beta = next / rz;
        rz = next;
    }
    return worst;
}

/* a step changes W . r by the rounding of A d, which is of |A| |x| */
TEST(test_orthogonal_residuals) {
    for (int n = 0; n < SEEDS; n++) {
        trial v;
        uint64_t seed = seeds[n] + 1;
        trial_begin(seeds[n], &v);
        for (int64_t i = 0; i < (int64_t)BASIS * v.t.rows; i++) v.d->basis[i] = (real)test_random(&seed, -1, 1);
        v.d->count = BASIS;
        const double worst = iterate(&v, sqrt(epsilon));
        print_message("  seed %d: |W . r| up to %.2g |b| |W|\n", (int)seeds[n], worst);
        assert_int_equal(v.d->used, BASIS);
        CHECK_BELOW(worst, 8 * v.t.rows * epsilon * largest_row_sum(v.t.rows, v.t.dense));
        trial_end(&v);
    }
}

/* a vector twice, and a sum of two, are left out */
TEST(test_dependent_vectors) {
    trial v;
    uint64_t seed = 9;
    trial_begin(seeds[0], &v);
    const int n = v.t.rows;
    for (int i = 0; i < n; i++) {
        real *w = v.d->basis + i;
        w[0] = w[n] = (real)test_random(&seed, -1, 1);
        w[2 * (int64_t)n] = (real)test_random(&seed, -1, 1);
        w[3 * (int64_t)n] = w[0] + w[2 * (int64_t)n];
    }
    v.d->count = BASIS;
    CHECK_BELOW(iterate(&v, sqrt(epsilon)), 8 * n * epsilon * largest_row_sum(n, v.t.dense));
    assert_int_equal(v.d->used, 2);
    trial_end(&v);
}

/* of the whole space, and of a solve that began with a basis, the least eigenvalues of A, but for what solves tell
 * apart: in single precision the first one */
TEST(test_basis) {
    for (int n = 0; n < SEEDS; n++) {
        trial v;
        double a[MOST * MOST], values[MOST];
        trial_begin(seeds[n], &v);
        const int rows = v.t.rows;
        for (int i = 0; i < rows * rows; i++) a[i] = v.t.dense[i / rows][i % rows];
        assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', rows, a, rows, values), 0);
        for (int solve = 0; solve < 2; solve++) {
            iterate(&v, 64 * epsilon);
            nb_deflation_finish(v.d);
            assert_int_equal(v.d->count, BASIS);
            for (int k = 0; k < BASIS; k++) {
                const real *w = v.d->basis + (int64_t)k * rows;
                double energy = 0, square = 0;
                for (int i = 0; i < rows; i++) {
                    square += (double)w[i] * (double)w[i];
                    for (int j = 0; j < rows; j++) energy += (double)w[i] * v.t.dense[i][j] * (double)w[j];
                }
                print_message("  seed %d, solve %d: %.4g for %.4g\n", (int)seeds[n], solve, energy / square, values[k]);
                CHECK_NEAR(energy / square, values[k], (sizeof(real) == 8 ? 1e-3 : k == 0 ? 0.1 : 0.5) * values[k]);
            }
        }
        trial_end(&v);
    }
}

/* ---- solvers ---- */

static int32_t run(nb_solve *solve, random_system *t, nb_solve_report *report) {
    const nb_linear_stop stop = {.iterations = 10 * MOST, .tolerance = 100 * epsilon};
    real x[MOST] = {0};
    CHECK_OK(nb_solve_run(solve, t->system, &stop, NULL, NULL, x, report));
    print_message("  %d iterations, %s, deflated by %d\n", (int)report->iterations, nb_reason_name(report->reason),
                  (int)report->recycled);
    assert_true(nb_reason_converged(report->reason));
    return report->iterations;
}

/* the same system again, one of other weights, and one of another size, of which the basis is dropped */
TEST(test_sequence) {
    static const char *const names[] = {"pcg", "pcr"}, *const preconditioners[] = {"none", "jacobi", "block-jacobi"};
    for (int k = 0; k < 6; k++) {
        const nb_linear_solver_class *solver;
        const nb_preconditioner_class *type;
        const double values[] = {12}, none[MOST_OPTIONS] = {0};
        random_system t, other;
        double dense[MOST][MOST] = {{4, 1}, {1, 3}};
        nb_solve_report report;
        nb_solve *solve;
        uint64_t seed = 5;
        print_message("%s, %s:\n", names[k % 2], preconditioners[k / 2]);
        CHECK_OK(nb_linear_solver_find(names[k % 2], &solver));
        CHECK_OK(nb_preconditioner_find(preconditioners[k / 2], &type));
        CHECK_OK(nb_solve_create(solver, values, type, none, &solve));
        random_system_create(&seed, 0, 0.01, &t);
        for (int i = 0; i < t.rows; i++) t.system->b[i] = (real)test_random(&seed, -1, 1);
        const int32_t first = run(solve, &t, &report);
        assert_int_equal(report.recycled, 0);
        assert_true(run(solve, &t, &report) < first);
        assert_int_equal(report.recycled, 12);
        for (int i = 0; i < t.rows; i++) t.system->c[i] *= 2;
        nb_system_values_changed(t.system);
        assert_true(run(solve, &t, &report) < first);
        assert_in_range(report.recycled, 1, 12);
        system_of_dense(2, dense, 0, NULL, 0, NULL, &other);
        other.system->b[0] = 1;
        nb_solve_restart(solve);
        run(solve, &other, &report);
        assert_int_equal(report.recycled, -1);
        run(solve, &other, &report);
        assert_in_range(report.recycled, 1, 2);
        nb_solve_destroy(solve);
        random_system_destroy(&t);
        random_system_destroy(&other);
    }
}

RUN_TESTS(test_orthogonal_residuals, test_dependent_vectors, test_basis, test_sequence)
