/* Problem files solved by the Newton method, in two and three dimensions, with and without bilateral rows: the solution
 * against analytic values and the natural map. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "constraint/file_problem.h"
#include "measure/measure.h"
#include "measure/natural_map.h"
#include "method.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST = 40,
    MOST_OPTIONS = 16
};

/* solves the problem from zero with Cholesky and the exact finish; z [file rows] */
static void solve(const nb_file_data *data, double *z, nb_natural_map *map) {
    const nb_linear_solver_class *cholesky;
    const nb_method_class *newton;
    double values[MOST_OPTIONS], own[MOST_OPTIONS];
    int finish = 0;
    CHECK_OK(nb_linear_solver_find("cholesky", &cholesky));
    CHECK_OK(nb_method_find("newton", &newton));
    assert_true(cholesky->option_count <= MOST_OPTIONS);
    nb_options_standard(cholesky->options, cholesky->option_count, values);
    assert_true(newton->option_count <= MOST_OPTIONS);
    nb_options_standard(newton->options, newton->option_count, own);
    while (strcmp(newton->options[finish].name, "finish") != 0) finish++;
    own[finish] = 1;
    nb_method_settings settings = {.newton_iterations = 300,
                                   .values = own,
                                   .relative_tolerance = NB_REAL_BITS == 64 ? 1e-12 : 1e-6,
                                   .linear_solver = "cholesky",
                                   .linear_solver_values = values,
                                   .preconditioner = "none"};
    nb_problem *problem;
    nb_measure *measure;
    nb_step_outcome outcome;
    double rows[MOST], u[MOST];
    nb_method *state;
    CHECK_OK(nb_file_problem_create(data, &problem));
    CHECK_OK(nb_measure_create_file(data, &measure));
    CHECK_OK(newton->create(newton, &settings, &state));
    CHECK_OK(newton->step(state, problem, measure, NULL, &outcome));
    for (int32_t r = 0; r < problem->rows; r++) rows[r] = (double)problem->z[r];
    if (data->dimension == 2)
        for (int32_t i = 0; i < data->contacts; i++) CHECK_NEAR(rows[data->bilaterals + 3 * i + 2], 0, 0);
    nb_file_data_from_rows(data, rows, z);
    nb_natural_map_compute(data, z, u, map);
    newton->destroy(state);
    nb_measure_destroy(measure);
    nb_file_problem_destroy(problem);
}

static int64_t one_start[] = {0, 2, 4, 5};
static int32_t one_column[] = {0, 1, 0, 1, 2};
static double one_value[] = {1, 0.5, 0.5, 2, 2};
static const double one_q[] = {-1, 0.2, 0};

/* numbers of size 1, solved to the tolerance above times a condition of about 10 */
static const double accuracy = NB_REAL_BITS == 64 ? 1e-11 : 1e-5;

TEST(one_contact_sticks_or_slides) {
    const double mus[] = {0.5, 0.2, 0}, known[][3] = {{1.2, -0.4, 0}, {1 / 0.9, -0.2 / 0.9, 0}, {1, 0, 0}};
    for (int i = 0; i < 3; i++) {
        const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = one_start, .column = one_column, .value = one_value};
        nb_file_data data = {3, 0, 1, &w, one_q, &mus[i], NB_FRICTION_COULOMB, NULL, 0};
        nb_natural_map map;
        double z[3];
        solve(&data, z, &map);
        for (int k = 0; k < 3; k++) CHECK_NEAR(z[k], known[i][k], accuracy);
    }
}

/* the same contact in 2D: its first two rows are coupled with nothing else */
TEST(one_contact_in_2d) {
    int64_t start[] = {0, 2, 4};
    const double mus[] = {0.5, 0.2}, known[][2] = {{1.2, -0.4}, {1 / 0.9, -0.2 / 0.9}};
    for (int i = 0; i < 2; i++) {
        const nb_csr_f64 w = {.rows = 2, .columns = 2, .start = start, .column = one_column, .value = one_value};
        nb_file_data data = {2, 0, 1, &w, one_q, &mus[i], NB_FRICTION_COULOMB, NULL, 0};
        nb_natural_map map;
        double z[2];
        solve(&data, z, &map);
        for (int k = 0; k < 2; k++) CHECK_NEAR(z[k], known[i][k], accuracy);
    }
}

/* a contact that opens: no force; with the bilateral row 4 z - 1 = 0 beside it, coupled by 1 */
TEST(a_bilateral_row_opens_a_contact) {
    int64_t start[] = {0, 2, 4, 5, 6};
    int32_t column[] = {0, 1, 0, 1, 2, 3};
    double value[] = {4, 1, 1, 1, 1, 1};
    const double q[] = {-4, -0.5, 0, 0}, mu = 0.5;
    const nb_csr_f64 w = {.rows = 4, .columns = 4, .start = start, .column = column, .value = value};
    nb_file_data data = {3, 1, 1, &w, q, &mu, NB_FRICTION_COULOMB, NULL, 0};
    nb_natural_map map;
    double z[4];
    solve(&data, z, &map);
    const double known[] = {1, 0, 0, 0}; /* u_N = 1 - 0.5 > 0 */
    for (int k = 0; k < 4; k++) CHECK_NEAR(z[k], known[k], accuracy);
}

/* W = J J^T + 1/10 for random J, so that a solution exists; random bilaterals, mu and q */
TEST(random_problems) {
    uint64_t seed = 51, random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int trial = 0; trial < 24; trial++) {
        int dimension = 2 + trial % 2, bilaterals = trial % 3, contacts = 1 + trial % 8,
            n = bilaterals + dimension * contacts;
        double jacobian[MOST][MOST], value[MOST * MOST], q[MOST], mu[MOST], z[MOST];
        int64_t start[MOST + 1] = {0};
        int32_t column[MOST * MOST];
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) jacobian[i][k] = test_random(&random, -1, 1);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = i == j ? 0.1 : 0;
                for (int k = 0; k < n; k++) sum += jacobian[i][k] * jacobian[j][k];
                column[i * n + j] = j;
                value[i * n + j] = sum;
            }
            start[i + 1] = (int64_t)(i + 1) * n;
            q[i] = test_random(&random, -1, 1);
        }
        for (int i = 0; i < contacts; i++) mu[i] = test_random(&random, 0, 0.6);
        const nb_csr_f64 w = {.rows = n, .columns = n, .start = start, .column = column, .value = value};
        nb_file_data data = {dimension, bilaterals, contacts, &w, q, mu, NB_FRICTION_COULOMB, NULL, 0};
        nb_natural_map map;
        solve(&data, z, &map);
        /* f32: W z is a sum of up to 26 numbers of size 10 in 24 bits */
        CHECK_BELOW(map.relative, NB_REAL_BITS == 64 ? 1e-12 : 1e-4);
    }
}

RUN_TESTS(one_contact_sticks_or_slides, one_contact_in_2d, a_bilateral_row_opens_a_contact, random_problems)
