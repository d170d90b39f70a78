/* From what was asked for to what can be run. */
#ifndef NB_ANALYSIS_PREPARE_H
#define NB_ANALYSIS_PREPARE_H

#include "run/request.h"

/* Fills what was left open (steps, time step, ... from the scenario), looks up every name and checks every number: the
 * request is resolved once, here. NB_ERROR_USAGE with one line where something is wrong; nothing is run. */
nb_status nb_simulate_prepare(nb_request *request);

#endif
