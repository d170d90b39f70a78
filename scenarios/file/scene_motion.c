/* Prescribed motion of scene files (model/track.h). */
#include <math.h>

#include "base/memory.h"
#include "file/scene_members.h"
#include "file/scene_parts.h"
#include "model/track_player.h"

enum {
    MOST_SAMPLES = 1000000
};
static const double NEAR = 1e-6; /* [m] or of a quaternion: from a table to the state at the start */

/* what earlier tracks prescribe */
typedef struct reading {
    nb_world *world;
    uint16_t *taken[NB_TRACK_KINDS]; /* [objects of the kind] bits 1 << quantity */
} reading;

static int32_t count_of(const nb_world *world, nb_track_kind kind) {
    const int32_t counts[NB_TRACK_KINDS] = {world->body_count, world->particle_count, world->motor_count,
                                            world->tetrahedron_count};
    return counts[kind];
}

/* ---- what moves ---- */

static nb_status read_indices(const nb_input_at *at, const nb_world *world, nb_track *track) {
    nb_status status;
    int named = 0;
    nb_input_at list = {0};
    for (int kind = 0; kind < NB_TRACK_KINDS; kind++) {
        const nb_input_at member = nb_input_member(at, nb_track_kind_names[kind]);
        if (!member.value) continue;
        track->kind = (nb_track_kind)kind;
        list = member;
        named++;
    }
    if (named != 1)
        return nb_input_fail(at, "expected one of the members bodies, particles, motors, tetrahedra, not %d", named);
    NB_TRY(nb_input_array(&list));
    const int64_t count = nb_input_count(&list);
    if (count == 0) NB_TRY(nb_input_fail(&list, "is empty"));
    if (count > count_of(world, track->kind))
        NB_TRY(nb_input_fail(&list, "has %lld items, and the scene %d", (long long)count,
                             (int)count_of(world, track->kind)));
    NB_TRY(NB_ALLOCATE(count, &track->of));
    track->count = (int32_t)count;
    NB_TRY(nb_input_wholes(&list, count, 0, count_of(world, track->kind) - 1, track->of));
out:
    return status;
}

/* ---- tables ---- */

static nb_status read_times(const nb_input_at *at, nb_track *track) {
    nb_status status;
    const nb_input_at list = nb_input_member(at, "times_s");
    NB_TRY(nb_input_array(&list));
    const int64_t count = nb_input_count(&list);
    if (count == 0 || count > MOST_SAMPLES)
        NB_TRY(nb_input_fail(&list, "has %lld times; expected 1 to %d", (long long)count, (int)MOST_SAMPLES));
    NB_TRY(NB_ALLOCATE(count, &track->time));
    NB_TRY(nb_input_reals(&list, count, track->time));
    track->samples = (int32_t)count;
    for (int32_t i = 1; i < track->samples; i++) {
        const nb_input_at item = nb_input_item(&list, i);
        if (!(track->time[i] > track->time[i - 1]))
            return nb_input_fail(&item, "%.17g s must be after %.17g s, the time before it", track->time[i],
                                 track->time[i - 1]);
    }
out:
    return status;
}

static nb_status check_unit(const nb_input_at *at, const double *q) {
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return fabs(length - 1) <= NEAR ? NB_OK : nb_input_fail(at, "is of length %g; expected 1", length);
}

static nb_status read_table(const nb_input_at *list, nb_track_quantity quantity, nb_track *track) {
    nb_status status;
    const int width = nb_track_members[quantity].width;
    NB_TRY(nb_input_array(list));
    if (nb_input_count(list) != track->samples)
        NB_TRY(nb_input_fail(list, "has %lld samples, and times_s %d", (long long)nb_input_count(list),
                             (int)track->samples));
    NB_TRY(NB_ALLOCATE((int64_t)track->samples * width, &track->value[quantity]));
    if (width == 1) return nb_input_reals(list, track->samples, track->value[quantity]);
    for (int32_t i = 0; i < track->samples; i++) {
        const nb_input_at item = nb_input_item(list, i);
        double *value = track->value[quantity] + (int64_t)i * width;
        NB_TRY(nb_input_reals(&item, width, value));
        if (quantity == NB_TRACK_ORIENTATION) NB_TRY(check_unit(&item, value));
    }
out:
    return status;
}

static nb_status read_tables(const nb_input_at *at, nb_track *track) {
    nb_status status = NB_OK;
    int tables = 0;
    for (nb_track_quantity q = 0; q < NB_TRACK_QUANTITIES; q++) {
        const nb_track_member *member = &nb_track_members[q];
        const nb_input_at list = nb_input_member(at, member->name);
        if (!list.value) continue;
        if (!(member->of & 1U << track->kind))
            return nb_input_fail(&list, "%s have none", nb_track_kind_names[track->kind]);
        NB_TRY(read_table(&list, q, track));
        tables++;
    }
    if (tables == 0) status = nb_input_fail(at, "prescribes nothing, such as velocity_m_s or target");
out:
    return status;
}

/* ---- tables and what they move ---- */

