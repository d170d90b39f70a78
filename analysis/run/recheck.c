#include "run/recheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scenario.h"
#include "text/json.h"

typedef struct run_contacts {
    double compliance, thickness, friction_ratio; /* [m/N], [m], [1] */
    double friction_law, facets, time_stepping;
    double stabilization, recovery_speed, active_set, restitution; /* NaN: not recorded */
} run_contacts;

typedef struct reading {
    const nb_scenario_class *scenario;
    double *values;
    run_contacts contacts;
} reading;

/* how the run's contacts are, as far as it is not the scenario's */
static nb_status take_contacts(const char *name, const char *value, run_contacts *contacts) {
    static const nb_option options[] = {
        {"contact-compliance", "m/N", 0, 0, 1, 0, NULL, ""},
        {"contact-thickness", "m", 0, 0, 1e3, 0, NULL, ""},
        {"friction-ratio", "1", 1, 0.01, 100, 0, NULL, ""},
        {"friction-law", "", 0, 0, 0, 0, nb_friction_law_names, ""},
        {"facets", "1", NB_FACETS, NB_LEAST_FACETS, NB_MOST_FACETS, 1, NULL, ""},
        {"time-stepping", "", 0, 0, 0, 0, nb_stepping_names, ""},
        {"stabilization", "1", 0, 0, 1, 0, NULL, ""},
        {"recovery-speed", "m/s", 0, 0, 1e9, 0, NULL, ""},
        {"active-set", "m", 0, 0, 1e3, 0, NULL, ""},
        {"restitution", "1", 0, 0, 1, 0, NULL, ""},
    };
    double *const to[] = {&contacts->compliance,    &contacts->thickness,      &contacts->friction_ratio,
                          &contacts->friction_law,  &contacts->facets,         &contacts->time_stepping,
                          &contacts->stabilization, &contacts->recovery_speed, &contacts->active_set,
                          &contacts->restitution};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(name, options[i].name) == 0)
            return nb_options_set(&options[i], 1, "recorded run", name, value, to[i]);
    return NB_OK;
}

static nb_time_stepping stepping_of(const run_contacts *c) {
    nb_time_stepping stepping = nb_time_stepping_of((nb_stepping_scheme)c->time_stepping);
    if (!isnan(c->stabilization)) stepping.stabilization = c->stabilization;
    if (!isnan(c->recovery_speed)) stepping.recovery_speed = c->recovery_speed;
    if (!isnan(c->active_set)) stepping.active_set = c->active_set;
    if (!isnan(c->restitution)) stepping.restitution = c->restitution;
    return stepping;
}

/* One member of the recorded parameters. Those of solvers ("linear-solver.variant") change no check, and neither does a
 * parameter that a later version has dropped. */
static nb_status take_parameter(void *context, const char *name, const char *value) {
    reading *r = context;
    char owner[NB_NAME_LENGTH + 32];
    for (int i = 0; i < r->scenario->parameter_count; i++) {
        if (strcmp(r->scenario->parameters[i].name, name) != 0) continue;
        snprintf(owner, sizeof owner, "recorded scenario '%s'", r->scenario->name);
        return nb_options_set(r->scenario->parameters, r->scenario->parameter_count, owner, name, value, r->values);
    }
    return take_contacts(name, value, &r->contacts);
}

/* whether the recorded state can be one of this world */
static nb_status check_fit(const nb_run *run, const nb_world *initial) {
    const nb_snapshot *final = &run->final;
    if (initial->body_count != final->bodies)
        return nb_fail(NB_ERROR_INPUT, "scenario '%s' has %d bodies with these parameters, the recorded state %d",
                       run->info.scenario, initial->body_count, final->bodies);
    if (initial->particle_count != final->particles)
        return nb_fail(NB_ERROR_INPUT, "scenario '%s' has %d particles with these parameters, the recorded state %d",
                       run->info.scenario, initial->particle_count, final->particles);
    for (int64_t i = 0; i < 2 * (int64_t) final->contacts; i++)
        if (final->contact_bodies[i] < -1 || final->contact_bodies[i] >= final->bodies)
            return nb_fail(NB_ERROR_INPUT, "recorded contact %lld is with body %d of %d", (long long)(i / 2),
                           final->contact_bodies[i], final->bodies);
    return NB_OK;
}

nb_status nb_run_rebuild(const nb_run *run, const nb_scenario_class **scenario, double **values, nb_world **world) {
    nb_status status = NB_OK;
    *scenario = NULL;
    *values = NULL;
    *world = NULL;
    for (int i = 0; nb_scenarios[i] && !*scenario; i++)
        if (strcmp(nb_scenarios[i]->name, run->info.scenario) == 0) *scenario = nb_scenarios[i];
    if (!*scenario) return NB_OK;
    const nb_scenario_class *type = *scenario;
    NB_TRY(NB_ALLOCATE(type->parameter_count, values));
    reading r = {type, *values, {0, 0, 1, NB_FRICTION_COULOMB, NB_FACETS, NB_STEPPING_IMPLICIT, NAN, NAN, NAN, NAN}};
    nb_options_standard(type->parameters, type->parameter_count, r.values);
    NB_TRY(nb_json_read(run->info.parameters ? run->info.parameters : "{}", take_parameter, &r));
    NB_TRY(type->build(r.values, run->info.seed, world));
    (*world)->contact_compliance = r.contacts.compliance;
    (*world)->contact_thickness = r.contacts.thickness;
    (*world)->friction_ratio = r.contacts.friction_ratio;
    (*world)->friction_law = (nb_friction_law)r.contacts.friction_law;
    (*world)->friction_facets = (int32_t)r.contacts.facets;
    (*world)->stepping = stepping_of(&r.contacts);
    NB_TRY(check_fit(run, *world));
    return NB_OK;
out:
    nb_world_destroy(*world);
    nb_free(*values);
    *world = NULL;
    *values = NULL;
    return status == NB_ERROR_USAGE ? NB_ERROR_INPUT : status; /* whatever the fault is, it is the record's */
}

nb_status nb_run_recheck(const nb_run *run, nb_checks *checks, int *recomputed) {
    const nb_scenario_class *scenario;
    double *values;
    nb_world *initial;
    *checks = (nb_checks){0};
    nb_status status = nb_run_rebuild(run, &scenario, &values, &initial);
    if (status != NB_OK) return status;
    *recomputed = scenario != NULL;
    if (scenario) {
        nb_checks_scene(scenario, values, initial, &run->final, checks);
        double came_to = run->usage.reference_error;
        if (!isnan(came_to)) nb_reference_solution_check(&run->reference, came_to, initial, checks);
    } else {
        *checks = run->checks;
    }
    nb_world_destroy(initial);
    nb_free(values);
    return NB_OK;
}
