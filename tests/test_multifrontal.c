/* The sparse LU solvers on random matrices of the kinds that make fronts of all shapes: contacts on grids and in
 * clusters, chains of wide fronts, patterns that are not symmetric, zero diagonals. Residuals are computed here. */
#include <float.h>
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "check.h"
#include "linear/lu.h"
#include "operator/delassus_matrix.h"
#include "operator/solve.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_BLOCKS = 260,
    MOST_ROWS = 3 * MOST_BLOCKS,
    MOST_OPTIONS = 8
};
static const uint64_t seed = 11;
static const double epsilon = (double)NB_REAL_EPSILON;
static const char *const solvers[] = {"multifrontal", "klu", "umfpack"};

/* a matrix under construction, and the system of it */
typedef struct instance {
    int rows, blocks;
    char has[MOST_ROWS][MOST_ROWS];
    real value[MOST_ROWS][MOST_ROWS];
    nb_csr *matrix; /* the operator's */
    nb_delassus *delassus;
    nb_system *system;
    real x[MOST_ROWS], b[MOST_ROWS];
} instance;

static instance t;

static void set(int i, int j, double value) {
    t.has[i][j] = 1;
    t.value[i][j] = (real)value;
}

static void set_block(uint64_t *state, int i, int j, double diagonal) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            set(3 * i + r, 3 * j + c, test_random(state, -1, 1) + (i == j && r == c ? diagonal : 0));
}

static void begin(int rows) {
    memset(&t, 0, sizeof t);
    assert_true(rows <= MOST_ROWS);
    t.rows = rows;
}

static void make_system(uint64_t *state) {
    int64_t count = 0;
    for (int i = 0; i < t.rows; i++) {
        t.has[i][i] = 1;
        for (int j = 0; j < t.rows; j++) count += t.has[i][j];
    }
    CHECK_OK(nb_csr_create(t.rows, t.rows, count, &t.matrix));
    count = 0;
    for (int i = 0; i < t.rows; i++) {
        for (int j = 0; j < t.rows; j++)
            if (t.has[i][j]) {
                t.matrix->column[count] = j;
                t.matrix->value[count++] = t.value[i][j];
            }
        t.matrix->start[i + 1] = count;
    }
    CHECK_OK(nb_delassus_matrix_create(t.matrix, 0, NULL, 0, NULL, &t.delassus));
    CHECK_OK(nb_system_create(t.delassus, &t.system));
    t.system->symmetric = 0;
    for (int i = 0; i < t.rows; i++) t.system->b[i] = t.b[i] = (real)test_random(state, -1, 1);
}

static void release(void) {
    nb_system_destroy(t.system);
    nb_delassus_matrix_destroy(t.delassus);
}

/* |b - A x| over |A| |x| + |b|, in double */
static double backward_error(void) {
    double square = 0, x = 0, a = 0, b = 0;
    for (int i = 0; i < t.rows; i++) {
        double r = (double)t.b[i];
        for (int64_t k = t.matrix->start[i]; k < t.matrix->start[i + 1]; k++) {
            double value = (double)t.matrix->value[k];
            r -= value * (double)t.x[t.matrix->column[k]];
            a += value * value;
        }
        square += r * r;
        b += (double)t.b[i] * (double)t.b[i];
        x += (double)t.x[i] * (double)t.x[i];
    }
    return sqrt(square) / (sqrt(a * x) + sqrt(b));
}

static nb_solve_report solve_with(const char *name) {
    const nb_linear_solver_class *type;
    double values[MOST_OPTIONS];
    nb_solve *solve;
    nb_solve_report report;
    CHECK_OK(nb_linear_solver_find(name, &type));
    nb_options_standard(type->options, type->option_count, values);
    CHECK_OK(nb_solve_create(type, values, NULL, NULL, &solve));
    CHECK_OK(
        nb_solve_run(solve, t.system, &(nb_linear_stop){.iterations = 1, .tolerance = 0}, NULL, NULL, t.x, &report));
    nb_solve_destroy(solve);
    return report;
}

/* |b - A^T x| over |A| |x| + |b| of x from the factors of A, refined once */
static double transposed_error(const nb_lu_library *library) {
    static double x[MOST_ROWS], r[MOST_ROWS];
    double square = 0, a = 0, b = 0, size = 0;
    nb_lu_matrix m = {0};
    nb_lu_factors factors = {.failed_row = -1, .replaced_row = -1};
    void *state;
    CHECK_OK(library->create(&state));
    CHECK_OK(nb_lu_matrix_copy(&m, t.matrix, NULL));
    CHECK_OK(library->analyse(state, &m));
    CHECK_OK(library->factorise(state, &m, 1, &factors));
    assert_int_equal(factors.failed_row, -1);
    memset(x, 0, sizeof x);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < t.rows; i++) r[i] = (double)t.b[i];
        for (int i = 0; i < t.rows; i++)
            for (SuiteSparse_long e = m.start[i]; e < m.start[i + 1]; e++) r[m.column[e]] -= m.value[e] * x[i];
        if (k == 2) break;
        CHECK_OK(library->solve(state, &m, 1, r));
        for (int i = 0; i < t.rows; i++) x[i] += r[i];
    }
    for (int i = 0; i < t.rows; i++) {
        square += r[i] * r[i];
        b += (double)t.b[i] * (double)t.b[i];
        size += x[i] * x[i];
        for (SuiteSparse_long e = m.start[i]; e < m.start[i + 1]; e++) a += m.value[e] * m.value[e];
    }
    library->destroy(state);
    nb_lu_matrix_clear(&m);
    return sqrt(square) / (sqrt(a * size) + sqrt(b));
}

