/* The projected methods (psor, pssor, apgd): against interior-point's solution of the relaxed law on random problems
 * from files, where velocities are unique; the dual objective; limits of over-relaxation; one sweep in all layouts;
 * Coulomb's law by rounds. */
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "check.h"
#include "constraint/file_problem.h"
#include "jammed_point.h"
#include "method/projected/coulomb_block.h"
#include "method/projected/projected.h"
#include "random_file_data.h"
#include "random_scene.h"
#include "registry.h"

NB_PRECISIONS(f64);

enum {
    MOST_REPORTS = 6000
};

static const char *const projected[] = {"psor", "pssor", "apgd", "admm", "fbf", "nsgs"};

enum {
    BY_ROUNDS = 3, /* the first so many solve Coulomb's law by rounds */
    ADMM = 3,
    RELAXED_METHODS = 5, /* the first so many solve the relaxed law */
    METHODS = 6
};

typedef struct solution {
    nb_step_outcome outcome;
    double u[3 * MOST_CONTACTS + 200], z[3 * MOST_CONTACTS + 200];
    int reports;
    double objective[MOST_REPORTS], residual[MOST_REPORTS], iteration[MOST_REPORTS], contraction[MOST_REPORTS], bound;
    double inner, shorter; /* fbf's own, of all iterations */
} solution;

static nb_status hear(void *context, const nb_newton_report *report) {
    solution *s = context;
    if (s->reports == MOST_REPORTS) return NB_OK;
    s->objective[s->reports] = report->values[NB_PROJECTED_OBJECTIVE];
    s->residual[s->reports] = report->values[NB_PROJECTED_RESIDUAL];
    s->iteration[s->reports] = report->values[NB_PROJECTED_ITERATION];
    s->contraction[s->reports] = report->values[NB_PROJECTED_CONTRACTION];
    s->bound = report->values[NB_PROJECTED_STEP_BOUND];
    s->inner += report->solved ? report->values[NB_PROJECTED_OWN + 1] : 0;
    s->shorter += report->solved ? report->values[NB_PROJECTED_OWN + 2] : 0;
    s->reports++;
    return NB_OK;
}

typedef struct how {
    const char *method, *option;
    double value;
    int32_t iterations;
    double tolerance;
} how;

static double order, inner_tolerance = 1e-2; /* of contacts; of fbf: in methods that have the option */

static void run(const how *way, nb_problem *p, nb_measure *measure, solution *s) {
    const nb_method_class *method;
    const nb_linear_solver_class *solver;
    const nb_observer observer = {.context = s, .newton = hear};
    double values[32], options[64];
    nb_method *self;
    int listens = strcmp(way->method, "interior-point") != 0 && strcmp(way->method, "newton") != 0;
    CHECK_OK(nb_method_find(way->method, &method));
    CHECK_OK(nb_linear_solver_find(nb_method_linear_solver(method, 0), &solver));
    nb_options_standard(solver->options, solver->option_count, options);
    nb_options_standard(method->options, method->option_count, values);
    for (int i = 0; i < method->option_count; i++)
        if (way->option && strcmp(method->options[i].name, way->option) == 0)
            values[i] = way->value;
        else if (strcmp(method->options[i].name, "order") == 0)
            values[i] = order;
        else if (strcmp(method->options[i].name, "fbf-tolerance") == 0)
            values[i] = inner_tolerance;
    const nb_method_settings settings = {.newton_iterations = way->iterations,
                                         .linear = {.iterations = 100},
                                         .newton_tolerance = way->tolerance,
                                         .linear_solver = solver->name,
                                         .linear_solver_values = options,
                                         .preconditioner = "none",
                                         .values = values};
    s->reports = 0;
    s->inner = s->shorter = 0;
    CHECK_OK(method->create(method, &settings, &self));
    CHECK_OK(method->step(self, p, measure, listens ? &observer : NULL, &s->outcome));
    memcpy(s->u, p->u, (size_t)p->velocities * sizeof *p->u);
    memcpy(s->z, p->z, (size_t)p->rows * sizeof *p->z);
    method->destroy(self);
}

static void solve(const nb_file_data *data, const how *way, solution *s) {
    nb_problem *p;
    nb_measure *measure;
    CHECK_OK(nb_file_problem_create(data, &p));
    CHECK_OK(nb_measure_create_file(data, &measure));
    run(way, p, measure, s);
    nb_measure_destroy(measure);
    nb_file_problem_destroy(p);
}

