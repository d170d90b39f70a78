#include "record/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* room for so many entries of an array that grows with the steps */
static nb_status reserve(nb_run *run, nb_run_growing which, int64_t count, size_t size, void *pointer) {
    return nb_mapped_array_reserve(&run->growing[which], count, size, pointer);
}

nb_status nb_run_create(nb_run **run) {
    nb_status status;
    *run = NULL;
    NB_TRY(NB_ALLOCATE(1, run));
    /* the offsets of the first step's first Newton row and its first linear row, of the first frame's contacts: 0 */
    NB_TRY(reserve(*run, NB_RUN_NEWTON_START, 2, sizeof(int64_t), &(*run)->newton_start));
    NB_TRY(reserve(*run, NB_RUN_LINEAR_START, 2, sizeof(int64_t), &(*run)->linear_start));
    NB_TRY(reserve(*run, NB_RUN_FRAME_CONTACT_START, 2, sizeof(int64_t), &(*run)->frame_contact_start));
    NB_TRY(reserve(*run, NB_RUN_FRAME_ITERATE_START, 2, sizeof(int64_t), &(*run)->frame_iterate_start));
    NB_TRY(nb_run_set_newton_columns(*run, NULL, 0));
    (*run)->usage.reference_error = (*run)->usage.settle_unsolved = (*run)->usage.settle_error = NAN;
    (*run)->usage.start_penetration = (*run)->usage.start_joint_error = (*run)->usage.start_joint_turn = NAN;
out:
    if (status != NB_OK) {
        nb_run_destroy(*run);
        *run = NULL;
    }
    return status;
}

void nb_run_destroy(nb_run *run) {
    if (run) nb_members_clear(&nb_run_members, run);
    nb_free(run);
}

nb_status nb_run_create_failed(const nb_run_info *info, int reason, const char *fault, nb_run **run) {
    nb_status status;
    NB_TRY(nb_run_create(run));
    (*run)->info = *info;
    (*run)->info.parameters = NULL;
    NB_TRY(nb_copy_text(info->parameters ? info->parameters : "", &(*run)->info.parameters));
    NB_TRY(nb_run_add_fault(*run, reason, fault));
out:
    if (status != NB_OK) {
        nb_run_destroy(*run);
        *run = NULL;
    }
    return status;
}

/* how many Newton rows, and linear rows, were added so far: the ends of the open ranges */
static int64_t *open_newton(nb_run *run) {
    return &run->newton_start[run->step_count + 1];
}

nb_status nb_run_add_linear(nb_run *run, const double row[NB_LINEAR_COLUMNS]) {
    nb_status status;
    int64_t newton = *open_newton(run), *end = &run->linear_start[newton + 1];
    NB_TRY(reserve(run, NB_RUN_LINEAR, *end + 1, NB_LINEAR_COLUMNS * sizeof(double), &run->linear));
    memcpy(run->linear + *end * NB_LINEAR_COLUMNS, row, NB_LINEAR_COLUMNS * sizeof *row);
    (*end)++;
out:
    return status;
}

nb_status nb_run_set_newton_columns(nb_run *run, const nb_column *own, int count) {
    nb_members_clear(&nb_own_columns_members, &run->newton_columns);
    nb_status status = nb_columns_add(&run->newton_columns, nb_newton_columns, NB_NEWTON_COLUMNS);
    return status == NB_OK && count > 0 ? nb_columns_add(&run->newton_columns, own, count) : status;
}

int nb_run_newton_column(const nb_run *run, const char *name) {
    int column = nb_columns_find(&run->newton_columns, name);
    return column < 0 && strcmp(name, nb_coulomb_column.name) == 0 ? NB_NEWTON_NATURAL_MAP_ERROR : column;
}

int nb_run_has_newton_numbers(const nb_run *run, const char *name) {
    int column = nb_run_newton_column(run, name), found = 0;
    for (int64_t i = 0; column >= 0 && i < run->newton_start[run->step_count] && !found; i++)
        found = isfinite(nb_run_newton_number(run, i, column));
    return found;
}

const double *nb_run_newton_row(const nb_run *run, int64_t row) {
    return run->newton + row * run->newton_columns.count;
}

int nb_run_ends_in_joints(const nb_run *run, int32_t step) {
    const int64_t end = run->newton_start[step + 1];
    if (end == run->newton_start[step]) return 0;
    const double *row = nb_run_newton_row(run, end - 1);
    return row[NB_NEWTON_BILATERAL_ERROR] > 0 && row[NB_NEWTON_BILATERAL_ERROR] == row[NB_NEWTON_NATURAL_MAP_ERROR];
}

double nb_run_newton_number(const nb_run *run, int64_t row, int column) {
    return column >= 0 ? nb_run_newton_row(run, row)[column] : (double)NAN;
}

