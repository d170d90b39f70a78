#include "recheck.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "json.h"
#include "scenario.h"

typedef struct reading {
    const nb_scenario_class *scenario;
    double *values;
} reading;

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
    return NB_OK;
}

/* whether the recorded state can be one of this world */
static nb_status check_fit(const nb_run *run, const nb_world *initial) {
    const nb_snapshot *final = &run->final;
    if (initial->body_count != final->bodies)
        return nb_fail(NB_ERROR_INPUT, "scenario '%s' has %d bodies with these parameters, the recorded state %d",
                       run->info.scenario, initial->body_count, final->bodies);
    for (int64_t i = 0; i < 2 * (int64_t) final->contacts; i++)
        if (final->contact_bodies[i] < -1 || final->contact_bodies[i] >= final->bodies)
            return nb_fail(NB_ERROR_INPUT, "recorded contact %lld is with body %d of %d", (long long)(i / 2),
                           final->contact_bodies[i], final->bodies);
    return NB_OK;
}

static nb_status check_state(const nb_run *run, const nb_scenario_class *scenario, nb_checks *checks) {
    reading r = {.scenario = scenario};
    nb_world *initial = NULL;
    nb_status status;
    NB_TRY(NB_ALLOCATE(scenario->parameter_count, &r.values));
    nb_options_standard(scenario->parameters, scenario->parameter_count, r.values);
    NB_TRY(nb_json_read(run->info.parameters ? run->info.parameters : "{}", take_parameter, &r));
    NB_TRY(scenario->build(r.values, run->info.seed, &initial));
    NB_TRY(check_fit(run, initial));
    nb_checks_general(initial, &run->final, checks);
    scenario->check(r.values, initial, &run->final, checks);
out:
    nb_world_destroy(initial);
    nb_free(r.values);
    /* whatever the fault is, it is the record's */
    return status == NB_ERROR_USAGE ? NB_ERROR_INPUT : status;
}

nb_status nb_run_recheck(const nb_run *run, nb_checks *checks, int *recomputed) {
    *checks = (nb_checks){0};
    *recomputed = 1;
    for (int i = 0; nb_scenarios[i]; i++)
        if (strcmp(nb_scenarios[i]->name, run->info.scenario) == 0) return check_state(run, nb_scenarios[i], checks);
    *recomputed = 0;
    *checks = run->checks;
    return NB_OK;
}