/* Solutions whose residual is round-off, of all of them. A step of refinement makes it so with a growth up to 1e7; sums
 * of up to `rows` terms are rounded twice, x once. */
static void check_solved(const char *what) {
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        nb_solve_report report = solve_with(solvers[i]);
        print_message("  %s, %d rows, %s: %s, backward error %.2g, %.3g in the factors\n", what, t.rows, solvers[i],
                      nb_reason_name(report.reason), backward_error(), (double)report.factor_nonzeros);
        assert_int_equal(report.reason, NB_REASON_EXACT);
        CHECK_BELOW(backward_error(), 4 * epsilon);
        assert_true(report.factor_nonzeros >= t.rows);
    }
    const nb_lu_library *libraries[] = {&nb_lu_multifrontal, &nb_lu_klu, &nb_lu_umfpack};
    for (int i = 0; i < 3; i++) CHECK_BELOW(transposed_error(libraries[i]), 4 * DBL_EPSILON);
}

/* blocks on a grid of that width, each coupled with its neighbours: narrow fronts low in the tree, wide ones above */
TEST(test_grids) {
    uint64_t state = seed;
    print_message("seed %d\n", (int)seed);
    for (int width = 1; width <= 16; width += 5) {
        begin(3 * width * width);
        for (int i = 0; i < width * width; i++) {
            set_block(&state, i, i, 4);
            if (i % width > 0) {
                set_block(&state, i, i - 1, 0);
                set_block(&state, i - 1, i, 0);
            }
            if (i >= width) {
                set_block(&state, i, i - width, 0);
                set_block(&state, i - width, i, 0);
            }
        }
        make_system(&state);
        check_solved("grid");
        release();
    }
}

/* dense: a chain of fronts whose later ones take up whole updates; and two such clusters that share a few rows */
TEST(test_chains) {
    uint64_t state = seed;
    for (int shared = 0; shared <= 20; shared += 10) {
        int half = 75, rows = shared ? 2 * half - shared : half;
        begin(rows);
        for (int part = 0; part < (shared ? 2 : 1); part++)
            for (int i = 0; i < half; i++)
                for (int j = 0; j < half; j++) {
                    int first = part * (half - shared);
                    set(first + i, first + j, test_random(&state, -1, 1) + (i == j ? 6 : 0));
                }
        make_system(&state);
        check_solved("clusters");
        release();
    }
}

/* entries without a mirror image, single rows between those of contacts */
TEST(test_unsymmetric_patterns) {
    uint64_t state = seed;
    for (int round = 0; round < 6; round++) {
        int rows = 20 + 40 * round;
        begin(rows);
        for (int i = 0; i < rows; i++) set(i, i, test_random(&state, 3, 5));
        for (int i = 0; i < rows * 3; i++)
            set((int)(test_random_bits(&state) % (uint64_t)rows), (int)(test_random_bits(&state) % (uint64_t)rows),
                test_random(&state, -1, 1));
        make_system(&state);
        check_solved("unsymmetric pattern");
        release();
    }
}

/* Zeros on the diagonal, which need pivots from elsewhere: static pivoting may fail, and says so then. */
TEST(test_zero_diagonals) {
    uint64_t state = seed;
    int exact = 0;
    for (int round = 0; round < 20; round++) {
        int rows = 60;
        begin(rows);
        for (int i = 0; i < rows; i++) {
            if (i % 2 == 0) set(i, i, test_random(&state, 3, 5));
            for (int k = 0; k < 3; k++) {
                int j = (int)(test_random_bits(&state) % (uint64_t)rows);
                if (j == i) continue;
                set(i, j, test_random(&state, -1, 1));
                set(j, i, test_random(&state, -1, 1));
            }
        }
        make_system(&state);
        nb_solve_report report = solve_with("multifrontal");
        if (report.reason == NB_REASON_EXACT) {
            exact++;
            CHECK_BELOW(backward_error(), 1e-8); /* what lu.c takes for exact */
        } else {
            assert_true(report.reason == NB_REASON_SINGULAR || report.reason == NB_REASON_ROUND_OFF);
        }
        release();
    }
    print_message("  %d of 20 exact\n", exact);
    assert_true(exact >= 10);
}

/* (0 1; 1e-20 0): a pivot that is small beside another row, and all of its own */
TEST(test_rows_of_other_size) {
    uint64_t state = seed;
    begin(2);
    set(0, 1, 1);
    set(1, 0, 1e-20);
    make_system(&state);
    t.system->b[0] = 1;
    t.system->b[1] = (real)1e-20;
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        assert_int_equal(solve_with(solvers[i]).reason, NB_REASON_EXACT);
        for (int k = 0; k < 2; k++) CHECK_NEAR(t.x[k], 1, 2 * epsilon);
    }
    release();
}

/* Two rows alike, and pivots that are round-off: what comes of these is no solution where x = 0 is a better one. (What
 * rounding x to f32 adds is not the factors'.) */
TEST(test_singular) {
    uint64_t state = seed;
    for (int round = 0; round < 30; round++) {
        int rows = 20 + 2 * round;
        begin(rows);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) set(i, j, test_random(&state, -1, 1) + (i == j ? 0.2 * round : 0));
        for (int j = 0; j < rows; j++) set(rows / 2, j, (double)t.value[3][j]);
        make_system(&state);
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            nb_solve_report report = solve_with(solvers[i]);
            assert_true(report.reason == NB_REASON_SINGULAR || NB_REAL_BITS == 32 ||
                        report.residual_l2 <= report.rhs_l2);
        }
        release();
    }
}

RUN_TESTS(test_grids, test_chains, test_unsymmetric_patterns, test_zero_diagonals, test_rows_of_other_size,
          test_singular)