nb_status nb_run_add_newton(nb_run *run, const double *row) {
    nb_status status;
    const size_t size = (size_t)run->newton_columns.count * sizeof *row;
    int64_t *end = open_newton(run);
    NB_TRY(reserve(run, NB_RUN_NEWTON, *end + 1, size, &run->newton));
    NB_TRY(reserve(run, NB_RUN_LINEAR_START, *end + 3, sizeof(int64_t), &run->linear_start));
    memcpy(run->newton + *end * run->newton_columns.count, row, size);
    (*end)++;
    run->linear_start[*end + 1] = run->linear_start[*end];
out:
    return status;
}

nb_status nb_run_add_step(nb_run *run, const double row[NB_STEP_COLUMNS]) {
    nb_status status;
    NB_TRY(reserve(run, NB_RUN_STEPS, run->step_count + 1, NB_STEP_COLUMNS * sizeof(double), &run->steps));
    NB_TRY(reserve(run, NB_RUN_NEWTON_START, run->step_count + 3, sizeof(int64_t), &run->newton_start));
    memcpy(run->steps + (int64_t)run->step_count * NB_STEP_COLUMNS, row, NB_STEP_COLUMNS * sizeof *row);
    run->step_count++;
    run->newton_start[run->step_count + 1] = run->newton_start[run->step_count];
out:
    return status;
}

/* those of a step that gets no frame */
static void drop_iterates(nb_run *run) {
    int64_t *end = &run->frame_iterate_start[run->frame_count + 1];
    const int64_t begin = run->frame_iterate_start[run->frame_count];
    run->iterate_error_count -= (*end - begin) * run->iterate_contacts;
    *end = begin;
}

void nb_run_drop_step(nb_run *run) {
    int64_t *end = open_newton(run);
    *end = run->newton_start[run->step_count];
    run->linear_start[*end + 1] = run->linear_start[*end];
    drop_iterates(run);
}

nb_status nb_run_add_fault(nb_run *run, int reason, const char *fault) {
    nb_status status;
    double row[NB_STEP_COLUMNS], iteration[NB_COLUMNS_MOST];
    for (int c = 0; c < NB_STEP_COLUMNS; c++) row[c] = NAN;
    for (int c = 0; c < run->newton_columns.count; c++) iteration[c] = NAN;
    snprintf(run->fault, sizeof run->fault, "%s", fault);
    drop_iterates(run);
    int64_t newton = *open_newton(run);
    if (run->linear_start[newton + 1] > run->linear_start[newton]) NB_TRY(nb_run_add_newton(run, iteration));
    row[NB_STEP_REASON] = reason;
    NB_TRY(nb_run_add_step(run, row));
out:
    return status;
}

/* the entries of the frame that is added next, behind those of the frames before */
static nb_status add_to_frame(nb_run *run, nb_run_growing which, int64_t count, const double *from, double **to) {
    if (count == 0 || !from) return NB_OK;
    nb_status status = reserve(run, which, run->frame_count + 1, (size_t)count * sizeof *from, to);
    if (status == NB_OK) memcpy(*to + run->frame_count * count, from, (size_t)count * sizeof *from);
    return status;
}

static void write_vector(nb_vec3 v, double out[3]) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static nb_status add_contacts_to_frame(nb_run *run, const nb_snapshot *state) {
    nb_status status;
    const int64_t first = run->frame_contact_start[run->frame_count], end = first + state->contacts;
    const size_t size = NB_FRAME_CONTACT_COLUMNS * sizeof(double);
    NB_TRY(reserve(run, NB_RUN_FRAME_CONTACTS, end, size, &run->frame_contacts));
    NB_TRY(reserve(run, NB_RUN_FRAME_CONTACT_START, run->frame_count + 3, sizeof(int64_t), &run->frame_contact_start));
    for (int64_t i = 0; i < state->contacts; i++) {
        double *row = run->frame_contacts + (first + i) * NB_FRAME_CONTACT_COLUMNS;
        const double *errors = state->contact_error ? state->contact_error + 2 * i : NULL;
        row[NB_FRAME_CONTACT_BODY_A] = state->contact_bodies[2 * i];
        row[NB_FRAME_CONTACT_BODY_B] = state->contact_bodies[2 * i + 1];
        row[NB_FRAME_CONTACT_NORMAL_ERROR] = errors ? errors[0] : (double)NAN;
        row[NB_FRAME_CONTACT_FRICTION_ERROR] = errors ? errors[1] : (double)NAN;
        memcpy(row + NB_FRAME_CONTACT_POINT, state->contact_point + 3 * i, 3 * sizeof *row);
        memcpy(row + NB_FRAME_CONTACT_NORMAL, state->contact_normal + 3 * i, 3 * sizeof *row);
        write_vector(nb_snapshot_contact_force(state, (int32_t)i), row + NB_FRAME_CONTACT_FORCE);
        for (int k = 0; k < 3; k++)
            row[NB_FRAME_CONTACT_SLIP + k] = state->slip[2 * i] * state->contact_tangent[6 * i + k] +
                                             state->slip[2 * i + 1] * state->contact_tangent[6 * i + 3 + k];
        row[NB_FRAME_CONTACT_GAP] = state->gap[i];
        row[NB_FRAME_CONTACT_MODE] = state->contact_mode ? state->contact_mode[i] : (double)NAN;
    }
    run->frame_contact_start[run->frame_count + 1] = run->frame_contact_start[run->frame_count + 2] = end;
out:
    return status;
}

