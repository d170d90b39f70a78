#include "run/settings.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "file/linear_problem.h"

enum {
    OF_SCENARIOS = 1,
    OF_PROBLEMS = 2
};

#define AT(member) offsetof(nb_run_settings, member)

/* `open` is the text of a value that is no number, open_value; stepping's own standards depend on the scheme */
static const struct {
    nb_option option;
    size_t field;
    int use;
    const char *standard, *open;
    double open_value;
} settings[] = {
    {{"contact-margin", "m", 0, 0, 1e3, 0, NULL, ""}, AT(contact_margin), OF_SCENARIOS, "scenario", "scenario", NAN},
    {{"contact-compliance", "m/N", 0, 0, 1, 0, NULL, ""}, AT(compliance), OF_SCENARIOS, "0", NULL, 0},
    {{"contact-thickness", "m", 0, 0, 1e3, 0, NULL, ""}, AT(thickness), OF_SCENARIOS, "0", NULL, 0},
    {{"friction-ratio", "1", 1, 0.01, 100, 0, NULL, ""}, AT(friction_ratio), OF_SCENARIOS, "1", NULL, 0},
    {{"friction-direction", "rad", 0, -4, 4, 0, NULL, ""}, AT(direction), OF_SCENARIOS, "0", NULL, 0},
    {{"friction-law", "", 0, 0, 0, 0, nb_friction_law_names, ""},
     AT(friction_law),
     OF_SCENARIOS | OF_PROBLEMS,
     "coulomb",
     NULL,
     0},
    {{"facets", "1", NB_FACETS, NB_LEAST_FACETS, NB_MOST_FACETS, 1, NULL, ""},
     AT(facets),
     OF_SCENARIOS | OF_PROBLEMS,
     "8",
     NULL,
     0},
    {{"time-stepping", "", 0, 0, 0, 0, nb_stepping_names, ""}, AT(time_stepping), OF_SCENARIOS, "implicit", NULL, 0},
    {{"stabilization", "1", 1, 0, 1, 0, NULL, ""}, AT(stabilization), OF_SCENARIOS, "1", NULL, 0},
    {{"recovery-speed", "m/s", 0, 0, 1e9, 0, NULL, ""}, AT(recovery_speed), OF_SCENARIOS, "any", "any", INFINITY},
    {{"active-set", "m", 0, 0, 1e3, 0, NULL, ""}, AT(active_set), OF_SCENARIOS, "all", "all", INFINITY},
    {{"restitution", "1", 0, 0, 1, 0, NULL, ""}, AT(restitution), OF_SCENARIOS, "0", NULL, 0},
    {{"relative-tolerance", "1", 0, 0, 1e6, 0, NULL, ""}, AT(relative_tolerance), OF_PROBLEMS, "0", NULL, 0},
};

enum {
    SETTINGS = sizeof settings / sizeof *settings
};
_Static_assert(NB_FACETS == 8, "the standard of facets is a text here");

static double *field(nb_run_settings *of, int i) {
    return (double *)(void *)((char *)of + settings[i].field);
}

static int find(const char *name) {
    int i = 0;
    while (i < SETTINGS && strcmp(settings[i].option.name, name) != 0) i++;
    return i < SETTINGS ? i : -1;
}

nb_run_settings nb_run_settings_of(const nb_request *request) {
    const nb_time_stepping stepping = nb_request_stepping(request);
    return (nb_run_settings){.contact_margin = request->contact_margin,
                             .compliance = request->contact_compliance,
                             .thickness = request->contact_thickness,
                             .friction_ratio = request->friction_ratio,
                             .direction = request->friction_direction,
                             .friction_law = request->friction_law,
                             .facets = request->friction_facets,
                             .time_stepping = request->time_stepping,
                             .stabilization = stepping.stabilization,
                             .recovery_speed = stepping.recovery_speed,
                             .active_set = stepping.active_set,
                             .restitution = stepping.restitution,
                             .relative_tolerance = request->relative_tolerance};
}

nb_run_settings nb_run_settings_standard(void) {
    nb_run_settings standard;
    for (int i = 0; i < SETTINGS; i++)
        *field(&standard, i) = settings[i].open ? settings[i].open_value : settings[i].option.standard;
    standard.stabilization = standard.recovery_speed = standard.active_set = standard.restitution = NAN;
    return standard;
}

void nb_run_settings_write(const nb_request *request, nb_json *json) {
    nb_run_settings own = nb_run_settings_of(request);
    const int use = request->linear ? 0 : request->problem_path ? OF_PROBLEMS : OF_SCENARIOS;
    for (int i = 0; i < SETTINGS; i++) {
        const double value = *field(&own, i);
        if (!(settings[i].use & use)) continue;
        if (settings[i].open && !isfinite(value))
            nb_json_text(json, settings[i].option.name, settings[i].open);
        else
            nb_json_options(json, "", &settings[i].option, 1, &value);
    }
}

static nb_status take(int i, const char *value, double *to) {
    if (settings[i].open && strcmp(value, settings[i].open) == 0) {
        *to = settings[i].open_value;
        return NB_OK;
    }
    return nb_options_set(&settings[i].option, 1, "recorded run", settings[i].option.name, value, to);
}

nb_status nb_run_settings_take(const char *name, const char *value, nb_run_settings *to) {
    const int i = find(name);
    return i < 0 ? NB_OK : take(i, value, field(to, i));
}

static nb_time_stepping stepping_of(const nb_run_settings *s) {
    nb_time_stepping stepping = nb_time_stepping_of((nb_stepping_scheme)s->time_stepping);
    if (!isnan(s->stabilization)) stepping.stabilization = s->stabilization;
    if (!isnan(s->recovery_speed)) stepping.recovery_speed = s->recovery_speed;
    if (!isnan(s->active_set)) stepping.active_set = s->active_set;
    if (!isnan(s->restitution)) stepping.restitution = s->restitution;
    return stepping;
}

void nb_run_settings_apply(const nb_run_settings *s, nb_world *world) {
    world->contact_compliance = s->compliance;
    world->contact_thickness = s->thickness;
    world->friction_ratio = s->friction_ratio;
    world->friction_direction = nb_vec3_of(cos(s->direction), sin(s->direction), 0);
    world->friction_law = (nb_friction_law)s->friction_law;
    world->friction_facets = (int32_t)s->facets;
    world->stepping = stepping_of(s);
}

void nb_run_settings_apply_margin(const nb_run_settings *s, nb_world *world) {
    if (s->contact_margin >= 0) world->contact_margin = s->contact_margin;
    /* all that are so near are to be found */
    if (isfinite(world->stepping.active_set)) world->contact_margin = world->stepping.active_set;
}

const char *nb_run_setting_standard(const char *name) {
    const int i = find(name);
    return i < 0 ? NULL : settings[i].standard;
}

int nb_run_setting_is_standard(const char *name, const char *value) {
    const int i = find(name);
    if (strcmp(name, "rhs") == 0) return strcmp(value, NB_LINEAR_ONES_SHOWN) == 0;
    return i >= 0 && strcmp(value, settings[i].standard) == 0;
}
