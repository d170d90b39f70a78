/* Joint rows for sweeps (private to solvers/method/projected), in groups between the same two bodies
 * (operator/joint_kernels.h). Groups go wave after wave: in a wave none shares a body with another, so that the
 * processor works on several at once, and those that share one keep their order, so that nothing else changes. */
#ifndef NB_PROJECTED_JOINT_SWEEP_H
#define NB_PROJECTED_JOINT_SWEEP_H

#include "operator/joint_kernels.h"
#include "operator/sum.h"
#include "projected.h"

#define nb_joint_sweep NB_REAL_NAME(nb_joint_sweep)
#define nb_joint_sweep_make NB_REAL_NAME(nb_joint_sweep_make)
#define nb_joint_sweep_clear NB_REAL_NAME(nb_joint_sweep_clear)
#define nb_joint_sweep_linearise NB_REAL_NAME(nb_joint_sweep_linearise)
#define nb_joint_sweep_relax NB_REAL_NAME(nb_joint_sweep_relax)

typedef struct nb_joint_sweep {
    const nb_joint_kernels *kernels;
    const nb_jacobian_row *rows; /* [rows], and the next two [bodies]: borrowed */
    const nb_inverse_mass *inverse;
    const uint8_t *moves;
    nb_joint_group *groups[2]; /* [count] as they are swept: forward, and backward where that is asked for */
    int32_t count;
} nb_joint_sweep;

/* Of these rows, which have to stay where they are, and so have masses and `moves`: 0 of bodies that no impulse moves.
 * For sweeps forward alone, or in both directions (2). Takes memory. */
nb_status nb_joint_sweep_make(const nb_rigid_rows *rigid, const uint8_t *moves, int directions, nb_joint_sweep *sweep);
/* To be called when rows and problem (its eta, C and q) have their numbers, and whenever these have changed. omega: the
 * factor of step lengths. */
void nb_joint_sweep_linearise(const nb_joint_sweep *sweep, const nb_projected *problem, real omega);
void nb_joint_sweep_clear(nb_joint_sweep *sweep); /* {0} allowed */

/* All rows once, the last first where it goes backward: z of the problem and the velocities [bodies, padded] that
 * impulses have made. Returns the largest of what rows met [m/s]. */
real nb_joint_sweep_relax(const nb_joint_sweep *sweep, const nb_projected *problem, int backward, real *velocity);

#endif
