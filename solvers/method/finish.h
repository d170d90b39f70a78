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

#define nb_finish NB_REAL_NAME(nb_finish)
#define nb_finish_create NB_REAL_NAME(nb_finish_create)
#define nb_finish_destroy NB_REAL_NAME(nb_finish_destroy)
#define nb_finish_run NB_REAL_NAME(nb_finish_run)

typedef struct nb_finish nb_finish;

/* Room for the problem of one step (borrowed until destroy), so that a run allocates nothing but UMFPACK's factors. */
nb_status nb_finish_create(nb_problem *p, nb_finish **finish);
void nb_finish_destroy(nb_finish *finish);

/* Improves the problem's iterate to the tolerance of the settings (none: to round-off), or leaves the best one found;
 * tells the observer each iteration. *report and outcome->errors hold the state at the beginning on entry and the state
 * reached on return (solved = 0); outcome->reason says how it ended. Every factorisation counts as a Newton iteration,
 * and its time is counted whether it helped or not. */
nb_status nb_finish_run(nb_finish *finish, nb_measure *measure, const nb_method_settings *settings,
                        const nb_observer *observer, nb_newton_report *report, nb_step_outcome *outcome);

#endif
