/* Contacts with rolling friction, from a file's arrays to the solution: a sphere and a cylinder on a slope, whose step
 * is worked out by hand; random problems in two and three dimensions; and what it has in common with friction alone. */
#include <string.h>

#include "check.h"
#include "constraint/rolling_law.h"
#include "file_run.h"
#include "measure/natural_map.h"

NB_PRECISIONS(f32, f64);

enum {
    MOST = 160, /* rows of a file */
    WORDS = 36  /* velocities of the bodies */
};

typedef struct problem {
    nb_file_data data;
    nb_csr_f64 w;
    int64_t start[MOST + 1];
    int32_t column[MOST * MOST];
    double value[MOST * MOST], q[MOST], mu[MOST], mu_r[MOST], h[MOST][WORDS];
} problem;

/* W = H M^-1 H^T by rows, M diagonal; zeros are left out */
static void multiply_out(problem *p, const double *inverse_mass, int words) {
    int rows = nb_file_data_rows(&p->data);
    int64_t used = 0;
    for (int i = 0; i < rows; i++) {
        p->start[i] = used;
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < words; k++) sum += p->h[i][k] * inverse_mass[k] * p->h[j][k];
            if (sum == 0) continue;
            p->column[used] = j;
            p->value[used++] = sum;
        }
    }
    p->start[rows] = used;
    p->w = (nb_csr_f64){.rows = rows, .columns = rows, .start = p->start, .column = p->column, .value = p->value};
}

typedef struct solution {
    nb_step_outcome outcome;
    nb_natural_map map;
    double z[MOST], u[MOST];
} solution;

static const double tight = NB_REAL_BITS == 64 ? 1e-11 : 5e-5;

static void solve(const char *name, const nb_file_data *data, double tolerance, solution *s) {
    const nb_method_class *method;
    double own[16];
    CHECK_OK(nb_method_find(name, &method));
    assert_true(method->option_count <= 16);
    nb_options_standard(method->options, method->option_count, own);
    for (int i = 0; i < method->option_count; i++)
        if (strcmp(method->options[i].name, "finish") == 0) own[i] = 1; /* newton: exact */
    const nb_method_settings settings = {.values = own, .relative_tolerance = tolerance};
    solve_file_data(name, settings, data, NULL, &s->outcome, s->z);
    nb_natural_map_compute(data, s->z, s->u, &s->map);
}

/* ---- a ball (a disc in two dimensions) on a slope, one step from rest ---- */

static const double mass = 3, radius = 0.2, gravity = 9.81, step = 0.01;

/* inertia over m R^2 */
static double roundness(int dimension) {
    return dimension == 5 ? 0.4 : 0.5;
}

/* Of slope tan(theta) and mu, mu_r. Velocities (v_N, v_T, omega) in two dimensions; (v_N, v_1, v_2, omega_1, omega_2)
 * in three, where the point slips at v_1 - R omega_2 and v_2 + R omega_1. */
static void make_ball(int dimension, double slope, double mu, double mu_r, problem *p) {
    double inverse[5] = {1 / mass, 1 / mass, 1 / mass}, turning = 1 / (roundness(dimension) * mass * radius * radius);
    double theta = atan(slope), along = gravity * step * sin(theta);
    int words = dimension, rolling = (dimension + 1) / 2; /* the first row that rolls */
    memset(p->h, 0, sizeof p->h);
    for (int k = 0; k < dimension; k++) {
        p->h[k][k] = 1;
        if (k >= rolling) inverse[k] = turning;
    }
    if (dimension == 3) {
        p->h[1][2] = -radius;
    } else {
        p->h[1][4] = -radius;
        p->h[2][3] = radius;
    }
    memset(p->q, 0, sizeof p->q);
    p->q[0] = -gravity * step * cos(theta);
    p->q[1] = along;
    p->mu[0] = mu;
    p->mu_r[0] = mu_r;
    p->data = (nb_file_data){dimension, 0, 1, &p->w, p->q, p->mu, NB_FRICTION_COULOMB, p->mu_r, 0};
    multiply_out(p, inverse, words);
}

