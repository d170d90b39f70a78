/* Scenarios by their names. */
#ifndef NB_ANALYSIS_FIND_SCENARIO_H
#define NB_ANALYSIS_FIND_SCENARIO_H

#include "base/status.h"
#include "scenario.h"

/* The scenario of this name, of this scene file (file/scene_file.h), or else the scene of this problem of the standard
 * set, NAME or standard/NAME (standard_set.h). */
nb_status nb_scenario_find(const char *name, const nb_scenario_class **scenario);

#endif
