#include "run/prepare.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/named_values.h"
#include "base/sha256.h"
#include "file/linear_problem.h"
#include "file/scene_file.h"
#include "run/resolve.h"
#include "run/setting_effect.h"
#include "run/standard_set.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

/* Which right-hand sides the linear system has: in the parameters, and for tables. The checksum of several files is
 * that of their checksums, one after the other. */
static nb_status describe_rhs(nb_request *request, FILE *stream) {
    char *files, name[NB_FILE_NAME], sum[NB_SHA256_TEXT];
    nb_sha256 all;
    int count = 0;
    nb_status status = nb_linear_problem_find_rhs(request->problem_path, request->rhs, &files);
    if (status != NB_OK) return status;
    nb_named_text_write(stream, "", "rhs", files ? files : NB_LINEAR_ONES_SHOWN);
    snprintf(request->rhs_shown, sizeof request->rhs_shown, "%s", NB_LINEAR_ONES_SHOWN);
    nb_sha256_begin(&all);
    for (const char *rest = files; nb_file_list_next(&rest, name); count++) {
        const char *slash = strrchr(name, '/');
        NB_TRY(nb_sha256_file(name, sum));
        nb_sha256_add(&all, sum, sizeof sum - 1);
        if (count == 0) snprintf(request->rhs_shown, sizeof request->rhs_shown, "%.50s", slash ? slash + 1 : name);
        const size_t used = strlen(request->rhs_shown);
        if (count == 1) snprintf(request->rhs_shown + used, sizeof request->rhs_shown - used, ", ...");
    }
    if (count > 1) nb_sha256_end(&all, sum);
    if (files) nb_named_text_write(stream, "", "rhs-sha256", sum);
out:
    nb_free(files);
    return status;
}

/* The settings of the scene: all of a scenario's run, few of a problem file's, none of a linear system's. */
static void write_settings(const nb_request *request, FILE *stream) {
    const nb_scene_settings own = nb_request_scene(request);
    const nb_scene_setting *setting;
    for (int i = 0; request->subject->has_contacts && (setting = nb_scene_setting_at(i)) != NULL; i++) {
        const double value = nb_scene_setting_value(setting, &own);
        if (!request->subject->has_steps && !setting->of_files) continue;
        if (setting->word && !isfinite(value))
            nb_named_text_write(stream, "", setting->option.name, setting->word);
        else
            nb_named_options_write(stream, "", &setting->option, 1, &value);
    }
}

/* a plugin's path and its SHA-256, where there is one */
static nb_status write_plugin(FILE *stream, const char *prefix, const char *path) {
    char sum[NB_SHA256_TEXT];
    if (!path) return NB_OK;
    nb_named_text_write(stream, prefix, "plugin", path);
    nb_status status = nb_sha256_file(path, sum);
    if (status == NB_OK) nb_named_text_write(stream, prefix, "plugin-sha256", sum);
    return status;
}

/* of a scene of the standard set */
static nb_status write_class(const char *name, FILE *stream) {
    char class[NB_NAME_LENGTH];
    const nb_status status = nb_standard_class(name, class);
    if (*class) nb_named_text_write(stream, "", "class", class);
    return status;
}

static nb_status write_parameters(nb_request *request, FILE *stream) {
    const nb_choices *choices = &request->choices;
    nb_status status = NB_OK;
    if (choices->scenario)
        nb_named_options_write(stream, "", choices->scenario->parameters, choices->scenario->parameter_count,
                               choices->parameters);
    if (choices->scenario && choices->scenario->file) {
        const char *path = nb_scene_file_path(choices->scenario);
        nb_named_text_write(stream, "", "scene-file", nb_scene_file_checksum(choices->scenario));
        if (nb_scene_file_is(choices->scenario->name) && strcmp(path, choices->scenario->name) != 0)
            nb_named_text_write(stream, "", "scene-path", path);
        if (!nb_scene_file_is(choices->scenario->name)) NB_TRY(write_class(choices->scenario->name, stream));
    }
    if (request->problem_sha256) nb_named_text_write(stream, "", "problem-sha256", request->problem_sha256);
    if (request->start) nb_named_text_write(stream, "", "from", request->start->text);
    if (request->standard) {
        nb_named_text_write(stream, "", "class", request->standard->class);
        nb_named_text_write(stream, "", "sha256", request->standard->sha256);
        nb_named_text_write(stream, "", "best", request->standard->best);
    }
    write_settings(request, stream);
    NB_TRY(write_plugin(stream, "method.", choices->method_plugin));
    if (request->subject->has_contacts) /* which no method's options change */
        nb_named_options_write(stream, "method.", choices->method->options, choices->method->option_count,
                               choices->method_values);
    NB_TRY(write_plugin(stream, "linear-solver.", choices->solver_plugin));
    nb_named_options_write(stream, "linear-solver.", choices->solver_options, choices->solver_option_count,
                           choices->solver_values);
    NB_TRY(write_plugin(stream, "preconditioner.", choices->preconditioner_plugin));
    nb_named_options_write(stream, "preconditioner.", choices->preconditioner_options,
                           choices->preconditioner_option_count, choices->preconditioner_values);
    if (!request->subject->has_contacts) NB_TRY(describe_rhs(request, stream));
out:
    return status;
}

