#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench/study.h"
#include "run/gradient.h"
#include "run/prepare.h"
#include "run/scene_run.h"

NB_PRECISIONS(f64);

/* of the steps [m/s]: interior-point's tolerance; single-level's is a tenth of its rho, in units of some 0.1 m/s */
static const double tolerance = 1e-13, single_level_tolerance = 1e-12;
static const char *const single_level_rho = "1e-10";

enum {
    MOST_BODIES = 16,
    MOST_SETTINGS = 5,
    WIDTHS = 3 /* of differences, each a tenth of the one before */
};

static const struct {
    const char *scenario;
    int steps;
    int single_level; /* 1: by that method, 0: by interior-point */
    const char *settings[MOST_SETTINGS][2];
} motions[] = {
    {"incline", 20, 0, {{"angle", "0.5"}, {"mu", "0.3"}, {"speed", "0.4"}}},
    {"incline", 1, 0, {{"angle", "0.3"}, {"mu", "0.6"}}},
    {"incline", 1, 0, {{"angle", "0"}}},
    {"piling", 20, 0, {{"shape", "sphere"}, {"count", "1"}, {"spacing", "0"}, {"jitter", "0"}, {"tilt", "0"}}},
    {"piling", 10, 0, {{"shape", "box"}, {"count", "1"}, {"spacing", "0.1"}}},
    {"piling", 25, 0, {{"shape", "sphere"}, {"count", "5"}, {"spacing", "0.1"}, {"stagger", "0.5"}}},
    {"incline", 20, 1, {{"angle", "0.5"}, {"mu", "0.3"}, {"speed", "0.4"}}},
    {"piling", 20, 1, {{"shape", "sphere"}, {"count", "1"}, {"spacing", "0"}, {"jitter", "0"}, {"tilt", "0"}}},
    {"piling", 10, 1, {{"shape", "box"}, {"count", "1"}, {"spacing", "0.1"}}},
};

static nb_status prepare(int motion, nb_request *request) {
    nb_status status = NB_OK;
    nb_request_standard(request);
    snprintf(request->info.scenario, sizeof request->info.scenario, "%s", motions[motion].scenario);
    snprintf(request->info.method, sizeof request->info.method, "%s",
             motions[motion].single_level ? "single-level" : "interior-point");
    request->info.steps = motions[motion].steps;
    if (motions[motion].single_level)
        NB_TRY(nb_request_set_option(request, "rho", single_level_rho));
    else
        request->info.newton_tolerance = tolerance;
    for (int i = 0; i < MOST_SETTINGS && motions[motion].settings[i][0]; i++) {
        nb_setting *setting = &request->settings[request->setting_count++];
        snprintf(setting->name, sizeof setting->name, "%s", motions[motion].settings[i][0]);
        snprintf(setting->value, sizeof setting->value, "%s", motions[motion].settings[i][1]);
    }
    NB_TRY(nb_simulate_prepare(request));
out:
    return status;
}

/* the velocities at the end where the last body begins with `t` more of velocity k */
static nb_status move(const nb_request *request, int k, double t, int32_t *bodies, double *u) {
    nb_status status;
    nb_scene_run scene = {.request = request};
    double row[NB_STEP_COLUMNS];
    NB_TRY(nb_scene_run_build(&scene));
    *bodies = scene.world->body_count;
    if (*bodies > MOST_BODIES)
        NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "%d bodies where %d are at most", (int)*bodies, MOST_BODIES));
    nb_body *last = &scene.world->bodies[*bodies - 1];
    double *const number[6] = {&last->linear_velocity.x,  &last->linear_velocity.y,  &last->linear_velocity.z,
                               &last->angular_velocity.x, &last->angular_velocity.y, &last->angular_velocity.z};
    *number[k] += t;
    for (int32_t step = 0; step < request->info.steps; step++)
        NB_TRY(nb_scene_run_advance(&scene, NULL, request->info.warm_start, NULL, row));
    for (int32_t i = 0; i < *bodies; i++) {
        const nb_body *b = &scene.world->bodies[i];
        const double all[6] = {b->linear_velocity.x,  b->linear_velocity.y,  b->linear_velocity.z,
                               b->angular_velocity.x, b->angular_velocity.y, b->angular_velocity.z};
        memcpy(u + 6 * (ptrdiff_t)i, all, sizeof all);
    }
