#include "run/scene_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/largest.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/stream.h"
#include "element/energy.h"
#include "measure/infeasibility.h"
#include "measure/start_errors.h"
#include "method.h"
#include "model/drive.h"
#include "model/energy.h"
#include "reason.h"
#include "record/columns.h"
#include "run/checkpoint.h"
#include "run/converge.h"
#include "run/run_checks.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

/* What a step of several stages leaves in a record: one row, and rows of iterations as of one step. */

/* Listens to the solves of a step, of stages and passes, for somebody else, whom it tells everything but the state that
 * a solve before the last ends at. Iterations are counted through. */
typedef struct nb_stage_listener {
    nb_observer observer;  /* to be told */
    const nb_observer *to; /* or NULL */
    int32_t before;        /* iterations of the solves before, which the caller counts */
    nb_newton_report held; /* the end of the last solve, where `holds` */
    int holds;
} nb_stage_listener;

static nb_status hear_linear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    const nb_observer *to = ((const nb_stage_listener *)context)->to;
    return to->linear(to->context, iteration, iterate);
}

static nb_status hear_newton(void *context, const nb_newton_report *report) {
    nb_stage_listener *l = context;
    l->holds = !report->solved;
    if (l->holds) l->held = *report;
    return l->holds ? NB_OK : l->to->newton(l->to->context, report);
}

static nb_status hear_system(void *context, int32_t newton, void *system, const void *problem) {
    const nb_stage_listener *l = context;
    return l->to->system(l->to->context, l->before + newton, system, problem);
}

/* The listener does not move as long as it is told anything. */
static void nb_stage_listener_start(nb_stage_listener *l, const nb_observer *to) {
    *l = (nb_stage_listener){.to = to, .observer.context = l};
    if (to && to->linear) l->observer.linear = hear_linear;
    if (to && to->newton) l->observer.newton = hear_newton;
    if (to && to->system) l->observer.system = hear_system;
}

/* Tells what was held back: no solve follows. */
static nb_status nb_stage_listener_tell(nb_stage_listener *l) {
    return l->holds ? l->to->newton(l->to->context, &l->held) : NB_OK;
}

/* The same of a stage that was made again: its error and its reason are those of `next`. */
static void nb_stages_add_pass(double row[NB_STEP_COLUMNS], const double next[NB_STEP_COLUMNS]) {
    static const int summed[] = {NB_STEP_NEWTON_ITERATIONS,
                                 NB_STEP_DETECT_S,
                                 NB_STEP_ASSEMBLY_S,
                                 NB_STEP_SETUP_S,
                                 NB_STEP_SOLVE_S,
                                 NB_STEP_STEP_S,
                                 NB_STEP_OPERATOR_APPLICATIONS,
                                 NB_STEP_PRECONDITIONER_APPLICATIONS};
    double joined[NB_STEP_COLUMNS];
    memcpy(joined, next, sizeof joined);
    for (size_t i = 0; i < sizeof summed / sizeof *summed; i++) joined[summed[i]] += row[summed[i]];
    memcpy(row, joined, sizeof joined);
}

/* The row of a step that has the stages of `row` so far, and then one more, `next`. Times and numbers of iterations and
 * products are added up; the error is the larger one, the reason the first that is none for a solution. All else is of
 * the last. */
static void nb_stages_join(double row[NB_STEP_COLUMNS], const double next[NB_STEP_COLUMNS]) {
    double error = next[NB_STEP_NATURAL_MAP_ERROR];
    const double reason = row[NB_STEP_REASON];
    nb_raise(&error, row[NB_STEP_NATURAL_MAP_ERROR]);
    nb_stages_add_pass(row, next);
    row[NB_STEP_NATURAL_MAP_ERROR] = error;
    if (!nb_reason_converged((nb_reason)reason)) row[NB_STEP_REASON] = reason;
}

void nb_scene_run_clear(nb_scene_run *c) {
    if (c->type) c->type->destroy(c->stepper);
    nb_measure_destroy(c->measure);
    nb_world_destroy(c->world);
    nb_contacts_destroy(c->contacts);
    nb_integration_destroy(c->integration);
    nb_energy_room_clear(&c->room);
    nb_free(c->kept);
    nb_free(c->kept_particles);
    *c = (nb_scene_run){0};
}

