#include "run/settle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

enum {
    MOST_ITERATIONS = 1000 /* of a step; few solved ones take more than a hundred, and unsolved ones take all */
};

/* what settling puts in the place of the scene's own */
typedef struct own {
    const nb_stepper_class *type;
    void *stepper;
    nb_scene_settings settings;
    int32_t skips_unknown;
    nb_geometry geometry;
} own;

static nb_status take_place(nb_scene_run *c, own *kept) {
    nb_world *w = c->world;
    nb_method_settings settings = nb_lead_settings();
    *kept = (own){c->type, c->stepper, w->settings, w->skips_unknown, c->geometry};
    settings.newton_iterations = MOST_ITERATIONS;
    settings.newton_tolerance = c->request->info.settle_tolerance;
    c->type = &nb_stepper_f64;
    w->settings.friction_law = NB_FRICTION_COULOMB; /* runs of all laws and steps begin alike */
    w->settings.stepping = nb_time_stepping_of(NB_STEPPING_IMPLICIT);
    w->settings.integrator = NB_INTEGRATOR_BE;
    w->settings.gyroscopic = NB_GYROSCOPIC_IMPLICIT;
    w->settings.verify_contacts = INFINITY;
    w->skips_unknown = 0; /* `auto` finds no contacts by itself */
    /* as the run has it where it was asked for; that of methods that find contacts is their own */
    if (c->geometry != NB_GEOMETRY_UPDATED || c->request->choices.method->finds_contacts)
        c->geometry = NB_GEOMETRY_JOINTS;
    return c->type->create("auto", &settings, &c->stepper);
}

static void give_back(nb_scene_run *c, const own *kept) {
    c->type->destroy(c->stepper);
    c->type = kept->type;
    c->stepper = kept->stepper;
    c->world->settings = kept->settings;
    c->world->skips_unknown = kept->skips_unknown;
    c->geometry = kept->geometry;
}

/* The impulses of the last step, for the scene's own stepper. */
static nb_status hand_over(const nb_scene_run *c, const own *kept) {
    nb_status status;
    char *bytes = NULL;
    size_t size = 0;
    nb_stream stream = {.file = open_memstream(&bytes, &size), .path = "settled impulses", .unchecked = 1};
    if (!stream.file) return nb_fail(NB_ERROR_MEMORY, "out of memory for settled impulses");
    NB_TRY(c->type->save_impulses(c->stepper, &stream));
    nb_stream_close(&stream); /* writes `bytes` and `size` */
    stream = (nb_stream){.file = fmemopen(bytes, size, "rb"), .path = "settled impulses", .left = (int64_t)size};
    if (!stream.file) NB_TRY(nb_fail(NB_ERROR_MEMORY, "out of memory for settled impulses"));
    NB_TRY(kept->type->load_impulses(kept->stepper, &stream));
out:
    nb_stream_close(&stream);
    free(bytes);
    return status;
}

static nb_status note(nb_settling *settling, int32_t steps, const double row[NB_STEP_COLUMNS], double tolerance) {
    const double error = row[NB_STEP_NATURAL_MAP_ERROR];
    if (!isfinite(error) || row[NB_STEP_REASON] == NB_REASON_DIVERGED)
        return nb_fail(NB_ERROR_NUMERIC, "--settle: step %d of %d diverged (natural map %.2g m/s)",
                       (int)settling->steps, (int)steps, error);
    settling->unsolved += !(error <= tolerance);
    settling->worst = fmax(settling->worst, error);
    settling->steps++;
    return NB_OK;
}

nb_status nb_scene_run_settle(nb_scene_run *c) {
    nb_status status;
    own kept;
    double row[NB_STEP_COLUMNS];
    const nb_run_info *info = &c->request->info;
    c->settling = (nb_settling){0};
    status = nb_start_state_take(c->request->start, c->world);
    if (status != NB_OK || info->settle == 0) return status;
    NB_TRY(take_place(c, &kept));
    while (c->settling.steps < info->settle) {
        NB_TRY(nb_scene_run_advance(c, NULL, NB_START_PREVIOUS, NULL, row));
        NB_TRY(note(&c->settling, info->settle, row, info->settle_tolerance));
    }
    NB_TRY(hand_over(c, &kept));
out:
    give_back(c, &kept);
    return status;
}

nb_status nb_scene_run_settle_all(nb_scene_run *c) {
    nb_status status = nb_scene_run_settle(c);
    const nb_settling *s = &c->settling;
    if (status != NB_OK || s->unsolved == 0) return status;
    return nb_settle_fault(s->unsolved, s->steps, c->request->info.settle_tolerance, s->worst);
}

void nb_run_add_settling(nb_run *run, const nb_settling *settling) {
    if (run->info.settle == 0) return;
    run->usage.settle_unsolved =
        settling->unsolved + (isnan(run->usage.settle_unsolved) ? 0 : run->usage.settle_unsolved);
    run->usage.settle_error = fmax(settling->worst, run->usage.settle_error); /* not NaN */
}
