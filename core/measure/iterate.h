/* What methods ask of the harness about their iterate: its errors, whether they are small enough or beyond use, and
 * their place in a report. One answer for all methods. */
#ifndef NB_MEASURE_ITERATE_H
#define NB_MEASURE_ITERATE_H

#include "base/real.h"
#include "measure/measure.h"
#include "method.h"

#define nb_measure_detect NB_REAL_NAME(nb_measure_detect)
#define nb_measure_verify NB_REAL_NAME(nb_measure_verify)
#define nb_measure_iterate NB_REAL_NAME(nb_measure_iterate)
#define nb_measure_iterate_within NB_REAL_NAME(nb_measure_iterate_within)
#define nb_measure_converged NB_REAL_NAME(nb_measure_converged)
#define nb_measure_diverged NB_REAL_NAME(nb_measure_diverged)
#define nb_measure_start_scale NB_REAL_NAME(nb_measure_start_scale)
#define nb_measure_report NB_REAL_NAME(nb_measure_report)

/* The errors of the problem's iterate, widened to double; where it stands for another one, of that one's. */
void nb_measure_iterate(nb_measure *measure, const nb_problem *problem, nb_errors *errors);

/* The same by nb_measure_evaluate_within. */
int nb_measure_iterate_within(nb_measure *measure, const nb_problem *problem, double most, nb_errors *errors);

/* nb_problem_detect, after which the measure, begun on the same step, has the same rows. */
nb_status nb_measure_detect(nb_measure *measure, nb_problem *problem, int32_t *added);

/* The same of nb_problem_verify. */
nb_status nb_measure_verify(nb_measure *measure, nb_problem *problem, double most, nb_verify_mode mode,
                            nb_overlap *overlap);

/* A report that says nothing yet but these errors: its times are 0, and the method's own numbers NaN. */
void nb_measure_report(const nb_problem *problem, const nb_errors *errors, nb_newton_report *report);

/* whether the errors meet the tolerances that were asked for, all of them; 0 where none was */
int nb_measure_converged(const nb_errors *errors, const nb_method_settings *settings);

/* The size of what a step begins with, of the problem's last evaluate there [m/s]. */
double nb_measure_start_scale(const nb_problem *problem, const nb_errors *errors);
/* Whether the errors are NaN or beyond use: more than 1e8 times that scale. */
int nb_measure_diverged(const nb_errors *errors, double scale);

#endif