nb_status nb_run_add_iterate(nb_run *run, double iteration, const nb_contact_errors *errors) {
    nb_status status;
    int64_t *end = &run->frame_iterate_start[run->frame_count + 1];
    if (run->iterate_contacts != errors->count) drop_iterates(run);
    run->iterate_contacts = errors->count;
    NB_TRY(reserve(run, NB_RUN_FRAME_ITERATES, *end + 1, sizeof(double), &run->frame_iterates));
    NB_TRY(reserve(run, NB_RUN_ITERATE_ERRORS, run->iterate_error_count + errors->count, sizeof(float),
                   &run->iterate_errors));
    run->frame_iterates[(*end)++] = iteration;
    if (errors->count > 0)
        memcpy(run->iterate_errors + run->iterate_error_count, errors->error,
               (size_t)errors->count * sizeof *errors->error);
    run->iterate_error_count += errors->count;
out:
    return status;
}

nb_status nb_run_add_frame(nb_run *run, double time, const nb_snapshot *state) {
    nb_status status;
    const int64_t bodies = state->bodies, particles = state->particles;
    if (run->iterate_contacts != state->contacts) drop_iterates(run);
    run->frame_particles = state->particles;
    run->frame_bilaterals = state->bilateral_error ? state->bilaterals : 0;
    NB_TRY(add_to_frame(run, NB_RUN_FRAMES, 7 * bodies, state->q, &run->frames));
    NB_TRY(add_to_frame(run, NB_RUN_FRAME_VELOCITIES, 6 * bodies, state->u, &run->frame_u));
    NB_TRY(add_to_frame(run, NB_RUN_FRAME_PARTICLES, 3 * particles, state->particle_x, &run->frame_x));
    NB_TRY(add_to_frame(run, NB_RUN_FRAME_PARTICLE_VELOCITIES, 3 * particles, state->particle_v, &run->frame_v));
    NB_TRY(add_to_frame(run, NB_RUN_FRAME_BILATERALS, run->frame_bilaterals, state->bilateral_error,
                        &run->frame_bilateral_error));
    NB_TRY(add_to_frame(run, NB_RUN_FRAME_MOMENTA, bodies, state->momentum_error, &run->frame_momentum_error));
    NB_TRY(add_contacts_to_frame(run, state));
    NB_TRY(add_to_frame(run, NB_RUN_FRAME_TIME, 1, &time, &run->frame_time));
    NB_TRY(reserve(run, NB_RUN_FRAME_ITERATE_START, run->frame_count + 3, sizeof(int64_t), &run->frame_iterate_start));
    run->frame_count++;
    run->frame_iterate_start[run->frame_count + 1] = run->frame_iterate_start[run->frame_count];
out:
    return status;
}

int32_t nb_run_frame_after(const nb_run *run, int32_t steps) {
    if (steps < 1 || steps > run->step_count) return -1;
    const double time = run->steps[(int64_t)(steps - 1) * NB_STEP_COLUMNS + NB_STEP_TIME];
    for (int32_t f = 0; f < run->frame_count; f++)
        if (run->frame_time[f] == time) return f;
    return -1;
}

int64_t nb_run_iterate_of(const nb_run *run, int32_t frame, double iteration) {
    if (frame < 0 || frame >= run->frame_count) return -1;
    for (int64_t k = run->frame_iterate_start[frame + 1] - 1; k >= run->frame_iterate_start[frame]; k--)
        if (run->frame_iterates[k] <= iteration) return k;
    return -1;
}

static int64_t contacts_of_frame(const nb_run *run, int32_t frame) {
    return run->frame_contact_start[frame + 1] - run->frame_contact_start[frame];
}

int64_t nb_run_iterate_errors_before(const nb_run *run, int32_t frame) {
    int64_t errors = 0;
    for (int32_t f = 0; f < frame; f++)
        errors += (run->frame_iterate_start[f + 1] - run->frame_iterate_start[f]) * contacts_of_frame(run, f);
    return errors;
}

const float *nb_run_iterate_errors(const nb_run *run, int32_t frame, int64_t iterate) {
    return run->iterate_errors + nb_run_iterate_errors_before(run, frame) +
           (iterate - run->frame_iterate_start[frame]) * contacts_of_frame(run, frame);
}

nb_status nb_run_add_system(nb_run *run, nb_stored_system *system) {
    nb_status status = reserve(run, NB_RUN_SYSTEMS, run->system_count + 1, sizeof *system, &run->systems);
    if (status == NB_OK)
        run->systems[run->system_count++] = *system;
    else
        nb_stored_system_clear(system);
    memset(system, 0, sizeof *system);
    return status;
}
