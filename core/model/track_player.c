#include "model/track_player.h"

#include <string.h>

#include "base/memory.h"

/* the values that one step takes, and where it ends */
typedef struct step {
    const nb_track *track;
    double h;
    double value[NB_TRACK_QUANTITIES][NB_TRACK_WIDTH];
} step;

static int has(const step *s, nb_track_quantity quantity) {
    return s->track->value[quantity] != NULL;
}

static nb_vec3 vector(const step *s, nb_track_quantity quantity) {
    return nb_vec3_of(s->value[quantity][0], s->value[quantity][1], s->value[quantity][2]);
}

static nb_vec3 velocity_to(const step *s, nb_vec3 from) {
    return nb_scale(1 / s->h, nb_sub(vector(s, NB_TRACK_POSITION), from));
}

static void move_body(const step *s, nb_body *body) {
    const double *q = s->value[NB_TRACK_ORIENTATION];
    if (has(s, NB_TRACK_VELOCITY)) body->linear_velocity = vector(s, NB_TRACK_VELOCITY);
    if (has(s, NB_TRACK_ANGULAR_VELOCITY)) body->angular_velocity = vector(s, NB_TRACK_ANGULAR_VELOCITY);
    if (has(s, NB_TRACK_POSITION)) body->linear_velocity = velocity_to(s, body->position);
    if (has(s, NB_TRACK_ORIENTATION))
        body->angular_velocity = nb_quat_spin_between(body->orientation, nb_quat_of(q[0], q[1], q[2], q[3]), s->h);
    if (has(s, NB_TRACK_FORCE)) body->force = vector(s, NB_TRACK_FORCE);
    if (has(s, NB_TRACK_TORQUE)) body->torque = vector(s, NB_TRACK_TORQUE);
}

static void move_particle(const step *s, nb_particle *particle) {
    if (has(s, NB_TRACK_VELOCITY)) particle->velocity = vector(s, NB_TRACK_VELOCITY);
    if (has(s, NB_TRACK_POSITION)) particle->velocity = velocity_to(s, particle->position);
    if (has(s, NB_TRACK_FORCE)) particle->force = vector(s, NB_TRACK_FORCE);
}

static void move_motor(const step *s, nb_motor *motor) {
    if (has(s, NB_TRACK_TARGET)) motor->target = s->value[NB_TRACK_TARGET][0];
    if (has(s, NB_TRACK_TARGET) || has(s, NB_TRACK_RATE)) motor->rate = s->value[NB_TRACK_RATE][0];
}

static void move_tetrahedron(const step *s, nb_tetrahedron *of) {
    memcpy(of->activation, s->value[NB_TRACK_ACTIVATION], sizeof of->activation);
}

static void read_values(step *s, double start) {
    const nb_track *track = s->track;
    const double end = start + s->h;
    double before;
    for (nb_track_quantity q = 0; q < NB_TRACK_QUANTITIES; q++) {
        if (!track->value[q]) continue;
        if (q == NB_TRACK_VELOCITY || q == NB_TRACK_ANGULAR_VELOCITY)
            nb_track_mean(track, q, start, end, s->value[q]);
        else
            nb_track_at(track, q, end, s->value[q]);
    }
    if (!track->value[NB_TRACK_TARGET] || track->value[NB_TRACK_RATE]) return;
    nb_track_at(track, NB_TRACK_TARGET, start, &before);
    s->value[NB_TRACK_RATE][0] = (s->value[NB_TRACK_TARGET][0] - before) / s->h;
}

static void play(nb_world *world, double h) {
    for (int32_t t = 0; t < world->tracks->count; t++) {
        step s = {.track = &world->tracks->tracks[t], .h = h};
        read_values(&s, world->time);
        for (int32_t i = 0; i < s.track->count; i++) {
            const int32_t of = s.track->of[i];
            switch (s.track->kind) {
            case NB_TRACK_BODIES: move_body(&s, &world->bodies[of]); break;
            case NB_TRACK_PARTICLES: move_particle(&s, &world->particles[of]); break;
            case NB_TRACK_MOTORS: move_motor(&s, &world->motors[of]); break;
            default: move_tetrahedron(&s, &world->tetrahedra[of]);
            }
        }
    }
}

nb_status nb_world_add_track(nb_world *world, nb_track *track) {
    nb_status status = NB_OK;
    if (!world->tracks) NB_TRY(NB_ALLOCATE(1, &world->tracks));
    nb_tracks *list = world->tracks;
    NB_TRY(NB_RESERVE(list->count + 1, &list->capacity, &list->tracks));
    list->tracks[list->count++] = *track;
    world->prescribe = play;
    return NB_OK;
out:
    nb_track_clear(track);
    return status;
}
