/* The impulses of rigid joints where all else are springs (private to methods). A rigid joint gives way by a share of
 * its rows' inverse mass w (penalty_rows.h), E = share w, so that velocities stay the only unknowns of a linear system.
 * As a spring it would be so stiff that an iterate which is a little off has forces without measure, and no step would
 * lead downhill. Its impulse is therefore an unknown of its own,
 *
 *     M (u - u~) - J^T z = 0,   value + E z = 0:   (M + J^T E^-1 J) du = -g - J^T E^-1 (value + E z),
 *                                                  dz = -E^-1 (value + E z + J du),
 *
 * and the residual of its row a velocity. What remains of a rigid joint's error is E z. */
#ifndef NB_PENALTY_JOINTS_H
#define NB_PENALTY_JOINTS_H

#include "penalty_rows.h"

#define nb_penalty_joints NB_REAL_NAME(nb_penalty_joints)
#define nb_penalty_joints_reserve NB_REAL_NAME(nb_penalty_joints_reserve)
#define nb_penalty_joints_clear NB_REAL_NAME(nb_penalty_joints_clear)
#define nb_penalty_joints_begin NB_REAL_NAME(nb_penalty_joints_begin)
#define nb_penalty_joints_write_impulses NB_REAL_NAME(nb_penalty_joints_write_impulses)
#define nb_penalty_joints_error NB_REAL_NAME(nb_penalty_joints_error)
#define nb_penalty_joints_pull NB_REAL_NAME(nb_penalty_joints_pull)
#define nb_penalty_joints_turn NB_REAL_NAME(nb_penalty_joints_turn)
#define nb_penalty_joints_move NB_REAL_NAME(nb_penalty_joints_move)

/* [joints' rows] each, by the world's joints one after the other (nb_step_bilateral_order) */
typedef struct nb_penalty_joints {
    int any;              /* 1: a joint is rigid; 0: nothing else here is used */
    real *z, *saved, *dz; /* impulses; of the iterate that a step begins at, and their changes by it */
    int32_t count;
    int64_t capacity[3];
} nb_penalty_joints; /* starts as all zeros */

/* Room for the joints' rows of the problem, and whether one is rigid. What was there stays. */
nb_status nb_penalty_joints_reserve(nb_penalty_joints *joints, const nb_problem *problem);
void nb_penalty_joints_clear(nb_penalty_joints *joints);

/* A step begins: z = 0, so that its first iteration takes what its rows ask for. */
void nb_penalty_joints_begin(nb_penalty_joints *joints);

/* z [rows] of rigid joints, whose impulses these are; of other rows as it is */
void nb_penalty_joints_write_impulses(const nb_penalty_joints *joints, nb_problem *problem, real *z);

/* the sum of (value + E z)^2/w over the rows of rigid joints [J], for problem->value and problem->z */
double nb_penalty_joints_error(const nb_penalty_joints *joints, const nb_penalty_rows *rows, nb_problem *problem);

/* q [rows] = -E^-1 (value + E z) of rigid joints, 0 of all others */
void nb_penalty_joints_pull(const nb_penalty_joints *joints, const nb_penalty_rows *rows, nb_problem *problem, real *q);

/* dz of the step du [velocities] from the problem's iterate, which is the one that it begins at */
void nb_penalty_joints_turn(nb_penalty_joints *joints, const nb_penalty_rows *rows, nb_problem *problem,
                            const real *du);

/* z = saved + t dz */
void nb_penalty_joints_move(nb_penalty_joints *joints, real t);

#endif