/* By other means than theirs the velocities of the relaxed law are the same: they are unique. */
TEST(velocities_are_those_of_an_interior_point) {
    static random_file_data p;
    static solution exact, s;
    uint64_t random = test_seed();
    for (int i = 0; i < 40; i++) {
        int bilaterals = i % 4, contacts = 1 + (int)(test_random_bits(&random) % 12);
        make_random(&random, bilaterals, contacts, 40, 1.5, NB_FRICTION_RELAXED, &p);
        solve(&p.data, &(how){"interior-point", NULL, 0, 2000, 1e-11}, &exact);
        assert_int_equal(exact.outcome.reason, NB_REASON_CONVERGED);
        for (size_t m = 0; m < RELAXED_METHODS; m++)
            for (int blocks = 0; blocks < 2; blocks++) {
                const how way = {projected[m], m == 2 ? "step-lengths" : "record-every",
                                 m == 2 ? blocks : 1 + 6 * blocks, 200000, 1e-9};
                solve(&p.data, &way, &s);
                if (s.outcome.reason != NB_REASON_CONVERGED)
                    fail_msg("problem %d, %s: %s at %g after %d", i, way.method, nb_reason_name(s.outcome.reason),
                             s.outcome.errors.natural_map, (int)s.outcome.newton_iterations);
                for (int r = 0; r < bilaterals + 3 * contacts; r++) CHECK_NEAR(s.u[r], exact.u[r], 1e-6);
            }
    }
}

/* At omega = lambda = 1 no sweep raises the dual objective: eta_i lambda_max(N_ii) is below 2. */
TEST(sweeps_never_raise_the_objective) {
    static random_file_data p;
    static solution s;
    uint64_t random = test_seed();
    int lowered = 0;
    for (int i = 0; i < 40; i++) {
        make_random(&random, i % 3, 2 + i % 10, 40, 1, NB_FRICTION_RELAXED, &p);
        solve(&p.data, &(how){projected[i % 2], NULL, 0, 60, 0}, &s);
        assert_true(s.bound < 2);
        for (int k = 1; k < s.reports; k++)
            assert_true(s.objective[k] <= s.objective[k - 1] + 1e-13 * (1 + fabs(s.objective[k])));
        lowered += s.objective[s.reports - 1] < s.objective[0];
    }
    assert_true(lowered >= 30); /* without impulses where nothing approaches */
}

/* one contact with N = diag(1, tangent, tangent) */
static void solve_diagonal(const char *method, double tangent, double omega, int32_t iterations, solution *s) {
    int64_t start[4] = {0, 1, 2, 3};
    int32_t column[3] = {0, 1, 2};
    double w[3] = {1, tangent, tangent}, q[3] = {-1, 0.2, 0.1}, mu = 1;
    const nb_csr_f64 matrix = {.rows = 3, .columns = 3, .start = start, .column = column, .value = w};
    const nb_file_data data = {3, 0, 1, &matrix, q, &mu, NB_FRICTION_RELAXED, NULL, 0};
    solve(&data, &(how){method, "omega", omega, iterations, 1e-12}, s);
}

/* A solid sphere on the ground: N = diag(1, 7/2, 7/2)/m, eta lambda_max = 21/16, so that omega is to be below 32/21 =
 * 1.524. */
TEST(over_relaxation_has_a_limit) {
    static solution s;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double omega = i ? 1.53 : 1.515;
            solve_diagonal(projected[k], 3.5, omega, 3000, &s);
            CHECK_NEAR(s.bound, omega * 21 / 16, 1e-12);
            assert_int_equal(s.outcome.reason == NB_REASON_CONVERGED, s.bound < 2);
        }
}

/* A particle that is light in one direction, as on a sheet: with 3/trace(N) = 2.73 its normal impulse would go between
 * 0 and 2.73 for ever. As far as 2 the published step stays. */
TEST(steps_are_bounded_where_one_direction_is_light) {
    static solution s;
    for (int k = 0; k < 2; k++) {
        solve_diagonal(projected[k], 0.05, 1, 3000, &s);
        CHECK_NEAR(s.bound, 1.5, 1e-12);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
        solve_diagonal(projected[k], 0.26, 1, 3000, &s);
        CHECK_NEAR(s.bound, 3 / 1.52, 1e-12);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    }
}

/* Nonlinear conjugate gradients change the way, not the solution. */
TEST(acceleration_keeps_the_solution) {
    static random_file_data p;
    static solution plain, s;
    uint64_t random = test_seed();
    int fewer = 0;
    for (int i = 0; i < 20; i++) {
        make_random(&random, i % 3, 4 + i % 8, 40, 1, NB_FRICTION_RELAXED, &p);
        for (int m = 0; m < 2; m++) {
            solve(&p.data, &(how){projected[m], NULL, 0, 200000, 1e-9}, &plain);
            solve(&p.data, &(how){projected[m], "acceleration", 1, 200000, 1e-9}, &s);
            assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
            for (int r = 0; r < i % 3 + 3 * (4 + i % 8); r++) CHECK_NEAR(s.u[r], plain.u[r], 1e-6);
            fewer += s.outcome.newton_iterations < plain.outcome.newton_iterations;
        }
    }
    print_message("%d of 40 take fewer sweeps\n", fewer);
    assert_true(fewer >= 20);
}

