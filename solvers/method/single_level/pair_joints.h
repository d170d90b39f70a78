/* The joints of a step of pairs of convex sets (pair_state.h): bilateral rows beside the velocities, c/h + (e/h^2) z =
 * 0 at the end of the step, soft rows and motors among them (private to solvers/method/single_level).
 *
 * A row's unit is that of velocities, its impulse's that of the lesser mass of its two bodies: rows of rotation are
 * multiplied by the length. Their gradients by the motion of the bodies are also the forces' directions, and how these
 * turn is in the matrix, too. */
#ifndef NB_SINGLE_LEVEL_PAIR_JOINTS_H
#define NB_SINGLE_LEVEL_PAIR_JOINTS_H

#include "constraint/problem.h"
#include "pair_state.h"

#define nb_pair_joints_lay_out NB_REAL_NAME(nb_pair_joints_lay_out)
#define nb_pair_joints_begin NB_REAL_NAME(nb_pair_joints_begin)
#define nb_pair_joints_evaluate NB_REAL_NAME(nb_pair_joints_evaluate)
#define nb_pair_joints_stiffness NB_REAL_NAME(nb_pair_joints_stiffness)
#define nb_pair_joints_write_impulses NB_REAL_NAME(nb_pair_joints_write_impulses)

/* their arrays among those of the bodies */
void nb_pair_joints_lay_out(nb_arena *arena, nb_pair_problem *problem);
/* Once the bodies are numbered: units, places, and the impulses that p begins with. */
void nb_pair_joints_begin(nb_pair_problem *problem, nb_problem *p);
/* Rows and residuals at the bodies' velocities, of which `equality` is raised to the largest; momentum's are less their
 * forces. */
void nb_pair_joints_evaluate(nb_pair_problem *problem, double *equality);
/* How the forces of joint j on its bodies change with their small motions, in lengths and turns: [12][12], a's first;
 * by those of prescribed bodies, too, which derivatives want. */
void nb_pair_joints_stiffness(const nb_pair_problem *problem, int32_t j, double stiffness[12][12]);
/* their impulses to the problem's rows, in the harness's units */
void nb_pair_joints_write_impulses(const nb_pair_problem *problem, nb_problem *p);

#endif
