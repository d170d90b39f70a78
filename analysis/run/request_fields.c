#include "run/request_fields.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/named_values.h"
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
        if (is_in_parameters(o) || !nb_request_uses_field(i, request)) continue;
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
