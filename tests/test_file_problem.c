/* The NCP of a problem file. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/cone_rows.h"
#include "constraint/file_problem.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST_ROWS = 32
};

/* a random problem: sparse W, not symmetric, with a positive diagonal */
typedef struct random_problem {
    nb_file_data data;
    nb_csr_f64 w;
    int64_t start[MOST_ROWS + 1];
    int32_t column[MOST_ROWS * MOST_ROWS];
    double value[MOST_ROWS * MOST_ROWS], q[MOST_ROWS], mu[MOST_ROWS];
    double dense[MOST_ROWS][MOST_ROWS];
} random_problem;

static void make_random(random_problem *r, int dimension, int bilaterals, int contacts, uint64_t *random) {
    memset(r, 0, sizeof *r);
    r->data = (nb_file_data){dimension, bilaterals, contacts, &r->w, r->q, r->mu, NB_FRICTION_COULOMB, NULL, 0};
    int32_t rows = nb_file_data_rows(&r->data);
    r->w = (nb_csr_f64){.rows = rows, .columns = rows, .start = r->start, .column = r->column, .value = r->value};
    int64_t count = 0;
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < rows; j++) {
            if (i != j && test_random(random, 0, 1) < 0.5) continue;
            r->dense[i][j] = i == j ? test_random(random, 1, 3) : test_random(random, -1, 1);
            r->column[count] = j;
            r->value[count++] = r->dense[i][j];
        }
        r->start[i + 1] = count;
        r->q[i] = test_random(random, -1, 1);
    }
    for (int32_t i = 0; i < contacts; i++) r->mu[i] = test_random(random, 0, 1);
}

static int32_t row_of(const nb_file_data *data, int32_t i) {
    int32_t k = i - data->bilaterals;
    return k < 0 ? i : data->bilaterals + 3 * (k / data->dimension) + k % data->dimension;
}

/* sums of at most 32 numbers of size 1 */
static const double tolerance = 32 * 4 * (double)NB_REAL_EPSILON;

TEST(values_are_those_of_the_file) {
    uint64_t seed = 7, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 20; trial++) {
        random_problem r;
        nb_problem *p;
        make_random(&r, 2 + trial % 2, trial % 3, 1 + trial % 6, &random);
        CHECK_OK(nb_file_problem_create(&r.data, &p));
        int32_t rows = nb_file_data_rows(&r.data);
        double z[MOST_ROWS], u[MOST_ROWS];
        assert_int_equal(p->rows, r.data.bilaterals + 3 * r.data.contacts);
        assert_int_equal(p->velocities, p->rows);
        CHECK_NEAR((double)p->h, 1, 0);
        for (int32_t i = 0; i < rows; i++) {
            p->z[row_of(&r.data, i)] = (real)test_random(&random, -1, 1);
            z[i] = (double)p->z[row_of(&r.data, i)];
            CHECK_NEAR((double)p->u[row_of(&r.data, i)], r.q[i], (double)NB_REAL_EPSILON); /* the start */
        }
        /* one velocity step without further impulses makes u follow z */
        real none[MOST_ROWS] = {0}, du[MOST_ROWS];
        nb_cone_rows laws;
        CHECK_OK(nb_cone_rows_of(p, "a test", &laws));
        p->type->evaluate(p, NULL);
        p->type->velocity_step(p, none, du);
        for (int32_t i = 0; i < p->rows; i++) p->u[i] += du[i];
        p->type->evaluate(p, NULL);
        CHECK_BELOW(p->type->momentum_error(p), tolerance);
        nb_file_data_velocities(&r.data, z, u);
        for (int32_t i = 0; i < rows; i++) CHECK_NEAR((double)p->value[row_of(&r.data, i)], u[i], tolerance);
        for (int32_t i = 0; i < p->contacts; i++)
            CHECK_NEAR((double)laws.cone->mu[i], r.mu[i], (double)NB_REAL_EPSILON);
        if (r.data.dimension == 2)
            for (int32_t i = 0; i < p->contacts; i++) CHECK_NEAR((double)p->value[p->bilaterals + 3 * i + 2], 0, 0);
        nb_file_problem_destroy(p);
    }
}

