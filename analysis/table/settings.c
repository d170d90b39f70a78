#include "table/settings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "file/linear_problem.h"
#include "model/scene_settings.h"
#include "registry.h"
#include "run/defaults.h"
#include "run/method_options.h"
#include "run/resolve.h"
#include "run/setting_effect.h"
#include "run/standard_set.h"

NB_PRECISIONS(f64);

int nb_setting_is_used(const nb_run_info *info, const char *name) {
    return nb_info_uses(info, name);
}

int nb_setting_starts_as_usual(const nb_run_info *info) {
    return nb_info_starts_as_usual(info);
}

int32_t nb_setting_usual_limit(const nb_run_info *info, int of_file, int linear) {
    const nb_scenario_class *scenario = NULL;
    const nb_method_class *method;
    double values[NB_MAX_OPTIONS];
    for (int i = 0; nb_scenarios[i] != NULL; i++)
        if (strcmp(nb_scenarios[i]->name, info->scenario) == 0) scenario = nb_scenarios[i];
    if (!scenario && !of_file) return 0;
    if (linear) return scenario ? scenario->linear_iterations : NB_PROBLEM_ITERATIONS;
    if (nb_method_find(info->method, &method) != NB_OK)
        return scenario ? scenario->newton_iterations : NB_PROBLEM_ITERATIONS;
    nb_method_option_values(info, method->options, method->option_count, values);
    return nb_default_iterations(scenario, method, values);
}

const char *nb_setting_advice(const nb_run_info *info, nb_shortfall how) {
    return nb_method_advice(info, how);
}

int nb_setting_is_infeasible(const nb_run_info *info) {
    char best[NB_NAME_LENGTH];
    return nb_setting_value(info, "best", best) && nb_standard_is_infeasible(best);
}

/* ---- kinds and values ---- */

