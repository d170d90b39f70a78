/* How the inputs of a body (step_gradient.h) change its own part of a step's equations,
 *
 *     M (u - u~),   u~ the velocities without constraints (model/free_turn.h),
 *
 * at velocities u that stay: forward and back (private to solvers). */
#ifndef NB_GRADIENT_BODY_INPUTS_H
#define NB_GRADIENT_BODY_INPUTS_H

#include "model/free_turn.h"
#include "step_gradient.h"

/* a body with mass at the start of a step */
typedef struct nb_body_inputs {
    const nb_body *body;
    const nb_mat3 *moments; /* of inertia, in the world */
    nb_vec3 gravity;
    nb_gyroscopic_torque gyroscopic;
    double h;
    const double *u; /* [6] */
} nb_body_inputs;

/* The change [6] of the equations for small inputs [NB_INPUTS]. */
void nb_body_inputs_change(const nb_body_inputs *at, const double *inputs, double out[6]);

/* by_inputs [NB_INPUTS] += factor times the derivatives of a number by the inputs, from those by the equations [6]. */
void nb_body_inputs_back(const nb_body_inputs *at, const double by[6], double factor, double *by_inputs);

#endif
