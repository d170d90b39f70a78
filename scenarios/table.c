#include <stddef.h>

#include "scenarios.h"

const nb_scenario_class *const nb_scenarios[] = {
    &nb_heavy_stack,
    NULL,
};