nb_status nb_scene_run_choose(nb_scene_run *c) {
    nb_method_settings settings = nb_request_settings(c->request);
    c->type = c->request->choices.f32 ? &nb_stepper_f32 : &nb_stepper_f64;
    return c->type->create(c->request->info.method, &settings, &c->stepper);
}

static nb_status build_world(const nb_scene_run *c, nb_world **world) {
    const nb_run_info *info = &c->request->info;
    const uint64_t seed = info->seed + (info->batch_seeds ? (uint64_t)c->copy : 0);
    nb_status status = nb_scenario_build(c->request->choices.scenario, c->request->choices.parameters, seed, world);
    if (status != NB_OK) return status;
    const nb_scene_settings asked = nb_request_scene(c->request);
    nb_scene_settings_apply(&asked, &(*world)->settings);
    (*world)->skips_unknown = c->request->choices.method->finds_contacts;
    if ((*world)->planar && (*world)->settings.friction_ratio != 1 && fabs(sin(asked.friction_direction)) > 1e-5)
        return nb_fail(NB_ERROR_USAGE,
                       "--friction-direction must be 0 or pi in scenario '%s', which is planar (got %g)",
                       c->request->choices.scenario->name, asked.friction_direction);
    if (!info->batch_seeds) nb_perturb(*world, info->batch_perturbation, info->seed, c->copy);
    return NB_OK;
}

nb_status nb_scene_run_build(nb_scene_run *c) {
    nb_status status;
    c->geometry = c->request->choices.geometry;
    NB_TRY(nb_scene_run_choose(c));
    NB_TRY(nb_measure_create(&c->measure));
    NB_TRY(nb_contacts_create(&c->contacts));
    NB_TRY(build_world(c, &c->world));
    if (c->world->settings.stepping.scheme != NB_STEPPING_IMPLICIT)
        NB_TRY(nb_world_refuse_particles(c->world, "linearized time stepping"));
    if (c->world->settings.relax == NB_RELAX_ON) NB_TRY(nb_world_refuse_particles(c->world, "--relax on"));
    if (c->world->settings.contacts.no_slip_sweeps > 0) {
        NB_TRY(nb_world_refuse_particles(c->world, "--noslip"));
        if (c->world->joint_count > 0)
            NB_TRY(nb_fail(NB_ERROR_UNSUPPORTED, "--noslip does not support joints (scene has %d)",
                           (int)c->world->joint_count));
    }
    const nb_choices *choices = &c->request->choices;
    const nb_scene_start start = {
        choices->method_values, c->type, c->stepper, c->measure, c->world, c->contacts, c->geometry};
    if (choices->method->prepare_scene) NB_TRY(choices->method->prepare_scene(&start));
    if (c->world->settings.integrator != NB_INTEGRATOR_BE) NB_TRY(nb_integration_create(c->world, &c->integration));
out:
    return status;
}

nb_status nb_scene_run_refuse_stages(const nb_scene_run *c, const char *what) {
    const nb_integrator integrator = c->world->settings.integrator;
    if (isfinite(c->world->settings.verify_contacts))
        return nb_fail(NB_ERROR_USAGE, "%s requires --verify-contacts off (got %g)", what,
                       c->world->settings.verify_contacts);
    if (c->world->settings.substeps > 1 || c->world->settings.relax == NB_RELAX_ON)
        return nb_fail(NB_ERROR_USAGE, "%s requires --substeps 1 and --relax off", what);
    if (integrator == NB_INTEGRATOR_BE) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "%s requires --integrator be (got %s)", what, nb_integrator_names[integrator]);
}

/* ---- a step ---- */

