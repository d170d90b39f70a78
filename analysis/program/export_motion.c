#include "export_motion.h"

#include <string.h>

#include "base/memory.h"
#include "export_values.h"
#include "model/drive.h"
#include "model/track_player.h"

void nb_tracks_replay(nb_world *world, int32_t steps, double h) {
    for (int32_t i = 0; i < steps && world->prescribe; i++) {
        world->prescribe(world, h);
        nb_world_move(world, h);
    }
}

/* ---- what may be prescribed ---- */

/* one body, particle, motor or tetrahedron */
typedef struct subject {
    nb_track_kind kind;
    int32_t index;
    nb_track_quantity first, last; /* its quantities, next to each other in a row */
    int width;                     /* of a row */
    double before[NB_TRACK_WIDTH]; /* as the file has them */
    double *rows;                  /* [steps][width]; NULL: they are as before so far */
} subject;

typedef struct sampling {
    nb_world *world;
    int32_t steps, count;
    double *start, *end; /* [steps] of each step [s] */
    subject *subjects;   /* [count] */
} sampling;

static int put(nb_vec3 v, double *to) {
    memcpy(to, (const double[3]){v.x, v.y, v.z}, 3 * sizeof *to);
    return 3;
}

static void read_row(const nb_world *world, const subject *s, double *row) {
    const int moves = nb_track_members[s->first].kinematic;
    if (s->kind == NB_TRACK_BODIES) {
        const nb_body *body = &world->bodies[s->index];
        row += put(moves ? body->linear_velocity : body->force, row);
        put(moves ? body->angular_velocity : body->torque, row);
    } else if (s->kind == NB_TRACK_PARTICLES) {
        const nb_particle *particle = &world->particles[s->index];
        put(moves ? particle->velocity : particle->force, row);
    } else if (s->kind == NB_TRACK_MOTORS) {
        row[0] = world->motors[s->index].target;
        row[1] = world->motors[s->index].rate;
    } else {
        memcpy(row, world->tetrahedra[s->index].activation, NB_TRACK_WIDTH * sizeof *row);
    }
}

static void add_subject(sampling *s, nb_track_kind kind, int32_t index, nb_track_quantity first,
                        nb_track_quantity last) {
    subject *of = &s->subjects[s->count++];
    *of = (subject){.kind = kind, .index = index, .first = first, .last = last};
    for (nb_track_quantity q = first; q <= last; q++) of->width += nb_track_members[q].width;
    read_row(s->world, of, of->before);
}

static nb_status list_subjects(sampling *s) {
    nb_status status;
    const nb_world *w = s->world;
    NB_TRY(
        NB_ALLOCATE((int64_t)w->body_count + w->particle_count + w->motor_count + w->tetrahedron_count, &s->subjects));
    for (int32_t i = 0; i < w->body_count; i++) {
        if (w->bodies[i].kind == NB_BODY_KINEMATIC)
            add_subject(s, NB_TRACK_BODIES, i, NB_TRACK_VELOCITY, NB_TRACK_ANGULAR_VELOCITY);
        if (w->bodies[i].kind == NB_BODY_DYNAMIC) add_subject(s, NB_TRACK_BODIES, i, NB_TRACK_FORCE, NB_TRACK_TORQUE);
    }
    for (int32_t i = 0; i < w->particle_count; i++) {
        const nb_track_quantity q = w->particles[i].kind == NB_BODY_KINEMATIC ? NB_TRACK_VELOCITY : NB_TRACK_FORCE;
        if (w->particles[i].kind != NB_BODY_FIXED) add_subject(s, NB_TRACK_PARTICLES, i, q, q);
    }
    for (int32_t i = 0; i < w->motor_count; i++) add_subject(s, NB_TRACK_MOTORS, i, NB_TRACK_TARGET, NB_TRACK_RATE);
    for (int32_t i = 0; i < w->tetrahedron_count; i++)
        add_subject(s, NB_TRACK_TETRAHEDRA, i, NB_TRACK_ACTIVATION, NB_TRACK_ACTIVATION);
out:
    return status;
}

/* ---- steps ---- */

static size_t bytes_of(const subject *of) {
    return (size_t)of->width * sizeof(double);
}

static nb_status take_row(const sampling *s, subject *of, int32_t step) {
    nb_status status = NB_OK;
    double row[NB_TRACK_WIDTH];
    read_row(s->world, of, row);
    if (!of->rows && memcmp(row, of->before, bytes_of(of)) == 0) return NB_OK;
    if (!of->rows) {
        NB_TRY(NB_ALLOCATE((int64_t)s->steps * of->width, &of->rows));
        for (int32_t i = 0; i < step; i++) memcpy(of->rows + (int64_t)i * of->width, of->before, bytes_of(of));
    }
    memcpy(of->rows + (int64_t)step * of->width, row, bytes_of(of));
out:
    return status;
}

static nb_status take_steps(sampling *s, double h) {
    nb_status status = NB_OK;
    for (int32_t step = 0; step < s->steps; step++) {
        s->start[step] = s->world->time;
        s->end[step] = s->world->time + h;
        s->world->prescribe(s->world, h);
        for (int32_t i = 0; i < s->count; i++) NB_TRY(take_row(s, &s->subjects[i], step));
        if (step + 1 < s->steps) nb_world_move(s->world, h);
    }
out:
    return status;
}

/* ---- tracks ---- */