/* Whatever a round holds of Coulomb's law: the same velocities, where friction is small enough for one solution. */
TEST(couplings_come_to_one_solution) {
    static random_file_data p;
    static solution exact, s;
    uint64_t random = test_seed();
    for (int i = 0; i < 12; i++) {
        make_random(&random, i % 3, 2 + i % 8, 40, 0.1, NB_FRICTION_COULOMB, &p);
        solve(&p.data, &(how){"interior-point", NULL, 0, 2000, 1e-11}, &exact);
        for (int m = 0; m < RELAXED_METHODS; m++)
            for (int coupling = 0; coupling < (m < BY_ROUNDS ? 4 : 1); coupling++) {
                solve(&p.data, &(how){projected[m], m < BY_ROUNDS ? "coupling" : NULL, coupling, 200000, 1e-9}, &s);
                if (s.outcome.reason != NB_REASON_CONVERGED)
                    fail_msg("problem %d, %s, coupling %d: %s at %g", i, projected[m], coupling,
                             nb_reason_name(s.outcome.reason), s.outcome.errors.natural_map);
                for (int r = 0; r < i % 3 + 3 * (2 + i % 8); r++) CHECK_NEAR(s.u[r], exact.u[r], 1e-6);
            }
    }
}

/* Where joint rows are eliminated, they hold after each iteration; and the solution is the same. */
TEST(eliminated_joints_hold_in_each_iteration) {
    static const char *const methods[] = {"psor", "pssor", "apgd", "nsgs"};
    static random_file_data p;
    static solution exact, s;
    uint64_t random = test_seed();
    for (int i = 0; i < 16; i++) {
        const int bilaterals = 1 + i % 5, contacts = 1 + i % 8;
        make_random(&random, bilaterals, contacts, 40, 0.1, NB_FRICTION_COULOMB, &p);
        solve(&p.data, &(how){"interior-point", NULL, 0, 2000, 1e-11}, &exact);
        for (int m = 0; m < 4; m++) {
            solve(&p.data, &(how){methods[m], "joints", 1, 1, 0}, &s);
            CHECK_BELOW(s.outcome.errors.bilateral, 1e-10);
            for (order = 0; order < (m < 3 ? 1 : 4); order++) {
                solve(&p.data, &(how){methods[m], "joints", 1, 100000, 1e-9}, &s);
                assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
                for (int r = 0; r < bilaterals + 3 * contacts; r++) CHECK_NEAR(s.u[r], exact.u[r], 1e-6);
            }
            order = 0;
        }
    }
}

/* Every preset comes to the same velocities, with and without its rules. */
TEST(presets_agree) {
    static random_file_data p;
    static solution exact, s;
    uint64_t random = test_seed();
    for (int i = 0; i < 12; i++) {
        const int bilaterals = i % 4, contacts = 2 + i % 7;
        make_random(&random, bilaterals, contacts, 40, 1, NB_FRICTION_RELAXED, &p);
        solve(&p.data, &(how){"interior-point", NULL, 0, 2000, 1e-11}, &exact);
        for (int k = 0; k < 13; k++) {
            const char *const option = k < 6 ? "preset" : k < 9 ? "acceleration-rule" : "balance";
            solve(&p.data, &(how){"admm", option, k < 6 ? k : k < 9 ? k - 5 : k - 8, 50000, 1e-9}, &s);
            if (s.outcome.reason != NB_REASON_CONVERGED)
                fail_msg("problem %d, %s %d: %s at %g after %d", i, option, k, nb_reason_name(s.outcome.reason),
                         s.outcome.errors.natural_map, (int)s.outcome.newton_iterations);
            for (int r = 0; r < bilaterals + 3 * contacts; r++) CHECK_NEAR(s.u[r], exact.u[r], 1e-6);
        }
    }
}

/* Both inner solvers of fbf make its iterates, and end at the solution; inner and outer iterations and products add up.
 */
