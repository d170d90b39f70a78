#include <math.h>

#include "base/memory.h"
#include "bench/study.h"
#include "run/gradient.h"
#include "run/prepare.h"
#include "run/scene_run.h"

NB_PRECISIONS(f64);

enum {
    SLIDING_STEPS = 20,
    STEPS = 200,
    MOST_OPTIONS = 3
};
static const double angle = 0.17453292519943295, gravity = 9.81, step = 0.05, corners = 4, hard_tolerance = 1e-13;

/* what creeps as it stands, by the load: of the law of smoothed friction, and on the central path */
enum law {
    SPRINGS,
    PATH,
    UNKNOWN
};

static const struct {
    const char *name, *method;
    enum law law;
    double smoothing; /* eps [m/s] of springs, rho [J] of a path; 0: the method's own */
    const char *options[MOST_OPTIONS][2];
} curves[] = {
    {"smoothed, eps 1e-3", "smoothed", SPRINGS, 1e-3, {{"initial-contact", "loaded"}, {"friction-tolerance", "1e-3"}}},
    {"smoothed, eps 1e-4", "smoothed", SPRINGS, 1e-4, {{"initial-contact", "loaded"}, {"friction-tolerance", "1e-4"}}},
    {"interior-point, rho 1e-8", "interior-point", PATH, 1e-8, {{0}}},
    {"interior-point, rho 1e-10", "interior-point", PATH, 1e-10, {{0}}},
    {"single-level, its own 1e-6", "single-level", UNKNOWN, 0, {{0}}},
    {"single-level, its own 1e-9", "single-level", UNKNOWN, 0, {{"rho", "1e-9"}}},
};
enum {
    CURVES = sizeof curves / sizeof *curves
};

/* ---- the motion ---- */

/* what slows the block down [m/s^2] */
static double slowing(double share) {
    return gravity * sin(angle) * (1 / share - 1);
}

static nb_status add_setting(nb_request *request, const char *name, double value) {
    nb_setting *setting = &request->settings[request->setting_count++];
    snprintf(setting->name, sizeof setting->name, "%s", name);
    snprintf(setting->value, sizeof setting->value, "%.17g", value);
    return NB_OK;
}

/* It begins so fast that it stops in the middle of a step: its way at the end is linear in a small force. */
static nb_status prepare(int curve, double share, nb_request *request) {
    nb_status status = NB_OK;
    nb_request_standard(request);
    snprintf(request->info.scenario, sizeof request->info.scenario, "incline");
    snprintf(request->info.method, sizeof request->info.method, "%s",
             curve < 0 ? "interior-point" : curves[curve].method);
    request->info.steps = STEPS;
    request->info.time_step = step;
    NB_TRY(add_setting(request, "angle", angle));
    NB_TRY(add_setting(request, "mu", tan(angle) / share));
    NB_TRY(add_setting(request, "speed", slowing(share) * step * (SLIDING_STEPS + 0.5)));
    NB_TRY(add_setting(request, "mass", 1));
    if (curve < 0 || curves[curve].law == PATH) request->info.newton_tolerance = hard_tolerance;
    for (int i = 0; curve >= 0 && i < MOST_OPTIONS && curves[curve].options[i][0]; i++)
        NB_TRY(nb_request_set_option(request, curves[curve].options[i][0], curves[curve].options[i][1]));
    NB_TRY(nb_simulate_prepare(request));
out:
    return status;
}

/* the place along x at the end, with a force down the slope */
static nb_status move(const nb_request *request, double force, double *x) {
    nb_status status;
    nb_scene_run scene = {.request = request};
    double row[NB_STEP_COLUMNS];
    NB_TRY(nb_scene_run_build(&scene));
    scene.world->bodies[1].force = nb_vec3_of(force * cos(angle), 0, -force * sin(angle));
    for (int32_t k = 0; k < request->info.steps; k++)
        NB_TRY(nb_scene_run_advance(&scene, NULL, request->info.warm_start, NULL, row));
    *x = scene.world->bodies[1].position.x;
out:
    nb_scene_run_clear(&scene);
    return status;
}

/* dx/dF of hard contacts [m/N] */
static nb_status hard_derivative(double share, double *by_force) {
    const double t = 0.2 * slowing(share) / SLIDING_STEPS; /* moves the stop by a fifth of a step */
    nb_status status;
    nb_request *request = NULL;
    double ahead, behind;
    NB_TRY(NB_ALLOCATE(1, &request));
    NB_TRY(prepare(-1, share, request));
    NB_TRY(move(request, t, &ahead));
    NB_TRY(move(request, -t, &behind));
    *by_force = (ahead - behind) / (2 * t);
out:
    if (request) nb_free(request->info.parameters);
    nb_free(request);
    return status;
}

/* ---- what is made of it ---- */

/* the same by a method's derivatives */
static nb_status derivative(int curve, double share, double *by_force) {
    nb_status status;
    nb_request *request = NULL;
    nb_gradient g = {0};
    const nb_gradient_request what = {
        .smoothing = curves[curve].law == PATH ? curves[curve].smoothing : 0, .body = 1, .component = 0};
    NB_TRY(NB_ALLOCATE(1, &request));
    NB_TRY(prepare(curve, share, request));
    NB_TRY(nb_gradient_run(request, &what, &g));
    const double *by = g.by_input + NB_INPUTS + NB_INPUT_FORCE;
    *by_force = by[0] * cos(angle) - by[2] * sin(angle);
out:
    nb_gradient_clear(&g);
    if (request) nb_free(request->info.parameters);
    nb_free(request);
    return status;
}

/* d(creep)/dF [m/(N s)]: eps/(2 mu N sqrt(1 - r)); on the central path a contact with the share r of friction creeps at
 * rho r/(mu N h (1 - r^2)), and each corner carries its part of N */
static double creep_slope(int curve, double share) {
    const double most = gravity * sin(angle) / share, less = 1 - share * share; /* mu N [N]; 1 - r^2 */
    if (curves[curve].law == SPRINGS) return curves[curve].smoothing / (2 * most * sqrt(1 - share));
    if (curves[curve].law == PATH)
        return corners * curves[curve].smoothing * (1 + share * share) / (less * less * most * most * step);
    return NAN;
}

nb_status nb_study_gradient_friction(FILE *file) {
    static const double rest[] = {0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.003}; /* 1 - r */
    enum {
        SHARES = sizeof rest / sizeof *rest
    };
    const double exact = cos(angle) * step * step * SLIDING_STEPS * (SLIDING_STEPS + 1) / 2;
    double hard[SHARES];
    nb_status status = NB_OK;
    for (int k = 0; k < SHARES; k++) NB_TRY(hard_derivative(1 - rest[k], &hard[k]));
    for (int curve = 0; curve < CURVES; curve++) {
        for (int k = 0; k < SHARES; k++) {
            /* what the force has added to the speed is lost to creep, too: its way counts the time of sliding */
            const double share = 1 - rest[k], whole = step * STEPS;
            double own;
            NB_TRY(derivative(curve, share, &own));
            fprintf(file, "%.9g\t%.9g\t%.9g\t%.9g\n", rest[k], fabs(own - hard[k]) / hard[k],
                    cos(angle) * whole * creep_slope(curve, share) / hard[k], fabs(hard[k] - exact) / exact);
        }
        fputs("\n\n", file);
    }
out:
    return status;
}
