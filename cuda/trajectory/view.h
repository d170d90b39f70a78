/* The trajectory kernel: a block of threads takes a copy of a scene through several time steps in one launch. A step is
 * what this processor makes of it: detection (contact/contact.h), the island kernel's arrays (island/view.h) with the
 * whole scene as one island, Newton iterations, after each of them the harness's natural map in double
 * (measure/measure.h), and the bodies' way. A step ends where that is small enough, as on this processor.
 *
 * Detection and all that comes of positions is in double, by the processor's own functions: contacts are the same, bit
 * by bit, where neither fuses multiplications and additions, and come in the same order. */
#ifndef NB_TRAJECTORY_VIEW_H
#define NB_TRAJECTORY_VIEW_H

#include "contact/encounter.h"
#include "island/view.h"
#include "model/world.h"
#include "trajectory.h"

#define nb_trajectory NB_REAL_NAME(nb_trajectory)

enum {
    NB_TRAJECTORY_PAIR_SLOTS = 40 /* contacts of two bodies, before those found twice are left out */
};

/* two bodies that may touch, as detection orders them; their pieces, half-open */
typedef struct nb_trajectory_pair {
    int32_t body_a, body_b, begin_a, end_a, begin_b, end_b;
    double friction;
} nb_trajectory_pair;

/* a contact of the step before */
typedef struct nb_trajectory_memory {
    int32_t body_a, body_b;
    uint64_t feature;
    double z[3]; /* [N s] */
} nb_trajectory_memory;

/* a row of a joint, an element of the island from joint_first on */
typedef struct nb_trajectory_row_of_joint {
    int32_t joint, row;   /* of six (model/joint.h) */
    int32_t a, b;         /* slots; -1: the world */
    int32_t keeps_energy; /* 1: what its compliance takes up is potential energy */
} nb_trajectory_row_of_joint;

/* what a motor is told for a step */
typedef struct nb_trajectory_aim {
    double target, rate;
} nb_trajectory_aim;

/* what a row of a joint gives its bodies */
typedef struct nb_trajectory_pull {
    nb_vec3 linear_a, angular_a, linear_b, angular_b; /* [N s, N m s] */
} nb_trajectory_pull;

/* what all copies share */
typedef struct nb_trajectory_scene {
    int32_t bodies, slots, pieces, pairs, vectors, joints, joint_rows;
    int32_t threads;                 /* of a block: contact_slots, and the rows of joints in whole warps */
    int32_t frozen;                  /* 1: rows of joints stay as they are at the start of the step */
    int32_t springs;                 /* 1: there are rows that keep energy */
    int32_t contact_slots;           /* contacts that a copy has room for */
    int32_t turn;                    /* pairs near each other whose contacts are found at a time */
    double h, tolerance;             /* [s]; natural map that ends a step [m/s], 0: none */
    double soft;                     /* compliance of the normals, e/h^2 [1/kg] */
    int32_t warm;                    /* 1, of exact steps: they begin with the impulses of the step before */
    int32_t exact, near_blocks;      /* 1: steps by the interior point; blocks in shared memory (body_factor.h) */
    int32_t *slot, *body;            /* [bodies] the island's slots, those with mass first; [slots] */
    int32_t *first_vector;           /* [pieces] among the vectors of all */
    nb_piece *items;                 /* [pieces] kind, body, part and shape alone */
    nb_trajectory_pair *pair;        /* [pairs] sorted by bodies */
    nb_trajectory_row_of_joint *row; /* [joint_rows] joint after joint */
    int32_t motors, aims;            /* steps whose aims are known; later ones have the last */
    int32_t *motor_of;               /* [joints] the motor that drives it; -1: none */
    nb_motor *motor;                 /* [motors] */
    nb_trajectory_aim *aim;          /* [aims][motors] */
} nb_trajectory_scene;

