/* The relaxed law of friction from the request to the record, beside Coulomb's: landings, weights, gaps and errors that
 * are known, by every method that solves both. Known values: Tasora, Anitescu 2009, worked out. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "constraint/file_problem.h"
#include "measure/measure.h"
#include "registry.h"
#include "run/simulate.h"
#include "table/recheck.h"

NB_PRECISIONS(f64);

enum {
    STEPS = 12
};

/* ---- one point mass lands ---- */

static void land(const nb_method_class *method, nb_friction_law law, double mu, double v_n, double v_t, double out[2]) {
    int64_t start[4] = {0, 1, 2, 3};
    int32_t column[3] = {0, 1, 2};
    double one[3] = {1, 1, 1}, q[3] = {v_n, v_t, 0}, options[64], method_options[64];
    const nb_csr_f64 w = {.rows = 3, .columns = 3, .start = start, .column = column, .value = one};
    const nb_file_data data = {
        .dimension = 3, .contacts = 1, .w = &w, .q = q, .mu = &mu, .friction_law = law, .facets = NB_FACETS};
    const nb_linear_solver_class *solver;
    nb_problem *p;
    nb_measure *measure;
    nb_method *state;
    nb_step_outcome outcome;
    CHECK_OK(nb_linear_solver_find(nb_method_linear_solver(method, 0), &solver));
    nb_options_standard(solver->options, solver->option_count, options);
    nb_options_standard(method->options, method->option_count, method_options);
    const nb_method_settings settings = {.newton_iterations = 3000,
                                         .linear = {.iterations = 100},
                                         .newton_tolerance = 1e-11,
                                         .linear_solver = solver->name,
                                         .linear_solver_values = options,
                                         .preconditioner = "none",
                                         .values = method_options};
    CHECK_OK(nb_file_problem_create(&data, &p));
    CHECK_OK(nb_measure_create_file(&data, &measure));
    CHECK_OK(method->create(method, &settings, &state));
    CHECK_OK(method->step(state, p, measure, NULL, &outcome));
    assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
    /* unit masses: the measure in m/s and the file's own are the same but for the norm, in the relaxed law too */
    CHECK_BELOW(outcome.errors.natural_map, 1e-11);
    CHECK_BELOW(outcome.errors.file.contacts, 2e-11);
    double slip = fabs(p->u[1]); /* min(v_n, z_n), where Coulomb's normal is to be at rest */
    if (nb_friction_is_relaxed(law)) CHECK_NEAR(outcome.errors.coulomb, fmin(mu * slip, p->z[0]), 1e-10);
    if (law == NB_FRICTION_COULOMB) CHECK_NEAR(outcome.errors.coulomb, outcome.errors.natural_map, 0);
    out[0] = p->u[0];
    out[1] = p->u[1];
    method->destroy(state);
    nb_measure_destroy(measure);
    nb_file_problem_destroy(p);
}

static int solves(const nb_method_class *method, nb_friction_law law) {
    if (method->finds_contacts || method->springs || method->gives_way) return 0; /* no files, no rigid contacts */
    return law == NB_FRICTION_COULOMB && method->friction_laws == 0 ? 1 : (int)((method->friction_laws >> law) & 1);
}

/* (3, -2) at mu = 0.5: Coulomb's slides on at 2, the relaxed law's launches with (1.6, 0.8). Against a corner of the
 * polygon the polyhedral laws are these. */
TEST(a_landing_slides_or_launches) {
    const nb_method_class *method;
    uint64_t seed = test_seed();
    int seen[NB_FRICTION_LAWS] = {0};
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int law = 0; law < NB_FRICTION_LAWS; law++)
            for (int k = 0; k < 20; k++) {
                double mu = k ? test_random(&seed, 0, 1.5) : 0.5, v_n = k ? test_random(&seed, 0.5, 2) : 2,
                       v_t = k ? test_random(&seed, 0, 4) : 3, v[2];
                if (!solves(method, (nb_friction_law)law)) continue;
                land(method, (nb_friction_law)law, mu, -v_n, v_t, v);
                double slides = fmax(0, v_t - mu * v_n);
                const int relaxed = nb_friction_is_relaxed((nb_friction_law)law);
                if (relaxed) slides /= 1 + mu * mu;
                CHECK_NEAR(v[1], slides, 1e-9);
                CHECK_NEAR(v[0], relaxed ? mu * slides : 0, 1e-9);
                if (k == 0) CHECK_NEAR(v[1], relaxed ? 1.6 : 2, 1e-9);
                seen[law]++;
            }
    for (int law = 0; law < NB_FRICTION_LAWS; law++) assert_true(seen[law] >= 40);
}

/* ---- a block on a slope ---- */