/* It stays where tan(theta) <= mu_r/R; above, it rolls without slipping, with 1/(1 + I/(m R^2)) of what the moment
 * leaves of the slope's pull; where mu is too small for that, it slips. */
TEST(a_ball_rolls_from_its_threshold_on) {
    static const char *const methods[] = {"newton", "interior-point"};
    static const double slopes[] = {0.25, 0.999, 1.001, 1.5, 4}; /* times mu_r/R */
    for (int m = 0; m < 2; m++)
        for (int dimension = 3; dimension <= 5; dimension += 2)
            for (size_t i = 0; i < sizeof slopes / sizeof *slopes; i++) {
                static problem p;
                static solution s;
                const double mu_r = 0.02, slope = slopes[i] * mu_r / radius, theta = atan(slope);
                int last = dimension - 1; /* the row that rolls */
                make_ball(dimension, slope, 0.9, mu_r, &p);
                solve(methods[m], &p.data, tight, &s);
                print_message("%s, %dD, %g: %d iterations, %.1e ||q||\n", methods[m], dimension == 3 ? 2 : 3, slopes[i],
                              (int)s.outcome.newton_iterations, s.map.relative);
                assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
                double weight = mass * gravity * step, normal = weight * cos(theta);
                double pull = gravity * step * (sin(theta) - mu_r / radius * cos(theta)) / (1 + roundness(dimension));
                double omega = slopes[i] < 1 ? 0 : pull / radius;
                const double accuracy = 1e2 * tight; /* the condition of W */
                CHECK_NEAR(s.u[0], 0, accuracy * gravity * step);
                CHECK_NEAR(s.u[1], 0, accuracy * gravity * step);
                CHECK_NEAR(s.u[last], omega, accuracy * gravity * step / radius);
                CHECK_NEAR(s.z[0], normal, accuracy * weight);
                CHECK_NEAR(s.z[1], mass * (omega * radius) - weight * sin(theta), accuracy * weight);
                CHECK_NEAR(fabs(s.z[last]), slopes[i] < 1 ? weight * sin(theta) * radius : mu_r * normal,
                           accuracy * weight * radius);
            }
}

TEST(a_ball_slips_where_friction_is_small) {
    for (int dimension = 3; dimension <= 5; dimension += 2) {
        static problem p;
        static solution s;
        const double mu = 0.05, mu_r = 0.002, theta = atan(0.5);
        make_ball(dimension, 0.5, mu, mu_r, &p);
        solve("interior-point", &p.data, tight, &s);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
        double normal = mass * gravity * step * cos(theta), inertia = roundness(dimension) * mass * radius * radius;
        double v = gravity * step * sin(theta) - mu * normal / mass, omega = (mu * radius - mu_r) * normal / inertia;
        assert_true(v > omega * radius);
        CHECK_NEAR(s.u[1], v - omega * radius, 1e2 * tight);
        CHECK_NEAR(s.u[dimension - 1], omega, 1e3 * tight);
    }
}

/* ---- random problems ---- */

