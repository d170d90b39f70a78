#include "model/friction_law.h"

#include <stddef.h>

const char *const nb_friction_law_names[NB_FRICTION_LAWS + 1] = {
    [NB_FRICTION_COULOMB] = "coulomb",
    [NB_FRICTION_RELAXED] = "relaxed",
    [NB_FRICTION_POLYHEDRAL] = "polyhedral",
    [NB_FRICTION_POLYHEDRAL_RELAXED] = "polyhedral-relaxed",
    NULL};
