/* What a motion is controlled by, and what it is to come to: of scenarios whose controls can be optimised
 * (analysis/run/optimize.h).
 *
 * A control is an input of a step (step_gradient.h) with a trajectory over time. Until it is optimised it goes as the
 * scenario's `prescribe` has it. */
#ifndef NB_TASK_H
#define NB_TASK_H

#include <stdint.h>

#include "base/vec3.h"

enum {
    NB_TASK_CONTROLS = 32, /* at most */
    NB_TASK_GOALS = 8,
    NB_GOAL_ROWS = 12
};

typedef struct nb_control {
    int32_t body;
    /* NB_INPUT_FORCE + 0 .. 5: force or torque on a dynamic body [N], [N m]; NB_INPUT_POSITION + 0 .. 2: where a
     * kinematic body without a shape is at the end of a step [m] */
    int input;
    double unit; /* a change of so much from one knot of its trajectory to the next costs 1/2 */
} nb_control;

/* where a body is to be at the end of the motion; errors of the units cost 1/2 along each axis, 0: they do not matter
 */
typedef struct nb_goal {
    int32_t body;
    nb_vec3 position;
    nb_quat orientation;
    nb_vec3 velocity;                                       /* [m/s]; its angular velocity is to be 0 */
    double place_unit, turn_unit, velocity_unit, spin_unit; /* [m], [rad], [m/s], [rad/s] */
} nb_goal;

typedef struct nb_task {
    int control_count, goal_count;
    nb_control controls[NB_TASK_CONTROLS];
    nb_goal goals[NB_TASK_GOALS];
} nb_task;

#endif
