#include "figure/differences.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "table/outcome.h"
#include "table/rows.h"
#include "table/settings.h"

typedef struct place {
    nb_record_reader *reader;
    int run;
} place;

/* the runs and what each was made with */
typedef struct table {
    int count;                /* of runs */
    const nb_run_head **head; /* [count], the readers' */
    place *place;             /* [count] where the whole run is */
    nb_setting_table settings;
    char *of_scene;                /* [settings] 1: says what is solved, not how */
    char (*panel)[NB_NAME_LENGTH]; /* [count] */
    char (*label)[NB_NAME_LENGTH]; /* [count] */
} table;

/* "" where a run has no such setting */
static const char *value_of(const table *t, int run, int64_t setting) {
    const char *text = nb_setting_table_text(&t->settings, run, setting);
    return text ? text : "";
}

/* ---- settings ---- */

/* whether an attribute, or a parameter, says what is solved */
static int is_of_scene(const char *name) {
    static const char *const scene[] = {"time_step", "settle",      "settle_tolerance",   "seed",
                                        "batch",     "batch_seeds", "batch_perturbation", NULL};
    return nb_setting_attribute(name) ? nb_setting_is_listed(name, scene) : !strchr(name, '.');
}

static nb_status note_settings(table *t) {
    /* what changes nothing that is drawn, and the scenario, which is told apart anyway */
    static const char *const none[] = {"scenario",         "repeat", "warmup",     "reference",
                                       "reference_linear", "steps",  "time_limit", NULL};
    nb_status status = NB_OK;
    for (int i = 0; i < t->count; i++) NB_TRY(nb_setting_table_add(&t->settings, &t->head[i]->info, 6, none));
    NB_TRY(NB_ALLOCATE(t->settings.count + 1, &t->of_scene));
    for (int64_t s = 0; s < t->settings.count; s++) t->of_scene[s] = (char)is_of_scene(t->settings.name[s]);
out:
    return status;
}

/* whether both runs have the setting, and not alike */
static int differ(const table *t, int a, int b, int64_t setting) {
    const char *x = value_of(t, a, setting), *y = value_of(t, b, setting);
    return *x && *y && strcmp(x, y) != 0;
}

/* ---- names ---- */

/* "pcr", "damping=0.5", "omega=1.2" */
static void append(char text[NB_NAME_LENGTH], const char *name, const char *value) {
    char *end, shown[NB_NAME_LENGTH];
    const char *dot = strrchr(name, '.');
    strtod(value, &end);
    if (strcmp(dot ? dot + 1 : name, "from") == 0) /* without the state's checksum */
        snprintf(shown, sizeof shown, "%.*s", (int)strcspn(value, "#"), value);
    else if (*end) /* a word tells by itself what it is */
        snprintf(shown, sizeof shown, "%s", value);
    else
        snprintf(shown, sizeof shown, "%.30s=%.30s", dot ? dot + 1 : name, value);
    size_t used = strlen(text);
    snprintf(text + used, NB_NAME_LENGTH - used, "%s%s", used ? " " : "", shown);
}

/* the scenario, and what of the scene differs among its runs */
static void name_panels(table *t) {
    for (int i = 0; i < t->count; i++) {
        snprintf(t->panel[i], NB_NAME_LENGTH, "%s", t->head[i]->info.scenario);
        for (int64_t s = 0; s < t->settings.count; s++) {
            int differs = 0;
            for (int j = 0; t->of_scene[s] && j < t->count && !differs; j++)
                differs = strcmp(t->head[i]->info.scenario, t->head[j]->info.scenario) == 0 && differ(t, i, j, s);
            if (differs) append(t->panel[i], t->settings.name[s], value_of(t, i, s));
        }
    }
}

/* whether runs of one panel that are called like run `i` so far differ in the setting */
static int tells_apart(const table *t, int i, int64_t setting) {
    for (int a = 0; a < t->count; a++) {
        if (strcmp(t->label[a], t->label[i]) != 0) continue;
        for (int b = a + 1; b < t->count; b++)
            if (strcmp(t->label[b], t->label[i]) == 0 && strcmp(t->panel[a], t->panel[b]) == 0 &&
                differ(t, a, b, setting))
                return 1;
    }
    return 0;
}

/* the linear solver, or, of a method that takes none, the method */
static void append_solver(char label[NB_NAME_LENGTH], const nb_run_info *info) {
    if (strcmp(info->linear_solver, "none") != 0)
        append(label, "linear_solver", info->linear_solver);
    else if (!*label)
        append(label, "method", info->method);
}

