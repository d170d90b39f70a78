/* What projected sweeps over joints and contacts have in common (private to solvers/method/projected): the velocities
 * of the nodes that impulses have made, which are carried along from block to block, and the bilateral rows. N is never
 * formed; a problem file's W is swept by its rows. */
#ifndef NB_PROJECTED_SWEEP_H
#define NB_PROJECTED_SWEEP_H

#include "joint_sweep.h"
#include "operator/sum.h"
#include "projected.h"

#define nb_sweep NB_REAL_NAME(nb_sweep)
#define nb_sweep_make NB_REAL_NAME(nb_sweep_make)
#define nb_sweep_clear NB_REAL_NAME(nb_sweep_clear)
#define nb_sweep_block_velocity NB_REAL_NAME(nb_sweep_block_velocity)
#define nb_sweep_contact_velocity NB_REAL_NAME(nb_sweep_contact_velocity)
#define nb_sweep_push NB_REAL_NAME(nb_sweep_push)
#define nb_sweep_push_contact NB_REAL_NAME(nb_sweep_push_contact)
#define nb_sweep_relax_bilaterals NB_REAL_NAME(nb_sweep_relax_bilaterals)
#define nb_sweep_refresh NB_REAL_NAME(nb_sweep_refresh)
#define nb_sweep_larger NB_REAL_NAME(nb_sweep_larger)

typedef struct nb_sweep {
    nb_projected *problem; /* borrowed */
    real *velocity;        /* [nodes, padded] H^-1 J^T S z; NULL where N is a matrix */
    nb_rigid_rows rigid;   /* rows between rigid bodies that nothing else acts on, if `is_rigid` */
    int is_rigid;
    nb_joint_sweep joints; /* between these bodies */
} nb_sweep;

/* For a step's problem, forward alone or in both directions (2). The sweep is zero; the caller clears it, on a fault
 * too. */
nb_status nb_sweep_make(nb_projected *problem, int directions, nb_sweep *sweep);
void nb_sweep_clear(nb_sweep *sweep); /* {0} allowed */

/* Recomputes the velocities from the impulses: for a new problem, and to remove round-off. */
void nb_sweep_refresh(const nb_sweep *sweep);

/* All bilateral rows once, the last first where it goes backward. Returns the largest of what rows met [m/s]. */
real nb_sweep_relax_bilaterals(const nb_sweep *sweep, int backward, real omega);

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

/* Adds what the impulses S dz of a block change of the velocities. */
static inline void nb_sweep_push(const nb_sweep *sweep, int32_t block, const real *dz) {
    const nb_delassus *d = sweep->problem->p->exact;
    if (!sweep->problem->matrix) d->type->push_block(d, block, dz, sweep->velocity);
}

/* the same of contact i, whose z has changed by dz */
static inline void nb_sweep_push_contact(const nb_sweep *sweep, int32_t i, real dz[3]) {
    const nb_projected *s = sweep->problem;
    for (int k = 0; k < 3; k++) dz[k] *= nb_projected_s(s, s->bilaterals + 3 * i + k);
    nb_sweep_push(sweep, s->bilaterals + i, dz);
}

/* without fmax's care for NaN, which is a call; the harness's errors have it */
static inline real nb_sweep_larger(real a, real b) {
    return b > a ? b : a;
}

#endif