TEST(the_operator_is_the_symmetric_part) {
    uint64_t seed = 8, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 20; trial++) {
        random_problem r;
        nb_problem *p;
        nb_system *system;
        const nb_csr *a;
        make_random(&r, 2 + trial % 2, trial % 3, 1 + trial % 6, &random);
        CHECK_OK(nb_file_problem_create(&r.data, &p));
        CHECK_OK(nb_system_create(p->delassus, &system));
        CHECK_OK(nb_system_matrix(system, &a));
        double dense[MOST_ROWS][MOST_ROWS] = {{0}};
        for (int32_t i = 0; i < a->rows; i++) {
            int diagonal = 0;
            for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
                assert_true(k == a->start[i] || a->column[k] > a->column[k - 1]);
                diagonal |= a->column[k] == i;
                dense[i][a->column[k]] = (double)a->value[k];
            }
            assert_true(diagonal);
        }
        int32_t rows = nb_file_data_rows(&r.data);
        for (int32_t i = 0; i < rows; i++)
            for (int32_t j = 0; j < rows; j++)
                CHECK_NEAR(dense[row_of(&r.data, i)][row_of(&r.data, j)], (r.dense[i][j] + r.dense[j][i]) / 2,
                           tolerance);
        for (int32_t i = 0; i < p->contacts; i++) { /* effective masses, and the row that 2D problems are given */
            int32_t n = p->bilaterals + 3 * i;
            for (int32_t j = n; j < n + 2; j++) { /* the rows of a contact share their columns */
                assert_int_equal(a->start[j + 1] - a->start[j], a->start[j + 2] - a->start[j + 1]);
                for (int64_t k = a->start[j]; k < a->start[j + 1]; k++)
                    assert_int_equal(a->column[k], a->column[k + a->start[j + 1] - a->start[j]]);
            }
            CHECK_NEAR((double)p->w[n], dense[n][n], 0);
            CHECK_NEAR((double)p->w[n + 1], (dense[n + 1][n + 1] + dense[n + 2][n + 2]) / 2, tolerance);
            CHECK_NEAR((double)p->w[n + 2], (double)p->w[n + 1], 0);
            if (r.data.dimension == 3) continue;
            CHECK_NEAR(dense[n + 2][n + 2], dense[n + 1][n + 1], 0);
            for (int32_t j = 0; j < a->rows; j++)
                if (j != n + 2) assert_true(dense[n + 2][j] == 0 && dense[j][n + 2] == 0);
        }
        nb_system_destroy(system);
        nb_file_problem_destroy(p);
    }
}

/* J = 1 and H^-1 = W: H^-1 g = u - q - W (weight z), and a step is W y - H^-1 g */
TEST(momentum_and_steps) {
    uint64_t random = 9;
    random_problem r;
    nb_problem *p;
    real weight[MOST_ROWS], y[MOST_ROWS], out[MOST_ROWS], du[MOST_ROWS], rows[MOST_ROWS];
    make_random(&r, 3, 2, 4, &random);
    CHECK_OK(nb_file_problem_create(&r.data, &p));
    CHECK_NEAR(p->type->momentum_error(p), 0, 0); /* of the start */
    for (int32_t i = 0; i < p->rows; i++) {
        p->u[i] = (real)test_random(&random, -1, 1);
        p->z[i] = (real)test_random(&random, -1, 1);
        y[i] = (real)test_random(&random, -1, 1);
        weight[i] = (real)test_random(&random, 0, 1);
    }
    for (int weighted = 0; weighted < 2; weighted++) {
        double largest = 0;
        p->type->evaluate(p, weighted ? weight : NULL);
        p->type->momentum_rows(p, out);
        p->type->velocity_step(p, y, du);
        p->type->rows_of_velocity(p, du, rows);
        for (int32_t i = 0; i < p->rows; i++) {
            double residual = (double)p->u[i] - r.q[i], forced = 0;
            for (int32_t j = 0; j < p->rows; j++) {
                residual -= r.dense[i][j] * (weighted ? (double)weight[j] : 1) * (double)p->z[j];
                forced += r.dense[i][j] * (double)y[j];
            }
            CHECK_NEAR((double)p->value[i], (double)p->u[i], 0);
            CHECK_NEAR((double)out[i], residual, tolerance);
            CHECK_NEAR((double)du[i], forced - residual, 2 * tolerance);
            CHECK_NEAR((double)rows[i], (double)du[i], 0);
            largest = fmax(largest, fabs(residual));
        }
        CHECK_NEAR(p->type->momentum_error(p), largest, tolerance);
    }
    nb_file_problem_destroy(p);
}

