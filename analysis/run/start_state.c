#include "run/start_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/stream.h"
#include "record/record.h"

enum {
    LATEST = -1
};

/* RECORD[:RUN[:STEP]] in its parts; -1: not named */
typedef struct wanted {
    const char *text;
    char *path; /* owned */
    int run, step;
} wanted;

/* takes ":N" off the end of the path; -1 where there is none */
static int take_number(char *path) {
    char *colon = strrchr(path, ':');
    const size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (digits == 0 || digits > 8 || colon[1 + digits]) return -1;
    *colon = '\0';
    return atoi(colon + 1);
}

static nb_status split(const char *text, wanted *w) {
    nb_status status;
    *w = (wanted){text, NULL, LATEST, LATEST};
    NB_TRY(nb_copy_text(text, &w->path));
    w->run = take_number(w->path);
    const int before = w->run >= 0 ? take_number(w->path) : -1;
    if (before >= 0) w->step = w->run, w->run = before;
    if (!*w->path)
        status = nb_fail(NB_ERROR_USAGE, "--from '%.200s': expected RECORD[:RUN[:STEP]], such as a.h5:0:10", text);
out:
    return status;
}

nb_status nb_start_state_path(const char *text, char **path) {
    wanted w;
    nb_status status = split(text, &w);
    *path = w.path;
    return status;
}

/* ---- the record's numbers ---- */

static nb_status copy(const double *from, int64_t count, double **to) {
    nb_status status = NB_ALLOCATE(count, to);
    if (status == NB_OK && count > 0) memcpy(*to, from, (size_t)count * sizeof *from);
    return status;
}

static nb_status copy_numbers(const double *q, const double *u, const double *x, const double *v, nb_start_state *s) {
    nb_status status;
    NB_TRY(copy(q, 7 * (int64_t)s->bodies, &s->q));
    NB_TRY(copy(u, 6 * (int64_t)s->bodies, &s->u));
    NB_TRY(copy(x, 3 * (int64_t)s->particles, &s->x));
    NB_TRY(copy(v, 3 * (int64_t)s->particles, &s->v));
out:
    return status;
}

static nb_status take_frame(const wanted *w, const nb_run *run, nb_start_state *s) {
    const int32_t f = nb_run_frame_after(run, w->step);
    if (f < 0)
        return nb_fail(NB_ERROR_INPUT,
                       "--from '%.200s': the run stored %d states, none after step %d; --store-states 1 stores all",
                       w->text, (int)run->frame_count, w->step);
    s->bodies = run->info.bodies;
    s->particles = run->frame_particles;
    return copy_numbers(run->frames + 7 * (int64_t)s->bodies * f, run->frame_u + 6 * (int64_t)s->bodies * f,
                        run->frame_x + 3 * (int64_t)s->particles * f, run->frame_v + 3 * (int64_t)s->particles * f, s);
}

static nb_status take_final(const wanted *w, const nb_run *run, nb_start_state *s) {
    const nb_snapshot *final = &run->final;
    if (final->bodies + final->particles == 0)
        return nb_fail(NB_ERROR_INPUT, "--from '%.200s': run '%s' holds no state", w->text, run->info.scenario);
    s->bodies = final->bodies;
    s->particles = final->particles;
    s->joints = final->joints;
    const nb_status status = copy(final->joint_coordinate, s->joints, &s->joint_coordinate);
    return status == NB_OK ? copy_numbers(final->q, final->u, final->particle_x, final->particle_v, s) : status;
}

static nb_status take_run(wanted *w, const nb_run *run, nb_start_state *s) {
    nb_status status;
    const int last = run->step_count;
    if (w->step == LATEST) w->step = last;
    if (w->step < 1 || w->step > last)
        return nb_fail(NB_ERROR_INPUT, "--from '%.200s': step %d is out of range; the run has the states after 1 to %d",
                       w->text, w->step, last);
    NB_TRY(w->step == last && !*run->fault ? take_final(w, run, s) : take_frame(w, run, s));
    s->time = run->steps[(int64_t)(w->step - 1) * NB_STEP_COLUMNS + NB_STEP_TIME];
    snprintf(s->scenario, sizeof s->scenario, "%s", run->info.scenario);
out:
    return status;
}

/* ---- what it is called, and whether it can be one ---- */

