#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "table/conditions.h"
#include "table/settings.h"

nb_status nb_baseline_split(const char *text, char **path, const char **run) {
    const char *slash = strrchr(text, '/');
    struct stat file;
    *path = NULL;
    *run = text;
    if (!slash) return NB_OK;
    nb_status status = nb_copy_text(text, path);
    if (status != NB_OK) return status;
    (*path)[slash - text] = '\0';
    if (stat(*path, &file) == 0 && S_ISREG(file.st_mode)) {
        *run = slash + 1;
    } else {
        nb_free(*path);
        *path = NULL;
    }
    return NB_OK;
}

/* a word by which a run is named */
typedef struct naming {
    const char *item;
    size_t length;
    int found;
} naming;

static nb_status match_method(void *context, const nb_named_value *parameter) {
    naming *w = context;
    w->found |= !parameter->is_number && strncmp(parameter->name, "method.", 7) == 0 &&
                strlen(parameter->text) == w->length && strncmp(parameter->text, w->item, w->length) == 0;
    return NB_OK;
}

/* whether the run has the setting NAME=VALUE, or one of this value */
static int has_item(const nb_run_info *info, const char *item, size_t length) {
    char value[NB_NAME_LENGTH];
    if (memchr(item, '=', length)) return nb_condition_holds(item, length, ',', info);
    naming w = {item, length, 0};
    (void)nb_named_values_read(info->parameters, match_method, &w); /* a fault finds nothing */
    for (int i = 0; i < nb_run_info_members.count && !w.found; i++) {
        const nb_member *field = &nb_run_info_members.items[i];
        if (field->kind != NB_MEMBER_TEXT || !nb_setting_kind(field->name)) continue;
        nb_member_text(field, info, 6, value, sizeof value);
        w.found = strlen(value) == length && strncmp(value, item, length) == 0;
    }
    return w.found;
}

static int has_items(const nb_run_info *info, const char *list) {
    for (const char *item = list;; item++) {
        const size_t length = strcspn(item, ",");
        if (length == 0 || !has_item(info, item, length)) return 0;
        item += length;
        if (!*item) return 1;
    }
}

/* "0000 (arch, linear_solver pcr), 0001 (...)": the first runs, of those that `list` names where it is given */
static void list_runs(const nb_compared_runs *set, const char *list, char *text, size_t size) {
    size_t used = 0;
    int named = 0;
    *text = '\0';
    for (int64_t i = 0; i < set->count && used < size; i++) {
        char label[256];
        if (list && !has_items(&set->items[i].info, list)) continue;
        if (named++ == 4) {
            snprintf(text + used, size - used, ", ...");
            return;
        }
        nb_compared_run_label(set, i, NB_COMPARED_PROBLEM | NB_COMPARED_SOLVER, label, sizeof label);
        used += (size_t)snprintf(text + used, size - used, "%s%04lld (%.100s)", used ? ", " : "", (long long)i, label);
    }
}

/* whether `run` leaves open which of the two it means */
static int are_rivals(const nb_compared_run *a, const nb_compared_run *b, int any_problem) {
    return (!any_problem && strcmp(a->info.scenario, b->info.scenario) == 0) || !nb_compared_run_same_solver(a, b) ||
           strcmp(a->info.precision, b->info.precision) != 0;
}

nb_status nb_baseline_find(const nb_compared_runs *set, const char *path, const char *run, int any_problem,
                           int64_t *index) {
    char runs[600], *end;
    *index = -1;
    if (*run && strspn(run, "0123456789") == strlen(run)) {
        const long long number = strtoll(run, &end, 10);
        if (number < set->count) *index = number;
    }
    for (int64_t i = 0; i < set->count && *index < 0; i++)
        if (has_items(&set->items[i].info, run)) *index = i;
    if (*index < 0) {
        list_runs(set, NULL, runs, sizeof runs);
        return nb_fail(NB_ERROR_USAGE, "--baseline '%.80s': no such run in '%.200s', which has %s", run, path, runs);
    }
    if (!has_items(&set->items[*index].info, run)) return NB_OK; /* a number */
    for (int64_t i = *index + 1; i < set->count; i++) {
        if (!has_items(&set->items[i].info, run) || !are_rivals(&set->items[i], &set->items[*index], any_problem))
            continue;
        list_runs(set, run, runs, sizeof runs);
        return nb_fail(NB_ERROR_USAGE, "--baseline '%.80s' names several runs: %s; give a number, or more settings",
                       run, runs);
    }
    return NB_OK;
}