/* feasible: the velocities that make q are undone by -v */
static void make_random(uint64_t *random, int dimension, int bilaterals, int contacts, problem *p) {
    double v[WORDS], ones[WORDS];
    p->data = (nb_file_data){dimension, bilaterals, contacts, &p->w, p->q, p->mu, NB_FRICTION_COULOMB, p->mu_r, 0};
    int rows = nb_file_data_rows(&p->data);
    assert_true(rows <= MOST);
    memset(p->h, 0, sizeof p->h);
    for (int k = 0; k < WORDS; k++) v[k] = test_random(random, -1, 1), ones[k] = 1;
    for (int block = 0; block < bilaterals + contacts; block++) {
        int first = block < bilaterals ? block : bilaterals + dimension * (block - bilaterals);
        int size = block < bilaterals ? 1 : dimension, bodies = WORDS / 6;
        int a = (int)(test_random_bits(random) % (unsigned)bodies),
            b = (int)(test_random_bits(random) % (unsigned)bodies);
        for (int r = first; r < first + size; r++)
            for (int k = 0; k < 6; k++) {
                p->h[r][6 * a + k] = test_random(random, -1, 1);
                if (b != a) p->h[r][6 * b + k] = test_random(random, -1, 1);
            }
    }
    for (int i = 0; i < rows; i++) {
        p->q[i] = 0;
        for (int k = 0; k < WORDS; k++) p->q[i] += p->h[i][k] * v[k];
    }
    for (int i = 0; i < contacts; i++) {
        p->mu[i] = test_random_bits(random) % 4 == 0 ? 0 : test_random(random, 0, 1);
        p->mu_r[i] = test_random_bits(random) % 4 == 0 ? 0 : pow(10, test_random(random, -3, -0.3));
    }
    multiply_out(p, ones, WORDS);
}

TEST(random_problems_are_solved) {
    static problem p;
    static solution s;
    uint64_t random = test_seed();
    int most = 0;
    const double tolerance = NB_REAL_BITS == 64 ? 1e-8 : 1e-3; /* f32: sums of 36 products under a condition of 100 */
    for (int i = 0; i < 120; i++) {
        int dimension = 3 + 2 * (i % 2), bilaterals = (int)(test_random_bits(&random) % 5);
        int contacts = 1 + (int)(test_random_bits(&random) % 30);
        make_random(&random, dimension, bilaterals, contacts, &p);
        solve("interior-point", &p.data, tolerance, &s);
        if (s.outcome.reason != NB_REASON_CONVERGED || !(s.map.relative <= tolerance))
            fail_msg("problem %d: %d contacts of %d rows, %d bilaterals: %s at %g", i, contacts, dimension, bilaterals,
                     nb_reason_name(s.outcome.reason), s.map.relative);
        most = s.outcome.newton_iterations > most ? s.outcome.newton_iterations : most;
    }
    print_message("at most %d iterations\n", most);
}

/* Without rolling friction the rows that roll are free, and the others solve the problem that has none of them. */
TEST(without_it_there_is_friction_alone) {
    static problem p, plain;
    static solution s, t;
    uint64_t random = 5;
    const double tolerance = NB_REAL_BITS == 64 ? 1e-10 : 1e-3;
    for (int i = 0; i < 10; i++) {
        make_random(&random, 5, 1, 1 + i % 4, &p); /* few contacts: impulses are unique */
        plain = p;
        plain.data = (nb_file_data){3, 1, p.data.contacts, &plain.w, plain.q, plain.mu, NB_FRICTION_COULOMB, NULL, 0};
        for (int k = 0; k < 3 * p.data.contacts; k++) {
            int from = 1 + 5 * (k / 3) + k % 3;
            memcpy(plain.h[1 + k], p.h[from], sizeof p.h[from]);
            plain.q[1 + k] = p.q[from];
        }
        double ones[WORDS];
        for (int k = 0; k < WORDS; k++) ones[k] = 1;
        multiply_out(&plain, ones, WORDS);
        memset(p.mu_r, 0, sizeof p.mu_r);
        solve("interior-point", &p.data, tolerance, &s);
        solve("interior-point", &plain.data, tolerance, &t);
        for (int k = 0; k < 5 * p.data.contacts; k++) {
            if (k % 5 > 2) CHECK_NEAR(s.z[1 + k], 0, 0);
            if (k % 5 < 3) CHECK_NEAR(s.z[1 + k], t.z[1 + 3 * (k / 5) + k % 5], 1e4 * tolerance);
        }
    }
}

/* ---- what the problem is to methods ---- */