static int same(const sampling *s, const subject *a, const subject *b) {
    return a->kind == b->kind && a->first == b->first && memcmp(a->before, b->before, bytes_of(a)) == 0 &&
           memcmp(a->rows, b->rows, (size_t)s->steps * bytes_of(a)) == 0;
}

/* Those that are alike, from the first on: indices into the subjects. Their rows are given back but for the first's. */
static int32_t take_alike(sampling *s, int32_t first, int32_t *alike) {
    int32_t count = 0;
    for (int32_t i = first; i < s->count; i++) {
        subject *of = &s->subjects[i];
        if (!of->rows || !same(s, &s->subjects[first], of)) continue;
        alike[count++] = of->index;
        if (i == first) continue;
        nb_free(of->rows);
        of->rows = NULL;
    }
    return count;
}

/* Steps that the track says nothing new of are left out: constant velocities, and values between equal ones. */
static int is_needed(const sampling *s, const subject *of, int32_t step) {
    const double *row = of->rows + (int64_t)step * of->width;
    if (step == 0 || memcmp(row, row - of->width, bytes_of(of)) != 0) return 1;
    return !nb_track_members[of->first].kinematic && step + 1 < s->steps &&
           memcmp(row, row + of->width, bytes_of(of)) != 0;
}

/* whether the quantity, `offset` numbers into a row, ever changes; a motor's rate belongs to its target */
static int changes(const sampling *s, const subject *of, nb_track_quantity q, int offset) {
    const size_t bytes = (size_t)nb_track_members[q].width * sizeof(double);
    for (int32_t step = 0; step < s->steps && of->kind != NB_TRACK_MOTORS; step++)
        if (memcmp(of->rows + (int64_t)step * of->width + offset, of->before + offset, bytes) != 0) return 1;
    return of->kind == NB_TRACK_MOTORS;
}

static nb_status fill_table(const sampling *s, const subject *of, nb_track_quantity q, int offset, nb_track *track) {
    const int width = nb_track_members[q].width;
    nb_status status = NB_ALLOCATE((int64_t)track->samples * width, &track->value[q]);
    double *to = track->value[q];
    for (int32_t step = 0; step < s->steps && status == NB_OK; step++) {
        if (!is_needed(s, of, step)) continue;
        memcpy(to, of->rows + (int64_t)step * of->width + offset, (size_t)width * sizeof *to);
        to += width;
    }
    return status;
}

static nb_status fill_track(const sampling *s, const subject *of, nb_track *track) {
    nb_status status;
    const double *time = nb_track_members[of->first].kinematic ? s->start : s->end;
    int offset = 0;
    NB_TRY(NB_ALLOCATE(s->steps, &track->time));
    for (int32_t step = 0; step < s->steps; step++)
        if (is_needed(s, of, step)) track->time[track->samples++] = time[step];
    for (nb_track_quantity q = of->first; q <= of->last; q++) {
        if (changes(s, of, q, offset)) NB_TRY(fill_table(s, of, q, offset, track));
        offset += nb_track_members[q].width;
    }
out:
    return status;
}

static nb_status make_tracks(sampling *s) {
    nb_status status = NB_OK;
    nb_track track = {0};
    for (int32_t i = 0; i < s->count; i++) {
        const subject *of = &s->subjects[i];
        if (!of->rows) continue;
        track.kind = of->kind;
        NB_TRY(NB_ALLOCATE(s->count - i, &track.of));
        track.count = take_alike(s, i, track.of);
        NB_TRY(fill_track(s, of, &track));
        NB_TRY(nb_world_add_track(s->world, &track));
        track = (nb_track){0};
    }
out:
    nb_track_clear(&track);
    return status;
}

nb_status nb_tracks_sample(nb_world *world, int32_t steps, double h) {
    nb_status status;
    sampling s = {.world = world, .steps = steps};
    NB_TRY(NB_ALLOCATE(steps, &s.start));
    NB_TRY(NB_ALLOCATE(steps, &s.end));
    NB_TRY(list_subjects(&s));
    NB_TRY(take_steps(&s, h));
    NB_TRY(make_tracks(&s));
out:
    for (int32_t i = 0; i < s.count; i++) nb_free(s.subjects[i].rows);
    nb_free(s.subjects);
    nb_free(s.start);
    nb_free(s.end);
    return status;
}

/* ---- the file ---- */

static void write_table(nb_json *json, const nb_track *track, nb_track_quantity q) {
    const int width = nb_track_members[q].width;
    const double *value = track->value[q];
    if (width == 1) {
        nb_write_numbers(json, nb_track_members[q].name, track->samples, value);
        return;
    }
    nb_json_array(json, nb_track_members[q].name);
    for (int32_t i = 0; i < track->samples; i++) nb_write_numbers(json, NULL, width, value + (int64_t)i * width);
    nb_json_end(json);
}

void nb_export_motion(nb_json *json, const nb_tracks *tracks) {
    if (!tracks) return;
    nb_json_array(json, "motion");
    for (int32_t t = 0; t < tracks->count; t++) {
        const nb_track *track = &tracks->tracks[t];
        nb_begin_line(json);
        nb_json_array(json, nb_track_kind_names[track->kind]);
        for (int32_t i = 0; i < track->count; i++) nb_json_number(json, NULL, track->of[i]);
        nb_json_end(json);
        nb_write_numbers(json, "times_s", track->samples, track->time);
        for (nb_track_quantity q = 0; q < NB_TRACK_QUANTITIES; q++)
            if (track->value[q]) write_table(json, track, q);
        nb_end_line(json);
    }
    nb_json_end(json);
}
