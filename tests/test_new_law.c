/* How a law is added: beads on a rail with stops (core/constraint/unilateral.h) and with dry friction on the rail, a
 * law that stands in this file alone. The Newton method, its exact finish and the harness's measures work with both,
 * and end at answers that are worked out by hand. */
#include "accelerators.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/unilateral.h"
#include "measure/measure.h"
#include "method/newton/device_step.h"
#include "operator/store.h"
#include "plugin/plugin_method.h"
#include "registry.h"
#include "row_problem.h"
#include "run/resolve.h"
#include "run/simulate.h"

NB_PRECISIONS(f64);

/* ---- the law: |z| <= limit, and z opposes a velocity that is not zero ---- */

typedef struct rail_friction {
    nb_law base;       /* first */
    const real *limit; /* [blocks] of the impulse [N s] */
} rail_friction;

static const real *limits(const nb_law_range *range) {
    return ((const rail_friction *)range->law)->limit + range->first;
}

static real clamp(real z, real limit) {
    return z > limit ? limit : z < -limit ? -limit : z;
}

/* v + W z = 0 with a lagged W, as the friction of contacts has it */
static void linearise(const nb_law_range *range, const nb_law_state *at, const nb_linearisation *how,
                      const nb_newton_weights *weights) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        real v = at->value[r], z = at->z[r];
        real lagged = nb_ncp_friction(how->function, NB_ABS(v), NB_ABS(z), limits(range)[i], at->w[r], at->w[r]);
        weights->s[r] = weights->update[r] = 1;
        weights->c[r] = lagged;
        weights->b[r] = -(v + lagged * z);
    }
}

/* a row of w near 1 */
static void scale(const nb_law_range *range, const nb_law_state *at, const nb_law_scale *scale) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        scale->s[r] = R(1 / sqrt((double)at->w[r]));
        scale->c[r] = 0;
        scale->d[r] = (double)scale->s[r];
    }
}

/* by how much x - rho v is beyond the limit, in the scaling of row r */
static double beyond(const nb_law_range *range, const nb_natural_point *at, int32_t i, int32_t r) {
    double most = (double)limits(range)[i] / (at->unit * (double)at->s[r]), x = at->x[r] - at->rho * at->v[r];
    return x > most ? x - most : x < -most ? x + most : 0;
}

static void natural(const nb_law_range *range, const nb_natural_point *at, double *f) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++)
        f[r] = at->rho * at->v[r] + beyond(range, at, i, r);
}

static void jacobian(const nb_law_range *range, const nb_natural_point *at, const double *f, double *b, real *k) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        double slope = beyond(range, at, i, r) == 0 ? 1 : at->floor;
        b[r] = -f[r] / (slope * at->rho);
        k[i] = R((1 / slope - 1) / at->rho);
    }
}

static void project(const nb_law_range *range, real *z) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) z[r] = clamp(z[r], limits(range)[i]);
}

static void error(const nb_law_range *range, const nb_law_state *at, nb_law_errors *errors) {
    for (int32_t i = 0, r = range->first_row; i < range->blocks; i++, r++) {
        double w = (double)at->w[r], z = (double)at->z[r], v = (double)at->value[r];
        nb_raise(&errors->friction, fabs(w * (z - (double)clamp(R(z - v / w), limits(range)[i]))));
    }
}

static const nb_law_class rail_friction_class = {
    .name = "rail-friction",
    .rows = 1,
    .linearise = linearise,
    .scale = scale,
    .natural = natural,
    .jacobian = jacobian,
    .project = project,
    .error = error,
};

/* ---- the scene ---- */

enum {
    BEADS = 6,
    STOPS = 3,
    RAILS = 2
};

static const real mass[BEADS] = {2, 3, 1, 1, 4, 5};
static const real limit[RAILS] = {R(0.5), R(0.5)};

static const nb_unilateral_law stops = {.base = {&nb_unilateral_class}};
static const rail_friction rails = {.base = {&rail_friction_class}, .limit = limit};