/* all parameters and options of a run as named values */
static nb_status describe(nb_request *request, char **text) {
    size_t length;
    char *buffer = NULL;
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's parameters");
    nb_status status = write_parameters(request, stream);
    if (fclose(stream)) status = nb_fail(NB_ERROR_MEMORY, "out of memory for a run's parameters");
    if (status == NB_OK) status = nb_named_values_sort(buffer, text);
    free(buffer);
    return status;
}

/* A refusal by a method that nobody named says how it came to be the one. */
static nb_status explain_method(const nb_request *request, nb_status status) {
    const char *method = request->info.method;
    char message[600];
    if (status == NB_OK || !request->choices.scenario || !*method || strcmp(method, "newton") == 0 ||
        !strstr(nb_error_message(), method))
        return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "%s (%s is the method of scenario '%s' where no --method is given)", message, method,
                   request->info.scenario);
}

nb_status nb_simulate_prepare(nb_request *request) {
    nb_status status;
    const int left_open = !*request->info.method;
    NB_TRY(nb_request_resolve(request));
    NB_TRY(nb_request_check(request));
    nb_free(request->info.parameters);
    request->info.parameters = NULL;
    NB_TRY(describe(request, &request->info.parameters));
out:
    return left_open ? explain_method(request, status) : status;
}

/* A scenario's defaults as text. */

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
        add(text, " --%s %d", request->choices.method->record_every, (int)scenario->paper->record_every);
    for (int i = 0; scenario->paper && scenario->paper->options && scenario->paper->options[i][0]; i++)
        add(text, " --%s %s", scenario->paper->options[i][0], scenario->paper->options[i][1]);
    write_steps(request, text);
out:
    if (request) nb_free(request->info.parameters);
    nb_free(request);
    return status;
}

/* What tells runs apart: the fields of a request as text, by the options that set them (run/options.h). Field i is that
 * of option i, i < nb_request_field_count. */

int nb_request_field_count(void) {
    return nb_request_option_count();
}

const char *nb_request_field_name(int i) {
    return nb_request_option_at(i)->option.name + 2;
}

void nb_request_field_text(int i, const nb_request *request, char text[NB_REQUEST_FIELD_TEXT]) {
    nb_request_option_text(nb_request_option_at(i), request, 6, text);
}

int nb_request_uses_field(int i, const nb_request *request) {
    return nb_request_uses(request, nb_request_field_name(i));
}

typedef struct written {
    FILE *stream;
    const nb_request *request;
} written;

static nb_status write_parameter(void *context, const nb_named_value *parameter) {
    const written *w = context;
    if (nb_request_uses(w->request, parameter->name)) fprintf(w->stream, "%s %s\n", parameter->name, parameter->text);
    return NB_OK;
}

nb_status nb_request_identity(const nb_request *request, char **text) {
    size_t length;
    char *buffer = NULL, value[NB_REQUEST_FIELD_TEXT];
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings");
    fprintf(stream, "%s\n%s\n", request->problem_path ? request->problem_path : "", request->info.scenario);
    for (int i = 0; i < nb_request_option_count(); i++) {
        const nb_request_option *o = nb_request_option_at(i);
        if (o->kind == NB_OPTION_SETTING || o->field == offsetof(nb_request, size) || /* in the parameters */
            !nb_request_uses_field(i, request))
            continue;
        nb_request_option_text(o, request, 17, value);
        fprintf(stream, "%s %s\n", o->option.name, value);
    }
    const written w = {stream, request};
    nb_status status = nb_named_values_read(request->info.parameters, write_parameter, (void *)&w);
    if (fclose(stream) != 0) status = nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings");
    if (status == NB_OK) status = nb_copy_text(buffer, text);
    free(buffer);
    return status;
}
