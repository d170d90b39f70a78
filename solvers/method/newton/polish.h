/* The polish of Newton's method, --finish exact: semismooth Newton steps (semismooth.h) from its result (private to
 * solvers/method/newton).
 *
 * The lagged friction compliance W makes the symmetric method sublinear near the slip threshold. From there the exact
 * generalised Jacobian of the laws' natural map converges in a few iterations. J is that of the start of the step, so
 * the problem must be frozen; momentum is eliminated exactly, u = u~ + M^-1 J^T z. The systems are not symmetric: they
 * go to the linear solver asked for where it takes such systems, else to a direct one. Source: formulation.md. */
#ifndef NB_NEWTON_POLISH_H
#define NB_NEWTON_POLISH_H

#include "method.h"
#include "step/columns.h"

#define nb_polish NB_REAL_NAME(nb_polish)
#define nb_polish_create NB_REAL_NAME(nb_polish_create)
#define nb_polish_create_s NB_REAL_NAME(nb_polish_create_s)
#define nb_polish_destroy NB_REAL_NAME(nb_polish_destroy)
#define nb_polish_run NB_REAL_NAME(nb_polish_run)

enum {
    NB_POLISH_COLUMN = NB_COLUMN_OWN /* of the method's own columns, the one that is 1 in iterations of the polish */
};

typedef struct nb_polish nb_polish;

/* Room for the problem of one step (borrowed until destroy, as what the settings name), so that a run allocates nothing
 * but the solver's factors. */
nb_status nb_polish_create(nb_problem *p, const nb_method_settings *settings, nb_polish **polish);
/* how much of that went into the linear solver's own `create` [s] */
double nb_polish_create_s(const nb_polish *polish);
void nb_polish_destroy(nb_polish *polish);

/* Improves the problem's iterate to the tolerance of the settings (none: to round-off), or leaves the best one found;
 * tells the observer each iteration. *report and outcome->errors describe the state reached on return (solved = 0);
 * outcome->reason says how it ended. Every factorisation counts as a Newton iteration, and its time is counted whether
 * it helped or not. */
nb_status nb_polish_run(nb_polish *polish, nb_measure *measure, const nb_observer *observer, nb_newton_report *report,
                        nb_step_outcome *outcome);

#endif