/* a 2D problem has rows of its own behind each of the file's: coupled with nothing, without impulse */
TEST(planar_problems_are_given_rows) {
    static problem p;
    nb_problem *made;
    uint64_t random = 6;
    make_random(&random, 3, 2, 4, &p);
    CHECK_OK(nb_file_problem_create(&p.data, &made));
    assert_int_equal(made->rows, 2 + 5 * 4);
    assert_int_equal(made->ranges[1].law->type == &nb_rolling_class, 1);
    for (int i = 0; i < nb_file_data_rows(&p.data); i++) {
        int r = nb_file_data_problem_row(&p.data, i), own = (i - 2) % 3;
        CHECK_NEAR((double)made->value[r], p.q[i], 4 * (double)NB_REAL_EPSILON);
        if (i < 2) continue;
        assert_int_equal(r, 2 + 5 * ((i - 2) / 3) + (own == 2 ? 3 : own));
        if (own > 0) {
            CHECK_NEAR((double)made->value[r + 1], 0, 0);
            CHECK_NEAR((double)made->w[r + 1], (double)made->w[r], 0);
        }
    }
    nb_file_problem_destroy(made);
}

/* impulses that a law is given are taken to the cone; the harness's errors are of both discs */
TEST(the_law_projects_and_judges) {
    const real mu[1] = {R(0.5)}, mu_r[1] = {R(0.1)}, w[5] = {1, 2, 2, 4, 4};
    const nb_rolling_law law = {.base = {&nb_rolling_class}, .mu = mu, .mu_r = mu_r};
    const nb_law_range range = {.law = &law.base, .blocks = 1};
    real z[5] = {-1, 0, 0, R(0.05), 0}; /* x_N + mu |x_T| + mu_r |x_R| < 0 */
    nb_rolling_class.project(&range, z);
    for (int k = 0; k < 5; k++) CHECK_NEAR((double)z[k], 0, 0);
    /* sliding and rolling as they should: no error; the moment a tenth too small: w times what lacks */
    real sliding[5] = {2, 0, -1, R(-0.2), 0}, value[5] = {0, 0, 3, 5, 0};
    const nb_law_state at = {1, value, sliding, w};
    nb_law_errors errors = {0};
    nb_rolling_class.error(&range, &at, &errors);
    CHECK_NEAR(errors.friction, 0, 8 * (double)NB_REAL_EPSILON);
    sliding[3] = R(-0.1);
    nb_rolling_class.error(&range, &at, &errors);
    CHECK_NEAR(errors.friction, 0.4, 8 * (double)NB_REAL_EPSILON);
    CHECK_NEAR(errors.complementarity, 2 * (double)NB_REAL_EPSILON, 0); /* the round-off of w z */
}

/* Splittings and sweeps refuse it by name. */
TEST(methods_without_it_refuse) {
    static const char *const methods[] = {"psor", "pssor", "apgd", "nsgs", "admm", "fbf", "pgs", "lemke"};
    static problem p;
    make_ball(5, 0.1, 0.5, 0.02, &p);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const nb_method_class *method;
        nb_step_outcome outcome;
        nb_problem *made;
        nb_measure *measure;
        nb_method *state;
        CHECK_OK(nb_method_find(methods[i], &method));
        const nb_method_settings settings = {.newton_iterations = 1};
        CHECK_OK(nb_file_problem_create(&p.data, &made));
        CHECK_OK(nb_measure_create_file(&p.data, &measure));
        CHECK_OK(method->create(method, &settings, &state));
        CHECK_FAULT(method->step(state, made, measure, NULL, &outcome), NB_ERROR_UNSUPPORTED, methods[i]);
        method->destroy(state);
        nb_measure_destroy(measure);
        nb_file_problem_destroy(made);
    }
}

RUN_TESTS(a_ball_rolls_from_its_threshold_on, a_ball_slips_where_friction_is_small, random_problems_are_solved,
          without_it_there_is_friction_alone, planar_problems_are_given_rows, methods_without_it_refuse,
          the_law_projects_and_judges)
