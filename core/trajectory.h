/* Trajectories: many copies of a scene that a device takes through several steps a launch by itself. The host sees a
 * row a step of each copy, and the states when it asks for them. */
#ifndef NB_TRAJECTORY_H
#define NB_TRAJECTORY_H

#include <stdint.h>

#include "base/status.h"
#include "model/world.h"
#include "reason.h"

/* a step of a copy, in 56 bytes */
typedef struct nb_trajectory_row {
    double natural_map;                      /* of the iterate that the step ends with, in double [m/s] */
    double kinetic_energy, potential_energy; /* at its end [J] */
    double penetration;                      /* the deepest there, at least 0 [m] */
    double products;                         /* operator applications of all linear solves */
    int32_t newton_iterations, reason;       /* an nb_reason; NB_REASON_NONE: the step was not made */
    int32_t contacts; /* of a step that was not made, where it is not 0: more than there is room for; the copy ends */
    int32_t crowded;  /* 1: these are of one pair of bodies */
} nb_trajectory_row;

typedef struct nb_trajectories nb_trajectories;

typedef struct nb_trajectories_class {
    /* Makes `steps` more of each copy in one launch; rows [copies][steps]. A copy that diverged or did not fit has
     * ended: its later rows are not made, and the others go on. */
    nb_status (*advance)(nb_trajectories *trajectories, int32_t steps, nb_trajectory_row *rows);
    /* Writes positions, orientations and velocities of all bodies, and turns of joints, into the copies' worlds
     * [copies]. */
    nb_status (*read)(nb_trajectories *trajectories, nb_world *const *worlds);
    void (*destroy)(nb_trajectories *trajectories); /* NULL allowed */
} nb_trajectories_class;

struct nb_trajectories {
    const nb_trajectories_class *type;
    int32_t contact_slots; /* contacts that each copy has room for */
};

/* what copies begin with */
typedef struct nb_trajectories_start {
    const nb_world *const *worlds; /* [copies] that differ in places and velocities of bodies alone; borrowed */
    int32_t copies;
    int32_t contact_slots; /* contacts that each has room for; 0: as many as the device takes */
    double h;              /* of a step [s] */
    int warm_start;        /* 1: steps begin with velocities and impulses of the step before; 0: from zeros */
    int frozen;            /* 1: rows of joints stay as they are at the start of the step (nb_geometry) */
    int32_t steps;         /* steps that are made at most: what is prescribed is known for so many */
} nb_trajectories_start;

#endif