int nb_setting_is_listed(const char *name, const char *const *names) {
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

const nb_member *nb_setting_attribute(const char *name) {
    for (int i = 0; i < nb_run_info_members.count; i++)
        if (strcmp(nb_run_info_members.items[i].name, name) == 0) return &nb_run_info_members.items[i];
    return NULL;
}

const char *nb_setting_attribute_at(const void *context, int i) {
    (void)context;
    return nb_run_info_members.items[i].name;
}

int nb_setting_kind(const char *name) {
    /* how often it was timed, or what came of the scenario */
    static const char *const none[] = {
        "repeat",    "warmup",           "seed",       "batch", "batch_seeds", "batch_perturbation",
        "reference", "reference_linear", "time_limit", NULL};
    static const char *const problem[] = {"scenario",         "precision", "time_step",  "steps", "settle",
                                          "settle_tolerance", "lead",      "lead_exact", NULL};
    if (!nb_setting_attribute(name) || nb_setting_is_listed(name, none) || nb_run_info_is_found(name)) return 0;
    return nb_setting_is_listed(name, problem) ? NB_COMPARED_PROBLEM : NB_COMPARED_SOLVER;
}

int nb_setting_parameter_kind(const char *name) {
    int of_solver = strncmp(name, "linear-solver.", 14) == 0 || strncmp(name, "preconditioner.", 15) == 0 ||
                    strncmp(name, "method.", 7) == 0;
    return of_solver ? NB_COMPARED_SOLVER : NB_COMPARED_PROBLEM;
}

int nb_setting_standard(const char *name, char text[NB_NAME_LENGTH]) {
    const nb_scene_settings standard = nb_scene_settings_standard();
    const nb_scene_setting *setting = nb_scene_setting_find(name);
    if (setting) nb_scene_setting_text(setting, &standard, 6, text, NB_NAME_LENGTH);
    return setting != NULL;
}

int nb_setting_is_standard(const char *name, const char *value) {
    char standard[NB_NAME_LENGTH];
    if (strcmp(name, "rhs") == 0) return strcmp(value, NB_LINEAR_ONES_SHOWN) == 0;
    return nb_setting_standard(name, standard) && strcmp(value, standard) == 0;
}

static int is_option(const char *word) {
    return word[0] == '-' && isalpha((unsigned char)word[1]);
}

void nb_setting_shorten(const char *value, char text[NB_NAME_LENGTH]) {
    size_t used = 0;
    snprintf(text, NB_NAME_LENGTH, "%s", value);
    if (!is_option(value)) return;
    for (const char *word = value; *word && used < NB_NAME_LENGTH; word += strspn(word, " ")) {
        const int length = (int)strcspn(word, " ");
        if (!is_option(word))
            used += (size_t)snprintf(text + used, NB_NAME_LENGTH - used, "%s%.*s", used ? " " : "", length, word);
        word += length;
    }
    if (used == 0) snprintf(text, NB_NAME_LENGTH, "%s", value); /* switches alone */
}

/* a parameter that is looked for by its whole name */
typedef struct search {
    const char *name;
    char *value; /* [NB_NAME_LENGTH] */
    int found;
} search;

static nb_status match(void *context, const nb_named_value *parameter) {
    search *s = context;
    if (strcmp(parameter->name, s->name) != 0) return NB_OK;
    nb_setting_shorten(parameter->text, s->value);
    s->found = 1;
    return NB_OK;
}

int nb_setting_value(const nb_run_info *info, const char *name, char value[NB_NAME_LENGTH]) {
    search s = {name, value, 0};
    const nb_member *attribute = nb_setting_attribute(name);
    if (attribute) {
        nb_member_text(attribute, info, 6, value, NB_NAME_LENGTH);
        return 1;
    }
    if (nb_named_values_read(info->parameters, match, &s) != NB_OK) return 0;
    return s.found || nb_setting_standard(name, value);
}

/* a word, and the parameters that it may mean */
typedef struct meaning {
    const char *word; /* [length] */
    size_t length;
    int of_scene; /* 1: it had the prefix that a record gives the scene's */
    int which;    /* of those that have the word behind their dot, from 0 */
    int whole, seen;
    char *name; /* [NB_NAME_LENGTH] */
} meaning;

static nb_status try_meaning(void *context, const nb_named_value *parameter) {
    meaning *m = context;
    const char *dot = strrchr(parameter->name, '.');
    const int whole = !(m->of_scene && dot) && nb_name_is(parameter->name, m->word, m->length);
    const int tail = !m->whole && !m->of_scene && dot && nb_name_is(dot + 1, m->word, m->length);
    if (whole || (tail && m->seen == m->which)) snprintf(m->name, NB_NAME_LENGTH, "%s", parameter->name);
    m->whole |= whole;
    m->seen += tail;
    return NB_OK;
}

int nb_setting_name(const nb_run_info *info, const char *word, size_t length, int which, char name[NB_NAME_LENGTH]) {
    static const char solver[] = "solver", scene[] = "scene.";
    const int is_short = length == sizeof solver - 1 && strncmp(word, solver, length) == 0;
    const size_t prefix = strncmp(word, scene, sizeof scene - 1) == 0 ? sizeof scene - 1 : 0;
    meaning m = {word + prefix, length - prefix, prefix > 0, which, 0, 0, name};
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const char *attribute = nb_run_info_members.items[i].name;
        if (is_short ? strcmp(attribute, "linear_solver") != 0 : !nb_name_is(attribute, word, length)) continue;
        snprintf(name, NB_NAME_LENGTH, "%s", attribute);
        return which == 0;
    }
    (void)nb_named_values_read(info->parameters, try_meaning, &m); /* a fault finds nothing */
    return m.whole ? which == 0 : m.seen > which;
}

int nb_setting_find(const nb_run_info *info, const char *word, size_t length, char value[NB_NAME_LENGTH]) {
    char name[NB_NAME_LENGTH];
    return nb_setting_name(info, word, length, 0, name) && nb_setting_value(info, name, value);
}

/* ---- a table of them ---- */

static nb_status put(nb_setting_table *table, const char *name, const char *value) {
    nb_status status;
    struct nb_setting_row *row = &table->row[table->runs - 1];
    int64_t i = 0;
    while (i < table->count && strcmp(table->name[i], name) != 0) i++;
    if (i == table->count) {
        NB_TRY(NB_RESERVE(i + 1, &table->name_capacity, &table->name));
        NB_TRY(nb_copy_text(name, &table->name[i]));
        table->count++;
    }
    NB_TRY(NB_RESERVE(i + 1, &row->capacity, &row->text));
    nb_free(row->text[i]); /* a name that stands twice counts as it stands last */
    row->text[i] = NULL;
    NB_TRY(nb_copy_text(value, &row->text[i]));
out:
    return status;
}