TEST(inner_solvers_of_fbf_agree) {
    static random_file_data p;
    static solution exact, s[2];
    uint64_t random = test_seed();
    for (int i = 0; i < 12; i++) {
        const int bilaterals = i % 4, contacts = 2 + i % 5, rows = bilaterals + 3 * contacts;
        make_random(&random, bilaterals, contacts, 40, 0.5, i % 2 ? NB_FRICTION_COULOMB : NB_FRICTION_RELAXED, &p);
        solve(&p.data, &(how){"interior-point", NULL, 0, 2000, 1e-11}, &exact);
        for (int k = 0; k < 2; k++) {
            const double once = k ? 3 : 1, each = k ? 2 : 1; /* products of an inner solve, and of its iterations */
            solve(&p.data, &(how){"fbf", "fbf-inner", k, 50000, 1e-9}, &s[k]);
            assert_int_equal(s[k].outcome.reason, NB_REASON_CONVERGED);
            for (int r = 0; r < rows; r++) CHECK_NEAR(s[k].u[r], exact.u[r], 1e-6);
            const double outer = s[k].outcome.newton_iterations;
            assert_true(s[k].outcome.operator_applications ==
                        each * s[k].inner + once * (outer + s[k].shorter) + outer);
        }
        inner_tolerance = 1e-12;
        double largest = 0;
        for (int k = 0; k < 2; k++) solve(&p.data, &(how){"fbf", "fbf-inner", k, 5, 0}, &s[k]);
        for (int r = 0; r < rows; r++) nb_raise(&largest, fabs(s[0].z[r]));
        for (int r = 0; r < rows; r++) CHECK_NEAR(s[0].z[r], s[1].z[r], 1e-6 * largest);
        inner_tolerance = 1e-2;
    }
}

/* what `--stop own` heard: own residuals and natural maps of each iteration */
typedef struct own_history {
    int column, count;
    double own[MOST_REPORTS], map[MOST_REPORTS];
} own_history;

static nb_status hear_own(void *context, const nb_newton_report *report) {
    own_history *h = context;
    assert_in_range(h->count, 0, MOST_REPORTS - 1);
    h->own[h->count] = report->values[h->column];
    h->map[h->count++] = report->natural_map_error;
    return NB_OK;
}

static void stop_by_own(const nb_file_data *data, int preset, double tolerance, own_history *h,
                        nb_step_outcome *outcome) {
    static const char *const names[] = {"preset", "stop", "own-tolerance"};
    const nb_observer observer = {.context = h, .newton = hear_own};
    const double of[] = {preset, 1, tolerance};
    const nb_method_class *method;
    double values[32];
    nb_problem *p;
    nb_measure *measure;
    nb_method *self;
    CHECK_OK(nb_method_find("admm", &method));
    nb_options_standard(method->options, method->option_count, values);
    for (int i = 0; i < method->option_count; i++)
        for (int k = 0; k < 3; k++)
            if (strcmp(method->options[i].name, names[k]) == 0) values[i] = of[k];
    for (int i = 0; i < method->column_count; i++)
        if (strcmp(method->columns[i].name, "own_residual") == 0) h->column = i;
    const nb_method_settings settings = {.newton_iterations = MOST_REPORTS - 2, .values = values};
    CHECK_OK(nb_file_problem_create(data, &p));
    CHECK_OK(nb_measure_create_file(data, &measure));
    CHECK_OK(method->create(method, &settings, &self));
    h->count = 0;
    CHECK_OK(method->step(self, p, measure, &observer, outcome));
    method->destroy(self);
    nb_measure_destroy(measure);
    nb_file_problem_destroy(p);
}

/* A step ends at the first iteration whose own residual is small, whatever the natural map is, which is recorded beside
 * it: equal tolerances leave errors that differ between presets. With a finer one the natural map is small, too. */
TEST(presets_stop_by_their_own_residuals) {
    static random_file_data p;
    static own_history h;
    uint64_t random = test_seed();
    nb_step_outcome outcome;
    double least = INFINITY, largest = 0;
    make_random(&random, 2, 8, 40, 1, NB_FRICTION_COULOMB, &p);
    for (int preset = 0; preset < 6; preset++) {
        stop_by_own(&p.data, preset, 1e-3, &h, &outcome);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        for (int k = 0; k < h.count - 1; k++) /* the final row has no iteration */
            assert_true((h.own[k] <= 1e-3) == (k == h.count - 2) || (k == 0 && h.own[k] <= 1e-3));
        assert_true(h.map[h.count - 1] == outcome.errors.natural_map);
        least = fmin(least, outcome.errors.natural_map);
        largest = fmax(largest, outcome.errors.natural_map);
        stop_by_own(&p.data, preset, 1e-10, &h, &outcome);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        CHECK_BELOW(outcome.errors.natural_map, 1e-7);
    }
    assert_true(largest > 3 * least);
}

/* Joints are equations of each iteration: with nothing else, a handful will do, whatever they are like. */
TEST(joints_alone_take_four_iterations) {
    static random_file_data p;
    static solution s;
    uint64_t random = test_seed();
    for (int i = 0; i < 20; i++) {
        make_random(&random, 1 + i % 12, 0, 40, 1, NB_FRICTION_COULOMB, &p);
        solve(&p.data, &(how){"admm", NULL, 0, 4, 1e-9}, &s);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    }
}

