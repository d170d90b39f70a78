/* What goes block by block over bodies, or by the kernels, does the same as over the entries of the same matrix. */
#include "check.h"

#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "operator/delassus_matrix.h"
#include "operator/solve.h"
#include "random_scene.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

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
        real v[3], *block = nb_system_diagonal_block(system, i);
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
    CHECK_OK(d->type->pattern(d, &matrix));
    d->type->values(d, matrix);
    CHECK_OK(nb_delassus_matrix_create(matrix, d->block_count, d->block_start, d->group_count, d->group_start, stored));
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

TEST(blocks_are_those_of_the_matrix) {
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
    CHECK_OK(nb_solve_run(state, system, &(nb_linear_stop){.iterations = iterations, .tolerance = 0}, NULL, NULL, x,
                          &report));
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
        for (int32_t r = 0; r < s.system->rows; r++) nb_raise(&largest, fabs((double)y[r]));
        /* round-off of a few iterations on blocks whose condition is of order ten to a hundred */
        for (int32_t r = 0; r < s.system->rows; r++) CHECK_NEAR(x[r], y[r], 1e5 * (double)NB_REAL_EPSILON * largest);
        nb_system_destroy(entries);
        nb_delassus_matrix_destroy(stored);
        end_scene(&s);
    }
}

TEST(gauss_seidel_makes_the_same_iterates) {
    for (int sweep = 0; sweep < 2; sweep++)
        for (int iterations = 1; iterations <= 7; iterations += 3) {
            compare("gauss-seidel", "none", (double[]){sweep, 1, 0}, iterations);
            compare("gauss-seidel", "none", (double[]){sweep, 1.3, 0}, iterations);
        }
}

TEST(block_jacobi_is_the_same) {
    for (int blocks = 0; blocks < 2; blocks++) compare("pcr", "block-jacobi", (double[]){blocks}, 3);
}

TEST(jacobi_makes_the_same_iterates) {
    for (int variant = 0; variant < 3; variant++) compare("jacobi", "none", (double[]){variant, 0.3}, 4);
}

/* What block_jacobian and the mass give is D: D_ik = sum over shared nodes of J_i H^-1 J_k^T. */
TEST(jacobians_and_masses_make_the_blocks) {
    uint64_t seed = 13;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t n = 0; n < SIZES; n++) {
        static scene s;
        begin_scene(&s, &seed, sizes[n][0], sizes[n][1], sizes[n][2]);
        const nb_delassus *d = s.system->delassus;
        for (int32_t i = 0; i < d->block_count; i++)
            for (int32_t k = 0; k < d->block_count; k++) {
                int32_t mine[NB_BLOCK_NODES], other[NB_BLOCK_NODES], nodes[NB_BLOCK_NODES],
                    rows = d->block_start[i + 1] - d->block_start[i],
                    columns = d->block_start[k + 1] - d->block_start[k];
                real ji[36], jk[36], inverse[36], block[9];
                int of_i = d->type->block_jacobian(d, i, mine, ji), of_k = d->type->block_jacobian(d, k, other, jk);
                d->type->block(d, i, k, block);
                for (int e = 0; e < rows * columns; e++) {
                    real sum = 0;
                    for (int side = 0; side < of_i * of_k; side++) {
                        int p = side / of_k, q = side % of_k;
                        if (mine[p] != other[q]) continue;
                        d->mass->type->inverse_block(d->mass, mine[p], inverse);
                        for (int a = 0; a < 36; a++)
                            sum += ji[6 * of_i * (e / columns) + 6 * p + a / 6] * inverse[a] *
                                   jk[6 * of_k * (e % columns) + 6 * q + a % 6];
                    }
                    CHECK_NEAR(block[e], sum, 200 * NB_REAL_EPSILON); /* sums of 72 terms of size one */
                }
                assert_int_equal(d->type->block_nodes(d, i, nodes), of_i);
                assert_memory_equal(nodes, mine, (size_t)of_i * sizeof *mine);
                for (int side = 0; side < of_i; side++) assert_true(d->mass->moves[mine[side]]);
            }
        end_scene(&s);
    }
}