static uint64_t checksum(const nb_start_state *s) {
    const size_t bodies = (size_t)s->bodies, particles = (size_t)s->particles;
    uint64_t sum = nb_checksum(NB_CHECKSUM_OF_NOTHING, &s->time, sizeof s->time);
    sum = nb_checksum(sum, s->q, 7 * bodies * sizeof *s->q);
    sum = nb_checksum(sum, s->u, 6 * bodies * sizeof *s->u);
    sum = nb_checksum(sum, s->x, 3 * particles * sizeof *s->x);
    return nb_checksum(sum, s->v, 3 * particles * sizeof *s->v);
}

static int is_finite(const double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static nb_status finish(const wanted *w, nb_start_state *s) {
    char text[64];
    const char *slash = strrchr(w->path, '/');
    if (!isfinite(s->time) || !is_finite(s->q, 7 * (int64_t)s->bodies) || !is_finite(s->u, 6 * (int64_t)s->bodies) ||
        !is_finite(s->x, 3 * (int64_t)s->particles) || !is_finite(s->v, 3 * (int64_t)s->particles))
        return nb_fail(NB_ERROR_INPUT, "--from '%.200s': the state holds numbers that are not finite", w->text);
    snprintf(text, sizeof text, "%.20s:%d:%d#%016llx", slash ? slash + 1 : w->path, w->run, w->step,
             (unsigned long long)checksum(s));
    return nb_copy_text(text, &s->text);
}

static nb_status read_state(wanted *w, nb_record_reader *reader, nb_start_state *s) {
    nb_status status;
    nb_run *run = NULL;
    const int count = nb_record_run_count(reader);
    NB_TRY(nb_record_expect_runs(reader, w->path));
    if (w->run == LATEST && count > 1)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "--from '%.200s': the record has %d runs; write %.200s:RUN, from 0", w->text,
                       count, w->path));
    if (w->run == LATEST) w->run = 0;
    if (w->run >= count)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "--from '%.200s': run %d is out of range; the record has %d, from 0", w->text,
                       w->run, count));
    NB_TRY(nb_record_read_run(reader, w->run, &run));
    NB_TRY(take_run(w, run, s));
    NB_TRY(finish(w, s));
out:
    nb_run_destroy(run);
    return status;
}

nb_status nb_start_state_read(const char *text, nb_start_state **state) {
    nb_status status;
    wanted w;
    nb_record_reader *reader = NULL;
    *state = NULL;
    NB_TRY(split(text, &w));
    NB_TRY(NB_ALLOCATE(1, state));
    NB_TRY(nb_record_open(w.path, &reader));
    NB_TRY(read_state(&w, reader, *state));
out:
    nb_record_reader_close(reader);
    nb_free(w.path);
    if (status != NB_OK) {
        nb_start_state_destroy(*state);
        *state = NULL;
    }
    return status;
}

void nb_start_state_destroy(nb_start_state *state) {
    if (!state) return;
    nb_free(state->text);
    nb_free(state->q);
    nb_free(state->u);
    nb_free(state->x);
    nb_free(state->v);
    nb_free(state->joint_coordinate);
    nb_free(state);
}

/* ---- a world in it ---- */

nb_status nb_start_state_take(const nb_start_state *state, nb_world *world) {
    if (!state) return NB_OK;
    if (state->bodies != world->body_count || state->particles != world->particle_count)
        return nb_fail(NB_ERROR_INPUT,
                       "--from: the state is of %d bodies and %d particles, and the scene has %d and %d: other "
                       "parameters",
                       (int)state->bodies, (int)state->particles, (int)world->body_count, (int)world->particle_count);
    for (int32_t i = 0; i < state->bodies; i++) {
        const double *q = state->q + 7 * (int64_t)i, *u = state->u + 6 * (int64_t)i;
        nb_body *body = &world->bodies[i];
        body->position = nb_vec3_of(q[0], q[1], q[2]);
        body->orientation = (nb_quat){q[3], q[4], q[5], q[6]};
        body->linear_velocity = nb_vec3_of(u[0], u[1], u[2]);
        body->angular_velocity = nb_vec3_of(u[3], u[4], u[5]);
    }
    for (int32_t i = 0; i < state->particles; i++) {
        const double *x = state->x + 3 * (int64_t)i, *v = state->v + 3 * (int64_t)i;
        world->particles[i].position = nb_vec3_of(x[0], x[1], x[2]);
        world->particles[i].velocity = nb_vec3_of(v[0], v[1], v[2]);
    }
    for (int32_t j = 0; state->joints == world->joint_count && j < state->joints; j++) {
        world->joints[j].turned = state->joint_coordinate[j];
        world->joints[j].counted = 1;
    }
    world->time = state->time;
    return NB_OK;
}