/* ---- one contact with Coulomb's law ---- */

/* The natural map of one contact with w = 1/trace(A), in velocities; *noise: what rounding makes of it. */
static double local_error(const double a[9], const double b[3], double mu, const double z[3], double *noise) {
    const double trace = a[0] + a[4] + a[8];
    double v[3], x[3], error = 0;
    *noise = 0;
    for (int i = 0; i < 3; i++) {
        v[i] = b[i] + a[3 * i] * z[0] + a[3 * i + 1] * z[1] + a[3 * i + 2] * z[2];
        *noise += fabs(b[i]) + trace * fabs(z[i]);
    }
    const double slip = mu * hypot(v[1], v[2]);
    for (int i = 0; i < 3; i++) x[i] = z[i] - (v[i] + (i == 0 ? slip : 0)) / trace;
    nb_project_contact(mu, x);
    for (int i = 0; i < 3; i++) error = fmax(error, trace * fabs(z[i] - x[i]));
    return error;
}

TEST(one_contact_is_solved_exactly) {
    uint64_t random = test_seed();
    double worst = 0;
    int kinds[3] = {0};
    for (int i = 0; i < 100000; i++) {
        const double mu = test_random(&random, 0, 2), normal = pow(10, test_random(&random, -3, 3)),
                     tangent = pow(10, test_random(&random, -3, 3)),
                     scale = fmax(normal, tangent) * fmax(normal, tangent);
        double m[9], a[9] = {0}, b[3], start[3], velocity[3], z[3], noise;
        nb_coulomb_block block;
        for (int k = 0; k < 9; k++) m[k] = test_random(&random, -1, 1);
        for (int k = 0; k < 9; k++) m[k] *= k < 3 ? normal : tangent;
        for (int k = 0; k < 27; k++) a[k / 3] += m[3 * (k / 9) + k % 3] * m[3 * (k / 3 % 3) + k % 3];
        for (int k = 0; k < 3; k++) {
            b[k] = test_random(&random, -1, 1);
            start[k] = test_random(&random, -1, 1) / scale;
        }
        for (int k = 0; k < 3; k++)
            velocity[k] = b[k] + a[3 * k] * start[0] + a[3 * k + 1] * start[1] + a[3 * k + 2] * start[2];
        nb_coulomb_block_begin(&block, a);
        nb_coulomb_block_solve(&block, mu, velocity, start, z);
        const double error = local_error(a, b, mu, z, &noise);
        worst = fmax(worst, error / noise);
        if (!(error <= 1e-11 * noise)) fail_msg("problem %d: %g of %g", i, error, noise);
        kinds[z[0] == 0 ? 0 : block.slide > 0 ? 2 : 1]++;
        nb_coulomb_block_solve(&block, mu, velocity, start, z); /* from the slide before */
        assert_true(local_error(a, b, mu, z, &noise) <= 1e-11 * noise);
    }
    print_message("worst %.2g of its terms; %d open, %d stick, %d slide\n", worst, kinds[0], kinds[1], kinds[2]);
    for (int k = 0; k < 3; k++) assert_true(kinds[k] > 5000);
}

/* A problem of one contact ends after one sweep of nsgs. */
TEST(one_contact_takes_one_sweep) {
    static random_file_data p;
    static solution s;
    uint64_t random = test_seed();
    for (int i = 0; i < 50; i++) {
        make_random(&random, 0, 1, 40, 1.5, NB_FRICTION_COULOMB, &p);
        solve(&p.data, &(how){"nsgs", NULL, 0, 1, 1e-10}, &s);
        assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
    }
}

/* In any order of sweeps, and to the velocities of an interior point where friction is small enough for one solution.
 */
TEST(orders_come_to_one_solution) {
    static random_file_data p;
    static solution exact, s;
    uint64_t random = test_seed();
    for (int i = 0; i < 20; i++) {
        make_random(&random, i % 3, 2 + i % 8, 40, 0.1, NB_FRICTION_COULOMB, &p);
        solve(&p.data, &(how){"interior-point", NULL, 0, 2000, 1e-11}, &exact);
        assert_int_equal(exact.outcome.reason, NB_REASON_CONVERGED);
        for (order = 0; order < 4; order++) {
            solve(&p.data, &(how){"nsgs", NULL, 0, 20000, 1e-9}, &s);
            assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
            for (int r = 0; r < i % 3 + 3 * (2 + i % 8); r++) CHECK_NEAR(s.u[r], exact.u[r], 1e-6);
        }
    }
    order = 0;
}

/* Row r of `to` is row from[r] of `p`, or of two problems one behind the other where there is a second: rows of both,
 * and no entries between them. */
