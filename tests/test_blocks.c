/* NB_TEST_IN_BOTH_PRECISIONS: what goes block by block over bodies, or by the kernels, does the same as over the
 * entries of the same matrix. */
#include "check.h"

#include <string.h>

#include "base/memory.h"
#include "random_scene.h"
#include "registry.h"
#include "system/solve.h"
#include "system/stored.h"

enum {
    MOST_OPTIONS = 16
};

static const int sizes[][3] = {/* bodies, joints, runs of contacts; each without K and with it */
                               {3, 0, 1}, {3, 1, 0}, {8, 2, 3}, {30, 20, 50}, {40, 0, 80}, {12, 4, 20}, {3, 0, 0}};
enum {
    SIZES = sizeof sizes / sizeof *sizes
};

/* a K of symmetric positive definite blocks, 1 + v v^T */
static void give_blocks(nb_system *system, uint64_t *seed) {
    const nb_delassus *d = system->delassus;
    CHECK_OK(nb_system_use_blocks(system));
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t n = d->block_start[i + 1] - d->block_start[i];
        real v[3], *block = nb_system_block_place(system, i);
        for (int32_t r = 0; r < n; r++) v[r] = (real)test_random(seed, -1, 1);
        for (int32_t r = 0; r < n; r++)
            for (int32_t c = 0; c < n; c++) block[r * n + c] = (r == c) + v[r] * v[c];
    }
    system->symmetric = 1;
    nb_system_values_changed(system);
}

/* the same system over a stored matrix */
static nb_system *over_entries(const nb_system *system, nb_delassus **stored) {
    const nb_delassus *d = system->delassus;
    nb_csr *matrix;
    nb_system *copy;
    CHECK_OK(d->class->pattern(d, &matrix));
    d->class->values(d, matrix);
    CHECK_OK(nb_stored_create(matrix, d->block_count, d->block_start, d->group_count, d->group_start, stored));
    CHECK_OK(nb_system_create(*stored, &copy));
    memcpy(copy->s, system->s, (size_t)system->rows * sizeof(real));
    memcpy(copy->c, system->c, (size_t)system->rows * sizeof(real));
    memcpy(copy->b, system->b, (size_t)system->rows * sizeof(real));
    if (system->k) {
        CHECK_OK(nb_system_use_blocks(copy));
        memcpy(copy->k, system->k, (size_t)system->k_place[d->block_count] * sizeof(real));
        copy->symmetric = system->symmetric;
    }
    nb_system_values_changed(copy);
    return copy;
}

static void blocks_are_those_of_the_matrix(void **unused) {
    (void)unused;
    uint64_t seed = 11;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t n = 0; n < 2 * SIZES; n++) {
        static scene s;
        begin_scene(&s, &seed, sizes[n / 2][0], sizes[n / 2][1], sizes[n / 2][2]);
        if (n % 2 == 1) give_blocks(s.system, &seed);
        const nb_delassus *d = s.system->delassus;
        const nb_csr *a;
        assert_true(nb_system_has_blocks(s.system));
        CHECK_OK(nb_system_matrix(s.system, &a));
        for (int32_t i = 0; i < d->block_count; i++)
            for (int32_t k = 0; k < d->block_count; k++) {
                real block[9];
                int32_t columns = d->block_start[k + 1] - d->block_start[k];
                nb_system_block(s.system, i, k, block);
                for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) {
                    real row[3] = {0};
                    for (int64_t e = a->start[r]; e < a->start[r + 1]; e++) {
                        int32_t c = a->column[e] - d->block_start[k];
                        if (c >= 0 && c < columns) row[c] = a->value[e];
                    }
                    for (int32_t c = 0; c < columns; c++) /* sums of twelve terms of size one */
                        CHECK_NEAR(block[(r - d->block_start[i]) * columns + c], row[c], 50 * NB_REAL_EPSILON);
                }
            }
        end_scene(&s);
    }
}

static void solve(nb_system *system, const char *solver_name, const char *preconditioner_name, const double *values,
                  int iterations, real *x) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    nb_solve *state;
    nb_solve_report report;
    double standard[MOST_OPTIONS];
    CHECK_OK(nb_linear_solver_find(solver_name, &solver));
    CHECK_OK(nb_preconditioner_find(preconditioner_name, &preconditioner));
    nb_options_standard(solver->options, solver->option_count, standard);
    CHECK_OK(nb_solve_create(solver, solver->option_count ? values : standard,
                             solver->takes_preconditioner ? preconditioner : NULL, values, &state));
    CHECK_OK(nb_solve_run(state, system, iterations, 0, NULL, NULL, x, &report));
    nb_solve_destroy(state);
}

static void compare(const char *solver, const char *preconditioner, const double *values, int iterations) {
    uint64_t seed = 12;
    print_message("%s, %s, seed %llu\n", solver, preconditioner, (unsigned long long)seed);
    for (size_t n = 0; n < 2 * SIZES; n++) {
        static scene s;
        static real x[MOST_ROWS], y[MOST_ROWS];
        nb_delassus *stored;
        begin_scene(&s, &seed, sizes[n / 2][0], sizes[n / 2][1], sizes[n / 2][2]);
        if (n % 2 == 1) give_blocks(s.system, &seed);
        nb_system *entries = over_entries(s.system, &stored);
        assert_false(nb_system_has_blocks(entries));
        double largest = 0;
        solve(s.system, solver, preconditioner, values, iterations, x);
        solve(entries, solver, preconditioner, values, iterations, y);
        for (int32_t r = 0; r < s.system->rows; r++) largest = fmax(largest, fabs((double)y[r]));
        /* round-off of a few iterations on blocks whose condition is of order ten to a hundred */
        for (int32_t r = 0; r < s.system->rows; r++) CHECK_NEAR(x[r], y[r], 1e5 * (double)NB_REAL_EPSILON * largest);
        nb_system_destroy(entries);
        nb_stored_destroy(stored);
        end_scene(&s);
    }
}

static void gauss_seidel_makes_the_same_iterates(void **unused) {
    (void)unused;
    for (int sweep = 0; sweep < 2; sweep++)
        for (int iterations = 1; iterations <= 7; iterations += 3) {
            compare("gauss-seidel", "none", (double[]){sweep, 1}, iterations);
            compare("gauss-seidel", "none", (double[]){sweep, 1.3}, iterations);
        }
}

static void block_jacobi_is_the_same(void **unused) {
    (void)unused;
    for (int blocks = 0; blocks < 2; blocks++) compare("pcr", "block-jacobi", (double[]){blocks}, 3);
}

static void jacobi_makes_the_same_iterates(void **unused) {
    (void)unused;
    for (int variant = 0; variant < 3; variant++) compare("jacobi", "none", (double[]){variant, 0.3}, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_the_matrix),
        cmocka_unit_test(gauss_seidel_makes_the_same_iterates),
        cmocka_unit_test(block_jacobi_is_the_same),
        cmocka_unit_test(jacobi_makes_the_same_iterates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
