/* How the impulses J^T z of a contact or a joint on its two bodies change with what a step starts from, and with the
 * velocities that it ends with, where contacts are springs: exact derivatives of penalty_rows.h (private to methods).
 *
 * Contacts are as they are where the step ends, or as at its start (`of_iterate`). Where they move the rows turn with
 * them, as contact_rows.h has them; tangents turn with the normal, not about it. */
#ifndef NB_PENALTY_CHANGE_H
#define NB_PENALTY_CHANGE_H

#include "derivative/contact_rows.h"
#include "penalty_rows.h"

#define nb_penalty_change NB_REAL_NAME(nb_penalty_change)
#define nb_penalty_place NB_REAL_NAME(nb_penalty_place)
#define nb_penalty_move_bodies NB_REAL_NAME(nb_penalty_move_bodies)
#define nb_penalty_change_of_contact NB_REAL_NAME(nb_penalty_change_of_contact)
#define nb_penalty_change_keep_moving NB_REAL_NAME(nb_penalty_change_keep_moving)
#define nb_penalty_change_of_joint NB_REAL_NAME(nb_penalty_change_of_joint)

/* the inputs of a side that its contacts and joints know */
enum {
    NB_CHANGE_POSITION = 0, /* 3 of the centre at the step's start, 3 of a turn there */
    NB_CHANGE_SIZE = 6,     /* d ln(scale) */
    NB_CHANGE_FRICTION = 7,
    NB_CHANGE_INPUTS = 8 /* of a side */
};

typedef struct nb_penalty_change {
    int32_t body[2];                            /* a, b; -1: the world */
    double by_velocity[144];                    /* [12][12] of J^T z on a and b by their velocities */
    double by_input[12 * 2 * NB_CHANGE_INPUTS]; /* [12][2][NB_CHANGE_INPUTS] */
} nb_penalty_change;

/* a solved step */
typedef struct nb_penalty_place {
    const nb_world *start, *end; /* `end`: bodies moved by u */
    double h;                    /* [s] */
    const double *u;             /* [bodies][6] */
    const nb_body_turn *turn;    /* [bodies] over the step */
    const nb_penalty_rows *rows;
    const nb_problem *problem; /* its J, values and impulses are of u */
    int of_iterate;
} nb_penalty_place;

/* The world's bodies where the problem's velocities lead, u [bodies][6] among it; arrays of [bodies]. */
void nb_penalty_move_bodies(const nb_world *world, const nb_problem *problem, double h, nb_body *end,
                            nb_body_turn *turn, double *u);

/* Of contact i, in the order of rows, whose rows have the impulses z [3] and the slopes t [9] (penalty_rows.h).
 * NB_ERROR_UNSUPPORTED where its features have no derivative. */
nb_status nb_penalty_change_of_contact(const nb_penalty_place *at, const nb_contact *contact, const real *value,
                                       const real *z, const double *t, nb_penalty_change *change);

/* Leaves of by_velocity what is not -J^T T J: how a contact of the end moves with its bodies. */
void nb_penalty_change_keep_moving(const nb_penalty_place *at, const nb_contact *contact, const double *t,
                                   nb_penalty_change *change);

/* Of a joint whose rows have the impulses z, the compliances e [1/kg] and the dampings `damped` [1]
 * [NB_JOINT_MAX_ROWS]. */
void nb_penalty_change_of_joint(const nb_penalty_place *at, const nb_joint *joint, const double *z, const double *e,
                                const double *damped, nb_penalty_change *change);

#endif
