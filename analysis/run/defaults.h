/* What a run takes where its request leaves it open: what the scenario's paper says, and else what any scenario takes.
 * Each of method, time stepping and law of friction may be given alone; the others stay the scenario's as far as the
 * method goes along with them. */
#ifndef NB_ANALYSIS_DEFAULTS_H
#define NB_ANALYSIS_DEFAULTS_H

#include "run/request.h"

/* The method of a scenario's paper, or that of a scene file. A file that names none has auto, but newton where the
 * request asks for what newton alone has: its options, linear solvers, devices. All others, and problem files (NULL),
 * have newton. */
const char *nb_default_method(const nb_scenario_class *scenario, const nb_request *request);

/* Of a scenario, or of a problem file (NULL): at most, a step. Those of the paper for its method, then the method's
 * own with these values of its options, then the scenario's, or a file's. */
int32_t nb_default_iterations(const nb_scenario_class *scenario, const struct nb_method_class_f64 *method,
                              const double *values);

/* Whether steps of a scenario start from the step before: by its paper for the paper's method, else by the method. */
int nb_default_warm_start(const nb_scenario_class *scenario, const struct nb_method_class_f64 *method,
                          const double *values);

/* Fill in what is open in a request whose scenario is known: the method first; once that is in its choices, its
 * options; then time stepping, friction and how steps start. A method that finds contacts itself takes implicit steps,
 * and one that does not solve the paper's law the same law without facets, or else Coulomb's. */
void nb_default_fill_method(nb_request *request);
nb_status nb_default_fill_options(nb_request *request);
void nb_default_fill_steps(nb_request *request);

#endif