/* Holds the iterates of the run's last step, which was begun, against its converged solution, or two of them. */
static nb_status take_reference(const nb_scene_run *c, nb_run *run) {
    nb_status status;
    const nb_run_info *info = &c->request->info;
    if (!info->reference || run->step_count != info->steps - 1 || !c->last) return NB_OK;
    NB_TRY(nb_converge(c->world, c->contacts, c->h, c->request->choices.geometry, info->method, &run->reference));
    run->usage.reference_error = run->reference.used.natural_map_error;
    if (!run->reference.solution.q) return NB_OK;
    run->reference.step = run->step_count;
    run->reference.solution.step_count = run->final.step_count + c->world->settings.substeps;
    NB_TRY(nb_reference_solution_apart(&run->reference) > 0
               ? nb_measure_set_solutions(c->measure, &run->reference.solution, &run->reference.second)
               : nb_measure_set_reference(c->measure, &run->reference.solution));
out:
    return status;
}

static nb_status store_problem(const nb_scene_run *c) {
    nb_contact_problem_clear(c->request->contact_problem); /* of a stage that is made again */
    return c->type->store_problem(c->stepper, c->request->contact_problem);
}

/* The stage of length c->h from the world's state, which has what is prescribed. */
static nb_status begin_stage(nb_scene_run *c, nb_recorder *recorder, int warm_start) {
    nb_status status;
    const double h = c->h;
    if (!c->follows) {
        c->type->hand_over(c->stepper, c->contacts);
        NB_TRY(nb_contacts_detect(c->world, c->integration ? h : c->request->info.time_step, c->contacts));
    }
    c->detected = nb_clock_seconds();
    NB_TRY(c->type->begin(c->stepper, c->world, c->contacts, h, c->geometry));
    c->begun = nb_clock_seconds();
    if (recorder && c->request->contact_problem && recorder->run->step_count == c->request->store_step && c->last)
        NB_TRY(store_problem(c));
    NB_TRY(nb_measure_begin_beside(c->measure, c->type->rows(c->stepper), c->world, c->contacts, h, c->geometry));
    if (recorder) NB_TRY(take_reference(c, recorder->run));
    NB_TRY(c->type->prepare(c->stepper, c->world, c->contacts, warm_start, c->measure));
out:
    return status;
}

nb_status nb_scene_run_begin(nb_scene_run *c, nb_recorder *recorder, int warm_start) {
    nb_status status;
    NB_TRY(nb_interrupt_check());
    c->started = nb_clock_seconds();
    c->h = c->request->info.time_step;
    c->last = 1;
    nb_world_begin_step(c->world, c->h);
    NB_TRY(begin_stage(c, recorder, warm_start));
out:
    return status;
}

nb_status nb_scene_run_launch(nb_scene_run *const *scenes, int32_t count) {
    nb_status status;
    void **steppers = NULL;
    if (count == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(count, &steppers));
    for (int32_t i = 0; i < count; i++) steppers[i] = scenes[i]->stepper;
    NB_TRY(scenes[0]->type->launch(steppers, count));
out:
    nb_free(steppers);
    return status;
}

nb_status nb_scene_run_trajectories(nb_scene_run *const *scenes, int32_t count, nb_trajectories **trajectories) {
    nb_status status;
    const nb_scene_run *first = scenes[0];
    const nb_run_info *info = &first->request->info;
    const nb_world **worlds = NULL;
    NB_TRY(NB_ALLOCATE(count, &worlds));
    for (int32_t i = 0; i < count; i++) worlds[i] = scenes[i]->world;
    const nb_trajectories_start start = {worlds,
                                         count,
                                         info->batch_contacts,
                                         info->time_step,
                                         info->warm_start == 1,
                                         first->geometry == NB_GEOMETRY_FROZEN,
                                         info->steps};
    NB_TRY(first->type->trajectories(first->stepper, &start, trajectories));
out:
    nb_free(worlds);
    return status;
}

/* What the end of the step has come to, by the bodies' places alone; no part of its time. Where the method finds
 * contacts there itself, its own count, too: detection does not know all of its shapes. */
