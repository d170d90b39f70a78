#include "reference_solution.h"

#include <math.h>
#include <stdio.h>

/* numbers that others divide by, or index with */
static nb_status check(void *owner) {
    const nb_reference_solution *reference = owner;
    const nb_masses *masses = &reference->masses;
    double total = 0;
    if (!reference->solution.q) return NB_OK; /* none was found */
    if (masses->bodies != reference->solution.bodies || (masses->bodies > 0 && !masses->mass))
        return nb_fail(NB_ERROR_INPUT, "a reference of %d bodies with %d masses", (int)reference->solution.bodies,
                       (int)masses->bodies);
    if (reference->second.q && reference->second.bodies != reference->solution.bodies)
        return nb_fail(NB_ERROR_INPUT, "a second solution of %d bodies, the first one of %d",
                       (int)reference->second.bodies, (int)reference->solution.bodies);
    for (int32_t i = 0; i < masses->bodies; i++) {
        if (!(masses->mass[i] >= 0 && isfinite(masses->mass[i])))
            return nb_fail(NB_ERROR_INPUT, "reference/mass holds %g", masses->mass[i]);
        total += masses->mass[i];
    }
    if (!(fabs(total - masses->total) <= 1e-9 * total))
        return nb_fail(NB_ERROR_INPUT, "reference/total_mass is %g where the masses sum to %g", masses->total, total);
    return NB_OK;
}

/* a record says this once */
static nb_status mark_known(void *owner) {
    nb_reference_solution *reference = owner;
    reference->solution.error = reference->used.natural_map_error;
    reference->masses.bodies = reference->solution.bodies;
    return NB_OK;
}

#define MEMBER(title, member, KIND) \
    { NB_LINE(title, nb_reference_solution, member, KIND) }
#define BODIES NB_COUNT32(nb_reference_solution, solution.bodies)

static const nb_member members[] = {
    MEMBER("step", step, INT32),
    MEMBER("tolerance", tolerance, REAL),
    MEMBER("seconds", seconds, REAL),
    MEMBER("method", used.method, TEXT),
    MEMBER("linear_solver", used.linear_solver, TEXT),
    MEMBER("preconditioner", used.preconditioner, TEXT),
    MEMBER("newton_iterations", used.newton_iterations, INT32),
    MEMBER("natural_map_error", used.natural_map_error, REAL),
    MEMBER("other_method", other.method, TEXT),
    MEMBER("other_linear_solver", other.linear_solver, TEXT),
    MEMBER("other_preconditioner", other.preconditioner, TEXT),
    MEMBER("other_newton_iterations", other.newton_iterations, INT32),
    MEMBER("other_natural_map_error", other.natural_map_error, REAL),
    MEMBER("velocity_difference", velocity_difference, REAL),
    MEMBER("force_difference", force_difference, REAL),
    {NB_LINE_CHECKSUM("texts_checksum")},
    MEMBER("time", solution.time, REAL),
    MEMBER("time_step", solution.time_step, REAL),
    {NB_LINE("contact_weight", nb_reference_solution, solution.contact_weight, REAL), .optional = 1},
    {NB_LINE("step_count", nb_reference_solution, solution.step_count, INT32), .left_out = NB_RECORD}, /* the run's */
    {NB_LINE("error", nb_reference_solution, solution.error, REAL), .left_out = NB_RECORD},
    {NB_LINE_PART(nb_reference_solution, solution, nb_snapshot_arrays)},
    {NB_LINE_CHECK(mark_known), .left_out = NB_TRANSFER | NB_CHECKPOINT},
    {NB_LINE_ARRAY("u_of_forces", "m/s, rad/s",
                   "velocities from the forces: velocities without constraints + M^-1 J^T lambda h",
                   nb_reference_solution, u_of_forces, REAL, BODIES, NB_EACH(6))},
    {NB_LINE_PART(nb_reference_solution, masses, nb_masses_members)},
    {NB_LINE_PART(nb_reference_solution, second, nb_snapshot_arrays), .name = "second", .optional = 1},
    {NB_LINE_CHECK(check)},
};
const nb_members nb_reference_solution_members = NB_MEMBERS(nb_reference_solution, members);

void nb_reference_solution_clear(nb_reference_solution *reference) {
    nb_members_clear(&nb_reference_solution_members, reference);
}

int nb_reference_solutions_differ(double natural_map, double other, double distance) {
    const int reached = natural_map <= NB_REFERENCE_REACHED && other <= NB_REFERENCE_REACHED;
    return reached && distance > fmax(NB_REFERENCE_APART, sqrt(fmax(natural_map, other)));
}

double nb_reference_solution_apart(const nb_reference_solution *reference) {
    return reference->second.q ? reference->velocity_difference : 0;
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
    nb_checks_general(initial, &reference->solution, 0, &general);
    for (int i = 0; i < general.count; i++) {
        const nb_check *check = &general.items[i];
        char name[sizeof check->name + 16];
        snprintf(name, sizeof name, "reference: %s", check->name);
        nb_checks_add_below(checks, name, check->units, check->actual, check->tolerance);
    }
}
