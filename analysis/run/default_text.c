#include "run/default_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "run/prepare.h"
#include "run/setting_effect.h"

__attribute__((format(printf, 2, 3))) static void add(char text[NB_DEFAULT_TEXT], const char *format, ...) {
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, NB_DEFAULT_TEXT - used, format, arguments);
    va_end(arguments);
}

/* what papers and methods say of the scene: nobody else has */
static void write_scene(const nb_request *r, char text[NB_DEFAULT_TEXT]) {
    const nb_scene_setting *setting;
    char value[NB_NAME_LENGTH];
    for (int i = 0; (setting = nb_scene_setting_at(i)) != NULL; i++) {
        if (nb_scene_setting_is_open(setting, &r->scene)) continue;
        if (strcmp(setting->option.name, "facets") == 0 && !nb_friction_has_facets(r->scene.friction_law)) continue;
        nb_scene_setting_text(setting, &r->scene, 6, value, sizeof value);
        add(text, " --%s %s", setting->option.name, value);
    }
}

static void write_steps(const nb_request *r, char text[NB_DEFAULT_TEXT]) {
    const nb_run_info *info = &r->info;
    write_scene(r, text);
    add(text, " --geometry %s", info->geometry);
    if (info->warm_start) add(text, " --warm-start on");
    add(text, " --time-step %g --steps %d", info->time_step, (int)info->steps);
}

nb_status nb_default_text(const nb_scenario_class *scenario, char text[NB_DEFAULT_TEXT]) {
    nb_status status;
    nb_request *request = NULL; /* too large for a stack */
    *text = '\0';
    NB_TRY(NB_ALLOCATE(1, &request));
    nb_request_standard(request);
    snprintf(request->info.scenario, NB_NAME_LENGTH, "%s", scenario->name);
    NB_TRY(nb_simulate_prepare(request));
    add(text, "--method %s --newton-iterations %d", request->info.method, (int)request->info.newton_iterations);
    if (nb_request_uses(request, "linear-iterations"))
        add(text, " --linear-iterations %d", (int)request->info.linear_iterations);
    if (scenario->paper && scenario->paper->record_every > 0)
        add(text, " --record-every %d", (int)scenario->paper->record_every);
    for (int i = 0; scenario->paper && scenario->paper->options && scenario->paper->options[i][0]; i++)
        add(text, " --%s %s", scenario->paper->options[i][0], scenario->paper->options[i][1]);
    write_steps(request, text);
out:
    if (request) nb_free(request->info.parameters);
    nb_free(request);
    return status;
}