/* a copy in the device's memory */
typedef struct nb_trajectory {
    nb_world world; /* its bodies, joints, gravity, settings and time; other arrays are not there */
    int32_t ended;  /* 1: it makes no more steps */
    int32_t made;   /* steps of launches before */
    int32_t contacts, near_pairs;
    int32_t found_total, crowded; /* contacts, there may be no room for; most of a pair that had no room, or 0 */
    nb_piece *pieces;             /* [pieces] where bodies are */
    nb_moving_piece *moving;
    nb_bounds *bounds;
    nb_vec3 *vectors;
    int32_t *near_pair;                 /* [pairs] 1: the bodies may touch in this step; then these, in order */
    int32_t *found_count, *found_begin; /* [turn] their contacts, and the first of them in the list */
    nb_contact *found;                  /* [turn][NB_TRAJECTORY_PAIR_SLOTS] */
    nb_contact *contact;                /* [contact_slots] the list, as detection orders it */
    nb_vec3 *tangent;                   /* [contact_slots][2] */
    nb_vec3 *push;                      /* [contact_slots] of the impulses of the iterate, on body a [N s] */
    double *weight;                     /* [contact_slots][2] effective inverse mass, normal and tangents [1/kg] */
    nb_trajectory_pull *pull;           /* [joint_rows] of the impulses of the iterate */
    nb_mat3 *inverse_inertia;           /* [slots] in the world; zero without mass */
    double *inverse_mass;               /* [slots] */
    nb_vec3 *free_velocity, *free_spin; /* [slots] u~ */
    double *mass;                       /* [slots] of exact steps, as what follows up to the factor */
    nb_mat3 *inertia;                   /* [slots] in the world */
    double *best_motion;                /* [6][slots] velocities of the least error */
    nb_trajectory_memory *memory;       /* [remembered] sorted, of a warm start */
    int32_t remembered;
    double *far_blocks; /* of the factor where it is larger than the shared memory (body_factor.h);
                           in place of `found`, which was before */
    nb_island island;   /* for contact_slots contacts */
} nb_trajectory;

enum {
    NB_FACTOR_NO_BODY = 255, /* of what nothing moves */
    NB_FACTOR_MOST = 64,     /* bodies with mass */
    NB_FACTOR_NEAR = 5,      /* blocks a body in shared memory, where it has them */
    NB_FACTOR_BLOCK = 36     /* numbers of a block */
};

/* the matrix of a copy's bodies and its factor (body_factor.h), of exact steps */
typedef struct nb_body_factor {
    int32_t bodies, room;  /* blocks that `near_blocks` has room for */
    int32_t *order, *rank; /* [bodies] who is eliminated when, and the reverse */
    int32_t *degree;       /* [bodies] coupled bodies that are left; -1: eliminated */
    int32_t *first;        /* [bodies + 2] of the bodies in `later`, by rank; then how many blocks there are */
    int16_t *place;        /* [bodies][bodies] which block; -1: none */
    uint8_t *later;        /* [bodies (bodies - 1)/2] those coupled with a pivot that come later */
    uint8_t *row, *column; /* [blocks] */
    uint8_t *other;        /* [sides] the body on a contact's other side */
    double *inverse;       /* [bodies][6][6] */
    double *k;             /* [9][elements] K by rows */
    double *near_blocks, *far_blocks;
    double *block; /* [blocks][6][6] one of the two */
} nb_body_factor;

/* what nb_body_factor_share divides [bytes]; a multiple of 8 */
NB_FN int64_t nb_body_factor_bytes(int64_t bodies, int64_t elements, int64_t room) {
    const int64_t bytes = 8 * (NB_FACTOR_BLOCK * (room + bodies) + 9 * elements) + 4 * (4 * bodies + 2) +
                          2 * bodies * bodies + bodies * (bodies - 1) / 2 + 2 * bodies * bodies + 2 * elements;
    return (bytes + 7) / 8 * 8;
}

NB_FN void nb_body_factor_share(int32_t bodies, int32_t elements, int32_t room, double *memory, double *far_blocks,
                                nb_body_factor *f) {
    f->bodies = bodies;
    f->room = room;
    f->near_blocks = f->block = memory;
    f->far_blocks = far_blocks;
    f->inverse = f->near_blocks + NB_FACTOR_BLOCK * room;
    f->k = f->inverse + NB_FACTOR_BLOCK * bodies;
    f->order = (int32_t *)(f->k + 9 * elements);
    f->rank = f->order + bodies;
    f->degree = f->rank + bodies;
    f->first = f->degree + bodies;
    f->place = (int16_t *)(f->first + bodies + 2);
    f->later = (uint8_t *)(f->place + bodies * bodies);
    f->row = f->later + bodies * (bodies - 1) / 2;
    f->column = f->row + bodies * bodies;
    f->other = f->column + bodies * bodies;
}

#endif
