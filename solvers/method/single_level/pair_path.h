/* The central path of a step as pairs of convex sets (pair_problem.h), followed by the length of its arc (private to
 * solvers/method/single_level).
 *
 * The path's points solve the equations with all products equal to one target, and lead to a solution as the target
 * falls to rho. Contacts are no convex problem: normals turn within a step, and friction is not the gradient of
 * anything, so that the path folds, its target rises for a while, and falls again. At a fold the Newton matrix is
 * singular and every method that brings the target down in each step stands still, however it is damped. With the
 * target as one more unknown, and the length of the path as what goes on, a fold is a point as any other.
 *
 * From a point near the path a predictor goes along the tangent, together with a Newton step; correctors go back to the
 * path on the plane that is normal to the tangent, the target with them. All unknowns and the target's logarithm count
 * alike in lengths. Where correctors do not get there, the predictor is made again, a quarter as long. An iteration is
 * one matrix and two right-hand sides.
 * Source: Allgower, Georg, "Introduction to numerical continuation methods", 2003, chapters 4 and 6. */
#ifndef NB_SINGLE_LEVEL_PAIR_PATH_H
#define NB_SINGLE_LEVEL_PAIR_PATH_H

#include "base/real.h"
#include "pair_problem.h"

#define nb_pair_path NB_REAL_NAME(nb_pair_path)
#define nb_pair_path_clear NB_REAL_NAME(nb_pair_path_clear)
#define nb_pair_path_begin NB_REAL_NAME(nb_pair_path_begin)
#define nb_pair_path_is_near NB_REAL_NAME(nb_pair_path_is_near)
#define nb_pair_path_aim NB_REAL_NAME(nb_pair_path_aim)
#define nb_pair_path_go NB_REAL_NAME(nb_pair_path_go)

typedef struct nb_pair_path {
    int64_t numbers, capacity;
    double *memory, *point, *newton, *newton_kept, *tangent, *along, *step; /* [numbers] */
    double target, equality, cone; /* of the present point, and its residuals */
    double target_kept;            /* of `point`, the last one near the path */
    double along_target;           /* of the tangent there, `along`, of length 1: by ln(target) */
    double length, gone;           /* of the next predictor; of the last one, as far as cones let it */
    double step_length;            /* the part of the last step that they let it */
    int32_t corrections, retreats; /* since `point` */
    int is_directed;               /* 1: `along` says which way is on */
    int ending;                    /* 1: the target is rho, and stays */
} nb_pair_path;                    /* starts as all zeros */

typedef enum nb_pair_path_state {
    NB_PAIR_PATH_GOES_ON,
    NB_PAIR_PATH_ENDS, /* where all products are rho */
    NB_PAIR_PATH_LOST
} nb_pair_path_state;

/* Whether residuals are those of a point from which the path is followed. */
int nb_pair_path_is_near(double target, double equality, double cone);
/* At such a point, evaluated for the target. */
nb_status nb_pair_path_begin(nb_pair_path *path, const nb_pair_problem *problem, double target, double equality,
                             double cone);
/* An iteration: the matrix is eliminated and solved for the step towards the target; aim; solved again; go, which
 * leaves the point evaluated. *aimed: the largest residual of a product against rho. */
void nb_pair_path_aim(nb_pair_path *path, nb_pair_problem *problem);
nb_pair_path_state nb_pair_path_go(nb_pair_path *path, nb_pair_problem *problem, double rho, double *aimed);

void nb_pair_path_clear(nb_pair_path *path);

#endif
