/* The kernels of sweeps over joint rows, a group of rows between the same two bodies at a time: one source
 * (lanes/joints.c), compiled for every instruction set and picked like those of products (kernels.h).
 *
 * What one row after another does in a group is linear, as joint rows are not projected, so that a group's change is
 * one small matrix times what it meets:
 *
 *     dz_k = -omega eta_k ((J v)_k + sum_{l before k} N_kl dz_l + C_k z_k + q_k),   N = J H^-1 J^T
 *     dz = -T (J v + C z + q),   v += H^-1 J^T dz
 *
 * It is the same up to round-off. */
#ifndef NB_SYSTEM_JOINT_KERNELS_H
#define NB_SYSTEM_JOINT_KERNELS_H

#include "model/node.h"
#include "operator/mass.h"
#include "operator/rows.h"

#define nb_joint_group NB_REAL_NAME(nb_joint_group)
#define nb_joint_pass NB_REAL_NAME(nb_joint_pass)
#define nb_joint_kernels NB_REAL_NAME(nb_joint_kernels)
#define nb_joint_kernels_best NB_REAL_NAME(nb_joint_kernels_best)
#define nb_joint_kernels_named NB_REAL_NAME(nb_joint_kernels_named)

enum {
    NB_JOINT_GROUP = 6, /* most rows */
    NB_JOINT_STRIDE = 8 /* numbers of a column, zero beyond the rows */
};

/* in one direction of a sweep */
typedef struct nb_joint_group {
    real start[NB_JOINT_STRIDE];                             /* T q */
    real of_a[6][NB_JOINT_STRIDE], of_b[6][NB_JOINT_STRIDE]; /* the columns of T J, of each body */
    real of_row[NB_JOINT_GROUP][NB_JOINT_STRIDE];            /* those of T */
    real size[NB_JOINT_STRIDE];                              /* 1/(omega eta_k) */
    real answer[NB_JOINT_GROUP][2 * NB_BODY_STRIDE]; /* H^-1 J^T of each row: what an impulse of 1 gives a and b */
    int32_t a, b;                                    /* bodies; both the same where one is the world */
    int32_t first, count;                            /* rows */
} nb_joint_group;

/* what `linearise` reads */
typedef struct nb_joint_pass {
    const nb_jacobian_row *rows;
    const nb_inverse_mass *inverse; /* [bodies] */
    const uint8_t *moves;           /* [bodies] 0: no impulse moves it */
    const real *q, *eta;            /* [rows] */
    real omega;
} nb_joint_pass;

typedef struct nb_joint_kernels {
    /* All numbers of a group whose bodies and rows are set. */
    void (*linearise)(const nb_joint_pass *pass, int backward, nb_joint_group *group);
    /* Groups 0 .. count - 1 one after another: z [rows] and the velocities [bodies][NB_BODY_STRIDE]; c [rows], NULL: 0.
     * Returns the largest |dz_k|/(omega eta_k) [m/s]: what the row met. */
    real (*relax)(const nb_joint_group *groups, int32_t count, const real *c, real *z, real *velocity);
} nb_joint_kernels;

/* Those for this processor. */
const nb_joint_kernels *nb_joint_kernels_best(void);

/* Those of that set; NULL where there is none or the processor cannot run it. */
const nb_joint_kernels *nb_joint_kernels_named(const char *name);

#endif