/* Bead 0 runs into a stop 2 mm ahead of it, 1 into 2, and 3 away from a stop; 4 and 5 rub on the rail. */
static nb_problem *make_scene(row_problem *b) {
    static const real free_velocity[BEADS] = {R(-1.5), 2, R(-0.5), 1, R(-0.75), R(0.05)};
    *b = (row_problem){0};
    memcpy(b->mass, mass, sizeof mass);
    memcpy(b->u_free, free_velocity, sizeof free_velocity);
    b->j[0][0] = 1;
    b->rate[0] = R(0.2); /* 2 mm over h */
    b->j[1][2] = 1;
    b->j[1][1] = -1;
    b->j[2][3] = 1;
    row_problem_add(b, &stops.base, STOPS);
    b->j[3][4] = 1;
    b->j[4][5] = 1;
    row_problem_add(b, &rails.base, RAILS);
    return row_problem_finish(b, BEADS);
}

/* what comes of it: 0 reaches its stop as the step ends, 1 and 2 go on together, 3 is free; friction takes its limit
 * off the momentum of 4 and holds 5 */
static void check_solution(const nb_problem *p, double tolerance) {
    double together = (3 * 2 - 1 * 0.5) / 4;
    const double u[BEADS] = {-0.2, together, together, 1, -0.75 + 0.5 / 4, 0};
    const double z[STOPS + RAILS] = {2 * (1.5 - 0.2), 3 * (2 - together), 0, 0.5, -0.05 * 5};
    for (int i = 0; i < BEADS; i++) CHECK_NEAR((double)p->u[i], u[i], tolerance);
    for (int r = 0; r < STOPS + RAILS; r++) CHECK_NEAR((double)p->z[r], z[r], tolerance);
}

/* one step of a method, on the request's settings */
static nb_status run(const char *method, nb_request *request, nb_problem *p, nb_measure *measure,
                     nb_step_outcome *outcome) {
    nb_status status;
    const nb_method_class *type;
    nb_method *state = NULL;
    strcpy(request->info.scenario, "incline"); /* whose settings are as good as any */
    NB_TRY(nb_simulate_prepare(request));
    nb_method_settings settings = nb_request_settings(request);
    NB_TRY(nb_method_find(method, &type));
    NB_TRY(type->create(type, &settings, &state));
    status = type->step(state, p, measure, NULL, outcome);
    type->destroy(state);
out:
    nb_free(request->info.parameters);
    return status;
}

static void newton_solves_stops_and_rail_friction(void **state) {
    (void)state;
    for (int function = 0; function < NB_NCP_FUNCTIONS; function++) {
        row_problem own, measured;
        nb_problem *p = make_scene(&own);
        nb_measure *measure;
        nb_request request;
        nb_step_outcome outcome;
        CHECK_OK(nb_measure_create_problem(make_scene(&measured), &measure));
        nb_request_standard(&request);
        strcpy(request.info.linear_solver, "dense-cholesky");
        CHECK_OK(nb_request_set_option(&request, "ncp", nb_ncp_function_names[function]));
        request.info.newton_iterations = 60;
        request.info.newton_tolerance = 1e-12;
        CHECK_OK(run("newton", &request, p, measure, &outcome));
        print_message("%s: %d iterations, natural map %.1e m/s\n", nb_ncp_function_names[function],
                      (int)outcome.newton_iterations, outcome.errors.natural_map);
        assert_int_equal(outcome.reason, NB_REASON_CONVERGED);
        check_solution(p, 1e-11); /* the tolerance, by masses up to 5 */
        nb_measure_destroy(measure);
        nb_delassus_matrix_destroy(own.delassus);
        nb_delassus_matrix_destroy(measured.delassus);
    }
}

/* From where the lagged W has got to, the exact finish jumps to round-off: all is piecewise linear. */
static void the_finish_is_exact(void **state) {
    (void)state;
    static const char *const solvers[] = {"dense-cholesky", "umfpack"}; /* the latter serves the finish as well */
    for (int i = 0; i < 2; i++) {
        row_problem own, measured;
        nb_problem *p = make_scene(&own);
        nb_measure *measure;
        nb_request request;
        nb_step_outcome outcome;
        CHECK_OK(nb_measure_create_problem(make_scene(&measured), &measure));
        nb_request_standard(&request);
        strcpy(request.info.linear_solver, solvers[i]);
        strcpy(request.info.geometry, "frozen");
        CHECK_OK(nb_request_set_option(&request, "finish", "exact"));
        request.info.newton_iterations = 60;
        CHECK_OK(run("newton", &request, p, measure, &outcome));
        print_message("%s: %d iterations, natural map %.1e m/s\n", solvers[i], (int)outcome.newton_iterations,
                      outcome.errors.natural_map);
        assert_int_equal(outcome.reason, NB_REASON_ROUND_OFF);
        assert_true(outcome.newton_iterations <= 12); /* ten, and one or two */
        check_solution(p, 1e-14);
        nb_measure_destroy(measure);
        nb_delassus_matrix_destroy(own.delassus);
        nb_delassus_matrix_destroy(measured.delassus);
    }
}