out:
    nb_scene_run_clear(&scene);
    return status;
}

/* By velocity k: the extrapolation of the width at which it changes least, and what the steps' tolerance and that come
 * to. */
static nb_status differences(const nb_request *request, double noise, int k, int32_t *bodies, double *du, double *off) {
    nb_status status = NB_OK;
    double t = 1e-2;
    *off = INFINITY;
    for (int width = 0; width < WIDTHS; width++, t /= 10) {
        double at[4][6 * MOST_BODIES], found[6 * MOST_BODIES], change = noise / t;
        const double place[4] = {-t, -t / 2, t / 2, t};
        for (int n = 0; n < 4; n++) NB_TRY(move(request, k, place[n], bodies, at[n]));
        for (int i = 0; i < 6 * *bodies; i++) {
            double narrow = (at[2][i] - at[1][i]) / t, wide = (at[3][i] - at[0][i]) / (2 * t);
            found[i] = (4 * narrow - wide) / 3;
            change = fmax(change, fabs(narrow - wide));
        }
        if (!(change < *off)) continue;
        *off = change;
        memcpy(du, found, 6 * (size_t)*bodies * sizeof *du);
    }
out:
    return status;
}

static nb_status error_at(const nb_request *request, double rho, double by_difference[6][6 * MOST_BODIES],
                          int32_t bodies, double *error) {
    nb_status status;
    nb_gradient g = {0};
    const nb_gradient_request what = {
        .smoothing = rho, .body = -1, .with_kind = {0, 1}, .only_count = 1, .only = {bodies - 1}};
    *error = 0;
    NB_TRY(nb_gradient_run(request, &what, &g));
    for (int32_t body = 0; body < g.bodies; body++)
        for (int n = 0; n < 6; n++)
            for (int k = 0; k < 6; k++) {
                double own = g.derivative[((int64_t)body * NB_GRADIENT_STATE + 6 + n) * g.columns + k];
                *error = fmax(*error, fabs(own - by_difference[k][6 * body + n]));
            }
out:
    nb_gradient_clear(&g);
    return status;
}

static nb_status write_motion(int motion, FILE *file) {
    nb_status status;
    nb_request *request = NULL;
    double by_difference[6][6 * MOST_BODIES], off = 0;
    const double noise = motions[motion].single_level ? single_level_tolerance : tolerance;
    int32_t bodies = 0;
    NB_TRY(NB_ALLOCATE(1, &request));
    NB_TRY(prepare(motion, request));
    for (int k = 0; k < 6; k++) {
        double own;
        NB_TRY(differences(request, noise, k, &bodies, by_difference[k], &own));
        off = fmax(off, own);
    }
    for (int exponent = -2; exponent >= -12; exponent--) {
        double rho = pow(10, exponent), error;
        status = error_at(request, rho, by_difference, bodies, &error);
        const int none =
            status == NB_ERROR_NUMERIC || status == NB_ERROR_USAGE; /* not reached, less than the motion's */
        if (none) error = NAN;
        if (status != NB_OK && !none) goto out;
        fprintf(file, "%.9g\t%.9g\t%.9g\n", rho, error, off);
    }
    status = NB_OK;
    fputs("\n\n", file);
out:
    if (request) nb_free(request->info.parameters);
    nb_free(request);
    return status;
}

nb_status nb_study_gradient_error(FILE *file) {
    nb_status status = NB_OK;
    const int count = sizeof motions / sizeof *motions;
    for (int motion = 0; motion < count && status == NB_OK; motion++) status = write_motion(motion, file);
    return status;
}
