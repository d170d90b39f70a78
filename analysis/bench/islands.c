#include "bench/kinds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "device.h"
#include "run/scene_run.h"

NB_PRECISIONS(f64);

enum {
    SCENE_CONTACTS = 120, /* of a batch's scene, about */
    SCENE_ASKED = 250,    /* of the pile, to have so many: in a small one more boxes lie at its rim */
    MOST_SCENES = 65536,
    NEWTON_ITERATIONS = 5, /* of a launch; times are of one */
    LINEAR_ITERATIONS = 20
};

/* scenes that were begun, ready for the launch, again and again */
typedef struct scenes {
    nb_request request;
    nb_scene_run *scenes; /* [count] */
    void **steppers;
    int32_t count, contacts;
} scenes;

static void clear(scenes *s) {
    for (int32_t i = 0; s->scenes && i < s->count; i++) nb_scene_run_clear(&s->scenes[i]);
    nb_free(s->scenes);
    nb_free(s->steppers);
    nb_free(s->request.info.parameters);
}

static nb_status begin(scenes *s, const nb_bench_item *item) {
    nb_status status;
    int one = strcmp(item->kernel, "batch") != 0;
    s->count = one ? 1 : (int32_t)fmin(MOST_SCENES, fmax(1, round((double)item->contacts / SCENE_CONTACTS)));
    NB_TRY(nb_bench_pile(item, one ? item->contacts : SCENE_ASKED, &s->request));
    s->request.info.whole_steps = 1;
    s->request.info.newton_iterations = NEWTON_ITERATIONS;
    s->request.info.linear_iterations = LINEAR_ITERATIONS;
    NB_TRY(NB_ALLOCATE(s->count, &s->scenes));
    NB_TRY(NB_ALLOCATE(s->count, &s->steppers));
    for (int32_t i = 0; i < s->count; i++) {
        nb_scene_run *scene = &s->scenes[i];
        scene->request = &s->request;
        scene->copy = i;
        NB_TRY(nb_scene_run_build(scene));
        NB_TRY(nb_scene_run_begin(scene, NULL, 0));
        s->steppers[i] = scene->stepper;
        s->contacts += scene->contacts->count;
    }
out:
    return status;
}

/* the time of the kernel alone, and with copies and waits, a Newton iteration [s] */
static nb_status sample(const scenes *s, double *work, double *wall) {
    nb_status status;
    const nb_scene_run *first = &s->scenes[0];
    const nb_device *device = first->request->choices.device;
    double transfer;
    device->take_times(work, &transfer); /* what was before is no part of it */
    double start = nb_clock_seconds();
    NB_TRY(first->type->launch(s->steppers, s->count));
    *wall = (nb_clock_seconds() - start) / NEWTON_ITERATIONS;
    device->take_times(work, &transfer);
    *work /= NEWTON_ITERATIONS;
out:
    return status;
}

nb_status nb_bench_islands(const nb_bench_item *item, nb_bench_report *report, void *context) {
    nb_status status;
    scenes s = {.count = 0};
    double work[NB_TIMING_SAMPLES], wall[NB_TIMING_SAMPLES];
    NB_TRY(begin(&s, item));
    nb_timing row = nb_bench_begin_row(item);
    row.contacts = s.contacts;
    row.scenes = s.count;
    double start = nb_clock_seconds();
    do NB_TRY(sample(&s, &work[0], &wall[0])); /* warms up */
    while (nb_clock_seconds() - start < s.request.choices.device->warm_up_s);
    for (int i = 0; i < NB_TIMING_SAMPLES; i++) NB_TRY(sample(&s, &work[i], &wall[i]));
    NB_TRY(nb_bench_bandwidth(s.request.choices.device, 2000.0 * s.contacts, 0, &row.triad));
    NB_TRY(nb_bench_row(&row, work, NB_TIMING_SAMPLES, report, context));
    snprintf(row.kernel, sizeof row.kernel, "%s:wall", item->kernel);
    NB_TRY(nb_bench_row(&row, wall, NB_TIMING_SAMPLES, report, context));
out:
    clear(&s);
    return status;
}
