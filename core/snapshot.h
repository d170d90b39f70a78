/* The state after a step and the forces that made it: what `final/` of a record holds, and what checks look at. Where a
 * step has stages (model/integration.h), it is of the last one: its length, its start and its forces. */
#ifndef NB_SNAPSHOT_H
#define NB_SNAPSHOT_H

#include <stdint.h>

#include "base/member.h"
#include "base/status.h"
#include "base/vec3.h"

typedef struct nb_snapshot {
    int32_t step_count; /* steps done, small ones too */
    double time;        /* [s] at the end of the step */
    double time_step;   /* h [s] */
    double error;       /* natural-map error of the last step's solution [m/s] */
    /* Contact forces act over so many time steps of this state, 2 in a stage of decoupled-tr (model/integrator.h); 0: 1
     */
    double contact_weight;
    int32_t bodies, bilaterals, contacts;
    double *q;                /* [bodies, 7] centre of mass [m], quaternion w x y z */
    double *u;                /* [bodies, 6] linear [m/s], angular [rad/s], world frame */
    double *u_before;         /* [bodies, 6] at the start of the last step */
    double *q_before;         /* [bodies, 7] at the start of the last step */
    double *lambda_bilateral; /* [bilaterals] of the world's joints, one after the other [N or N m] */
    double *lambda_normal;    /* [contacts] [N] */
    double *lambda_friction;  /* [contacts, 2] along tangent_1, tangent_2 [N] */
    int32_t *contact_bodies;  /* [contacts, 2] the normal points from the second to the first; -1: the world */
    double *contact_point;    /* [contacts, 3] on the first body, at the start of the step [m] */
    double *contact_normal;   /* [contacts, 3] */
    double *contact_tangent;  /* [contacts, 2, 3] */
    double *gap;              /* [contacts] at the end of the step [m] */
    double *slip;             /* [contacts, 2] tangential velocity at the end of the step [m/s] */
    double *mu;               /* [contacts] */
    double *contact_error;    /* [contacts, 2] natural map of the normal and of friction [m/s]; NULL: not known */
    int32_t *contact_mode;    /* [contacts] an nb_contact_mode (measure/largest_error.h); NULL: not known */
    double *bilateral_error;  /* [bilaterals] natural map of each row [m/s], in the order of lambda_bilateral */
    double *momentum_error;   /* [bodies] [m/s]; NULL: not known */
    /* of particles and elements, where there are any; else all zero */
    int32_t particles, element_rows;
    double *particle_x, *particle_v;               /* [particles, 3] [m], [m/s] */
    double *particle_x_before, *particle_v_before; /* [particles, 3] at the start of the last step */
    /* Contacts of particles, the last of all: contact_bodies has -1 for their first side, which are these particles
     * (-1: fewer) times their weights; for their second side, too, where that is particles: those of negative weights.
     */
    int32_t soft_contacts;
    int32_t *soft_particle; /* [soft_contacts, 4] */
    double *soft_weight;    /* [soft_contacts, 4] */
    double *lambda_element; /* [element_rows] of tetrahedra with six rows, with three, and springs, each in the world's
                               order [N] */
    int32_t coordinate_rows;
    double *lambda_coordinate; /* [coordinate_rows] of joint coordinates (model/coordinate.h) [N or N m] */
    int32_t joints;            /* where there are such rows; else 0 */
    double *joint_coordinate;  /* [joints] at the end of the step, turns counted; 0 of joints without [rad or m] */
} nb_snapshot;

extern const nb_members nb_snapshot_members; /* all of it; its arrays, with their counts, alone: */
extern const nb_members nb_snapshot_arrays;

/* Room for these counts, all zero; an earlier content is dropped. */
nb_status nb_snapshot_resize(nb_snapshot *snapshot, int32_t bodies, int32_t bilaterals, int32_t contacts);
/* The same with rows of joint coordinates, which are of so many joints, particles and elements; `soft_contacts` of the
 * contacts are of particles. */
nb_status nb_snapshot_resize_soft(nb_snapshot *snapshot, int32_t bodies, int32_t bilaterals, int32_t contacts,
                                  int32_t coordinate_rows, int32_t joints, int32_t particles, int32_t element_rows,
                                  int32_t soft_contacts);
void nb_snapshot_clear(nb_snapshot *snapshot); /* gives back what it holds */
/* All of `from`; an earlier content of *to is dropped. */
nb_status nb_snapshot_copy(const nb_snapshot *from, nb_snapshot *to);

/* whether contact i is of particles: its place in the arrays of these, or -1 */
static inline int32_t nb_snapshot_soft(const nb_snapshot *snapshot, int32_t i) {
    int32_t rigid = snapshot->contacts - snapshot->soft_contacts;
    return i < rigid ? -1 : i - rigid;
}

/* over how many time steps of the snapshot its contact forces act */
static inline double nb_snapshot_contact_weight(const nb_snapshot *snapshot) {
    return snapshot->contact_weight > 0 ? snapshot->contact_weight : 1;
}

/* The force [N] of contact i on its first body, or particles; the second receives the opposite. */
nb_vec3 nb_snapshot_contact_force(const nb_snapshot *snapshot, int32_t i);

#endif
