/* Contacts that give way and that keep a distance (paper eq. (9), section 10.3), in every way to solve a step: a block
 * on the ground, whose place is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "recheck.h"
#include "simulate.h"

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

/* a run to rest */
static nb_run *rest(const way *asked, double compliance, double thickness) {
    nb_run *run;
    nb_request *request = calloc(1, sizeof *request);
    assert_non_null(request);
    nb_request_standard(request);
    nb_run_info *info = &request->info;
    put(info->scenario, "incline");
    put(info->method, asked->method);
    put(info->ncp, asked->ncp);
    put(info->form, asked->form);
    put(info->row_scaling, asked->row_scaling);
    put(info->geometry, asked->geometry);
    put(info->finish, asked->finish);
    put(info->precision, asked->precision);
    put(info->device, asked->device);
    put(info->linear_solver, asked->solver);
    info->islands = asked->islands;
    info->whole_steps = asked->whole_steps;
    info->steps = 150;
    info->newton_iterations = 60;
    info->newton_tolerance = 1e-9;
    set(request, "angle", "0");
    set(request, "mass", "2");
    request->contact_compliance = compliance;
    request->contact_thickness = thickness;
    CHECK_OK(nb_simulate_prepare(request));
    CHECK_OK(nb_simulate(request, NULL, NULL, NULL, &run));
    assert_true(run->finished);
    nb_free(request->info.parameters);
    free(request);
    return run;
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
static void a_block_sinks_and_keeps_its_distance(void **state) {
    (void)state;
    double force = MASS * 9.81 / 4, sunk = COMPLIANCE * force;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (int kind = 0; kind < 3; kind++) { /* soft, thick, both */
            double e = kind == 1 ? 0 : COMPLIANCE, d = kind == 0 ? 0 : THICKNESS;
            nb_run *run = rest(&ways[i], e, d);
            nb_checks checks;
            int recomputed;
            double down = kind == 1 ? 0 : sunk;
            const double *last = run->steps + (int64_t)(run->step_count - 1) * NB_STEP_COLUMNS;
            /* a tolerance of 1e-9 m/s, over h = 0.0083 s: 1e-11 m or 2.4e-7 N; round-off of f32 */
            double single = ways[i].precision && strcmp(ways[i].precision, "f32") == 0 ? 1e3 : 1;
            assert_int_equal(run->final.contacts, 4);
            CHECK_NEAR(run->final.q[7 + 2], HEIGHT + d - down, 1e-9 * single);
            for (int k = 0; k < 4; k++) {
                CHECK_NEAR(run->final.lambda_normal[k], force, 1e-6 * single);
                CHECK_NEAR(run->final.gap[k], -down, 1e-9 * single);
            }
            CHECK_NEAR(last[NB_STEP_MAX_PENETRATION], down, 1e-9 * single);
            CHECK_BELOW(last[NB_STEP_NATURAL_MAP_ERROR], 1e-9 * single);
            CHECK_OK(nb_run_recheck(run, &checks, &recomputed));
            assert_true(checks.count > 4);
            assert_int_equal(checks.count, run->checks.count);
            for (int k = 0; k < checks.count; k++) {
                CHECK_NEAR(checks.items[k].actual, run->checks.items[k].actual, 0);
                if (single == 1) assert_true(checks.items[k].passed);
            }
            nb_run_destroy(run);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_sinks_and_keeps_its_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