static nb_status look_at_end(nb_scene_run *c, const nb_snapshot *final, double row[NB_STEP_COLUMNS]) {
    nb_infeasibility found;
    double own = 0;
    nb_status status = nb_infeasibility_of(c->world, c->contacts, &found);
    if (status == NB_ERROR_NUMERIC) return NB_OK; /* no finite places: the columns stay NaN */
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < final->contacts; i++) nb_raise(&own, -final->gap[i]);
    row[NB_STEP_LAW_PENETRATION] = own;
    row[NB_STEP_MAX_PENETRATION] =
        c->request->choices.method->finds_contacts ? fmax(own, found.penetration) : found.penetration;
    row[NB_STEP_PENETRATION_ALLOWED] = nb_penetration_allowed(c->world, final);
    row[NB_STEP_INFEASIBILITY] = fmax(row[NB_STEP_MAX_PENETRATION], found.joints);
    return NB_OK;
}

static void look_at_cavities(const nb_world *world, double row[NB_STEP_COLUMNS]) {
    if (world->cavity_count == 0) return;
    row[NB_STEP_CAVITY_VOLUME] = 0;
    row[NB_STEP_CAVITY_PRESSURE] = -INFINITY;
    for (int32_t k = 0; k < world->cavity_count; k++) {
        const double volume = nb_world_cavity_volume(world, k);
        row[NB_STEP_CAVITY_VOLUME] += volume;
        nb_raise(&row[NB_STEP_CAVITY_PRESSURE], nb_volume_pressure(&world->cavities[k].law, volume));
    }
}

/* in a row of its own */
static nb_status end_stage(nb_scene_run *c, const nb_observer *observer, int warm_start, nb_snapshot *final,
                           double row[NB_STEP_COLUMNS]) {
    nb_step_outcome outcome;
    nb_step_counts counts;
    nb_status status = c->type->step(c->stepper, c->world, c->contacts, c->h, warm_start, c->measure, observer,
                                     &outcome, &counts, final);
    if (status != NB_OK) return status;
    outcome.assembly_s += c->begun - c->detected;
    memcpy(c->remark, outcome.remark, sizeof c->remark);
    nb_recorder_fill_step(&outcome, &counts, row);
    row[NB_STEP_DETECT_S] = c->detected - c->started + counts.verification.look_s;
    row[NB_STEP_STEP_S] = row[NB_STEP_DETECT_S] + outcome.assembly_s + outcome.setup_s + outcome.solve_s;
    return NB_OK;
}

/* what the state at the end of the step says, in its row */
static nb_status end_step(nb_scene_run *c, nb_snapshot *final, double row[NB_STEP_COLUMNS]) {
    row[NB_STEP_TIME] = c->world->time;
    if (final) {
        final->step_count += c->world->settings.substeps;
        final->time = c->world->time;
        nb_status status = look_at_end(c, final, row);
        if (status != NB_OK) return status;
    }
    look_at_cavities(c->world, row);
    row[NB_STEP_KINETIC_ENERGY] = nb_world_kinetic_energy(c->world);
    row[NB_STEP_POTENTIAL_ENERGY] =
        nb_world_potential_energy(c->world) + nb_elastic_energy(c->world) + nb_cavity_energy(c->world);
    return NB_OK;
}

nb_status nb_scene_run_end(nb_scene_run *c, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                           double row[NB_STEP_COLUMNS]) {
    nb_status status = end_stage(c, recorder ? &recorder->observer : NULL, warm_start, final, row);
    return status == NB_OK ? end_step(c, final, row) : status;
}

/* a stage in a row of its own, as often as it is made */
static nb_status make_stage(nb_scene_run *c, nb_recorder *recorder, nb_stage_listener *listener, int k, int warm_start,
                            nb_snapshot *final, double row[NB_STEP_COLUMNS], int *by_be) {
    nb_status status;
    double pass[NB_STEP_COLUMNS];
    int again = 0;
    c->started = nb_clock_seconds();
    c->h = nb_integration_begin_stage(c->integration, c->world, k);
    do {
        NB_TRY(nb_interrupt_check());
        NB_TRY(begin_stage(c, recorder, warm_start));
        NB_TRY(end_stage(c, &listener->observer, warm_start, final, again ? pass : row));
        listener->before += (int32_t)(again ? pass : row)[NB_STEP_NEWTON_ITERATIONS];
        if (again) nb_stages_add_pass(row, pass);
        again = row[NB_STEP_REASON] != NB_REASON_DIVERGED && nb_integration_repeats_stage(c->integration, c->world, k);
        c->started = nb_clock_seconds();
    } while (again);
    *by_be = row[NB_STEP_REASON] != NB_REASON_DIVERGED && nb_integration_end_stage(c->integration, c->world, k);
out:
    return status;
}