/* contacts 0 and 2 coupled with each other, contact 1 alone, one bilateral coupled with contact 1, one with nothing */
TEST(islands_are_counted) {
    enum {
        ROWS = 2 + 9
    };
    int64_t start[ROWS + 1] = {0};
    int32_t column[4 * ROWS];
    double value[4 * ROWS], q[ROWS] = {0}, mu[3] = {0.5, 0.5, 0.5}, dense[ROWS][ROWS] = {{0}};
    for (int i = 0; i < ROWS; i++) dense[i][i] = 1;
    dense[2][9] = 0.1; /* one way only, as W need not be symmetric */
    dense[0][5] = dense[5][0] = 0.2;
    int64_t count = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++)
            if (dense[i][j] != 0) {
                column[count] = j;
                value[count++] = dense[i][j];
            }
        start[i + 1] = count;
    }
    const nb_csr_f64 w = {.rows = ROWS, .columns = ROWS, .start = start, .column = column, .value = value};
    nb_file_data data = {3, 2, 3, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
    nb_problem *p;
    CHECK_OK(nb_file_problem_create(&data, &p));
    assert_int_equal(p->island_count, 3);
    assert_int_equal(p->largest_island, 2);
    nb_file_problem_destroy(p);
}

/* rows without a diagonal entry get the mean mass of the others, since methods divide by it; a negative one is refused
 */
TEST(diagonals_are_checked) {
    int64_t start[] = {0, 0, 1, 2};
    int32_t column[] = {1, 2};
    double value[] = {2, 4};
    const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = start, .column = column, .value = value};
    const double q[3] = {1, 2, 3}, mu = 0.5;
    nb_file_data data = {3, 0, 1, &w, q, &mu, NB_FRICTION_COULOMB, NULL, 0};
    nb_problem *p;
    CHECK_OK(nb_file_problem_create(&data, &p));
    CHECK_NEAR((double)p->w[0], 3, 0);
    CHECK_NEAR((double)p->w[1], 3, 0);
    nb_file_problem_destroy(p);
    value[1] = -4;
    CHECK_FAULT(nb_file_problem_create(&data, &p), NB_ERROR_INPUT, "row 2");
    assert_null(p);
    value[1] = NAN;
    CHECK_FAULT(nb_file_problem_create(&data, &p), NB_ERROR_INPUT, "row 2");
    value[1] = 1e60; /* fits into f64 only */
    if (NB_REAL_BITS == 32) {
        CHECK_FAULT(nb_file_problem_create(&data, &p), NB_ERROR_INPUT, "f32 cannot hold");
    } else {
        CHECK_OK(nb_file_problem_create(&data, &p));
        nb_file_problem_destroy(p);
    }
}

TEST(every_failed_allocation_is_reported) {
    uint64_t random = 10;
    random_problem r;
    nb_problem *p;
    make_random(&r, 2, 1, 3, &random);
    int failures = 0;
    for (int64_t after = 0;; after++) {
        nb_allocation_fail_after(after);
        nb_status status = nb_file_problem_create(&r.data, &p);
        nb_allocation_fail_after(-1);
        if (status == NB_OK) break;
        assert_int_equal(status, NB_ERROR_MEMORY);
        assert_null(p);
        failures++;
    }
    nb_file_problem_destroy(p);
    assert_true(failures > 10);
}

RUN_TESTS(values_are_those_of_the_file, the_operator_is_the_symmetric_part, momentum_and_steps, islands_are_counted,
          diagonals_are_checked, every_failed_allocation_is_reported)
