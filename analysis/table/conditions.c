#include "table/conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "table/settings.h"

nb_status nb_conditions_add(nb_conditions *conditions, const char *text) {
    const size_t name = strcspn(text, "=");
    if (name == 0 || text[name] != '=' || text[name + 1] == '\0')
        return nb_fail(NB_ERROR_USAGE,
                       "--where '%.80s': write it as NAME=VALUE[,VALUE...], as in linear-solver=pcr,pcg", text);
    if (conditions->count == NB_CONDITIONS)
        return nb_fail(NB_ERROR_USAGE, "--where: more than %d conditions", (int)NB_CONDITIONS);
    conditions->item[conditions->count++] = text;
    return NB_OK;
}

/* whether a value is the same: as a text, or as a number */
static int same_value(const char *value, const char *wanted, size_t length) {
    char text[NB_NAME_LENGTH], *end[2];
    if (strlen(value) == length && strncmp(value, wanted, length) == 0) return 1;
    snprintf(text, sizeof text, "%.*s", (int)length, wanted);
    if (strcmp(value, "1") == 0 && strcmp(text, "on") == 0) return 1;
    if (strcmp(value, "0") == 0 && strcmp(text, "off") == 0) return 1;
    const double a = strtod(value, &end[0]), b = strtod(text, &end[1]);
    return end[0] != value && end[1] != text && !*end[0] && !*end[1] && a == b;
}

int nb_condition_holds(const char *text, size_t length, char separator, const nb_run_info *info) {
    char value[NB_NAME_LENGTH];
    const char *sign = memchr(text, '=', length), *end = text + length;
    if (!sign || !nb_setting_find(info, text, (size_t)(sign - text), value)) return 0;
    for (const char *item = sign + 1, *next; item <= end; item = next + 1) {
        next = memchr(item, separator, (size_t)(end - item));
        if (!next) next = end;
        if (same_value(value, item, (size_t)(next - item))) return 1;
    }
    return 0;
}

static int holds(const char *condition, const nb_run_info *info) {
    return nb_condition_holds(condition, strlen(condition), ',', info);
}

int nb_conditions_hold(const nb_conditions *conditions, const nb_run_info *info) {
    for (int i = 0; conditions && i < conditions->count; i++)
        if (!holds(conditions->item[i], info)) return 0;
    return 1;
}

/* ", VALUE" where it is not in the list yet */
static void add_value(char *list, size_t size, const char *value) {
    size_t used = strlen(list), length = strlen(value);
    for (const char *at = list; (at = strstr(at, value)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ',')) return;
    if (used + length + 3 < size) snprintf(list + used, size - used, "%s%s", used ? ", " : "", value);
}

static nb_status find(const char *condition, nb_record_reader *reader) {
    char values[512] = "", value[NB_NAME_LENGTH];
    int known = 0;
    const size_t length = strcspn(condition, "=");
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        nb_status status = nb_record_read_head(reader, i, &head);
        if (status != NB_OK) return status;
        if (holds(condition, &head->info)) return NB_OK;
        if (!nb_setting_find(&head->info, condition, length, value)) continue;
        known = 1;
        add_value(values, sizeof values, *value ? value : "none");
    }
    if (nb_record_run_count(reader) == 0)
        return nb_fail(NB_ERROR_INPUT, "--where %.80s: it chooses runs, and the record has none", condition);
    if (known)
        return nb_fail(NB_ERROR_INPUT, "--where %.80s: no run of the record has it; there %.*s is %s", condition,
                       (int)length, condition, values);
    char name[NB_NAME_LENGTH];
    snprintf(name, sizeof name, "%.*s", (int)length, condition);
    return nb_name_unknown("--where", name, nb_run_info_members.count, nb_setting_attribute_at, NULL);
}

nb_status nb_conditions_find(const nb_conditions *conditions, nb_record_reader *reader) {
    nb_status status = NB_OK;
    for (int i = 0; conditions && i < conditions->count && status == NB_OK; i++)
        status = find(conditions->item[i], reader);
    return status;
}