/* One stage after the other, or be in their place; one that diverged leaves nothing to go on from. */
static nb_status advance_stages(nb_scene_run *c, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                                double row[NB_STEP_COLUMNS]) {
    nb_status status = NB_OK;
    nb_stage_listener listener;
    double own[NB_STEP_COLUMNS];
    int count = nb_integration_begin(c->integration, c->world, c->request->info.time_step), made = 0, by_be = 0;
    nb_stage_listener_start(&listener, recorder ? &recorder->observer : NULL);
    for (int k = 0; k < count; k++, made++) {
        const int again = by_be; /* what was made before does not count, but for its cost */
        c->last = k + 1 == count;
        NB_TRY(make_stage(c, recorder, &listener, k, warm_start, final, made > 0 ? own : row, &by_be));
        if (again)
            nb_stages_add_pass(row, own);
        else if (made > 0)
            nb_stages_join(row, own);
        if (row[NB_STEP_REASON] == NB_REASON_DIVERGED) break;
        if (by_be) k = -1, count = 1;
    }
    row[NB_STEP_BY_BE] = nb_integration_last_step(c->integration) == NB_STEP_MADE_BY_BE;
    NB_TRY(nb_stage_listener_tell(&listener));
    NB_TRY(end_step(c, final, row));
out:
    return status;
}

/* ---- small steps ---- */

static nb_status keep_start(nb_scene_run *c) {
    nb_status status;
    const nb_world *w = c->world;
    NB_TRY(NB_RESERVE(2 * (int64_t)w->body_count, &c->kept_capacity, &c->kept));
    NB_TRY(NB_RESERVE(w->particle_count, &c->kept_particle_capacity, &c->kept_particles));
    if (w->body_count > 0) memcpy(c->kept, w->bodies, (size_t)w->body_count * sizeof *c->kept);
    if (w->particle_count > 0)
        memcpy(c->kept_particles, w->particles, (size_t)w->particle_count * sizeof *w->particles);
out:
    return status;
}

/* Adds the solve of length c->h from the world's state, which has what is prescribed, to the step's row. */
static nb_status solve_substep(nb_scene_run *c, nb_recorder *recorder, nb_stage_listener *listener, int warm_start,
                               nb_snapshot *final, double row[NB_STEP_COLUMNS], int *made) {
    nb_status status;
    double own[NB_STEP_COLUMNS], *to = *made ? own : row;
    NB_TRY(nb_interrupt_check());
    NB_TRY(begin_stage(c, recorder, warm_start));
    NB_TRY(end_stage(c, &listener->observer, warm_start, final, to));
    listener->before += (int32_t)to[NB_STEP_NEWTON_ITERATIONS];
    if (*made) nb_stages_join(row, own);
    *made = 1;
    c->follows = 1;
out:
    c->started = nb_clock_seconds();
    return status;
}

