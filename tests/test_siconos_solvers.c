/* Problems that Siconos's own solvers solve (Debian's libsiconos-numerics-dev), handed over in its text: interior-point
 * comes to the same reactions. Built only where that library is installed. */
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#include <gfc3d_Solvers.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "file/siconos_text.h"
#include "file_run.h"

/* its solvers keep what they took */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libsiconos_numerics";
}

NB_PRECISIONS(f64);

enum {
    CONTACTS = 4,
    MOST = 5 * CONTACTS,
    WORDS = 24 /* velocities: more than rows, so that reactions are unique */
};

/* of interior-point, in the file's rows */
static void solve(const nb_file_data *data, double *z) {
    nb_step_outcome outcome;
    solve_file_data("interior-point", (nb_method_settings){.relative_tolerance = 1e-12}, data, NULL, &outcome, z);
    assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
}

/* H [WORDS x rows] by columns, and q = H^T v */
static void fill(int rows, double *h, double *q, uint64_t *random) {
    double v[WORDS];
    for (int k = 0; k < WORDS; k++) v[k] = test_random(random, -1, 1);
    for (int i = 0; i < rows; i++) {
        q[i] = 0;
        for (int k = 0; k < WORDS; k++) {
            h[i * WORDS + k] = test_random(random, -1, 1);
            q[i] += h[i * WORDS + k] * v[k];
        }
    }
}

static void make_name(char *path) {
    strcpy(path, "test_siconos_solvers_XXXXXX.dat");
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
}

static SolverOptions *options_of(int id, int iterations) {
    SolverOptions *options = solver_options_create(id);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-11;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    return options;
}

/* Both stop at 1e-11 of ||q|| or below; reactions are as far off as the least eigenvalue of W, 0.01 or more, says. */
static void check_same(int rows, const double *z, const double *r, const nb_fclib_problem *problem) {
    double size = problem->norm_q;
    for (int i = 0; i < rows; i++) CHECK_NEAR(z[i], r[i], 1e-7 * size);
}

TEST(rolling_problems) {
    uint64_t random = 21;
    int pushing = 0;
    for (int trial = 0; trial < 16; trial++) {
        int dimension = 3 + 2 * (trial % 2), rows = dimension * CONTACTS;
        double h[MOST * WORDS], q[MOST], mu[CONTACTS], mu_r[CONTACTS], r[MOST] = {0}, u[MOST] = {0}, z[MOST];
        char path[64];
        nb_fclib_problem *problem;
        fill(rows, h, q, &random);
        for (int i = 0; i < CONTACTS; i++)
            mu[i] = test_random(&random, 0.1, 0.8), mu_r[i] = test_random(&random, 0.01, 0.3);
        RollingFrictionContactProblem theirs = {
            .dimension = dimension, .numberOfContacts = CONTACTS, .q = q, .mu = mu, .mu_r = mu_r};
        theirs.M = NM_create(NM_DENSE, rows, rows);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                double sum = 0;
                for (int k = 0; k < WORDS; k++) sum += h[i * WORDS + k] * h[j * WORDS + k];
                theirs.M->matrix0[i + j * rows] = sum;
            }
        make_name(path);
        assert_int_equal(rollingFrictionContact_printInFilename(&theirs, path), 0);
        CHECK_OK(nb_siconos_read(path, &problem));
        unlink(path);
        SolverOptions *options =
            options_of(dimension == 5 ? SICONOS_ROLLING_FRICTION_3D_NSGS : SICONOS_ROLLING_FRICTION_2D_NSGS, 200000);
        int info = (dimension == 5 ? rolling_fc3d_driver : rolling_fc2d_driver)(&theirs, r, u, options);
        assert_int_equal(info, 0);
        solve(&problem->data, z);
        check_same(rows, z, r, problem);
        for (int i = 0; i < rows; i += dimension) pushing += z[i] > 0.01;
        solver_options_delete(options);
        free(options);
        nb_fclib_destroy(problem);
        NM_clear(theirs.M);
        free(theirs.M);
    }
    assert_true(pushing > 16);
}

static NumericsMatrix *make_sparse(int rows, int columns, const double *a) {
    NumericsMatrix *m = NM_create(NM_SPARSE, rows, columns);
    NM_triplet_alloc(m, (long)rows * columns);
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            if (a[i + j * rows] != 0) NM_entry(m, i, j, a[i + j * rows]);
    return m;
}

/* Siconos prints six digits of these matrices: both sides get matrices of so many */
TEST(global_problems) {
    uint64_t random = 22;
    for (int trial = 0; trial < 8; trial++) {
        const int rows = 3 * CONTACTS;
        double h[MOST * WORDS], mass[WORDS * WORDS] = {0}, q[WORDS], b[MOST], mu[CONTACTS], r[MOST] = {0},
                                             u[MOST] = {0};
        double v[WORDS] = {0}, z[MOST];
        char path[64];
        nb_fclib_problem *problem;
        fill(rows, h, b, &random);
        for (int i = 0; i < rows * WORDS; i++) h[i] = (int)(1000 * h[i]) / 1000.;
        for (int k = 0; k < WORDS; k++) {
            mass[k + k * WORDS] = (int)(1000 * test_random(&random, 0.5, 3)) / 1000.;
            q[k] = test_random(&random, -1, 1);
        }
        for (int i = 0; i < CONTACTS; i++) mu[i] = test_random(&random, 0.1, 0.8);
        for (int i = 0; i < rows; i++) b[i] *= 0.1;
        GlobalFrictionContactProblem theirs = {.dimension = 3, .numberOfContacts = CONTACTS, .q = q, .b = b, .mu = mu};
        theirs.M = make_sparse(WORDS, WORDS, mass);
        theirs.H = make_sparse(WORDS, rows, h);
        make_name(path);
        assert_int_equal(globalFrictionContact_printInFileName(&theirs, path), 0);
        CHECK_OK(nb_siconos_read(path, &problem));
        unlink(path);
        SolverOptions *options = options_of(SICONOS_GLOBAL_FRICTION_3D_ADMM, 200000);
        assert_int_equal(gfc3d_driver(&theirs, r, u, v, options), 0);
        solve(&problem->data, z);
        check_same(rows, z, r, problem);
        solver_options_delete(options);
        free(options);
        nb_fclib_destroy(problem);
        NM_clear(theirs.M);
        NM_clear(theirs.H);
        free(theirs.M);
        free(theirs.H);
    }
}

RUN_TESTS(rolling_problems, global_problems)