/* the measures see what is wrong with a state, and with which law */
static void measures_know_the_laws(void **state) {
    (void)state;
    row_problem measured;
    nb_measure *measure;
    nb_errors errors;
    double *u, *z;
    CHECK_OK(nb_measure_create_problem(make_scene(&measured), &measure));
    nb_measure_place(measure, &u, &z);
    for (int i = 0; i < BEADS; i++) u[i] = (double)measured.u_free[i]; /* nothing acts */
    nb_measure_evaluate(measure, &errors);
    CHECK_NEAR(errors.momentum, 0, 0);
    CHECK_NEAR(errors.complementarity, 2.5, 1e-15); /* of 1 and 2, which approach each other */
    CHECK_NEAR(errors.penetration, 0.025, 1e-17);
    CHECK_NEAR(errors.friction, 0.5 / 4, 1e-15); /* the limit over the mass of 4 */
    z[3] = 0.5;
    z[4] = -0.25 - 1; /* more than the rail can */
    nb_measure_evaluate(measure, &errors);
    CHECK_NEAR(errors.friction, (1.25 - 0.5) / 5, 1e-15);
    CHECK_NEAR(errors.momentum, 1.25 / 5, 1e-15);
    nb_measure_destroy(measure);
    nb_delassus_matrix_destroy(measured.delassus);
}

/* ---- who knows cones alone says so, and names what it does not know ---- */

static void check_refusal(nb_status status, const char *who) {
    assert_int_equal(status, NB_ERROR_UNSUPPORTED);
    if (!strstr(nb_error_message(), who)) fail_msg("'%s' is not in: %s", who, nb_error_message());
    assert_non_null(strstr(nb_error_message(), "rows 1 to 3 have the law unilateral"));
}

static nb_status step_of_plugin(nb_problem *p, nb_measure *measure) {
    static const nb_plugin_class mine = {.kind = NB_PLUGIN_METHOD,
                                         .title = "method 'mine' of plugin 'mine.so'",
                                         .plugin = {.name = "mine", .summary = "of the test"},
                                         .offers = {0, 1}};
    const nb_method_class *type = nb_plugin_method(&mine, 0);
    const nb_method_settings settings = {0};
    nb_method *method;
    nb_step_outcome outcome;
    nb_status status = type->create(type, &settings, &method);
    if (status != NB_OK) return status;
    status = type->step(method, p, measure, NULL, &outcome);
    type->destroy(method);
    return status;
}

static void others_refuse_the_laws(void **state) {
    (void)state;
    row_problem own, measured;
    nb_problem *p = make_scene(&own);
    nb_measure *measure;
    nb_request request;
    nb_step_outcome outcome;
    nb_contact_problem stored;
    void *device_step;
    CHECK_OK(nb_measure_create_problem(make_scene(&measured), &measure));
    nb_request_standard(&request);
    strcpy(request.info.method, "interior-point");
    strcpy(request.info.linear_solver, "umfpack");
    check_refusal(run("interior-point", &request, p, measure, &outcome), "method interior-point");
    check_refusal(step_of_plugin(p, measure), "method 'mine' of plugin 'mine.so'");
    check_refusal(nb_problem_store(p, &stored), "a contact problem's file");
    check_refusal(nb_device_emulated.step_f64->build(p, NULL, NULL, &device_step), "--whole-steps on");
    p->range_count = 0; /* whatever its laws, it is no step of a world */
    assert_int_equal(nb_device_emulated.step_f64->build(p, NULL, NULL, &device_step), NB_ERROR_UNSUPPORTED);
    assert_non_null(strstr(nb_error_message(), "steps of a world"));
    nb_measure_destroy(measure);
    nb_delassus_matrix_destroy(own.delassus);
    nb_delassus_matrix_destroy(measured.delassus);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_solves_stops_and_rail_friction),
        cmocka_unit_test(the_finish_is_exact),
        cmocka_unit_test(measures_know_the_laws),
        cmocka_unit_test(others_refuse_the_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
