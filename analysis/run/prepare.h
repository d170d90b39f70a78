/* From what was asked for to what can be run. */
#ifndef NB_ANALYSIS_PREPARE_H
#define NB_ANALYSIS_PREPARE_H

#include "base/status.h"
#include "run/options.h"
#include "run/request.h"
#include "scenario.h"

/* Fills what was left open (steps, time step, ... from the scenario), looks up every name and checks every number: the
 * request is resolved once, here. NB_ERROR_USAGE with one line where something is wrong; nothing is run. */
nb_status nb_simulate_prepare(nb_request *request);

enum {
    NB_DEFAULT_TEXT = 512
};
/* What a run of the scenario takes unless told, in the words of the command line: "--method psor --newton-iterations
 * 120 ..."; NB_ERROR_USAGE where it does not fit together. */
nb_status nb_default_text(const nb_scenario_class *scenario, char text[NB_DEFAULT_TEXT]);

enum {
    NB_REQUEST_FIELD_TEXT = NB_OPTION_TEXT,
    NB_REQUEST_MOST_FIELDS = NB_OPTIONS_MOST
};
int nb_request_field_count(void);         /* at most NB_REQUEST_MOST_FIELDS */
const char *nb_request_field_name(int i); /* "linear-solver" */
void nb_request_field_text(int i, const nb_request *request, char text[NB_REQUEST_FIELD_TEXT]);
/* Whether the run uses the field: else its text may be left out of what it is called. */
int nb_request_uses_field(int i, const nb_request *request);

/* All that a prepared request's run depends on, as one text (nb_free): two requests with the same text are one run. */
nb_status nb_request_identity(const nb_request *request, char **text);

#endif
