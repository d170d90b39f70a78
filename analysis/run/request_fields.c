#include "run/request_fields.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/setting_effect.h"

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

/* Settings stand in the parameters, with those that were left at their standard values, and the size is one. */
static int is_in_parameters(const nb_request_option *o) {
    return o->kind == NB_OPTION_SETTING || o->field == offsetof(nb_request, size);
}

nb_status nb_request_identity(const nb_request *request, char **text) {
    size_t length;
    char *buffer = NULL, value[NB_REQUEST_FIELD_TEXT];
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings");
    fprintf(stream, "%s\n%s\n", request->problem_path ? request->problem_path : "", request->info.scenario);
    for (int i = 0; i < nb_request_option_count(); i++) {
        const nb_request_option *o = nb_request_option_at(i);
        if (is_in_parameters(o) || !nb_request_uses_field(i, request)) continue;
        nb_request_option_text(o, request, 17, value);
        fprintf(stream, "%s %s\n", o->option.name, value);
    }
    fputs(request->info.parameters ? request->info.parameters : "", stream);
    int failed = fclose(stream) != 0;
    nb_status status = failed ? nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings") : NB_OK;
    if (status == NB_OK) status = nb_copy_text(buffer, text);
    free(buffer);
    return status;
}