static nb_status put_parameter(void *table, const nb_named_value *parameter) {
    return put(table, parameter->name, parameter->text);
}

nb_status nb_setting_table_add(nb_setting_table *table, const nb_run_info *info, int digits,
                               const char *const *without) {
    nb_status status;
    char value[NB_NAME_LENGTH];
    NB_TRY(NB_RESERVE(table->runs + 1, &table->capacity, &table->row));
    table->runs++;
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const char *name = nb_run_info_members.items[i].name;
        if (nb_run_info_is_found(name) || nb_setting_is_listed(name, without)) continue;
        nb_member_text(&nb_run_info_members.items[i], info, digits, value, sizeof value);
        NB_TRY(put(table, name, value));
    }
    status = nb_named_values_read(info->parameters, put_parameter, table);
out:
    return status;
}

const char *nb_setting_table_text(const nb_setting_table *table, int64_t run, int64_t setting) {
    const struct nb_setting_row *row = &table->row[run];
    return setting < row->capacity ? row->text[setting] : NULL;
}

void nb_setting_table_clear(nb_setting_table *table) {
    for (int64_t r = 0; r < table->runs; r++) {
        for (int64_t i = 0; i < table->row[r].capacity; i++) nb_free(table->row[r].text[i]);
        nb_free(table->row[r].text);
    }
    for (int64_t i = 0; i < table->count; i++) nb_free(table->name[i]);
    nb_free(table->name);
    nb_free(table->row);
    *table = (nb_setting_table){0};
}

/* ---- those that differ ---- */

enum {
    OWNER_LENGTH = 3 * NB_NAME_LENGTH
};

/* one setting of one owner */
typedef struct entry {
    char name[NB_NAME_LENGTH];
    char owner[OWNER_LENGTH];   /* of the runs that it is compared in; "" of all */
    char first[NB_NAME_LENGTH]; /* the first value */
    int64_t runs;               /* that have it */
    int differs;
} entry;

struct nb_differing {
    entry *entries;
    int64_t count, capacity;
    int within_scenarios;
};

nb_status nb_differing_create(int within_scenarios, nb_differing **differing) {
    const nb_status status = NB_ALLOCATE(1, differing);
    if (status == NB_OK) (*differing)->within_scenarios = within_scenarios;
    return status;
}

void nb_differing_destroy(nb_differing *differing) {
    if (!differing) return;
    nb_free(differing->entries);
    nb_free(differing);
}

/* whose runs are compared in the setting: scenarios bring numbers of their own, and some methods do */
static void name_owner(const nb_run_info *info, int within_scenarios, const char *name, char owner[OWNER_LENGTH]) {
    const int within = within_scenarios && strcmp(name, "scenario") != 0;
    static const char *const of_scenario[] = {"time_step", "steps", NULL};
    static const char *const of_both[] = {"newton_iterations", "linear_iterations", NULL};
    char standard[NB_NAME_LENGTH];
    const int attribute = nb_setting_attribute(name) != NULL, open = attribute || nb_setting_standard(name, standard);
    const char *first = "", *second = "";
    if (strncmp(name, "linear-solver.", 14) == 0)
        first = info->linear_solver;
    else if (strncmp(name, "preconditioner.", 15) == 0)
        first = info->preconditioner;
    else if (strncmp(name, "method.", 7) == 0)
        first = info->method;
    else if (!open || nb_setting_is_listed(name, of_scenario) || nb_setting_is_listed(name, of_both))
        first = info->scenario;
    if (nb_setting_is_listed(name, of_both)) second = info->method;
    snprintf(owner, OWNER_LENGTH, "%s/%s/%s", within ? info->scenario : "", first, second);
}

static entry *find(const nb_differing *differing, const char *name, const char *owner) {
    for (int64_t i = 0; i < differing->count; i++) {
        entry *e = &differing->entries[i];
        if (strcmp(e->name, name) == 0 && strcmp(e->owner, owner) == 0) return e;
    }
    return NULL;
}

