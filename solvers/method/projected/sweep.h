/* What projected sweeps over joints and contacts have in common (private to solvers/method/projected): the velocities
 * of the nodes that impulses have made, which are carried along from block to block, and the rows of joints. N is never
 * formed; a problem file's W is swept by its rows. */
#ifndef NB_PROJECTED_SWEEP_H
#define NB_PROJECTED_SWEEP_H

#include "joint_sweep.h"
#include "operator/contact_block.h"
#include "operator/sum.h"
#include "projected.h"

#define nb_sweep NB_REAL_NAME(nb_sweep)
#define nb_sweep_make NB_REAL_NAME(nb_sweep_make)
#define nb_sweep_clear NB_REAL_NAME(nb_sweep_clear)
#define nb_sweep_block_velocity NB_REAL_NAME(nb_sweep_block_velocity)
#define nb_sweep_contact_velocity NB_REAL_NAME(nb_sweep_contact_velocity)
#define nb_sweep_rigid_velocity NB_REAL_NAME(nb_sweep_rigid_velocity)
#define nb_sweep_push_rigid NB_REAL_NAME(nb_sweep_push_rigid)
#define nb_sweep_push NB_REAL_NAME(nb_sweep_push)
#define nb_sweep_push_contact NB_REAL_NAME(nb_sweep_push_contact)
#define nb_sweep_relax_joints NB_REAL_NAME(nb_sweep_relax_joints)
#define nb_sweep_refresh NB_REAL_NAME(nb_sweep_refresh)
#define nb_sweep_larger NB_REAL_NAME(nb_sweep_larger)

typedef struct nb_sweep {
    nb_projected *problem; /* borrowed */
    real *velocity;        /* [nodes, padded] H^-1 J^T S z; NULL where N is a matrix */
    nb_rigid_rows rigid;   /* rows between rigid bodies that nothing else acts on, if `is_rigid` */
    int is_rigid;
    const uint8_t *moves;  /* [bodies] of rigid bodies, 0: no impulse moves it */
    nb_joint_sweep joints; /* between these bodies */
} nb_sweep;

/* For a step's problem, forward alone or in both directions (2). The sweep is zero; the caller clears it, on a fault
 * too. */
nb_status nb_sweep_make(nb_projected *problem, int directions, nb_sweep *sweep);
void nb_sweep_clear(nb_sweep *sweep); /* {0} allowed */

/* Recomputes the velocities from the impulses: for a new problem, and to remove round-off. */
void nb_sweep_refresh(const nb_sweep *sweep);

/* All rows of joints and their coordinates once, the last first where it goes backward. Returns the largest of what
 * rows met [m/s]. */
real nb_sweep_relax_joints(const nb_sweep *sweep, int backward, real omega);

/* (D S z) of the rows of a block, of which `first` is the first */
void nb_sweep_block_velocity(const nb_sweep *sweep, int32_t block, int32_t first, int count, real *out);

/* v = N z + q of contact i */
static inline void nb_sweep_contact_velocity(const nb_sweep *sweep, int32_t i, real v[3]) {
    const nb_projected *s = sweep->problem;
    const int32_t first = s->bilaterals + 3 * i;
    nb_sweep_block_velocity(sweep, s->bilaterals + i, first, 3, v);
    for (int k = 0; k < 3; k++)
        v[k] = nb_projected_s(s, first + k) * v[k] + nb_projected_c(s, first + k) * s->z[first + k] + s->q[first + k];
}

/* The same of contact i where the sweep `is_rigid`: without a call. */
static inline void nb_sweep_rigid_velocity(const nb_sweep *sweep, int32_t i, real v[3]) {
    const nb_projected *s = sweep->problem;
    const ptrdiff_t first = s->bilaterals + 3 * (ptrdiff_t)i;
    const real *q = s->q + first;
    nb_contact_velocity(&sweep->rigid.contacts[i], sweep->velocity, v);
    v[0] += q[0];
    v[1] += q[1];
    v[2] = s->ratio * v[2] + q[2];
    for (int k = 0; s->c && k < 3; k++) v[k] += s->c[first + k] * s->z[first + k];
}

/* Adds what the impulses S dz of a block change of the velocities. */
static inline void nb_sweep_push(const nb_sweep *sweep, int32_t block, const real *dz) {
    const nb_delassus *d = sweep->problem->p->exact;
    if (sweep->velocity) d->type->push_block(d, block, dz, sweep->velocity);
}

/* the same of contact i, whose z has changed by dz */
static inline void nb_sweep_push_contact(const nb_sweep *sweep, int32_t i, real dz[3]) {
    const nb_projected *s = sweep->problem;
    for (int k = 0; k < 3; k++) dz[k] *= nb_projected_s(s, s->bilaterals + 3 * i + k);
    nb_sweep_push(sweep, s->bilaterals + i, dz);
}

/* The same where the sweep `is_rigid`, but for bodies that do not move: several threads share these. */
static inline void nb_sweep_push_rigid(const nb_sweep *sweep, int32_t i, real dz[3]) {
    const nb_contact_rows *contact = &sweep->rigid.contacts[i];
    const nb_inverse_mass *inverse = sweep->rigid.inverse;
    const int32_t a = contact->a, b = contact->b;
    real p[3], *velocity = sweep->velocity;
    dz[2] *= sweep->problem->ratio;
    nb_contact_impulse(contact, dz, p);
    if (sweep->moves[a])
        nb_contact_push_body(&inverse[a], 1, p, contact->arm_a, velocity + (ptrdiff_t)a * NB_BODY_STRIDE);
    if (sweep->moves[b])
        nb_contact_push_body(&inverse[b], -1, p, contact->arm_b, velocity + (ptrdiff_t)b * NB_BODY_STRIDE);
}

/* without fmax's care for NaN, which is a call; the harness's errors have it */
static inline real nb_sweep_larger(real a, real b) {
    return b > a ? b : a;
}

#endif