/* The substep that was made once more from its start, with rigid contacts, for the velocities that it ends with. */
static nb_status relax(nb_scene_run *c, nb_recorder *recorder, nb_stage_listener *listener, nb_snapshot *final,
                       double row[NB_STEP_COLUMNS], int *made) {
    nb_world *w = c->world;
    const nb_scene_settings own = w->settings;
    const nb_geometry geometry = c->geometry;
    const double end = w->time;
    nb_body *moved = c->kept + w->body_count;
    if (w->body_count == 0) return NB_OK;
    memcpy(moved, w->bodies, (size_t)w->body_count * sizeof *moved);
    memcpy(w->bodies, c->kept, (size_t)w->body_count * sizeof *moved);
    w->time = end - c->h;
    w->settings.stepping = nb_time_stepping_relaxed(&own.stepping);
    w->settings.contacts.model = NB_CONTACTS_RIGID;
    w->settings.contact_compliance = 0;
    c->geometry = NB_GEOMETRY_FROZEN;
    const nb_status status = solve_substep(c, recorder, listener, NB_START_PREVIOUS, final, row, made);
    c->geometry = geometry;
    w->settings = own;
    w->time = end;
    for (int32_t i = 0; i < w->body_count; i++) {
        const nb_vec3 x = w->bodies[i].position = moved[i].position;
        const nb_quat q = w->bodies[i].orientation = moved[i].orientation;
        const double place[] = {x.x, x.y, x.z, q.w, q.x, q.y, q.z};
        if (final && status == NB_OK) memcpy(final->q + 7 * (ptrdiff_t)i, place, sizeof place);
    }
    return status;
}

/* Small steps with the contacts of the step's start; one that diverged leaves nothing to go on from. */
static nb_status advance_substeps(nb_scene_run *c, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                                  double row[NB_STEP_COLUMNS]) {
    nb_status status = NB_OK;
    nb_stage_listener listener;
    const int32_t count = c->world->settings.substeps;
    const int relaxes = c->world->settings.relax == NB_RELAX_ON;
    int made = 0;
    c->h = c->request->info.time_step / count;
    c->started = nb_clock_seconds();
    c->follows = 0;
    nb_stage_listener_start(&listener, recorder ? &recorder->observer : NULL);
    for (int32_t k = 0; k < count; k++) {
        nb_world_begin_step(c->world, c->h);
        if (k > 0) nb_contacts_follow(c->world, c->kept, c->kept_particles, c->contacts);
        NB_TRY(keep_start(c));
        c->last = k + 1 == count && !relaxes;
        NB_TRY(solve_substep(c, recorder, &listener, warm_start, final, row, &made));
        c->last = k + 1 == count;
        if (relaxes && row[NB_STEP_REASON] != NB_REASON_DIVERGED)
            NB_TRY(relax(c, recorder, &listener, final, row, &made));
        if (row[NB_STEP_REASON] == NB_REASON_DIVERGED) break;
    }
    NB_TRY(nb_stage_listener_tell(&listener));
    NB_TRY(end_step(c, final, row));
out:
    c->follows = 0;
    return status;
}

static nb_step_errors errors_of_step(const nb_scene_run *c) {
    if (!c->integration) return NB_ERRORS_OF_BE;
    switch (nb_integration_last_step(c->integration)) {
    case NB_STEP_WITHOUT_CONTACTS: return NB_ERRORS_OF_ORDER_TWO;
    case NB_STEP_WITH_CONTACTS: return NB_ERRORS_OF_CONTACTS;
    default: return NB_ERRORS_OF_BE;
    }
}

nb_status nb_scene_run_advance(nb_scene_run *c, nb_recorder *recorder, int warm_start, nb_snapshot *final,
                               double row[NB_STEP_COLUMNS]) {
    nb_status status;
    const double h = c->request->info.time_step;
    if (final) NB_TRY(nb_energy_room_begin(&c->room, c->world));
    if (c->integration) {
        NB_TRY(advance_stages(c, recorder, warm_start, final, row));
    } else if (c->world->settings.substeps > 1 || c->world->settings.relax == NB_RELAX_ON) {
        NB_TRY(advance_substeps(c, recorder, warm_start, final, row));
    } else {
        NB_TRY(nb_scene_run_begin(c, recorder, warm_start));
        NB_TRY(nb_scene_run_launch(&c, 1));
        NB_TRY(nb_scene_run_end(c, recorder, warm_start, final, row));
    }
    if (final) row[NB_STEP_ENERGY_ROOM] = nb_energy_room_end(&c->room, c->world, final, h, errors_of_step(c));
out:
    return status;
}

