#include "reference_solution.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"

void nb_reference_solution_clear(nb_reference_solution *reference) {
    nb_snapshot_clear(&reference->solution);
    nb_masses_clear(&reference->masses);
    nb_free(reference->u_of_forces);
    *reference = (nb_reference_solution){0};
}

double nb_reference_solution_error(const nb_reference_solution *reference) {
    double own = reference->used.natural_map_error, apart = reference->velocity_difference;
    return reference->other.natural_map_error <= NB_REFERENCE_REACHED ? fmax(own, apart) : own;
}

void nb_reference_solution_check(const nb_reference_solution *reference, double came_to, const nb_world *initial,
                                 nb_checks *checks) {
    nb_checks general = {0};
    nb_checks_add_below(checks, "reference: natural map", "m/s", came_to, NB_REFERENCE_REACHED);
    if (!reference->solution.q) return;
    nb_checks_general(initial, &reference->solution, &general);
    for (int i = 0; i < general.count; i++) {
        const nb_check *check = &general.items[i];
        char name[sizeof check->name + 16];
        snprintf(name, sizeof name, "reference: %s", check->name);
        nb_checks_add_below(checks, name, check->units, check->actual, check->tolerance);
    }
}
