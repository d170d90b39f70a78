#include "run/prepare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "base/sha256.h"
#include "file/linear_problem.h"
#include "file/scene_file.h"
#include "run/resolve.h"
#include "run/standard_set.h"
#include "run/start_state.h"

NB_PRECISIONS(f64);

/* Which right-hand side the linear system has: in the parameters, and for tables. */
static nb_status describe_rhs(nb_request *request, FILE *stream) {
    char *path, sum[NB_SHA256_TEXT];
    nb_status status = nb_linear_problem_find_rhs(request->problem_path, request->rhs, &path);
    if (status != NB_OK) return status;
    const char *slash = path ? strrchr(path, '/') : NULL;
    nb_named_text_write(stream, "", "rhs", path ? path : NB_LINEAR_ONES_SHOWN);
    snprintf(request->rhs_shown, sizeof request->rhs_shown, "%s",
             slash  ? slash + 1
             : path ? path
                    : NB_LINEAR_ONES_SHOWN);
    if (path) status = nb_sha256_file(path, sum);
    if (path && status == NB_OK) nb_named_text_write(stream, "", "rhs-sha256", sum);
    nb_free(path);
    return status;
}

/* The settings of the scene: all of a scenario's run, few of a problem file's, none of a linear system's. */
static void write_settings(const nb_request *request, FILE *stream) {
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

/* a plugin's path and its SHA-256, where there is one */
static nb_status write_plugin(FILE *stream, const char *prefix, const char *path) {
    char sum[NB_SHA256_TEXT];
    if (!path) return NB_OK;
    nb_named_text_write(stream, prefix, "plugin", path);
    nb_status status = nb_sha256_file(path, sum);
    if (status == NB_OK) nb_named_text_write(stream, prefix, "plugin-sha256", sum);
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
        if (strcmp(path, choices->scenario->name) != 0) nb_named_text_write(stream, "", "scene-path", path);
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
    if (!request->linear) /* which no method's options change */
        nb_named_options_write(stream, "method.", choices->method->options, choices->method->option_count,
                               choices->method_values);
    NB_TRY(write_plugin(stream, "linear-solver.", choices->solver_plugin));
    nb_named_options_write(stream, "linear-solver.", choices->solver_options, choices->solver_option_count,
                           choices->solver_values);
    NB_TRY(write_plugin(stream, "preconditioner.", choices->preconditioner_plugin));
    nb_named_options_write(stream, "preconditioner.", choices->preconditioner_options,
                           choices->preconditioner_option_count, choices->preconditioner_values);
    if (request->linear) NB_TRY(describe_rhs(request, stream));
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
    request->linear = request->problem_path && nb_linear_problem_is(request->problem_path);
    NB_TRY(nb_request_resolve(request));
    NB_TRY(nb_request_check(request));
    nb_free(request->info.parameters);
    request->info.parameters = NULL;
    NB_TRY(describe(request, &request->info.parameters));
out:
    return left_open ? explain_method(request, status) : status;
}
