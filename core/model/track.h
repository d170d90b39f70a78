/* Motion that tables over time prescribe: of kinematic bodies and particles, of motors, and of external forces and
 * activation. A world plays its tracks as a step begins (track_player.h).
 *
 * Velocities are constant from their time to the next one; a step takes their mean over the step, so that displacement
 * is the same in steps of any length. All other values are linear in time (an orientation turns about one axis at a
 * constant rate), and a step takes the value at its end. Before its first time a track has its first values, after its
 * last time its last ones. A position or an orientation is reached at the end of each step: the velocity of the step is
 * (x(end) - x)/h. A motor's target without a rate has the mean rate of the step. */
#ifndef NB_MODEL_TRACK_H
#define NB_MODEL_TRACK_H

#include <stdint.h>

#include "base/status.h"

/* what a track moves */
typedef enum nb_track_kind {
    NB_TRACK_BODIES,
    NB_TRACK_PARTICLES,
    NB_TRACK_MOTORS,
    NB_TRACK_TETRAHEDRA,
    NB_TRACK_KINDS
} nb_track_kind;
extern const char *const nb_track_kind_names[NB_TRACK_KINDS]; /* "bodies", ... */

typedef enum nb_track_quantity {
    NB_TRACK_VELOCITY,
    NB_TRACK_ANGULAR_VELOCITY,
    NB_TRACK_POSITION,
    NB_TRACK_ORIENTATION,
    NB_TRACK_FORCE,
    NB_TRACK_TORQUE,
    NB_TRACK_TARGET,
    NB_TRACK_RATE,
    NB_TRACK_ACTIVATION,
    NB_TRACK_QUANTITIES
} nb_track_quantity;

enum {
    NB_TRACK_WIDTH = 6 /* the most numbers that a quantity has */
};

typedef struct nb_track_member {
    const char *name; /* as scene files call it */
    int width;        /* numbers of a sample */
    unsigned of;      /* bit 1 << kind: of what it is */
    int kinematic;    /* of bodies and particles: 1: of kinematic ones; 0: of dynamic ones */
} nb_track_member;
extern const nb_track_member nb_track_members[NB_TRACK_QUANTITIES];

typedef struct nb_track {
    nb_track_kind kind;
    int32_t count, samples;
    int32_t *of;                        /* [count] indices of what moves alike */
    double *time;                       /* [samples] ascending [s] */
    double *value[NB_TRACK_QUANTITIES]; /* [samples][width], SI units; NULL: the track has none */
} nb_track;

void nb_track_clear(nb_track *track);

typedef struct nb_tracks {
    int32_t count;
    nb_track *tracks; /* [count] */
    int64_t capacity; /* private */
} nb_tracks;

void nb_tracks_destroy(nb_tracks *tracks); /* NULL allowed */

/* The track's value at a time [s], linear between samples [width]. */
void nb_track_at(const nb_track *track, nb_track_quantity quantity, double time, double *value);

/* The mean over a step of values that are constant between samples [width]. */
void nb_track_mean(const nb_track *track, nb_track_quantity quantity, double start, double end, double *value);

#endif
