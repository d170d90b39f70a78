#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "measure/infeasibility.h"
#include "measure/momentum.h"
#include "model/coordinate.h"
#include "scenario.h"

static const nb_member of_check[] = {
    {NB_LINE("name", nb_check, name, TEXT), .units = "1", .long_name = "quantity checked"},
    {NB_LINE("units", nb_check, units, TEXT), .units = "1", .long_name = "units of the values and the tolerance"},
    {NB_LINE("expected", nb_check, expected, REAL), .units = "see units", .long_name = "reference value"},
    {NB_LINE("actual", nb_check, actual, REAL), .units = "see units", .long_name = "value of the run"},
    {NB_LINE("tolerance", nb_check, tolerance, REAL), .units = "see units", .long_name = "difference allowed"},
    {NB_LINE("passed", nb_check, passed, INT32), .units = "1",
     .long_name = "1 where the check holds, or does not apply"},
    {NB_LINE("premise", nb_check, premise, TEXT), .units = "1", .optional = 1,
     .long_name = "what a check that does not apply presupposes"},
};
static const nb_members check_members = NB_MEMBERS(nb_check, of_check);

static const nb_member of_checks[] = {
    {NB_LINE("count", nb_checks, count, COUNT)},
    {NB_LINE_LIST(nb_checks, items, check_members, NB_COUNT32(nb_checks, count)), .in_place = 1, .most = NB_CHECK_MAX},
};
const nb_members nb_checks_members = NB_MEMBERS(nb_checks, of_checks);

static nb_check *next_check(nb_checks *checks, const char *name, const char *units) {
    if (checks->count == NB_CHECK_MAX) return NULL;
    nb_check *check = &checks->items[checks->count++];
    snprintf(check->name, sizeof check->name, "%s", name);
    snprintf(check->units, sizeof check->units, "%s", units);
    return check;
}

nb_check *nb_checks_add(nb_checks *checks, const char *name, const char *units, double actual, double expected,
                        double tolerance) {
    nb_check *check = next_check(checks, name, units);
    if (!check) return NULL;
    check->actual = actual;
    check->expected = expected;
    check->tolerance = tolerance;
    check->passed = fabs(actual - expected) <= tolerance;
    return check;
}

nb_check *nb_checks_add_below(nb_checks *checks, const char *name, const char *units, double actual, double limit) {
    nb_check *check = next_check(checks, name, units);
    if (!check) return NULL;
    check->actual = actual;
    check->expected = 0;
    check->tolerance = limit;
    check->passed = actual <= limit;
    return check;
}

void nb_check_presupposes(nb_check *check, int holds, const char *premise) {
    if (!check || holds || *check->premise) return;
    snprintf(check->premise, sizeof check->premise, "%s", premise);
    check->passed = 1;
}

void nb_checks_presuppose(nb_checks *checks, int first, int holds, const char *premise) {
    for (int i = first; i < checks->count; i++) nb_check_presupposes(&checks->items[i], holds, premise);
}

/* How far a body's place is from where its velocity brought it from the start of the step, eq. (88): in contact
 * margins, or in the norm of quaternions. */
static double motion_defect(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0, h = final->time_step;
    for (int64_t b = 0; b < final->bodies; b++) {
        const double *q = final->q + 7 * b, *start = final->q_before + 7 * b, *u = final->u + 6 * b;
        nb_quat turned =
            nb_quat_advance((nb_quat){start[3], start[4], start[5], start[6]}, h, nb_vec3_of(u[3], u[4], u[5]));
        const double known[4] = {turned.w, turned.x, turned.y, turned.z};
        for (int k = 0; k < 3; k++)
            nb_raise(&largest, fabs(q[k] - (start[k] + h * u[k])) / initial->settings.contact_margin);
        for (int k = 0; k < 4; k++) nb_raise(&largest, fabs(q[3 + k] - known[k]));
    }
    for (int64_t i = 0; i < 3 * (int64_t) final->particles; i++)
        nb_raise(&largest, fabs(final->particle_x[i] - (final->particle_x_before[i] + h * final->particle_v[i])) /
                               initial->settings.contact_margin);
    return largest;
}

/* As the step's rows have it, and as it is: there compliance and what is of second order may be left. */
static void add_penetration(const nb_world *initial, const nb_snapshot *final, double violation, double sunk,
                            nb_checks *checks) {
    nb_checks_add_below(checks, "gap of contacts below zero, over the contact margin", "1", violation,
                        NB_PENETRATION_SHARE);
    if (final->soft_contacts > 0) return; /* faces of particles turn by more than any of them tells */
    nb_checks_add_below(checks, "penetration over the contact margin", "1",
                        nb_penetration_of(initial, final) / initial->settings.contact_margin,
                        1e-2 + (sunk + nb_penetration_left(initial, final)) / initial->settings.contact_margin);
}

/* How far a multiplier of a joint coordinate is beyond its bounds, the largest [N or N m]; NaN where the state is not
 * of this world. */
static double beyond_bounds(const nb_world *initial, const nb_snapshot *final) {
    nb_coordinate_row *rows = NULL;
    double beyond = 0;
    if (final->coordinate_rows != nb_coordinate_rows(initial, NULL)) return NAN;
    if (NB_ALLOCATE(final->coordinate_rows, &rows) != NB_OK) return NAN;
    nb_coordinate_rows(initial, rows);
    for (int32_t i = 0; i < final->coordinate_rows; i++) {
        const double lambda = final->lambda_coordinate[i], size = fabs(lambda);
        switch (rows[i].kind) {
        case NB_COORDINATE_FRICTION: nb_raise(&beyond, size - initial->joints[rows[i].joint].friction); break;
        case NB_COORDINATE_MOTOR: nb_raise(&beyond, size - initial->motors[rows[i].motor].effort); break;
        case NB_COORDINATE_ARMATURE:
        case NB_COORDINATE_COUPLING: break;
        default: nb_raise(&beyond, -lambda);
        }
    }
    nb_free(rows);
    return beyond;
}

