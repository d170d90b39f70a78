#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collision/contact.h"
#include "fclib.h"
#include "method/stepper.h"
#include "recorder.h"
#include "registry.h"
#include "resolve.h"

/* one run in progress */
typedef struct simulation {
    const nb_request *request;
    nb_choices choices;
    const nb_stepper_class *class;
    void *stepper;
    nb_measure *measure;
    nb_world *world;
    nb_contacts *contacts;
} simulation;

static void release(simulation *s) {
    if (s->class) s->class->destroy(s->stepper);
    nb_measure_destroy(s->measure);
    nb_world_destroy(s->world);
    nb_contacts_destroy(s->contacts);
}

static nb_status make_stepper(simulation *s) {
    nb_status status;
    NB_TRY(nb_request_resolve(s->request, &s->choices));
    s->class = s->choices.f32 ? &nb_stepper_f32 : &nb_stepper_f64;
    NB_TRY(s->class->create(s->request->info.method, &s->choices.settings, &s->stepper));
out:
    return status;
}

static nb_status make_world(simulation *s) {
    nb_status status;
    NB_TRY(make_stepper(s));
    NB_TRY(nb_measure_create(&s->measure));
    NB_TRY(nb_contacts_create(&s->contacts));
    NB_TRY(s->choices.scenario->build(s->choices.parameters, s->request->info.seed, &s->world));
    if (s->request->contact_margin >= 0) s->world->contact_margin = s->request->contact_margin;
out:
    return status;
}

/* One time step. `recorder` is NULL in a timed repetition. Fills the step's row. */
static nb_status advance(simulation *s, nb_recorder *recorder, double row[NB_STEP_COLUMNS]) {
    const nb_run_info *info = &s->request->info;
    nb_status status;
    nb_step_outcome outcome;
    nb_step_counts counts;
    double h = info->time_step, start = nb_clock_seconds();
    if (s->world->prescribe) s->world->prescribe(s->world, h);
    NB_TRY(nb_contacts_detect(s->world, h, s->contacts));
    double detected = nb_clock_seconds();
    NB_TRY(s->class->begin(s->stepper, s->world, s->contacts, h, s->choices.settings.frozen_geometry));
    double begun = nb_clock_seconds();
    NB_TRY(nb_measure_begin(s->measure, s->world, s->contacts, h, s->choices.settings.frozen_geometry));
    NB_TRY(s->class->step(s->stepper, s->world, s->contacts, h, info->warm_start, s->measure,
                          recorder ? nb_recorder_observer(recorder) : NULL, &outcome, &counts,
                          recorder ? &recorder->run->final : NULL));
    outcome.assembly_s += begun - detected;
    for (int i = 0; i < NB_STEP_COLUMNS; i++) row[i] = NAN;
    row[NB_STEP_TIME] = s->world->time;
    row[NB_STEP_DETECT_S] = detected - start;
    nb_recorder_fill_step(&outcome, &counts, row);
    if (recorder) {
        recorder->run->final.step_count++;
        row[NB_STEP_MAX_PENETRATION] = nb_recorder_penetration(&recorder->run->final);
        row[NB_STEP_KINETIC_ENERGY] = nb_world_kinetic_energy(s->world);
        row[NB_STEP_POTENTIAL_ENERGY] = nb_world_potential_energy(s->world);
    }
out:
    return status;
}

static nb_status record_frame(const simulation *s, nb_run *run) {
    int interval = s->request->frame_interval;
    if (interval <= 0 || run->step_count % interval != 0) return NB_OK;
    return nb_run_add_frame(run, s->world->time, s->world->body_count, run->final.q);
}

/* holds the final state against the scenario's known values and the invariants of every scene */
static nb_status run_checks(const simulation *s, nb_run *run) {
    nb_world *initial;
    nb_status status = s->choices.scenario->build(s->choices.parameters, s->request->info.seed, &initial);
    if (status != NB_OK) return status;
    nb_checks_general(initial, &run->final, &run->checks);
    s->choices.scenario->check(s->choices.parameters, initial, &run->final, &run->checks);
    nb_world_destroy(initial);
    return NB_OK;
}

static nb_status run_steps(simulation *s, nb_recorder *recorder, nb_progress *progress, void *progress_context,
                           const volatile sig_atomic_t *interrupted) {
    nb_status status;
    nb_run *run = recorder->run;
    const nb_run_info *info = &s->request->info;
    NB_TRY(make_world(s));
    run->info.bodies = s->world->body_count;
    run->info.joints = s->world->joint_count;
    for (int32_t step = 0; step < info->steps; step++) {
        double row[NB_STEP_COLUMNS];
        if (interrupted && *interrupted) return NB_OK;
        nb_recorder_begin_step(recorder, step, step + 1 == info->steps);
        NB_TRY(advance(s, recorder, row));
        NB_TRY(nb_run_add_step(run, row));
        NB_TRY(record_frame(s, run));
        if (progress) progress(progress_context, step + 1, info->steps);
    }
    NB_TRY(run_checks(s, run));
    run->finished = 1;
out:
    return status;
}

/* ---- problems from files ---- */

static nb_status solve_file(simulation *s, nb_recorder *recorder) {
    nb_status status;
    nb_run *run = recorder->run;
    nb_fclib_problem *file = NULL;
    double *impulse = NULL, row[NB_STEP_COLUMNS];
    nb_step_outcome outcome;
    nb_step_counts counts;
    void *problem = NULL;
    NB_TRY(nb_fclib_read(s->request->problem_path, &file));
    const nb_file_data *data = nb_fclib_data(file);
    NB_TRY(make_stepper(s));
    if (s->request->relative_tolerance > 0) {
        /* rebuilt with an absolute tolerance: the natural map relative to ||q|| */
        s->class->destroy(s->stepper);
        s->stepper = NULL;
        s->choices.settings.newton_tolerance = 0;
        s->choices.settings.file_tolerance = s->request->relative_tolerance * nb_fclib_norm_q(file);
        NB_TRY(s->class->create(s->request->info.method, &s->choices.settings, &s->stepper));
    }
    NB_TRY(nb_measure_create_file(data, &s->measure));
    int32_t rows = nb_file_data_rows(data);
    NB_TRY(NB_ALLOCATE(rows, &impulse));
    nb_recorder_begin_step(recorder, 0, 1);
    double start = nb_clock_seconds();
    NB_TRY(s->class->solve(s->stepper, data, s->measure, nb_recorder_observer(recorder), &outcome, &counts, impulse));
    (void)start;
    for (int i = 0; i < NB_STEP_COLUMNS; i++) row[i] = NAN;
    nb_recorder_fill_step(&outcome, &counts, row);
out:
    (void)problem;
    nb_free(impulse);
    nb_fclib_destroy(file);
    (void)run;
    return status;
}
