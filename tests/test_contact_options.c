/* Contacts that give way and that keep a distance (paper eq. (9), section 10.3), in every way to solve a step: a block
 * on the ground, whose place is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "run/simulate.h"
#include "table/recheck.h"

#define COMPLIANCE 1e-4 /* [m/N] */
#define THICKNESS 2e-3  /* [m] */
#define MASS 2.0        /* [kg] */
#define HEIGHT 0.05     /* of the block's centre on rigid ground [m] */

/* what differs from a standard run */
typedef struct way {
    const char *method, *ncp, *form, *row_scaling, *geometry, *finish, *precision, *device, *solver;
    int islands, whole_steps;
} way;

static void put(char *field, const char *name) {
    if (name) snprintf(field, NB_NAME_LENGTH, "%s", name);
}

static void set(nb_request *request, const char *name, const char *value) {
    nb_setting *setting = &request->settings[request->setting_count++];
    put(setting->name, name);
    put(setting->value, value);
}

static void set_option(nb_request *request, const char *name, const char *value) {
    if (value) CHECK_OK(nb_request_set_option(request, name, value));
}

/* the block on a slope, as asked for; `parameters`: NAME, VALUE, ..., NULL */
static nb_run *run_block(const way *asked, nb_request *request, const char *const *parameters) {
    nb_run *run;
    nb_run_info *info = &request->info;
    put(info->scenario, "incline");
    put(info->method, asked->method);
    set_option(request, "ncp", asked->ncp);
    set_option(request, "form", asked->form);
    set_option(request, "row-scaling", asked->row_scaling);
    put(info->geometry, asked->geometry);
    set_option(request, "finish", asked->finish);
    put(info->precision, asked->precision);
    put(info->device, asked->device);
    put(info->linear_solver, asked->solver);
    set_option(request, "islands", asked->islands ? "on" : NULL);
    info->whole_steps = asked->whole_steps;
    info->newton_tolerance = 1e-9;
    for (; *parameters; parameters += 2) set(request, parameters[0], parameters[1]);
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, &run));
    assert_true(run->finished);
    nb_free(request->info.parameters);
    free(request);
    return run;
}

static nb_request *make_request(int32_t steps, int32_t iterations) {
    nb_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    nb_request_standard(request);
    request->info.steps = steps;
    request->info.newton_iterations = iterations;
    return request;
}

/* the recorded run gives its checks again, which pass where the run was made in double */
static void check_checks(const nb_run *run, double single) {
    nb_checks checks;
    int recomputed;
    CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
    assert_true(checks.count > 4);
    assert_int_equal(checks.count, run->checks.count);
    for (int k = 0; k < checks.count; k++) {
        CHECK_NEAR(checks.items[k].actual, run->checks.items[k].actual, 0);
        if (single == 1) assert_true(checks.items[k].passed);
    }
}

/* what round-off of f32 adds to a tolerance */
static double magnification(const way *asked) {
    return asked->precision && strcmp(asked->precision, "f32") == 0 ? 1e3 : 1;
}

static const way ways[] = {
    {.method = "newton"},
    {.ncp = "minimum-map", .solver = "cholesky"},
    {.row_scaling = "paper"},
    {.form = "stiffness", .solver = "cholesky"},
    {.geometry = "frozen", .finish = "exact", .solver = "cholesky"},
    {.islands = 1},
    {.precision = "mixed"},
    {.precision = "f32"},
    {.device = "emulated"},
    {.device = "emulated", .whole_steps = 1},
    {.method = "interior-point"},
    {.method = "interior-point", .precision = "f32"},
};

/* It sinks by e times a quarter of its weight, less what holds it up: the thickness. Forces are those of a rigid one,
 * the errors and checks take no offence, and the recorded run gives the same checks again. */
TEST(a_block_sinks_and_keeps_its_distance) {
    double force = MASS * 9.81 / 4, sunk = COMPLIANCE * force;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (int kind = 0; kind < 3; kind++) { /* soft, thick, both */
            double e = kind == 1 ? 0 : COMPLIANCE, d = kind == 0 ? 0 : THICKNESS;
            nb_request *request = make_request(150, 60);
            request->scene.contact_compliance = e;
            request->scene.contact_thickness = d;
            nb_run *run = run_block(&ways[i], request, (const char *const[]){"angle", "0", "mass", "2", NULL});
            double down = kind == 1 ? 0 : sunk;
            const double *last = run->steps + (int64_t)(run->step_count - 1) * NB_STEP_COLUMNS;
            /* a tolerance of 1e-9 m/s, over h = 0.0083 s: 1e-11 m or 2.4e-7 N */
            double single = magnification(&ways[i]);
            assert_int_equal(run->final.contacts, 4);
            CHECK_NEAR(run->final.q[7 + 2], HEIGHT + d - down, 1e-9 * single);
            for (int k = 0; k < 4; k++) {
                CHECK_NEAR(run->final.lambda_normal[k], force, 1e-6 * single);
                CHECK_NEAR(run->final.gap[k], -down, 1e-9 * single);
            }
            CHECK_NEAR(last[NB_STEP_MAX_PENETRATION], down, 1e-9 * single);
            CHECK_BELOW(last[NB_STEP_NATURAL_MAP_ERROR], 1e-9 * single);
            check_checks(run, single);
            nb_run_destroy(run);
        }
    }
}

