/* A scenario's defaults as text. */
#ifndef NB_ANALYSIS_DEFAULT_TEXT_H
#define NB_ANALYSIS_DEFAULT_TEXT_H

#include "base/status.h"
#include "scenario.h"

enum {
    NB_DEFAULT_TEXT = 512
};
/* What a run of the scenario takes unless told, in the words of the command line: "--method psor --newton-iterations
 * 120 ..."; NB_ERROR_USAGE where it does not fit together. */
nb_status nb_default_text(const nb_scenario_class *scenario, char text[NB_DEFAULT_TEXT]);

#endif
