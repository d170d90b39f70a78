/* Joint rows for sweeps (private to solvers/method). Rows that follow each other between the same two bodies are a
 * group, in which a row meets what those before it have changed by a small matrix, so that the bodies' velocities are
 * read and written once a group:
 *
 *     r_k = (J v)_k + sum_{l before k} N_kl dz_l + C_k z_k + q_k,   dz_k = -omega eta_k r_k,   N = J H^-1 J^T
 *
 * This is one row after another, up to round-off. */
#ifndef NB_METHOD_JOINT_SWEEP_H
#define NB_METHOD_JOINT_SWEEP_H

#include "operator/sum.h"
#include "projected.h"

#define nb_joint_answer NB_REAL_NAME(nb_joint_answer)
#define nb_joint_group NB_REAL_NAME(nb_joint_group)
#define nb_joint_sweep NB_REAL_NAME(nb_joint_sweep)
#define nb_joint_sweep_make NB_REAL_NAME(nb_joint_sweep_make)
#define nb_joint_sweep_clear NB_REAL_NAME(nb_joint_sweep_clear)
#define nb_joint_sweep_linearise NB_REAL_NAME(nb_joint_sweep_linearise)
#define nb_joint_sweep_relax NB_REAL_NAME(nb_joint_sweep_relax)

enum {
    NB_JOINT_GROUP = 6 /* most rows */
};

/* of a row */
typedef struct nb_joint_answer {
    real j[12];                  /* J, zero for the world */
    real velocity[12];           /* H^-1 J^T: what an impulse of 1 gives both bodies */
    real others[NB_JOINT_GROUP]; /* N of the row with those of its group */
} nb_joint_answer;

typedef struct nb_joint_group {
    int32_t a, b; /* bodies; both the same where one is the world */
    int32_t first, count;
} nb_joint_group;

typedef struct nb_joint_sweep {
    const nb_jacobian_row *rows; /* [rows], and the next two [bodies]: borrowed */
    const nb_inverse_mass *inverse;
    const uint8_t *moves;
    nb_joint_answer *answers; /* [rows] */
    nb_joint_group *groups;   /* [count] */
    int32_t count;
} nb_joint_sweep;

/* Of these rows, which have to stay where they are, and so have masses and `moves`: 0 of bodies that no impulse moves.
 * Takes memory. */
nb_status nb_joint_sweep_make(const nb_rigid_rows *rigid, const uint8_t *moves, nb_joint_sweep *sweep);
/* To be called when the rows have their numbers, and whenever these have changed. */
void nb_joint_sweep_linearise(const nb_joint_sweep *sweep);
void nb_joint_sweep_clear(nb_joint_sweep *sweep); /* {0} allowed */

/* All rows once, the last first where it goes backward: z of the problem and the velocities [bodies, padded] that
 * impulses have made. Returns the largest |r_k| [m/s]. */
real nb_joint_sweep_relax(const nb_joint_sweep *sweep, const nb_projected *problem, int backward, real omega,
                          real *velocity);

#endif