typedef struct taking {
    nb_differing *differing;
    const nb_run_info *info;
} taking;

static nb_status take(const taking *t, const char *name, const char *value) {
    nb_differing *d = t->differing;
    char owner[OWNER_LENGTH];
    nb_status status = NB_OK;
    name_owner(t->info, d->within_scenarios, name, owner);
    entry *e = find(d, name, owner);
    if (!e) {
        NB_TRY(NB_RESERVE(d->count + 1, &d->capacity, &d->entries));
        e = &d->entries[d->count++];
        *e = (entry){.runs = 0};
        snprintf(e->name, sizeof e->name, "%s", name);
        snprintf(e->owner, sizeof e->owner, "%s", owner);
        snprintf(e->first, sizeof e->first, "%s", value);
    }
    e->runs++;
    e->differs |= strncmp(e->first, value, sizeof e->first - 1) != 0; /* checksums are longer */
out:
    return status;
}

static nb_status take_parameter(void *context, const nb_named_value *parameter) {
    const char *name = parameter->name, *value = parameter->text;
    const taking *t = context;
    return nb_setting_is_used(t->info, name) ? take(t, name, value) : NB_OK;
}

/* whether an attribute is a setting; of one record the seed tells runs apart, too */
static int is_setting(const char *name) {
    return nb_setting_kind(name) || strcmp(name, "seed") == 0;
}

nb_status nb_differing_add(nb_differing *differing, const nb_run_info *info) {
    const taking t = {differing, info};
    nb_status status = NB_OK;
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const char *name = nb_run_info_members.items[i].name;
        char value[NB_NAME_LENGTH];
        if (!is_setting(name) || !nb_setting_is_used(info, name)) continue;
        nb_member_text(&nb_run_info_members.items[i], info, 6, value, sizeof value);
        NB_TRY(take(&t, name, value));
    }
    status = nb_named_values_read(info->parameters, take_parameter, (void *)&t);
out:
    return status;
}

nb_status nb_differing_read(nb_record_reader *reader, nb_differing **differing) {
    nb_status status;
    NB_TRY(nb_differing_create(1, differing));
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        NB_TRY(nb_record_read_head(reader, i, &head));
        NB_TRY(nb_differing_add(*differing, &head->info));
    }
out:
    return status;
}

/* what a record lacks is standard; every run has a precision, compared among the same runs */
static int differs(const nb_differing *differing, const entry *e) {
    char standard[NB_NAME_LENGTH];
    const entry *all = nb_setting_standard(e->name, standard) ? find(differing, "precision", e->owner) : NULL;
    return e->differs || (all && e->runs < all->runs && strcmp(e->first, standard) != 0);
}

int nb_differing_in(const nb_differing *differing, const nb_run_info *info, const char *name) {
    char owner[OWNER_LENGTH];
    name_owner(info, differing->within_scenarios, name, owner);
    const entry *e = find(differing, name, owner);
    return e && differs(differing, e);
}

const char *nb_differing_at(const nb_differing *differing, int64_t i) {
    for (int64_t e = 0; e < differing->count; e++) {
        const char *name = differing->entries[e].name;
        int before = 0;
        if (!differs(differing, &differing->entries[e])) continue;
        for (int64_t k = 0; k < e && !before; k++)
            before = strcmp(differing->entries[k].name, name) == 0 && differs(differing, &differing->entries[k]);
        if (!before && i-- == 0) return name;
    }
    return NULL;
}

int nb_differing_columns(const nb_differing *differing, const char *names[NB_DIFFERING_COLUMNS]) {
    const char *name;
    int count = 0;
    for (int64_t i = 0; (name = nb_differing_at(differing, i)) != NULL && count < NB_DIFFERING_COLUMNS; i++)
        if (strcmp(name, "scenario") != 0 && strcmp(name, "linear_solver") != 0) names[count++] = name;
    return count;
}

void nb_setting_text(const nb_run_info *info, const char *name, char text[NB_NAME_LENGTH]) {
    const int has = nb_setting_value(info, name, text) && *text;
    /* a preconditioner that is not taken says "none" itself */
    if (!has || (!nb_setting_is_used(info, name) && strcmp(text, "none") != 0)) snprintf(text, NB_NAME_LENGTH, "-");
}
