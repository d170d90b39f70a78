#include "table/recheck.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "file/scene_file.h"
#include "measure/infeasibility.h"
#include "registry.h"
#include "run/find_scenario.h"
#include "run/run_checks.h"
#include "scenario.h"

NB_PRECISIONS(f64);

typedef struct reading {
    const nb_scenario_class *scenario;
    double *values;
    nb_scene_settings settings;
} reading;

/* One member of the recorded parameters. Those of solvers ("linear-solver.variant") change no check, and neither does a
 * parameter that a later version has dropped. */
static nb_status take_parameter(void *context, const nb_named_value *parameter) {
    const char *name = parameter->name, *value = parameter->text;
    reading *r = context;
    char owner[NB_NAME_LENGTH + 32];
    for (int i = 0; i < r->scenario->parameter_count; i++) {
        if (strcmp(r->scenario->parameters[i].name, name) != 0) continue;
        snprintf(owner, sizeof owner, "recorded scenario '%s'", r->scenario->name);
        return nb_options_set(r->scenario->parameters, r->scenario->parameter_count, owner, name, value, r->values);
    }
    const nb_scene_setting *setting = nb_scene_setting_find(name);
    return setting ? nb_scene_setting_read(setting, "recorded run", value, &r->settings) : NB_OK;
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

/* a checksum of a scene file, and whether it is the run's */
typedef struct sought {
    const char *checksum;
    int found;
} sought;

typedef struct whole_path {
    char text[4096];
} whole_path;

static nb_status take_path(void *context, const nb_named_value *parameter) {
    whole_path *path = context;
    if (strcmp(parameter->name, "scene-path") == 0) snprintf(path->text, sizeof path->text, "%s", parameter->text);
    return NB_OK;
}

static nb_status match_checksum(void *context, const nb_named_value *parameter) {
    sought *s = context;
    s->found |= strcmp(parameter->name, "scene-file") == 0 && strcmp(parameter->text, s->checksum) == 0;
    return NB_OK;
}

/* the run's scenario; NULL of a problem file, and of a scene file that is gone or another one by now */
static const nb_scenario_class *scenario_of(const nb_run_info *info) {
    const nb_scenario_class *scenario = NULL;
    for (int i = 0; nb_scenarios[i] && !scenario; i++)
        if (strcmp(nb_scenarios[i]->name, info->scenario) == 0) scenario = nb_scenarios[i];
    if (scenario) return scenario;
    whole_path path;
    snprintf(path.text, sizeof path.text, "%s", info->scenario);
    if (nb_named_values_read(info->parameters, take_path, &path) != NB_OK) return NULL;
    if (nb_scenario_find(path.text, &scenario) != NB_OK) return NULL;
    sought s = {nb_scene_file_checksum(scenario), 0};
    return nb_named_values_read(info->parameters, match_checksum, &s) == NB_OK && s.found ? scenario : NULL;
}

/* `margin` 0: with the scenario's own contact margin, whatever the run took */
static nb_status rebuild(const nb_run *run, int margin, const nb_scenario_class **scenario, double **values,
                         nb_world **world) {
    nb_status status = NB_OK;
    *scenario = NULL;
    *values = NULL;
    *world = NULL;
    *scenario = scenario_of(&run->info);
    if (!*scenario) return NB_OK;
    const nb_scenario_class *type = *scenario;
    NB_TRY(NB_ALLOCATE(type->parameter_count, values));
    reading r = {type, *values, nb_scene_settings_open()};
    nb_options_standard(type->parameters, type->parameter_count, r.values);
    NB_TRY(nb_named_values_read(run->info.parameters, take_parameter, &r));
    NB_TRY(nb_scenario_build(type, r.values, run->info.seed, world));
    /* records of versions without the setting */
    if (r.settings.gyroscopic == NB_GYROSCOPIC_OPEN) r.settings.gyroscopic = NB_GYROSCOPIC_EXPLICIT;
    const double own_margin = (*world)->settings.contact_margin;
    nb_scene_settings_apply(&r.settings, &(*world)->settings);
    if (!margin) (*world)->settings.contact_margin = own_margin;
    NB_TRY(check_fit(run, *world));
    return NB_OK;
out:
    nb_world_destroy(*world);
    nb_free(*values);
    *world = NULL;
    *values = NULL;
    return status == NB_ERROR_USAGE ? NB_ERROR_INPUT : status; /* whatever the fault is, it is the record's */
}

nb_status nb_run_rebuild(const nb_run *run, const nb_scenario_class **scenario, double **values, nb_world **world) {
    return rebuild(run, 1, scenario, values, world);
}

nb_status nb_run_recheck(const nb_run *run, nb_checks *checks, int *recomputed) {
    const nb_scenario_class *scenario;
    double *values;
    nb_world *initial;
    *checks = (nb_checks){0};
    nb_status status = rebuild(run, 0, &scenario, &values, &initial);
    if (status != NB_OK) return status;
    *recomputed = scenario != NULL;
    if (scenario) {
        const nb_check_premises premises = nb_run_check_premises(&run->info);
        nb_run_check_steps(run, NULL, scenario, initial, checks);
        nb_energy_check(run, NULL, scenario, initial, &premises, checks);
        nb_checks_scene(scenario, values, initial, &run->final, &premises, checks);
        double came_to = run->usage.reference_error;
        if (!isnan(came_to)) nb_reference_solution_check(&run->reference, came_to, initial, checks);
    } else {
        *checks = run->checks;
    }
    nb_world_destroy(initial);
    nb_free(values);
    return NB_OK;
}
