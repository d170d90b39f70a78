#include "run/prepare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "file/linear_problem.h"
#include "run/method_options.h"
#include "run/resolve.h"
#include "run/settings.h"
#include "text/json.h"

NB_PRECISIONS(f64);

/* Which right-hand side the linear system has: in the parameters, and for tables. */
static nb_status describe_rhs(nb_request *request, nb_json *json) {
    char *path;
    nb_status status = nb_linear_problem_find_rhs(request->problem_path, request->rhs, &path);
    if (status != NB_OK) return status;
    const char *slash = path ? strrchr(path, '/') : NULL;
    nb_json_text(json, "rhs", path ? path : NB_LINEAR_ONES_SHOWN);
    snprintf(request->rhs_shown, sizeof request->rhs_shown, "%s",
             slash  ? slash + 1
             : path ? path
                    : NB_LINEAR_ONES_SHOWN);
    nb_free(path);
    return NB_OK;
}

/* all parameters and options of a run as one flat JSON object */
static nb_status describe(nb_request *request, char **text) {
    nb_status status = NB_OK;
    const nb_choices *choices = &request->choices;
    size_t length;
    char *buffer = NULL;
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's parameters");
    nb_json json = {.stream = stream};
    nb_json_object(&json, NULL);
    if (choices->scenario)
        nb_json_options(&json, "", choices->scenario->parameters, choices->scenario->parameter_count,
                        choices->parameters);
    nb_run_settings_write(request, &json);
    if (request->linear) status = describe_rhs(request, &json);
    if (request->time_limit > 0) nb_json_number(&json, "time-limit", request->time_limit);
    if (choices->method_plugin) nb_json_text(&json, "method.plugin", choices->method_plugin);
    for (int i = 0; i < choices->method->option_count; i++) {
        const nb_option *option = &choices->method->options[i];
        if (choices->method_plugin || !nb_method_option_is_attribute(option->name))
            nb_json_options(&json, "method.", option, 1, &choices->method_values[i]);
    }
    if (choices->solver_plugin) nb_json_text(&json, "linear-solver.plugin", choices->solver_plugin);
    nb_json_options(&json, "linear-solver.", choices->solver_options, choices->solver_option_count,
                    choices->solver_values);
    if (choices->preconditioner_plugin) nb_json_text(&json, "preconditioner.plugin", choices->preconditioner_plugin);
    nb_json_options(&json, "preconditioner.", choices->preconditioner_options, choices->preconditioner_option_count,
                    choices->preconditioner_values);
    nb_json_end(&json);
    if (fclose(stream)) status = nb_fail(NB_ERROR_MEMORY, "out of memory for a run's parameters");
    if (status == NB_OK) status = nb_copy_text(buffer, text);
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
    const nb_choices *choices = &request->choices;
    const int left_open = !*request->info.method;
    request->linear = request->problem_path && nb_linear_problem_is(request->problem_path);
    NB_TRY(nb_request_resolve(request));
    nb_request_set_attributes(request, choices);
    if (request->linear) request->info.regularization = 0; /* A is taken as it stands */
    NB_TRY(nb_request_check(request));
    nb_free(request->info.parameters);
    request->info.parameters = NULL;
    NB_TRY(describe(request, &request->info.parameters));
out:
    return left_open ? explain_method(request, status) : status;
}