static void rearrange(const random_file_data *p, const random_file_data *second, const int *from,
                      random_file_data *to) {
    static double dense[MOST_FILE_ROWS][MOST_FILE_ROWS];
    const int first = p->w.rows, rows = first + (second ? second->w.rows : 0);
    int64_t used = 0;
    memset(dense, 0, sizeof dense);
    for (int k = 0; k < 2; k++) {
        const random_file_data *one = k ? second : p;
        for (int r = 0; one && r < one->w.rows; r++)
            for (int64_t i = one->start[r]; i < one->start[r + 1]; i++)
                dense[k * first + r][k * first + one->column[i]] = one->value[i];
    }
    for (int r = 0; r < rows; r++) {
        const int own = from[r];
        to->start[r] = used;
        to->q[r] = own < first ? p->q[own] : second->q[own - first];
        for (int c = 0; c < rows; c++) {
            if (dense[own][from[c]] == 0) continue;
            to->column[used] = c;
            to->value[used++] = dense[own][from[c]];
        }
    }
    to->start[rows] = used;
    for (int r = p->data.bilaterals; r < rows; r += 3) {
        const int own = from[r] - p->data.bilaterals;
        to->mu[(r - p->data.bilaterals) / 3] = from[r] < first ? p->mu[own / 3] : second->mu[(from[r] - first) / 3];
    }
    to->w = (nb_csr_f64){.rows = rows, .columns = rows, .start = to->start, .column = to->column, .value = to->value};
    to->data = p->data;
    to->data.w = &to->w;
    to->data.q = to->q;
    to->data.mu = to->mu;
    to->data.contacts = (rows - p->data.bilaterals) / 3;
}

/* Islands in one problem have the iterates that each has by itself, bit by bit: sweeps do not mix them. */
TEST(islands_keep_their_iterates) {
    static const char *const sweeping[] = {"psor", "pssor", "nsgs"};
    static random_file_data p[2], both;
    static solution alone[2], s;
    uint64_t random = test_seed();
    int from[MOST_FILE_ROWS], compared = 0;
    for (int r = 0; r < MOST_FILE_ROWS; r++) from[r] = r;
    for (int i = 0; i < 10; i++)
        for (int m = 0; m < 3; m++) {
            for (int k = 0; k < 2; k++) {
                make_random(&random, 0, 2 + (i + 3 * k) % 7, 40, 1, m == 2 ? NB_FRICTION_COULOMB : NB_FRICTION_RELAXED,
                            &p[k]);
                solve(&p[k].data, &(how){sweeping[m], NULL, 0, 9, 0}, &alone[k]);
            }
            rearrange(&p[0], &p[1], from, &both);
            solve(&both.data, &(how){sweeping[m], NULL, 0, 9, 0}, &s);
            /* one that ends at round-off makes fewer */
            if (alone[0].outcome.newton_iterations < 9 || alone[1].outcome.newton_iterations < 9) continue;
            compared++;
            const size_t first = (size_t)p[0].w.rows, second = (size_t)p[1].w.rows;
            assert_memory_equal(s.z, alone[0].z, first * sizeof *s.z);
            assert_memory_equal(s.z + first, alone[1].z, second * sizeof *s.z);
        }
    assert_true(compared >= 15);
}

/* At convergence no order of contacts shows: velocities of the relaxed law are unique. */
TEST(orders_of_contacts_do_not_show) {
    static random_file_data p, turned;
    static solution exact, s;
    uint64_t random = test_seed();
    int from[MOST_FILE_ROWS];
    for (int i = 0; i < 10; i++) {
        const int bilaterals = i % 3, contacts = 2 + i % 8, rows = bilaterals + 3 * contacts;
        make_random(&random, bilaterals, contacts, 40, 1, NB_FRICTION_RELAXED, &p);
        for (int r = 0; r < rows; r++) /* contacts from the last one to the first */
            from[r] = r < bilaterals ? bilaterals - 1 - r : rows - 3 - (r - bilaterals) / 3 * 3 + (r - bilaterals) % 3;
        rearrange(&p, NULL, from, &turned);
        for (size_t m = 0; m < RELAXED_METHODS; m++) {
            solve(&p.data, &(how){projected[m], NULL, 0, 200000, 1e-9}, &exact);
            solve(&turned.data, &(how){projected[m], NULL, 0, 200000, 1e-9}, &s);
            assert_int_equal(s.outcome.reason, NB_REASON_CONVERGED);
            for (int r = 0; r < rows; r++) CHECK_NEAR(s.u[r], exact.u[from[r]], 1e-6);
        }
    }
}

