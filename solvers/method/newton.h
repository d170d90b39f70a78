/* What the parts of the Newton method share (private to solvers). */
#ifndef NB_METHOD_NEWTON_H
#define NB_METHOD_NEWTON_H

#include "method.h"

#define nb_newton_measure NB_REAL_NAME(nb_newton_measure)
#define nb_newton_converged NB_REAL_NAME(nb_newton_converged)
#define nb_newton_start_scale NB_REAL_NAME(nb_newton_start_scale)
#define nb_newton_diverged NB_REAL_NAME(nb_newton_diverged)
#define nb_newton_report_errors NB_REAL_NAME(nb_newton_report_errors)

/* The harness's errors of the problem's iterate, widened into u [velocities] and z [rows]. */
void nb_newton_measure(nb_problem *p, nb_measure *measure, double *u, double *z, nb_errors *errors);

/* writes the errors (and NaN for the limits) into a report */
void nb_newton_report_errors(const nb_problem *p, const nb_errors *errors, nb_newton_report *report);

/* whether the errors meet the tolerances that were asked for, all of them; 0 where none was */
int nb_newton_converged(const nb_method_settings *settings, const nb_errors *errors);

/* The size of what a step begins with, of the problem's last evaluate there [m/s]. */
double nb_newton_start_scale(const nb_problem *p, const nb_errors *errors);
/* Whether the errors are NaN or beyond use: more than 1e8 times that scale. */
int nb_newton_diverged(const nb_errors *errors, double scale);

#endif
