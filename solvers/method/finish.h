/* The exact finish: semismooth Newton on the natural map (private to solvers/method).
 *
 * The lagged friction compliance W makes the symmetric method sublinear near the slip threshold. Started from its
 * result, the exact generalised Jacobian of
 *
 *     bilateral c + E z,   normal min(C/h, w z_n),   friction w (z_f - Proj(z_f - v_t/w)), radius mu z_n
 *
 * converges in a few iterations. J is that of the start of the step, so the problem must be frozen; momentum is
 * eliminated exactly, u = u~ + M^-1 J^T z. The matrix is nonsymmetric (UMFPACK). Source: formulation.md. */
#ifndef NB_METHOD_FINISH_H
#define NB_METHOD_FINISH_H

#include "method.h"

#define nb_finish_run NB_REAL_NAME(nb_finish_run)

/* Improves the iterate of `p` to the tolerance of the settings (none: to round-off), or leaves the best one found; tells
 * the observer each iteration. *report and outcome->errors hold the state at the beginning on entry and the state reached
 * on return (solved = 0); outcome->reason says how it ended. */
nb_status nb_finish_run(nb_problem *p, nb_measure *measure, const nb_method_settings *settings,
                        const nb_observer *observer, nb_newton_report *report, nb_step_outcome *outcome);

#endif