static int is_kinematic(const nb_world *world, nb_track_kind kind, int32_t i, int *fixed) {
    const nb_body_kind own = kind == NB_TRACK_BODIES ? world->bodies[i].kind : world->particles[i].kind;
    *fixed = own == NB_BODY_FIXED;
    return own == NB_BODY_KINEMATIC;
}

/* what this body, particle, motor or tetrahedron must be for this quantity, and is not; NULL: it is */
static const char *misfit(const nb_world *world, const nb_track *track, int32_t i, nb_track_quantity q) {
    const double *x = track->value[q];
    if (track->kind == NB_TRACK_TETRAHEDRA)
        return world->materials[world->tetrahedra[i].material].kind == NB_MATERIAL_LINEAR ? NULL
                                                                                          : "of a linear material";
    if (track->kind == NB_TRACK_MOTORS) return NULL;
    int fixed;
    const int kinematic = is_kinematic(world, track->kind, i, &fixed);
    if (nb_track_members[q].kinematic) return kinematic ? NULL : "kinematic";
    if (kinematic || fixed) return "dynamic";
    for (int32_t s = 0; world->planar && s < track->samples; s++, x += 3)
        if (q == NB_TRACK_FORCE ? x[1] != 0 : x[0] != 0 || x[2] != 0) return "pushed in the plane y = 0";
    return NULL;
}

/* Position and velocity exclude each other, as do orientation and angular velocity. */
static unsigned excluded(nb_track_quantity q) {
    const unsigned linear = 1U << NB_TRACK_VELOCITY | 1U << NB_TRACK_POSITION,
                   angular = 1U << NB_TRACK_ANGULAR_VELOCITY | 1U << NB_TRACK_ORIENTATION;
    return linear >> q & 1 ? linear : angular >> q & 1 ? angular : 1U << q;
}

/* A body that is elsewhere would go to its table within one step. */
static nb_status check_start(const nb_input_at *list, const reading *r, const nb_track *track, int32_t i,
                             nb_track_quantity q) {
    double at[NB_TRACK_WIDTH];
    if (q != NB_TRACK_POSITION && q != NB_TRACK_ORIENTATION) return NB_OK;
    const nb_vec3 x = track->kind == NB_TRACK_BODIES ? r->world->bodies[i].position : r->world->particles[i].position;
    nb_track_at(track, q, r->world->time, at);
    double way = nb_norm(nb_sub(nb_vec3_of(at[0], at[1], at[2]), x));
    if (q == NB_TRACK_ORIENTATION)
        way = nb_norm(nb_quat_spin_between(r->world->bodies[i].orientation, nb_quat_of(at[0], at[1], at[2], at[3]), 1));
    if (way <= NEAR) return NB_OK;
    return nb_input_fail(list, "at %g s, where the scene begins, it is %g %s from that of %s[%d]", r->world->time, way,
                         q == NB_TRACK_POSITION ? "m" : "rad", nb_track_kind_names[track->kind], (int)i);
}

static nb_status check_quantity(const nb_input_at *at, reading *r, const nb_track *track, nb_track_quantity q) {
    nb_status status = NB_OK;
    const nb_input_at list = nb_input_member(at, nb_track_members[q].name);
    for (int32_t k = 0; k < track->count; k++) {
        const int32_t i = track->of[k];
        const char *needs = misfit(r->world, track, i, q);
        if (needs) return nb_input_fail(&list, "%s[%d] must be %s", nb_track_kind_names[track->kind], (int)i, needs);
        if (r->taken[track->kind][i] & excluded(q))
            return nb_input_fail(&list, "is prescribed twice of %s[%d]", nb_track_kind_names[track->kind], (int)i);
        r->taken[track->kind][i] = (uint16_t)(r->taken[track->kind][i] | 1U << q);
        NB_TRY(check_start(&list, r, track, i, q));
    }
out:
    return status;
}

static nb_status read_track(const nb_input_at *at, reading *r) {
    nb_status status;
    nb_track track = {0};
    NB_TRY(nb_scene_check_members(at, &nb_scene_track_members));
    NB_TRY(read_indices(at, r->world, &track));
    NB_TRY(read_times(at, &track));
    NB_TRY(read_tables(at, &track));
    for (nb_track_quantity q = 0; q < NB_TRACK_QUANTITIES; q++)
        if (track.value[q]) NB_TRY(check_quantity(at, r, &track, q));
    return nb_world_add_track(r->world, &track);
out:
    nb_track_clear(&track);
    return status;
}

nb_status nb_scene_read_motion(const nb_input_at *scene, nb_world *world) {
    nb_status status = NB_OK;
    reading r = {.world = world};
    const nb_input_at list = nb_input_member(scene, "motion");
    if (!list.value) return NB_OK;
    NB_TRY(nb_input_array(&list));
    for (int kind = 0; kind < NB_TRACK_KINDS; kind++)
        NB_TRY(NB_ALLOCATE(count_of(world, (nb_track_kind)kind), &r.taken[kind]));
    for (int64_t i = 0; i < nb_input_count(&list); i++) {
        const nb_input_at item = nb_input_item(&list, i);
        NB_TRY(read_track(&item, &r));
    }
out:
    for (int kind = 0; kind < NB_TRACK_KINDS; kind++) nb_free(r.taken[kind]);
    return status;
}
