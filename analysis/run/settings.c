#include "run/settings.h"

#include <math.h>
#include <string.h>

#include "base/named_values.h"
#include "file/linear_problem.h"

void nb_run_settings_write(const nb_request *request, FILE *stream) {
    const nb_scene_settings own = nb_request_scene(request);
    const nb_scene_setting *setting;
    for (int i = 0; !request->linear && (setting = nb_scene_setting_at(i)) != NULL; i++) {
        const double value = nb_scene_setting_value(setting, &own);
        if (request->problem_path && !setting->of_files) continue;
        if (setting->word && !isfinite(value))
            nb_named_text_write(stream, "", setting->option.name, setting->word);
        else
            nb_named_options_write(stream, "", &setting->option, 1, &value);
    }
}

int nb_run_setting_standard(const char *name, char text[NB_NAME_LENGTH]) {
    const nb_scene_settings standard = nb_scene_settings_standard();
    const nb_scene_setting *setting = nb_scene_setting_find(name);
    if (setting) nb_scene_setting_text(setting, &standard, 6, text, NB_NAME_LENGTH);
    return setting != NULL;
}

int nb_run_setting_is_standard(const char *name, const char *value) {
    char standard[NB_NAME_LENGTH];
    if (strcmp(name, "rhs") == 0) return strcmp(value, NB_LINEAR_ONES_SHOWN) == 0;
    return nb_run_setting_standard(name, standard) && strcmp(value, standard) == 0;
}
