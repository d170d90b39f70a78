#include <stddef.h>

#include "scenarios.h"

const nb_scenario_class *const nb_scenarios[] = {
    &nb_heavy_stack, &nb_arch, &nb_beam, &nb_piling, &nb_incline, &nb_wall, NULL,
};