static nb_status name_curves(table *t) {
    char *wanted;
    nb_status status = NB_ALLOCATE(t->count, &wanted);
    if (status != NB_OK) return status;
    for (int64_t s = 0; s < t->settings.count; s++) {
        int always = strcmp(t->settings.name[s], "linear_solver") == 0;
        if (t->of_scene[s]) continue;
        for (int i = 0; i < t->count; i++) wanted[i] = (char)(always || tells_apart(t, i, s));
        for (int i = 0; i < t->count; i++)
            if (always)
                append_solver(t->label[i], &t->head[i]->info);
            else if (wanted[i] && *value_of(t, i, s))
                append(t->label[i], t->settings.name[s], value_of(t, i, s));
    }
    nb_free(wanted);
    return NB_OK;
}

/* ---- choosing ---- */

/* Of more panels or curves than there is room for, those are drawn that differ: what is not drawn is like what is. */
typedef struct selection {
    int of_scene;  /* 1: of panels, 0: of curves */
    int *first;    /* [count] the first run of the same name; -1: not to be chosen from */
    int *weight;   /* [count] of a first run, how many have its name */
    char *picked;  /* [count] of a first run */
    char *covered; /* [count][settings + 1] whether a picked run has the same value; the last: is in the same place */
} selection;

/* whether two runs are of one scenario, or where curves are chosen, in one panel */
static int in_one_place(const table *t, const selection *by, int a, int b) {
    return strcmp(by->of_scene ? t->head[a]->info.scenario : t->panel[a],
                  by->of_scene ? t->head[b]->info.scenario : t->panel[b]) == 0;
}

static char *covered_of(const table *t, const selection *by, int run) {
    return by->covered + run * (t->settings.count + 1);
}

/* How many values of the settings the first run has that no picked run has; a place without a picked run outweighs all
 * of them. */
static int count_new(const table *t, const selection *by, int first) {
    int count = 0;
    for (int i = first; i < t->count && count == 0; i++)
        if (by->first[i] == first && !covered_of(t, by, i)[t->settings.count]) count = (int)t->settings.count + 1;
    for (int64_t s = 0; s < t->settings.count; s++)
        count += t->of_scene[s] == by->of_scene && !covered_of(t, by, first)[s] && *value_of(t, first, s);
    return count;
}

static void pick(const table *t, int first, selection *by) {
    by->picked[first] = 1;
    for (int i = 0; i < t->count; i++) {
        char *covered = covered_of(t, by, i);
        for (int64_t s = 0; s < t->settings.count; s++)
            covered[s] |= (char)(strcmp(value_of(t, i, s), value_of(t, first, s)) == 0);
        for (int j = first; j < t->count && !covered[t->settings.count]; j++)
            covered[t->settings.count] = (char)(by->first[j] == first && in_one_place(t, by, i, j));
    }
}

/* the next to be picked: with most values that are new, of equals with most runs, of equals the first; -1: none */
static int find_next(const table *t, const selection *by) {
    int best = -1, most = -1;
    for (int i = 0; i < t->count; i++) {
        if (by->first[i] != i || by->picked[i]) continue;
        int fresh = count_new(t, by, i);
        if (fresh < most || (fresh == most && by->weight[i] <= by->weight[best])) continue;
        best = i;
        most = fresh;
    }
    return best;
}

/* Keeps at most `most` names (of panels, where of_scene is 1, or of curves) among the runs that are chosen. */
static nb_status choose(const table *t, char (*name)[NB_NAME_LENGTH], int of_scene, int most, char *chosen) {
    nb_status status;
    selection by = {.of_scene = of_scene};
    int names = 0;
    NB_TRY(NB_ALLOCATE(t->count + 1, &by.first));
    NB_TRY(NB_ALLOCATE(t->count + 1, &by.weight));
    NB_TRY(NB_ALLOCATE(t->count + 1, &by.picked));
    NB_TRY(NB_ALLOCATE(t->count * (t->settings.count + 1) + 1, &by.covered));
    for (int i = 0; i < t->count; i++) {
        by.first[i] = chosen[i] ? 0 : -1;
        while (chosen[i] && by.first[i] < i && !(chosen[by.first[i]] && strcmp(name[by.first[i]], name[i]) == 0))
            by.first[i]++;
        if (by.first[i] >= 0) by.weight[by.first[i]]++;
        names += by.first[i] == i;
    }
    if (names <= most) goto out;
    for (int k = 0, next; k < most && (next = find_next(t, &by)) >= 0; k++) pick(t, next, &by);
    for (int i = 0; i < t->count; i++) chosen[i] = (char)(by.first[i] >= 0 && by.picked[by.first[i]]);
out:
    nb_free(by.first);
    nb_free(by.weight);
    nb_free(by.picked);
    nb_free(by.covered);
    return status;
}

/* ---- collecting ---- */