nb_status nb_scene_run_look_at_start(const nb_scene_run *c, nb_run *run) {
    nb_start_errors errors;
    nb_status status = nb_start_errors_of(c->world, &errors);
    if (status != NB_OK) return status;
    run->usage.start_penetration = errors.penetration;
    run->usage.start_joint_error = errors.apart;
    run->usage.start_joint_turn = errors.turned;
    nb_start_errors_describe(c->world, &errors, run->start_words, sizeof run->start_words);
    return NB_OK;
}

nb_status nb_scene_run_check(const nb_scene_run *c, const nb_snapshot *final, const nb_run *run, const double *row,
                             nb_checks *checks) {
    nb_world *initial;
    nb_status status = build_world(c, &initial);
    if (status != NB_OK) return status;
    const nb_check_premises premises = nb_run_check_premises(&c->request->info);
    if (run) nb_run_check_steps(run, row, c->request->choices.scenario, initial, checks);
    if (run) nb_energy_check(run, row, c->request->choices.scenario, initial, &premises, checks);
    nb_checks_scene(c->request->choices.scenario, c->request->choices.parameters, initial, final, &premises, checks);
    if (run && run->info.reference)
        nb_reference_solution_check(&run->reference, run->usage.reference_error, initial, checks);
    nb_world_destroy(initial);
    return nb_interrupt_check(); /* which they may have been cut short by */
}

/* Copies of a scene that start a little apart. */

static nb_vec3 shaken(nb_vec3 v, double size, uint64_t *state) {
    nb_vec3 by;
    by.x = nb_random_uniform(state, -size, size);
    by.y = nb_random_uniform(state, -size, size);
    by.z = nb_random_uniform(state, -size, size);
    return nb_add(v, by);
}

void nb_perturb(nb_world *world, double size, uint64_t seed, int32_t copy) {
    uint64_t state = seed;
    if (copy == 0) return;
    state = nb_random_bits(&state) + (uint64_t)copy; /* sequences of neighbouring states do not resemble each other */
    state = nb_random_bits(&state);
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *body = &world->bodies[i];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        double radius = body->shape >= 0 ? world->shapes[body->shape]->radius : 0;
        if (!(radius > 0)) radius = 1;
        body->position = shaken(body->position, size * radius, &state);
        body->linear_velocity = shaken(body->linear_velocity, size * radius, &state);
        body->angular_velocity = shaken(body->angular_velocity, size, &state);
        if (!world->planar) continue;
        body->position.y = body->linear_velocity.y = 0;
        body->angular_velocity.x = body->angular_velocity.z = 0;
    }
}

/* Steps that are made before those of a run: they bring every run of a comparison to the same state, whatever method,
 * solver or precision it compares. */

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
    w->settings.contacts.model = NB_CONTACTS_RIGID;
    w->settings.friction_law = NB_FRICTION_COULOMB; /* runs of all laws and steps begin alike */
    w->settings.stepping = nb_time_stepping_of(NB_STEPPING_IMPLICIT);
    w->settings.integrator = NB_INTEGRATOR_BE;
    w->settings.gyroscopic = NB_GYROSCOPIC_IMPLICIT;
    w->settings.substeps = 1;
    w->settings.relax = NB_RELAX_OFF;
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

/* ---- scenes that were settled before: once for all runs of a process that begin alike ---- */

enum {
    SETTLED = 8 /* are kept */
};

typedef struct settled {
    nb_settling settling;
    char *key, *state; /* what settling depends on; world and impulses behind it */
    size_t key_size, state_size;
} settled;

static settled known[SETTLED];
static int next_known;

static void forget(settled *s) {
    free(s->key);
    free(s->state);
    *s = (settled){0};
}

void nb_scene_run_forget_settled(void) {
    for (int i = 0; i < SETTLED; i++) forget(&known[i]);
}