/* ---- friction that depends on the direction ---- */

enum {
    SLIDING_STEPS = 10
};

/* The slope falls along x; friction is MU along a horizontal direction 0.6 rad off it, and `ratio` times that across.
 */
#define ANGLE 0.5
#define MU 0.2

static nb_run *slide(const way *asked, double ratio) {
    nb_request *request = make_request(SLIDING_STEPS, 200);
    request->scene.friction_ratio = ratio;
    request->scene.friction_direction = 0.6;
    return run_block(asked, request, (const char *const[]){"angle", "0.5", "mu", "0.2", NULL});
}

/* components of x along the direction as it lies in the slope, and across it */
static void components(const nb_run *run, const double *x, double to[2]) {
    const double n[3] = {sin(ANGLE), 0, cos(ANGLE)}, d[3] = {cos(0.6), sin(0.6), 0};
    double t[2][3], length, along = d[0] * n[0] + d[2] * n[2];
    for (int k = 0; k < 3; k++) t[0][k] = d[k] - along * n[k];
    length = sqrt(t[0][0] * t[0][0] + t[0][1] * t[0][1] + t[0][2] * t[0][2]);
    for (int k = 0; k < 3; k++) t[0][k] /= length;
    for (int k = 0; k < 3; k++) t[1][k] = n[(k + 1) % 3] * t[0][(k + 2) % 3] - n[(k + 2) % 3] * t[0][(k + 1) % 3];
    for (int i = 0; i < 2; i++) {
        to[i] = x[0] * t[i][0] + x[1] * t[i][1] + x[2] * t[i][2];
        /* the record's tangents are these */
        for (int k = 0; k < 3; k++) CHECK_NEAR(run->final.contact_tangent[3 * i + k], t[i][k], 1e-7);
    }
}

/* From rest it slides straight, at a = g - mu N S^2 a/|S a| with S = (1, ratio): what takes the most power of all
 * friction within the ellipse. That is not against the slip: it deviates from the line of fall. */
TEST(a_block_slides_as_the_ellipse_says) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (ways[i].whole_steps || ways[i].row_scaling) continue; /* not offered */
        for (int kind = 0; kind < 2; kind++) {
            double ratio = kind ? 0.4 : 2, single = magnification(&ways[i]), a[2], g[2];
            nb_run *run = slide(&ways[i], ratio);
            components(run, run->final.u + 6, a);
            components(run, (const double[]){0, 0, -9.81}, g);
            for (int k = 0; k < 2; k++) a[k] /= SLIDING_STEPS * run->final.time_step;
            double size = hypot(a[0], ratio * a[1]), limit = MU * 9.81 * cos(ANGLE);
            /* 1e-9 m/s over a step of 0.0083 s, times a condition of some tens */
            CHECK_NEAR(a[0], g[0] - limit * a[0] / size, 1e-5 * single);
            CHECK_NEAR(a[1], g[1] - limit * ratio * ratio * a[1] / size, 1e-5 * single);
            assert_true(fabs(atan2(a[1], a[0]) - atan2(g[1], g[0])) > 0.1);
            for (int k = 0; k < 4; k++) {
                const double *f = run->final.lambda_friction + 2 * (ptrdiff_t)k;
                CHECK_NEAR(hypot(f[0], f[1] / ratio), MU * run->final.lambda_normal[k], 1e-4 * single);
            }
            check_checks(run, single);
            nb_run_destroy(run);
        }
    }
}

/* It rests where the pull lies within the ellipse, at 0.999 of the ratio that this takes not. */
TEST(a_block_rests_within_the_ellipse) {
    nb_run *run = slide(&ways[0], 2);
    double g[2], limit = MU * 9.81 * cos(ANGLE);
    components(run, (const double[]){0, 0, -9.81}, g);
    nb_run_destroy(run);
    assert_true(fabs(g[0]) > limit); /* no ratio would hold it: more of friction along */
    const char *mu = "0.6";
    double more = 0.6 * 9.81 * cos(ANGLE), least = fabs(g[1]) / sqrt(more * more - g[0] * g[0]);
    for (int holds = 0; holds < 2; holds++) {
        static const way exact = {.method = "interior-point"};
        nb_request *request = make_request(SLIDING_STEPS, 200);
        request->scene.friction_ratio = least * (holds ? 1.001 : 0.999);
        request->scene.friction_direction = 0.6;
        run = run_block(&exact, request, (const char *const[]){"angle", "0.5", "mu", mu, NULL});
        const double *u = run->final.u + 6;
        double speed = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        if (holds)
            CHECK_BELOW(speed, 1e-8);
        else
            assert_true(speed > 1e-5);
        nb_run_destroy(run);
    }
}

RUN_TESTS(a_block_sinks_and_keeps_its_distance, a_block_slides_as_the_ellipse_says, a_block_rests_within_the_ellipse)
