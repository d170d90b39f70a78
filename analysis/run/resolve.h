/* From the names and numbers of a request to classes and settings, each checked. */
#ifndef NB_ANALYSIS_RESOLVE_H
#define NB_ANALYSIS_RESOLVE_H

#include "method.h"
#include "run/simulate.h"
#include "scenario.h"

enum {
    NB_MAX_OPTIONS = 64
};

/* what the names of a request stand for */
typedef struct nb_choices {
    const nb_method_class *method;
    const nb_scenario_class *scenario;                        /* NULL for a problem file */
    double parameters[NB_MAX_OPTIONS];                        /* of the scenario */
    const nb_option *solver_options, *preconditioner_options; /* none with a method that takes neither */
    int solver_option_count, preconditioner_option_count;
    const char *solver_plugin, *preconditioner_plugin, *method_plugin; /* the files that brought them, or NULL */
    double solver_values[NB_MAX_OPTIONS], preconditioner_values[NB_MAX_OPTIONS], method_values[NB_MAX_OPTIONS];
    int bare;                    /* 1: the linear solver takes no preconditioner */
    nb_method_settings settings; /* points into this struct and into the request: keep both while it is used */
    int f32;
} nb_choices;

/* NB_ERROR_USAGE with one line where a name is unknown, a value impossible or a combination not offered. */
nb_status nb_request_resolve(const nb_request *request, nb_choices *choices);

/* Gives the options that only the Newton method heeds their standard values where the request's method is another. */
nb_status nb_request_drop_unheeded(nb_request *request);

/* Whether the request's linear solver and preconditioner are used: all methods but those that bring their own, and all
 * linear systems, take them. */
int nb_method_takes_solver(const nb_method_class *method, const nb_request *request);

/* The scenario of this name. */
nb_status nb_scenario_find(const char *name, const nb_scenario_class **scenario);

#endif
