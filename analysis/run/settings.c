#include "run/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "file/linear_problem.h"

/* of problem files, and no setting of the scene */
static const nb_option tolerance = {"relative-tolerance", "1", 0, 0, 1e6, 0, NULL, ""};

void nb_run_settings_write(const nb_request *request, nb_json *json) {
    const nb_scene_settings own = nb_request_scene(request);
    const nb_scene_setting *setting;
    for (int i = 0; !request->linear && (setting = nb_scene_setting_at(i)) != NULL; i++) {
        const double value = nb_scene_setting_value(setting, &own);
        if (request->problem_path && !setting->of_files) continue;
        if (setting->word && !isfinite(value))
            nb_json_text(json, setting->option.name, setting->word);
        else
            nb_json_options(json, "", &setting->option, 1, &value);
    }
    if (!request->linear && request->problem_path)
        nb_json_options(json, "", &tolerance, 1, &request->relative_tolerance);
}

int nb_run_setting_standard(const char *name, char text[NB_NAME_LENGTH]) {
    const nb_scene_settings standard = nb_scene_settings_standard();
    const nb_scene_setting *setting = nb_scene_setting_find(name);
    if (setting)
        nb_scene_setting_text(setting, &standard, 6, text, NB_NAME_LENGTH);
    else if (strcmp(name, tolerance.name) == 0)
        snprintf(text, NB_NAME_LENGTH, "0");
    else
        return 0;
    return 1;
}

int nb_run_setting_is_standard(const char *name, const char *value) {
    char standard[NB_NAME_LENGTH];
    if (strcmp(name, "rhs") == 0) return strcmp(value, NB_LINEAR_ONES_SHOWN) == 0;
    return nb_run_setting_standard(name, standard) && strcmp(value, standard) == 0;
}
