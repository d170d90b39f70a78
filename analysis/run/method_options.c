#include "run/method_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/named_values.h"
#include "method.h"
#include "registry.h"
#include "run/request.h"

NB_PRECISIONS(f64);

static int same_name(const char *a, const char *b) {
    return nb_name_is(a, b, strlen(b));
}

int nb_method_option_place(const nb_method_class *method, const char *name) {
    for (int i = 0; i < method->option_count; i++)
        if (same_name(method->options[i].name, name)) return i;
    return -1;
}

/* whether a method before method m has an option of this name */
static int is_known(int m, const char *name) {
    for (int i = 0; i < m; i++)
        if (nb_method_option_place(nb_methods[i], name) >= 0) return 1;
    return 0;
}

const nb_option *nb_method_option_at(int i, const nb_method_class **owner) {
    for (int m = 0; nb_methods[m]; m++)
        for (int k = 0; k < nb_methods[m]->option_count; k++) {
            const nb_option *option = &nb_methods[m]->options[k];
            if (is_known(m, option->name) || i-- > 0) continue;
            *owner = nb_methods[m];
            return option;
        }
    return NULL;
}

const nb_option *nb_method_option_find(const char *name, const nb_method_class **owner) {
    for (int m = 0; nb_methods[m]; m++) {
        int place = nb_method_option_place(nb_methods[m], name);
        if (place < 0) continue;
        *owner = nb_methods[m];
        return &nb_methods[m]->options[place];
    }
    return NULL;
}

/* ---- of runs ---- */

/* the options that are looked for */
typedef struct wanted {
    const nb_option *options;
    int count;
    double *values;
} wanted;

static void take_text(const nb_option *option, const char *text, double *value) {
    if (!option->choices) *value = strtod(text, NULL);
    for (int i = 0; option->choices && option->choices[i]; i++)
        if (strcmp(option->choices[i], text) == 0) *value = i;
}

static nb_status take_parameter(void *context, const nb_named_value *parameter) {
    static const char prefix[] = "method.";
    const wanted *w = context;
    if (strncmp(parameter->name, prefix, sizeof prefix - 1) != 0) return NB_OK;
    for (int i = 0; i < w->count; i++)
        if (same_name(parameter->name + sizeof prefix - 1, w->options[i].name))
            take_text(&w->options[i], parameter->text, &w->values[i]);
    return NB_OK;
}

void nb_method_option_values(const nb_run_info *info, const nb_option *options, int count, double *values) {
    wanted w = {options, count, values};
    nb_options_standard(options, count, values);
    (void)nb_named_values_read(info->parameters, take_parameter, &w); /* a fault finds nothing */
}

const char *nb_method_advice(const nb_run_info *info, nb_shortfall how) {
    const nb_method_class *method;
    double values[NB_MAX_OPTIONS];
    if (nb_method_find(info->method, &method) != NB_OK || !method->advice) return NULL;
    nb_method_option_values(info, method->options, method->option_count, values);
    return method->advice(how, values);
}