/* The fixed point around the relaxed law is Coulomb's, and contracts. A column says by how much. */
TEST(rounds_come_to_coulombs_law) {
    static random_file_data p;
    static solution s;
    uint64_t random = test_seed();
    int contracted = 0, converged = 0, count = 0;
    for (int i = 0; i < 20; i++) {
        make_random(&random, i % 2, 2 + i % 6, 40, 0.6, NB_FRICTION_COULOMB, &p);
        for (size_t m = 0; m < BY_ROUNDS; m++, count++) {
            solve(&p.data, &(how){projected[m], NULL, 0, 50000, 1e-9}, &s);
            converged += s.outcome.reason == NB_REASON_CONVERGED;
            if (s.outcome.reason != NB_REASON_CONVERGED) continue;
            CHECK_BELOW(s.outcome.errors.natural_map, 1e-9);
            CHECK_NEAR(s.outcome.errors.coulomb, s.outcome.errors.natural_map, 0);
            contracted += s.contraction[s.reports - 1] < 1;
        }
    }
    print_message("%d of %d converged, %d contract in their last round\n", converged, count, contracted);
    assert_true(converged >= count - 3);
    assert_true(contracted >= count / 2);
}

/* ---- one problem, in two layouts ---- */

/* Sweeps over frames and arms are sweeps over the matrix that they make: the same impulses after as many. Factors over
 * bodies and of the matrix round differently, which Anderson's rule amplifies. */
TEST(layouts_agree) {
    static scene s;
    static solution by_bodies, by_entries;
    uint64_t seed = test_seed();
    for (int i = 0; i < 6; i++) {
        nb_csr *w;
        nb_measure *none;
        begin_scene(&s, &seed, 20, i % 2 ? 6 : 0, 12);
        nb_problem *p = nb_step_problem(s.step);
        nb_cone_rows laws;
        CHECK_OK(nb_cone_rows_of(p, "a test", &laws));
        p->frozen = 1;
        double *q = calloc((size_t)p->rows, sizeof *q), *zero = calloc((size_t)p->rows, sizeof *zero);
        assert_non_null(q);
        assert_non_null(zero);
        CHECK_OK(p->exact->type->pattern(p->exact, &w));
        p->exact->type->values(p->exact, w);
        p->type->evaluate(p, zero);
        p->type->momentum_rows(p, q);
        for (int32_t r = 0; r < p->rows; r++) q[r] = p->value[r] - q[r];
        for (int32_t r = 0; r < p->bilaterals; r++)
            for (int64_t k = w->start[r]; k < w->start[r + 1]; k++)
                if (w->column[k] == r) w->value[k] += laws.bilateral->compliance[r];
        const nb_file_data data = {3, p->bilaterals, p->contacts, w, q, laws.cone->mu, NB_FRICTION_COULOMB, NULL, 0};
        for (size_t m = 0; m < METHODS; m++) {
            const how way = {projected[m], NULL, 0, 25, 0};
            CHECK_OK(nb_measure_create_problem(p, &none)); /* it measures the problem itself, which changes nothing */
            memset(p->z, 0, (size_t)p->rows * sizeof *p->z);
            run(&way, p, none, &by_bodies);
            nb_measure_destroy(none);
            solve(&data, &way, &by_entries);
            double size = 0;
            for (int32_t r = 0; r < p->rows; r++) size = fmax(size, fabs(by_entries.z[r]));
            assert_true(size > 0);
            for (int32_t r = 0; r < p->rows; r++)
                CHECK_NEAR(by_bodies.z[r], by_entries.z[r], (m == ADMM ? 1e-6 : 1e-9) * size);
            CHECK_NEAR(by_bodies.bound, by_entries.bound, 1e-9 * by_entries.bound);
        }
        nb_csr_destroy(w);
        free(q);
        free(zero);
        end_scene(&s);
    }
}

/* ---- no solution ---- */

/* A sphere that two fixed walls, each leaning by `lean`, have in their grip: within the friction angle the cones hold
 * opposite forces, and no velocity is in both duals. Friction beyond it lets the sphere out, upwards. */
static nb_reason release_by(nb_friction_law law, const char *method, double lean, double mu, int32_t iterations) {
    static solution s;
    const double radius = 0.1, h = 0.01;
    nb_world *world;
    nb_step *step;
    nb_measure *measure;
    int32_t index;
    nb_contact items[2];
    CHECK_OK(nb_world_create(&world));
    world->settings.friction_law = law;
    for (int i = 0; i < 2; i++) {
        nb_body body = {
            .kind = i ? NB_BODY_FIXED : NB_BODY_DYNAMIC, .mass = 2, .shape = -1, .orientation = {1, 0, 0, 0}};
        body.inertia = nb_vec3_of(0.008, 0.008, 0.008);
        CHECK_OK(nb_world_add_body(world, &body, &index));
        nb_vec3 normal = nb_vec3_of(i ? -cos(lean) : cos(lean), 0, sin(lean));
        items[i] = (nb_contact){.body_a = 0, .body_b = 1, .friction = mu, .feature = (uint64_t)i, .normal = normal};
        items[i].gap = -0.001;
        items[i].point_b = nb_scale(-radius + 0.001, normal);
        items[i].point_a = nb_scale(-radius, normal);
    }
    const nb_contacts contacts = {.count = 2, .items = items};
    CHECK_OK(nb_step_create(&step));
    CHECK_OK(nb_step_begin(step, world, &contacts, h, NB_GEOMETRY_FROZEN));
    CHECK_OK(nb_measure_create(&measure));
    CHECK_OK(nb_measure_begin(measure, world, &contacts, h, NB_GEOMETRY_FROZEN));
    run(&(how){method, NULL, 0, iterations, 1e-9}, nb_step_problem(step), measure, &s);
    nb_measure_destroy(measure);
    nb_step_destroy(step);
    nb_world_destroy(world);
    return s.outcome.reason;
}