static nb_run *slide(const char *method, const char *precision, int law, const char *mu, const char *geometry) {
    nb_request *request = calloc(1, sizeof *request);
    nb_run *run;
    assert_non_null(request);
    nb_request_standard(request);
    snprintf(request->info.scenario, NB_NAME_LENGTH, "incline");
    snprintf(request->info.method, NB_NAME_LENGTH, "%s", method);
    snprintf(request->info.precision, NB_NAME_LENGTH, "%s", precision);
    snprintf(request->info.geometry, NB_NAME_LENGTH, "%s", geometry);
    request->info.steps = STEPS;
    request->info.newton_iterations = 20000;
    request->info.newton_tolerance = precision[1] == '6' ? 1e-9 : 2e-5;
    request->scene.friction_law = law;
    snprintf(request->settings[0].name, NB_NAME_LENGTH, "mu");
    snprintf(request->settings[0].value, NB_NAME_LENGTH, "%s", mu);
    request->setting_count = 1;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, &run));
    assert_true(run->finished);
    nb_free(request->info.parameters);
    free(request);
    return run;
}

static double last_error(const nb_run *run, const char *name) {
    int column = nb_run_newton_column(run, name);
    assert_true(column >= 0);
    return nb_run_newton_number(run, run->newton_start[run->step_count] - 1, column);
}

/* A slope of 0.5 rad, from rest, down a corner of the polygons. By the relaxed law the block has a gap of h mu v_t
 * where it slides, and the error by Coulomb's law is mu v_t. At rest the two laws are one. */
TEST(a_block_slides_on_a_gap) {
    const nb_method_class *method;
    const double h = 0.0083, g = 9.81, angle = 0.5;
    for (int i = 0; (method = nb_method_at(i)) != NULL; i++)
        for (int k = 0; k < 16; k++) {
            const int law = k & 3, rests = k & 4, f32 = k & 8,
                      relaxed_law = nb_friction_is_relaxed((nb_friction_law)law);
            if (!solves(method, (nb_friction_law)law)) continue;
            nb_run *run =
                slide(method->name, f32 ? "f32" : "f64", law, rests ? "0.8" : "0.3", k < 8 ? "updated" : "frozen");
            const double mu = rests ? 0.8 : 0.3, one = f32 ? 1e4 : 1;
            double normal = 0, u[3], along;
            int32_t contacts = run->final.contacts;
            memcpy(u, run->final.u + 6, sizeof u);
            along = cos(angle) * u[0] - sin(angle) * u[2];
            assert_int_equal(contacts, 4);
            for (int32_t c = 0; c < contacts; c++) normal += run->final.lambda_normal[c];
            /* v_n+ = mu (v_t+ - v_t) by the relaxed law, since the gap was h mu v_t before: a' = (a + mu^2 a')/(1 +
             * mu^2) */
            double relaxed = relaxed_law, free = rests ? 0 : g * sin(angle) - mu * g * cos(angle);
            double speed = 0, last = 0, now = 0;
            for (int step = 0; step < STEPS; step++, speed += h * now) {
                last = now;
                now = relaxed ? (free + mu * mu * last) / (1 + mu * mu) : free;
            }
            if (!relaxed) last = now;
            CHECK_NEAR(along, speed, 2e-7 * one);
            CHECK_NEAR(normal, g * cos(angle) + mu * (now - last), 1e-5 * one);
            for (int32_t c = 0; c < contacts; c++) CHECK_NEAR(run->final.gap[c], relaxed * h * mu * along, 1e-9 * one);
            double own = last_error(run, "natural_map_error");
            assert_int_equal(nb_columns_find(&run->newton_columns, "coulomb_error") >= 0, law != NB_FRICTION_COULOMB);
            if (law == NB_FRICTION_COULOMB) CHECK_NEAR(last_error(run, "coulomb_error"), own, 0);
            if (relaxed) CHECK_NEAR(last_error(run, "coulomb_error"), fmax(own, rests ? 0 : mu * along), 1e-7 * one);
            nb_checks checks;
            int recomputed;
            CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
            assert_int_equal(checks.count, run->checks.count);
            /* the scene's own known values are Coulomb's and the relaxed law's */
            assert_int_equal(checks.count, 16);
            for (int c = 0; !f32 && c < checks.count; c++) {
                if (!checks.items[c].passed) fail_msg("%s: %s", method->name, checks.items[c].name);
                assert_int_equal(*checks.items[c].premise != '\0',
                                 c >= 10 && nb_friction_has_facets((nb_friction_law)law));
            }
            nb_run_destroy(run);
        }
}

RUN_TESTS(a_landing_slides_or_launches, a_block_slides_on_a_gap)