/* the heads alone: of many runs few are drawn */
static nb_status read_heads(const nb_figure_source *source, table *t) {
    nb_status status = NB_OK;
    int most = 0;
    for (int r = 0; r < source->count; r++) most += nb_record_run_count(source->readers[r]);
    NB_TRY(NB_ALLOCATE(most + 1, &t->head));
    NB_TRY(NB_ALLOCATE(most + 1, &t->place));
    for (int r = 0; r < source->count; r++)
        for (int i = 0; i < nb_record_run_count(source->readers[r]); i++) {
            const nb_run_head *head;
            NB_TRY(nb_record_read_head(source->readers[r], i, &head));
            if (!head->finished || head->step_count == 0 || !nb_conditions_hold(source->where, &head->info)) continue;
            t->place[t->count] = (place){source->readers[r], i};
            t->head[t->count++] = head;
        }
    NB_TRY(NB_ALLOCATE(t->count + 1, &t->panel));
    NB_TRY(NB_ALLOCATE(t->count + 1, &t->label));
    NB_TRY(note_settings(t));
out:
    return status;
}

static void clear(table *t) {
    nb_free(t->head);
    nb_free(t->place);
    nb_setting_table_clear(&t->settings);
    nb_free(t->of_scene);
    nb_free(t->panel);
    nb_free(t->label);
}

/* whether the run has the rows that are drawn, and where `numbers` are asked for, some in the column `y` */
static int shows(const nb_record_table *drawn, const nb_run *run, int numbers) {
    if (drawn->rows == NB_ROWS_LINEAR && nb_run_is_system(run)) return 1; /* the end of its solve, at least */
    if (nb_rows_of_table(drawn, run).count == 0) return 0;
    if (!numbers || drawn->y < 0 || drawn->rows != NB_ROWS_NEWTON) return 1;
    return nb_run_has_newton_numbers(run, drawn->columns[drawn->y].name);
}

/* Reads run `i` for its place, unless another has it; where it does not show what is drawn, nothing was placed. */
static nb_status place_run(const nb_record_table *drawn, int numbers, table *t, int i, nb_figure_runs *runs) {
    int panels = runs->panel_count, curves = runs->series_count[0], p = -1;
    nb_run *run = NULL;
    int s = nb_figure_place(t->label[i], runs->series_name[0], &runs->series_count[0], NB_FIGURE_CURVES);
    if (s >= 0) p = nb_figure_place(t->panel[i], runs->panel_name, &runs->panel_count, NB_FIGURE_PANELS);
    if (p >= 0 && !runs->run[p][s]) {
        nb_status status = nb_record_read_run(t->place[i].reader, t->place[i].run, &run);
        if (status != NB_OK) return status;
        if (shows(drawn, run, numbers)) {
            runs->run[p][s] = run;
            return NB_OK;
        }
        nb_run_destroy(run);
    }
    runs->panel_count = panels;
    runs->series_count[0] = curves;
    runs->left_out++;
    return NB_OK;
}

/* Places the runs that are chosen; where none of these shows what is drawn, whatever does. */
static nb_status hand_on(const nb_record_table *drawn, table *t, nb_figure_runs *runs) {
    char *chosen;
    nb_status status = NB_ALLOCATE(t->count + 1, &chosen);
    if (status != NB_OK) return status;
    for (int i = 0; i < t->count; i++) chosen[i] = 1;
    NB_TRY(choose(t, t->panel, 1, NB_FIGURE_PANELS, chosen));
    NB_TRY(choose(t, t->label, 0, NB_FIGURE_CURVES, chosen));
    for (int pass = 0; pass < 3 && runs->panel_count == 0; pass++) { /* of none: figure.c says what is wrong */
        runs->left_out = 0;
        for (int i = 0; i < t->count; i++)
            if (pass > 0 || chosen[i])
                NB_TRY(place_run(drawn, pass < 2, t, i, runs));
            else
                runs->left_out++;
    }
    nb_figure_share_series(runs);
out:
    nb_free(chosen);
    return status;
}

static nb_status fail_without_runs(const nb_figure_script *script, const nb_record_table *drawn, int found) {
    const char *name = script->type.name;
    if (!found)
        return nb_fail(NB_ERROR_INPUT, "figure %s: the record holds no runs of such settings that iterate", name);
    if (drawn->rows == NB_ROWS_LINEAR)
        return nb_fail(NB_ERROR_INPUT,
                       "figure %s: no run has linear iterations of that step; 'ncpbench run' records them with "
                       "--linear-history on",
                       name);
    return nb_fail(NB_ERROR_INPUT, "figure %s: no run has a step %d", name, (int)drawn->step);
}

nb_status nb_figure_collect_differences(const nb_figure_script *script, const nb_record_table *drawn,
                                        const nb_figure_source *source, nb_figure_runs *runs) {
    nb_status status;
    table t = {0};
    memset(runs, 0, sizeof *runs);
    NB_TRY(read_heads(source, &t));
    name_panels(&t);
    NB_TRY(name_curves(&t));
    NB_TRY(hand_on(drawn, &t, runs));
    if (runs->panel_count == 0) NB_TRY(fail_without_runs(script, drawn, t.count));
out:
    clear(&t);
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}