/* the same of a point mass, from a file */
static nb_reason release_point_by(nb_friction_law law, const char *method, double lean, double mu, int32_t iterations) {
    static solution s;
    jammed_point point;
    make_jammed_point(lean, mu, law, 0, &point);
    solve(&point.data, &(how){method, NULL, 0, iterations, 1e-9}, &s);
    return s.outcome.reason;
}

static nb_reason release(const char *method, double lean, double mu, int32_t iterations) {
    return release_by(NB_FRICTION_RELAXED, method, lean, mu, iterations);
}

static nb_reason release_point(const char *method, double lean, double mu, int32_t iterations) {
    return release_point_by(NB_FRICTION_RELAXED, method, lean, mu, iterations);
}

TEST(what_is_jammed_is_certified) {
    uint64_t random = test_seed();
    for (int i = 0; i < 40; i++) {
        double mu = test_random(&random, 0.2, 1), lean = atan(mu) * test_random(&random, 0.1, 0.8);
        double out = atan(mu) + test_random(&random, 0.1, 0.3);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(release(projected[k], lean, mu, 3000), NB_REASON_INFEASIBLE);
            assert_int_equal(release_point(projected[k], lean, mu, 3000), NB_REASON_INFEASIBLE);
            assert_int_equal(release(projected[k], out, mu, 30000), NB_REASON_CONVERGED);
            assert_int_equal(release_point(projected[k], out, mu, 30000), NB_REASON_CONVERGED);
        }
        /* these find no solution, and then look for the proof */
        for (int k = 0; i < 10 && k < 2; k++) {
            const char *method = k ? "interior-point" : "newton";
            assert_int_equal(release(method, lean, mu, 200), NB_REASON_INFEASIBLE);
            assert_int_equal(release_point(method, lean, mu, 200), NB_REASON_INFEASIBLE);
            assert_int_not_equal(release(method, out, mu, 200), NB_REASON_INFEASIBLE);
            assert_int_not_equal(release_point(method, out, mu, 200), NB_REASON_INFEASIBLE);
        }
    }
}

/* Of Coulomb's law impulses along normals are a proof, which walls that lean do not allow, however long impulses grow;
 * parallel ones that are too near do. */
TEST(coulombs_law_is_refuted_along_normals_alone) {
    uint64_t random = test_seed();
    for (int i = 0; i < 10; i++) {
        const double mu = test_random(&random, 0.2, 1), lean = atan(mu) * test_random(&random, 0.01, 0.8);
        for (int k = 0; k < 3; k++) {
            const nb_friction_law law = NB_FRICTION_COULOMB;
            assert_int_not_equal(release_by(law, projected[k], lean, mu, 3000), NB_REASON_INFEASIBLE);
            assert_int_not_equal(release_point_by(law, projected[k], lean, mu, 3000), NB_REASON_INFEASIBLE);
            assert_int_equal(release_by(law, projected[k], 0, mu, 3000), NB_REASON_INFEASIBLE);
            assert_int_equal(release_point_by(law, projected[k], 0, mu, 3000), NB_REASON_INFEASIBLE);
        }
    }
}

RUN_TESTS(coulombs_law_is_refuted_along_normals_alone, velocities_are_those_of_an_interior_point,
          sweeps_never_raise_the_objective, over_relaxation_has_a_limit, steps_are_bounded_where_one_direction_is_light,
          acceleration_keeps_the_solution, couplings_come_to_one_solution, eliminated_joints_hold_in_each_iteration,
          presets_agree, inner_solvers_of_fbf_agree, presets_stop_by_their_own_residuals,
          joints_alone_take_four_iterations, one_contact_is_solved_exactly, one_contact_takes_one_sweep,
          orders_come_to_one_solution, islands_keep_their_iterates, orders_of_contacts_do_not_show,
          rounds_come_to_coulombs_law, layouts_agree, what_is_jammed_is_certified)
