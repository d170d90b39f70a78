#include "model/track.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

const char *const nb_track_kind_names[NB_TRACK_KINDS] = {"bodies", "particles", "motors", "tetrahedra"};

enum {
    BODIES = 1 << NB_TRACK_BODIES,
    NODES = BODIES | 1 << NB_TRACK_PARTICLES,
    MOTORS = 1 << NB_TRACK_MOTORS,
    TETRAHEDRA = 1 << NB_TRACK_TETRAHEDRA
};

const nb_track_member nb_track_members[NB_TRACK_QUANTITIES] = {
    [NB_TRACK_VELOCITY] = {"velocity_m_s", 3, NODES, 1},
    [NB_TRACK_ANGULAR_VELOCITY] = {"angular_velocity_rad_s", 3, BODIES, 1},
    [NB_TRACK_POSITION] = {"position_m", 3, NODES, 1},
    [NB_TRACK_ORIENTATION] = {"orientation_wxyz", 4, BODIES, 1},
    [NB_TRACK_FORCE] = {"force_N", 3, NODES, 0},
    [NB_TRACK_TORQUE] = {"torque_N_m", 3, BODIES, 0},
    [NB_TRACK_TARGET] = {"target", 1, MOTORS, 0},
    [NB_TRACK_RATE] = {"rate", 1, MOTORS, 0},
    [NB_TRACK_ACTIVATION] = {"activation", 6, TETRAHEDRA, 0}};

void nb_track_clear(nb_track *track) {
    nb_free(track->of);
    nb_free(track->time);
    for (int i = 0; i < NB_TRACK_QUANTITIES; i++) nb_free(track->value[i]);
    *track = (nb_track){0};
}

void nb_tracks_destroy(nb_tracks *tracks) {
    if (!tracks) return;
    for (int32_t i = 0; i < tracks->count; i++) nb_track_clear(&tracks->tracks[i]);
    nb_free(tracks->tracks);
    nb_free(tracks);
}

/* ---- values ---- */

/* the last sample whose time is not after `time`, or the first */
static int32_t sample_at(const nb_track *track, double time) {
    int32_t low = 0, high = track->samples;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (track->time[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static const double *sample(const nb_track *track, nb_track_quantity quantity, int32_t i) {
    return track->value[quantity] + (int64_t)i * nb_track_members[quantity].width;
}

static void turn_between(const double *from, const double *to, double share, double *value) {
    const nb_quat a = nb_quat_of(from[0], from[1], from[2], from[3]), b = nb_quat_of(to[0], to[1], to[2], to[3]);
    nb_quat by = nb_quat_product(b, nb_quat_conjugate(a));
    if (by.w < 0) by = nb_quat_of(-by.w, -by.x, -by.y, -by.z);
    const nb_vec3 axis = nb_vec3_of(by.x, by.y, by.z);
    const double size = nb_norm(axis);
    if (size > 0) by = nb_quat_about(nb_scale(1 / size, axis), share * 2 * atan2(size, by.w));
    by = nb_quat_product(by, a);
    memcpy(value, (const double[4]){by.w, by.x, by.y, by.z}, 4 * sizeof(double));
}

/* A sample itself where the time is its own: runs of exported motion have the bits of what was sampled. */
void nb_track_at(const nb_track *track, nb_track_quantity quantity, double time, double *value) {
    const int width = nb_track_members[quantity].width;
    const int32_t i = sample_at(track, time);
    const double *from = sample(track, quantity, i);
    memcpy(value, from, (size_t)width * sizeof *value);
    if (i + 1 == track->samples || time <= track->time[i]) return;
    const double share = (time - track->time[i]) / (track->time[i + 1] - track->time[i]), *to = from + width;
    if (quantity == NB_TRACK_ORIENTATION)
        turn_between(from, to, share, value);
    else
        for (int k = 0; k < width; k++) value[k] += share * (to[k] - from[k]);
}

/* of a step within one piece, the sample itself */
void nb_track_mean(const nb_track *track, nb_track_quantity quantity, double start, double end, double *value) {
    const int width = nb_track_members[quantity].width;
    int32_t i = sample_at(track, start);
    memcpy(value, sample(track, quantity, i), (size_t)width * sizeof *value);
    if (i + 1 == track->samples || track->time[i + 1] >= end) return;
    memset(value, 0, (size_t)width * sizeof *value);
    for (double from = start; from < end; i++) {
        const double to = i + 1 < track->samples ? fmin(end, track->time[i + 1]) : end;
        for (int k = 0; k < width; k++) value[k] += (to - from) / (end - start) * sample(track, quantity, i)[k];
        from = to;
    }
}
