#include "figure/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "run/columns.h"
#include "statistics/outcome.h"
#include "statistics/settings.h"

const char *const nb_convergence_axes[NB_CONVERGENCE_AXES] = {"iteration", "work", "time"};

void nb_figure_choice_standard(nb_figure_choice *choice) {
    *choice = (nb_figure_choice){.step = -1};
}

/* ---- conditions ---- */

static const char *field_name_at(const void *context, int i) {
    (void)context;
    return nb_run_info_members.items[i].name;
}

nb_status nb_figure_choice_add(nb_figure_choice *choice, const char *text) {
    size_t name = strcspn(text, "=");
    if (name == 0 || text[name] != '=' || text[name + 1] == '\0')
        return nb_fail(NB_ERROR_USAGE,
                       "--where '%.80s': write it as NAME=VALUE[,VALUE...], as in linear-solver=pcr,pcg", text);
    if (choice->condition_count == NB_CHOICE_CONDITIONS)
        return nb_fail(NB_ERROR_USAGE, "--where: more than %d conditions", (int)NB_CHOICE_CONDITIONS);
    choice->conditions[choice->condition_count++] = text;
    return NB_OK;
}

/* whether a value is the same: as a text, or as a number */
static int same_value(const char *value, const char *wanted_value, size_t length) {
    char text[NB_NAME_LENGTH], *end[2];
    if (strlen(value) == length && strncmp(value, wanted_value, length) == 0) return 1;
    snprintf(text, sizeof text, "%.*s", (int)length, wanted_value);
    if (strcmp(value, "1") == 0 && strcmp(text, "on") == 0) return 1;
    if (strcmp(value, "0") == 0 && strcmp(text, "off") == 0) return 1;
    double a = strtod(value, &end[0]), b = strtod(text, &end[1]);
    return end[0] != value && end[1] != text && !*end[0] && !*end[1] && a == b;
}

static int holds(const char *condition, const nb_run_info *info) {
    char value[NB_NAME_LENGTH];
    size_t name = strcspn(condition, "=");
    if (!nb_setting_find(info, condition, name, value)) return 0;
    for (const char *item = condition + name + 1;; item++) {
        size_t length = strcspn(item, ",");
        if (same_value(value, item, length)) return 1;
        item += length;
        if (!*item) return 0;
    }
}

int nb_figure_choice_holds(const nb_figure_choice *choice, const nb_run_info *info) {
    for (int i = 0; choice && i < choice->condition_count; i++)
        if (!holds(choice->conditions[i], info)) return 0;
    return 1;
}

/* ", VALUE" where it is not in the list yet */
static void add_value(char *list, size_t size, const char *value) {
    size_t used = strlen(list), length = strlen(value);
    for (const char *at = list; (at = strstr(at, value)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return;
    if (used + length + 3 < size) snprintf(list + used, size - used, "%s%s", used ? ", " : "", value);
}

static nb_status find_condition(const char *condition, nb_record_reader *reader) {
    char values[512] = "", value[NB_NAME_LENGTH];
    int met = 0, known = 0;
    size_t length = strcspn(condition, "=");
    for (int i = 0; i < nb_record_run_count(reader) && !met; i++) {
        const nb_run_head *head;
        nb_status status = nb_record_read_head(reader, i, &head);
        if (status != NB_OK) return status;
        if (nb_setting_find(&head->info, condition, length, value)) {
            known = 1;
            add_value(values, sizeof values, *value ? value : "none");
        }
        met = holds(condition, &head->info);
    }
    if (met) return NB_OK;
    if (nb_record_run_count(reader) == 0)
        return nb_fail(NB_ERROR_INPUT, "--where %.80s: it chooses runs, and the record has none", condition);
    if (known)
        return nb_fail(NB_ERROR_INPUT, "--where %.80s: no run of the record has it; there %.*s is %s", condition,
                       (int)length, condition, values);
    char name[NB_NAME_LENGTH];
    snprintf(name, sizeof name, "%.*s", (int)length, condition);
    return nb_name_unknown("--where", name, nb_run_info_members.count, field_name_at, NULL);
}

nb_status nb_figure_choice_find(const nb_figure_choice *choice, nb_record_reader *reader) {
    nb_status status = NB_OK;
    for (int i = 0; choice && i < choice->condition_count && status == NB_OK; i++)
        status = find_condition(choice->conditions[i], reader);
    return status;
}

/* ---- the quantity ---- */

void nb_figure_choice_name(const char *quantity, char name[NB_NAME_LENGTH]) {
    if (strncmp(quantity, "newton/", 7) == 0) quantity += 7;
    snprintf(name, NB_NAME_LENGTH, "%s", quantity);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
}

int nb_figure_choice_linear(const char *quantity) {
    static const char folder[] = "linear/";
    char name[NB_NAME_LENGTH];
    int of_linear = strncmp(quantity, folder, sizeof folder - 1) == 0;
    nb_figure_choice_name(of_linear ? quantity + sizeof folder - 1 : quantity, name);
    if (nb_figure_choice_relative(quantity)) return NB_LINEAR_RESIDUAL_L2;
    if (!of_linear && nb_known_columns_have(name)) return -1; /* what linear/ alone has needs no folder */
    for (int i = 0; i < NB_LINEAR_COLUMNS; i++)
        if (strcmp(nb_linear_columns[i].name, name) == 0) return i;
    return -1;
}

static const char relative[] = "relative_residual";

int nb_figure_choice_relative(const char *quantity) {
    char name[NB_NAME_LENGTH];
    nb_figure_choice_name(strncmp(quantity, "linear/", 7) == 0 ? quantity + 7 : quantity, name);
    return strcmp(name, relative) == 0;
}

nb_status nb_figure_choice_default(const nb_figure_choice *choice, nb_record_reader *reader, const char **quantity) {
    *quantity = NULL;
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        nb_run *run = NULL;
        nb_status status = nb_record_read_head(reader, i, &head);
        if (status != NB_OK) return status;
        if (!head->finished || head->step_count == 0 || !nb_figure_choice_holds(choice, &head->info)) continue;
        status = nb_record_read_run(reader, i, &run);
        if (status == NB_OK && nb_run_is_system(run)) *quantity = relative;
        nb_run_destroy(run);
        return status;
    }
    return NB_OK;
}
