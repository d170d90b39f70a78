/* The scenarios of this folder, for table.c. */
#ifndef NB_SCENARIOS_H
#define NB_SCENARIOS_H

#include "scenario.h"

extern const nb_scenario_class nb_heavy_stack;

#endif
