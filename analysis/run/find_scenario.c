#include "run/find_scenario.h"

#include <limits.h>

#include "file/scene_file.h"
#include "registry.h"
#include "run/standard_set.h"

NB_PRECISIONS(f64);

static const char *scenario_name(const void *table, int i) {
    return ((const nb_scenario_class *const *)table)[i]->name;
}

nb_status nb_scenario_find(const char *name, const nb_scenario_class **scenario) {
    int count = 0;
    char path[PATH_MAX];
    if (nb_scene_file_is(name)) return nb_scene_file_find(name, NULL, scenario);
    while (nb_scenarios[count]) count++;
    int i = nb_name_find(name, count, scenario_name, nb_scenarios);
    if (i < 0 && nb_standard_scene(name, path, sizeof path)) return nb_scene_file_find(path, name, scenario);
    if (i < 0) return nb_name_unknown("scenario", name, count, scenario_name, nb_scenarios);
    *scenario = nb_scenarios[i];
    return NB_OK;
}
