#include "run/run_checks.h"

#include <math.h>
#include <string.h>

#include "base/named_values.h"
#include "base/vec3.h"
#include "element/energy.h"
#include "measure/infeasibility.h"
#include "measure/start_errors.h"
#include "model/energy.h"
#include "registry.h"
#include "run/method_options.h"
#include "run/request.h"

NB_PRECISIONS(f64);

static nb_status note_start(void *context, const nb_named_value *parameter) {
    *(int *)context |= strcmp(parameter->name, "from") == 0;
    return NB_OK;
}

nb_check_premises nb_run_check_premises(const nb_run_info *info) {
    nb_check_premises premises = {.tolerance = fmax(info->newton_tolerance, 0)};
    const nb_method_class *method;
    double values[NB_MAX_OPTIONS];
    (void)nb_named_values_read(info->parameters, note_start, &premises.elsewhere);
    if (nb_method_find(info->method, &method) != NB_OK || !method->springs) return premises;
    premises.springs = 1;
    nb_method_option_values(info, method->options, method->option_count, values);
    premises.beyond_cone = method->leaves_cone && method->leaves_cone(values);
    return premises;
}

/* the step that is farthest beyond what it may leave */
static void look_at_penetration(const double *row, double *depth, double *allowed) {
    const double deepest = row[NB_STEP_MAX_PENETRATION], most = row[NB_STEP_PENETRATION_ALLOWED];
    if (!(deepest - most > *depth - *allowed)) return;
    *depth = deepest;
    *allowed = most;
}

void nb_run_check_steps(const nb_run *run, const double *last, const nb_scenario_class *scenario,
                        const nb_world *initial, nb_checks *checks) {
    const double share = NB_PENETRATION_SHARE * initial->settings.contact_margin;
    double depth = 0, allowed = INFINITY;
    if (!isnan(run->usage.start_penetration)) {
        nb_check *start =
            nb_checks_add_below(checks, "penetration at the start", "m", run->usage.start_penetration, share);
        nb_check_presupposes(start, !scenario->begins_jammed, "bodies begin apart");
        if (initial->joint_count > 0) {
            nb_checks_add_below(checks, "joint error at the start", "m", run->usage.start_joint_error, share);
            nb_checks_add_below(checks, "joint rotation error at the start", "rad", run->usage.start_joint_turn,
                                NB_START_TURN);
        }
    }
    for (int32_t k = 0; k < run->step_count; k++)
        look_at_penetration(run->steps + (int64_t)k * NB_STEP_COLUMNS, &depth, &allowed);
    if (last) look_at_penetration(last, &depth, &allowed);
    if (isfinite(allowed)) nb_checks_add_below(checks, "deepest penetration of all steps", "m", depth, allowed);
}

/* ---- energy from nothing ---- */

static int is_zero(nb_vec3 v) {
    return v.x == 0 && v.y == 0 && v.z == 0;
}

/* whether anything but weight and constraints may do work */
static int is_driven(const nb_world *world) {
    if (world->prescribe || world->motor_count > 0) return 1;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        if (b->kind == NB_BODY_KINEMATIC || !is_zero(b->force) || !is_zero(b->torque)) return 1;
    }
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_KINEMATIC || !is_zero(world->particles[i].force)) return 1;
    return 0;
}

static double mass_of(const nb_world *world) {
    double mass = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC) mass += world->bodies[i].mass;
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_DYNAMIC) mass += world->particles[i].mass;
    return mass;
}

/* the rise that exceeds most what is allowed for it */
typedef struct rise {
    int from_start;                 /* 1: of rises from the start alone */
    double recent;                  /* room of the last step [J] */
    double low, room;               /* energy less room where that is least; room up to the present step [J] */
    double low_energy, low_room;    /* there */
    double size;                    /* of the terms that energies are sums of: they have round-off [J] */
    double most, actual, tolerance; /* [J] the excess, the rise and its room */
} rise;

static void begin(rise *r, double kinetic, double potential) {
    r->low = r->low_energy = kinetic + potential;
    r->size = fmax(fabs(kinetic), fabs(potential));
    r->most = -INFINITY;
}

static void look(rise *r, double room, double kinetic, double potential) {
    const double energy = kinetic + potential;
    r->room += room;
    r->size = fmax(r->size, fmax(fabs(kinetic), fabs(potential)));
    const double excess = energy - r->room - r->low;
    if (!(excess <= r->most)) { /* NaN, too, which stays */
        r->most = excess;
        r->actual = energy - r->low_energy;
        r->tolerance = r->room - r->low_room;
    }
    const double counted = r->room - r->recent - room;
    r->recent = room;
    if (r->from_start || !(energy - counted < r->low)) return;
    r->low = energy - counted;
    r->low_energy = energy;
    r->low_room = counted;
}

void nb_energy_check(const nb_run *run, const double *row, const nb_scenario_class *scenario, const nb_world *initial,
                     const nb_check_premises *premises, nb_checks *checks) {
    static const double round_off = 1e-11;
    const nb_scene_settings *settings = &initial->settings;
    const int32_t count = run->step_count + (row != NULL);
    const double mass = mass_of(initial), fall = run->info.time_step * nb_norm(initial->gravity);
    int knows_start = run->info.settle == 0 && !premises->elsewhere;
    rise r = {.from_start = premises->springs || settings->contact_compliance > 0 ||
                            settings->contacts.model != NB_CONTACTS_RIGID};
    if (knows_start)
        begin(&r, nb_world_kinetic_energy(initial),
              nb_world_potential_energy(initial) + nb_elastic_energy(initial) + nb_cavity_energy(initial));
    double before = knows_start ? nb_world_kinetic_energy(initial) : 0;
    for (int32_t k = 0; k < count; k++) {
        const double *at = k < run->step_count ? run->steps + (ptrdiff_t)k * NB_STEP_COLUMNS : row;
        const double kinetic = at[NB_STEP_KINETIC_ENERGY], potential = at[NB_STEP_POTENTIAL_ENERGY],
                     error = at[NB_STEP_NATURAL_MAP_ERROR];
        if (isnan(at[NB_STEP_ENERGY_ROOM])) return;
        const double solved = error * (sqrt(2 * mass * fmax(kinetic, before)) + mass * fall + 0.5 * mass * error);
        if (knows_start && k == 0 && premises->springs && kinetic + potential > r.low)
            begin(&r, kinetic, potential); /* which it may be raised or loaded for */
        else if (knows_start)
            look(&r, at[NB_STEP_ENERGY_ROOM] + solved, kinetic, potential);
        else
            begin(&r, kinetic, potential);
        knows_start = 1;
        before = kinetic;
    }
    if (count == 0 || !(r.most > -INFINITY || isnan(r.most))) return;
    nb_check *check =
        nb_checks_add_below(checks, "energy from nothing", "J", r.actual, r.tolerance + round_off * r.size);
    nb_check_presupposes(check, !is_driven(initial), "nothing drives the scene");
    nb_check_presupposes(check, settings->stepping.scheme == NB_STEPPING_IMPLICIT, "time steps are implicit");
    nb_check_presupposes(check, !(settings->contact_thickness > 0), "contacts have no thickness");
    nb_check_presupposes(check, !scenario->begins_jammed, "no bodies begin in each other");
}