/* P over bodies is (A + shift)^-1: applied to that matrix's columns it gives those of 1. K is unsymmetric, of sizes
 * from 1e-4 to 1e4 in f64, as an interior-point method has them. */
TEST(lu_over_bodies_is_the_inverse) {
    uint64_t seed = 14;
    const double spread = sizeof(real) == 4 ? 1 : 4, shift = 1e-3, value[] = {shift};
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t n = 0; n < 2 * SIZES; n++) {
        static scene s;
        static real diagonal[MOST_ROWS], column[MOST_ROWS], out[MOST_ROWS];
        const nb_preconditioner_class *lu;
        const nb_csr *a;
        void *state;
        nb_reason reason = NB_REASON_NONE;
        begin_scene(&s, &seed, sizes[n / 2][0], sizes[n / 2][1], sizes[n / 2][2]);
        const nb_delassus *d = s.system->delassus;
        if (n % 2 == 1) {
            give_blocks(s.system, &seed);
            for (int32_t i = 0; i < d->block_count; i++) {
                real *block = nb_system_diagonal_block(s.system, i),
                     size = (real)pow(10, test_random(&seed, -spread, spread));
                int32_t m = d->block_start[i + 1] - d->block_start[i];
                for (int32_t e = 0; e < m * m; e++) block[e] *= size;
                for (int32_t e = 1; e < m; e++) { /* the first row against the others: what N does */
                    block[e] += size;
                    block[e * m] -= size;
                }
            }
            s.system->symmetric = 0;
        }
        CHECK_OK(nb_preconditioner_find("lu", &lu));
        CHECK_OK(lu->create(value, &state));
        CHECK_OK(lu->set_up_pattern(state, s.system));
        CHECK_OK(lu->set_up_values(state, s.system, &reason));
        assert_int_equal(reason, NB_REASON_NONE);
        d->type->diagonal(d, diagonal);
        CHECK_OK(nb_system_matrix(s.system, &a));
        int64_t allocations = nb_allocation_count();
        for (int32_t c = 0; c < s.system->rows; c += 1 + s.system->rows / 40) {
            double largest = 0;
            for (int32_t r = 0; r < s.system->rows; r++) {
                column[r] = 0;
                for (int64_t e = a->start[r]; e < a->start[r + 1]; e++)
                    if (a->column[e] == c) column[r] = a->value[e];
                if (r == c) column[r] += (real)shift * s.system->s[r] * s.system->s[r] * diagonal[r];
                nb_raise(&largest, fabs((double)column[r]));
            }
            lu->apply(state, column, out);
            /* P is 1e3 and less, but where s is small: 1e5; blocks are read in `real` */
            for (int32_t r = 0; r < s.system->rows; r++)
                CHECK_NEAR(out[r], r == c, 1e5 * (double)NB_REAL_EPSILON * largest);
        }
        assert_int_equal(nb_allocation_count(), allocations);
        lu->destroy(state);
        end_scene(&s);
    }
}

/* whichever allocation fails in taking a pattern of bodies: a fault, nothing leaked */
TEST(lu_without_memory) {
    uint64_t seed = 15;
    static scene s;
    const double value[] = {1e-10};
    const nb_preconditioner_class *lu;
    CHECK_OK(nb_preconditioner_find("lu", &lu));
    begin_scene(&s, &seed, 8, 2, 3);
    for (int64_t successes = 0;; successes++) {
        void *state = NULL;
        int64_t held = nb_allocation_held();
        nb_allocation_fail_after(successes);
        nb_status status = lu->create(value, &state);
        if (status == NB_OK) status = lu->set_up_pattern(state, s.system);
        nb_allocation_fail_after(-1);
        lu->destroy(state);
        assert_int_equal(nb_allocation_held(), held);
        if (status == NB_OK) {
            assert_true(successes > 10); /* all of them were tried */
            break;
        }
        assert_int_equal(status, NB_ERROR_MEMORY);
    }
    end_scene(&s);
}

RUN_TESTS(blocks_are_those_of_the_matrix, gauss_seidel_makes_the_same_iterates, block_jacobi_is_the_same,
          jacobi_makes_the_same_iterates, jacobians_and_masses_make_the_blocks, lu_over_bodies_is_the_inverse,
          lu_without_memory)