static nb_status put_key(const nb_scene_run *c, nb_stream *stream) {
    nb_status status;
    const nb_scene_setting *setting;
    char value[NB_NAME_LENGTH];
    const nb_run_info *info = &c->request->info;
    const double numbers[] = {info->settle,       info->settle_tolerance, info->time_step,
                              (double)info->seed, info->threads,          c->request->size,
                              (double)c->copy,    (double)c->geometry,    info->batch_perturbation};
    NB_TRY(nb_stream_put_text(stream, info->scenario));
    const nb_scenario_class *scenario = c->request->choices.scenario;
    if (scenario)
        NB_TRY(nb_stream_put(stream, c->request->choices.parameters,
                             (size_t)scenario->parameter_count * sizeof *c->request->choices.parameters));
    NB_TRY(nb_stream_put(stream, numbers, sizeof numbers));
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        nb_scene_setting_text(setting, &c->world->settings, 17, value, sizeof value);
        NB_TRY(nb_stream_put_text(stream, value));
    }
    NB_TRY(nb_checkpoint_put_world(stream, c->world));
out:
    return status;
}

static nb_status put_settled(const nb_scene_run *c, nb_stream *stream) {
    nb_status status;
    NB_TRY(nb_checkpoint_put_world(stream, c->world));
    NB_TRY(c->type->save_impulses(c->stepper, stream));
out:
    return status;
}

static nb_status to_memory(const nb_scene_run *c, nb_status (*put)(const nb_scene_run *c, nb_stream *stream),
                           char **bytes, size_t *size) {
    nb_stream stream = {.file = open_memstream(bytes, size), .path = "a settled scene", .unchecked = 1};
    if (!stream.file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a settled scene");
    const nb_status status = put(c, &stream);
    nb_stream_close(&stream); /* writes `bytes` and `size` */
    return status;
}

/* the state into the world, and its impulses into the scene's own stepper */
static nb_status hand_over(const nb_scene_run *c, const own *kept, const settled *s) {
    nb_status status;
    nb_stream stream = {
        .file = fmemopen(s->state, s->state_size, "rb"), .path = "a settled scene", .left = (int64_t)s->state_size};
    if (!stream.file) return nb_fail(NB_ERROR_MEMORY, "out of memory for a settled scene");
    NB_TRY(nb_checkpoint_get_world(&stream, c->world));
    NB_TRY(kept->type->load_impulses(kept->stepper, &stream));
out:
    nb_stream_close(&stream);
    return status;
}

/* the one with the key of `wanted`; NULL: there is none */
static const settled *find_settled(const settled *wanted) {
    for (int i = 0; i < SETTLED; i++)
        if (known[i].key && known[i].key_size == wanted->key_size &&
            memcmp(known[i].key, wanted->key, wanted->key_size) == 0)
            return &known[i];
    return NULL;
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

/* `count` steps, and what they come to */
static nb_status make_settled(nb_scene_run *c, settled *s) {
    nb_status status = NB_OK;
    double row[NB_STEP_COLUMNS];
    const nb_run_info *info = &c->request->info;
    while (c->settling.steps < info->settle) {
        NB_TRY(nb_scene_run_advance(c, NULL, NB_START_PREVIOUS, NULL, row));
        NB_TRY(note(&c->settling, info->settle, row, info->settle_tolerance));
    }
    NB_TRY(to_memory(c, put_settled, &s->state, &s->state_size));
    s->settling = c->settling;
out:
    return status;
}

nb_status nb_scene_run_settle(nb_scene_run *c) {
    nb_status status;
    own kept;
    settled made = {0};
    const nb_run_info *info = &c->request->info;
    c->settling = (nb_settling){0};
    status = nb_start_state_take(c->request->start, c->world);
    if (status != NB_OK || info->settle == 0) return status;
    NB_TRY(take_place(c, &kept));
    const int is_kept = !c->integration && info->batch <= 1; /* stages and copies have more to them */
    if (is_kept) NB_TRY(to_memory(c, put_key, &made.key, &made.key_size));
    const settled *before = is_kept ? find_settled(&made) : NULL;
    if (!before) NB_TRY(make_settled(c, &made));
    c->settling = before ? before->settling : made.settling;
    NB_TRY(hand_over(c, &kept, before ? before : &made));
    if (is_kept && !before) {
        forget(&known[next_known]);
        known[next_known] = made;
        made = (settled){0};
        next_known = (next_known + 1) % SETTLED;
    }
out:
    forget(&made);
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