static const char *const FRICTION_BEYOND = "friction beyond the cone over a body's weight";

/* what weighs bodies, those without gravity, too [m/s^2] */
static double pull_of(const nb_world *initial) {
    const double gravity = nb_norm(initial->gravity);
    return gravity > 0 ? gravity : 1;
}

/* What a velocity that is off by the tolerance, in all three directions, is as a force over the weight. */
static double share_of_weight(const nb_world *initial, const nb_snapshot *final, double tolerance) {
    return fmax(1e-5, sqrt(3) * fmin(tolerance, NB_CHECK_SOLVED) / (final->time_step * pull_of(initial)));
}

/* Tolerances are physical and know nothing of the solver's own error, so that only what converged passes. Forces are
 * held against the mean weight of a body (not the scene's: that would forgive more the larger the scene), gaps against
 * the scene's contact margin. A defect of 1e-5 weights over a step of 0.01 s is a velocity of 1e-6 m/s; over shorter
 * steps the tolerance that was asked for leaves more. */
void nb_checks_general(const nb_world *initial, const nb_snapshot *final, double tolerance, nb_checks *checks) {
    const double share = share_of_weight(initial, final, tolerance);
    double weight = 0, bodies = 0, cone = 0, pull = 0, violation = 0, sunk = 0;
    for (int32_t b = 0; b < initial->body_count; b++)
        if (initial->bodies[b].kind == NB_BODY_DYNAMIC) weight += initial->bodies[b].mass * pull_of(initial), bodies++;
    weight = weight > 0 ? weight / bodies : 1;
    for (int32_t i = 0; i < final->contacts; i++) {
        const double *friction = final->lambda_friction + 2 * (int64_t)i;
        double normal = final->lambda_normal[i], limit = normal > 0 ? final->mu[i] * normal : 0;
        nb_raise(&cone, (hypot(friction[0], friction[1] / initial->settings.friction_ratio) - limit) / weight);
        nb_raise(&pull, -normal / weight);
        nb_raise(&violation,
                 -(final->gap[i] + initial->settings.contact_compliance * normal) / initial->settings.contact_margin);
        nb_raise(&sunk, initial->settings.contact_compliance * normal);
    }
    /* round-off, whatever the solver does; coordinates of a thousand margins leave 1e-13 */
    nb_check *motion =
        nb_checks_add_below(checks, "motion against velocities", "1", motion_defect(initial, final), 1e-10);
    nb_check_presupposes(motion, initial->settings.relax != NB_RELAX_ON, "a step has one solve");
    nb_momentum_defect defect = {NAN, NAN};
    (void)nb_momentum_balance(initial, final, &defect); /* a fault leaves the NaN, which fails */
    nb_checks_add_below(checks, FRICTION_BEYOND, "1", cone, share);
    nb_checks_add_below(checks, "pulling normal force over a body's weight", "1", pull, share);
    if (nb_coordinate_rows(initial, NULL) > 0)
        nb_checks_add_below(checks, "joint forces beyond bounds over a body's weight", "1",
                            beyond_bounds(initial, final) / weight, share);
    if (nb_penetration_is_taken_back(&initial->settings)) add_penetration(initial, final, violation, sunk, checks);
    nb_checks_add_below(checks, "momentum defect over a body's weight", "1", defect.linear, share);
    nb_checks_add_below(checks, "angular momentum defect over weight times radius", "1", defect.angular, share);
}

void nb_checks_scene(const nb_scenario_class *scenario, const double *parameters, const nb_world *initial,
                     const nb_snapshot *final, const nb_check_premises *premises, nb_checks *checks) {
    nb_checks_general(initial, final, premises->tolerance, checks);
    const int own = checks->count;
    for (int i = 0; i < own; i++)
        if (strcmp(checks->items[i].name, FRICTION_BEYOND) == 0)
            nb_check_presupposes(&checks->items[i], !premises->beyond_cone, "friction has one coefficient");
    if (scenario->file)
        scenario->check_file(scenario->file, parameters, initial, final, checks);
    else
        scenario->check(parameters, initial, final, checks);
    nb_checks_presuppose(checks, own, scenario->checks_springs || !premises->springs, "contacts are rigid");
    nb_checks_presuppose(
        checks, own,
        !(initial->settings.contact_compliance > 0) && initial->settings.contacts.model == NB_CONTACTS_RIGID,
        "contacts are rigid");
    nb_checks_presuppose(checks, own, !(initial->settings.contact_thickness > 0), "contacts have no thickness");
    nb_checks_presuppose(checks, own, initial->settings.friction_ratio == 1, "friction is the same in all directions");
    nb_checks_presuppose(checks, own, scenario->checks_all || initial->settings.friction_law == NB_FRICTION_COULOMB,
                         "friction obeys Coulomb's law");
    nb_checks_presuppose(checks, own, scenario->checks_all || initial->settings.stepping.scheme == NB_STEPPING_IMPLICIT,
                         "time steps are implicit");
    nb_checks_presuppose(checks, own, !premises->elsewhere, "the run begins as its scenario does");
}
