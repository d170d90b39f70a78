#include "run/method_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"
#include "text/json.h"

NB_PRECISIONS(f64);

static char plain(char c) {
    return c == '-' ? '_' : c;
}

static int same_name(const char *a, const char *b) {
    while (*a && plain(*a) == plain(*b)) a++, b++;
    return *a == *b;
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

/* ---- attributes ---- */

static const nb_member *attribute_of(const char *name) {
    int listed = 0;
    for (int i = 0; nb_run_info_method_options[i]; i++) listed |= same_name(nb_run_info_method_options[i], name);
    for (int i = 0; listed && i < nb_run_info_members.count; i++)
        if (same_name(nb_run_info_members.items[i].name, name)) return &nb_run_info_members.items[i];
    return NULL;
}

int nb_method_option_is_attribute(const char *name) {
    return attribute_of(name) != NULL;
}

void nb_option_text(const nb_option *option, double value, int digits, char *text, size_t size) {
    if (option->choices)
        snprintf(text, size, "%s", option->choices[(int)value]);
    else
        snprintf(text, size, "%.*g", digits, value);
}

void nb_method_option_set_attribute(nb_run_info *info, const nb_option *option, double value) {
    const nb_member *field = attribute_of(option->name);
    char *member = field ? (char *)info + field->offset : NULL;
    int32_t whole = (int32_t)value;
    if (!field) return;
    if (field->kind == NB_MEMBER_TEXT) nb_option_text(option, value, 17, member, field->size);
    if (field->kind == NB_MEMBER_REAL) memcpy(member, &value, sizeof value);
    if (field->kind == NB_MEMBER_INT32) memcpy(member, &whole, sizeof whole);
}

/* a parameter being looked for */
typedef struct wanted {
    const nb_option *option;
    double value;
} wanted;

static void take_text(wanted *w, const char *text) {
    if (!w->option->choices) w->value = strtod(text, NULL);
    for (int i = 0; w->option->choices && w->option->choices[i]; i++)
        if (strcmp(w->option->choices[i], text) == 0) w->value = i;
}

static nb_status take_parameter(void *context, const char *name, const char *value) {
    static const char prefix[] = "method.";
    wanted *w = context;
    if (strncmp(name, prefix, sizeof prefix - 1) == 0 && same_name(name + sizeof prefix - 1, w->option->name))
        take_text(w, value);
    return NB_OK;
}

double nb_method_option_value(const nb_run_info *info, const nb_option *option) {
    const nb_member *field = attribute_of(option->name);
    wanted w = {option, option->standard};
    char text[NB_NAME_LENGTH];
    if (!field) {
        if (info->parameters) (void)nb_json_read(info->parameters, take_parameter, &w); /* a fault finds nothing */
        return w.value;
    }
    nb_member_text(field, info, 17, text, sizeof text);
    if (field->kind == NB_MEMBER_TEXT)
        take_text(&w, text);
    else
        w.value = strtod(text, NULL);
    return w.value;
}
