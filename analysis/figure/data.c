#include "figure/data.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "table/rows.h"
#include "table/settings.h"

/* ---- choosing runs ---- */

/* whether the run meets the conditions "KEY=VALUE|VALUE ..." */
static int selected(const char *select, const nb_run_info *info) {
    for (size_t length; *select; select += strspn(select, " ")) {
        length = strcspn(select, " ");
        if (!nb_condition_holds(select, length, '|', info)) return 0;
        select += length;
    }
    return 1;
}

int nb_figure_selects(const nb_figure_script *script, const nb_run_info *info) {
    return selected(script->select, info);
}

/* one piece of a label: what an attribute, or "@NAME" a parameter of the scenario, adds to it */
typedef struct piece {
    const char *name;
    size_t length;
    char *text; /* [NB_NAME_LENGTH] */
} piece;

static void add_text(char text[NB_NAME_LENGTH], const char *value) {
    size_t used = strlen(text);
    snprintf(text + used, NB_NAME_LENGTH - used, "%s%s", used ? " " : "", value);
}

static nb_status take_parameter(void *context, const nb_named_value *parameter) {
    const char *name = parameter->name;
    const piece *p = context;
    char named[NB_NAME_LENGTH], value[NB_NAME_LENGTH], *end;
    nb_setting_shorten(parameter->text, value);
    if (strlen(name) != p->length || strncmp(name, p->name, p->length) != 0) return NB_OK;
    strtod(value, &end); /* a number says little by itself */
    snprintf(named, sizeof named, "%.20s=%.20s", name, value);
    add_text(p->text, *end ? value : named);
    return NB_OK;
}

/* the values of the keys "A+B+@C", one after the other; of keys "D?" those that `wanted` has a bit of, in order */
static void describe(const nb_run_info *info, const char *keys, unsigned wanted, char text[NB_NAME_LENGTH]) {
    *text = 0;
    for (const char *key = keys; *key;) {
        char value[NB_NAME_LENGTH];
        size_t length = strcspn(key, "+"), next = length + (key[length] == '+');
        int optional = length > 0 && key[length - 1] == '?', left_out = optional && !(wanted & 1);
        length -= (size_t)optional;
        piece p = {key + 1, length - 1, text};
        if (optional) wanted >>= 1;
        if (left_out)
            ;
        else if (*key == '@')
            (void)nb_named_values_read(info->parameters, take_parameter, &p); /* a fault adds nothing */
        else if (nb_setting_find(info, key, length, value))
            add_text(text, value);
        key += next;
    }
}

int nb_figure_place(const char *name, char names[][NB_NAME_LENGTH], int *count, int most) {
    int i = 0;
    while (i < *count && strcmp(names[i], name) != 0) i++;
    if (i < *count) return i;
    if (*count == most) return -1;
    snprintf(names[i], NB_NAME_LENGTH, "%s", name);
    (*count)++;
    return i;
}

/* what of a record a figure is drawn from */
typedef struct selection {
    const nb_figure_script *script;
    const nb_record_table *table;
    const nb_conditions *where;
    int relaxed; /* 1: whatever the figure can show, as the record has none of its own runs */
} selection;

/* whether the run has what the figure draws, so that it can be drawn though it is none of the figure's own */
static int shows(const nb_record_table *table, const nb_run *run) {
    if (table->rows != NB_ROWS_LINEAR) return run->newton_start[run->step_count] > 0;
    return nb_rows_of_table(table, run).count > 0;
}

/* whether run `i` is drawn */
static nb_status belongs(const selection *by, nb_record_reader *reader, int i, const nb_run_head **head, int *drawn) {
    nb_run *run = NULL;
    nb_status status = nb_record_read_head(reader, i, head);
    *drawn = 0;
    if (status != NB_OK) return status;
    const nb_run_head *h = *head;
    if (!h->finished || h->step_count == 0 || !nb_conditions_hold(by->where, &h->info)) return NB_OK;
    *drawn =
        by->relaxed ? by->script->also && selected(by->script->also, &h->info) : selected(by->script->select, &h->info);
    if (!by->relaxed || !*drawn) return NB_OK;
    status = nb_record_read_run(reader, i, &run);
    *drawn = status == NB_OK && shows(by->table, run);
    nb_run_destroy(run);
    return status;
}

/* a run of the figure's that failed, or was interrupted */
static int is_unfinished(const selection *by, const nb_run_head *h) {
    return !h->finished && !by->relaxed && nb_conditions_hold(by->where, &h->info) &&
           selected(by->script->select, &h->info);
}

/* The curves by the keys that always count, and which of the others tell runs of one of them apart. */
typedef struct variety {
    char name[NB_FIGURE_SERIES][NB_NAME_LENGTH];
    nb_run_info first[NB_FIGURE_SERIES]; /* whose parameters are the reader's */
    unsigned differs[NB_FIGURE_SERIES];
    int count;
} variety;

static void compare_to_first(const char *keys, const nb_run_info *first, const nb_run_info *other, unsigned *differs) {
    char value[2][NB_NAME_LENGTH];
    unsigned bit = 1;
    for (const char *key = keys; *key; key += strspn(key, "+")) {
        size_t length = strcspn(key, "+");
        if (key[length - 1] == '?') {
            if (nb_setting_find(first, key, length - 1, value[0]) &&
                nb_setting_find(other, key, length - 1, value[1]) && strcmp(value[0], value[1]) != 0)
                *differs |= bit;
            bit <<= 1;
        }
        key += length;
    }
}

static int most_series(const nb_figure_script *script) {
    return script->gathered ? NB_FIGURE_SERIES : NB_FIGURE_CURVES;
}

static nb_status find_variety(const selection *by, nb_record_reader *reader, variety *v) {
    const nb_figure_script *script = by->script;
    for (int i = 0; strchr(script->series, '?') && i < nb_record_run_count(reader); i++) {
        const nb_run_head *head;
        int drawn;
        nb_status status = belongs(by, reader, i, &head, &drawn);
        if (status != NB_OK) return status;
        if (drawn) {
            char name[NB_NAME_LENGTH];
            int known = v->count;
            describe(&head->info, script->series, 0, name);
            int s = nb_figure_place(name, v->name, &v->count, most_series(script));
            if (s >= known) v->first[s] = head->info;
            if (s >= 0) compare_to_first(script->series, &v->first[s], &head->info, &v->differs[s]);
        }
    }
    return NB_OK;
}

/* the name of the run's curve */
static void name_series(const nb_figure_script *script, const variety *v, const nb_run_info *info,
                        char text[NB_NAME_LENGTH]) {
    describe(info, script->series, 0, text);
    for (int s = 0; s < v->count; s++)
        if (v->differs[s] && strcmp(v->name[s], text) == 0) {
            describe(info, script->series, v->differs[s], text);
            return;
        }
}

int nb_figure_has_runs(const nb_figure_class *figure, nb_record_reader *reader) {
    int found = 0;
    nb_record_table table;
    const selection by = {.script = (const nb_figure_script *)figure, .table = &table};
    if (nb_script_make_table(by.script, NULL, &table) != NB_OK) return 1; /* drawing it says what is wrong */
    if (table.made && table.made->of_timings) return 0;
    if (by.script->any && table.rows >= NB_ROWS_SCENE && table.rows <= NB_ROWS_CONTACTS)
        return 0; /* every record has scenes: where they are asked for */
    for (int i = 0; i < nb_record_run_count(reader) && !found; i++) {
        const nb_run_head *head;
        int drawn;
        found = belongs(&by, reader, i, &head, &drawn) == NB_OK && drawn;
    }
    return found;
}

void nb_figure_share_series(nb_figure_runs *runs) {
    for (int p = 1; p < runs->panel_count; p++) {
        runs->series_count[p] = runs->series_count[0];
        memcpy(runs->series_name[p], runs->series_name[0], sizeof runs->series_name[0]);
    }
}

/* run `i`, and of tables of spectra its first system */
static nb_status read_run(const selection *by, nb_record_reader *reader, int i, nb_run **run) {
    nb_status status;
    nb_stored_system system;
    NB_TRY(nb_record_read_run(reader, i, run));
    if (by->table->rows != NB_ROWS_SPECTRA) return NB_OK;
    NB_TRY(nb_record_read_system(reader, i, 0, 0, &system));
    NB_TRY(nb_run_add_system(*run, &system));
out:
    return status;
}

static nb_status collect(const selection *by, nb_record_reader *reader, nb_figure_runs *runs) {
    nb_status status;
    variety *v = NULL;
    memset(runs, 0, sizeof *runs);
    NB_TRY(NB_ALLOCATE(1, &v));
    NB_TRY(find_variety(by, reader, v));
    for (int i = 0; i < nb_record_run_count(reader); i++) {
        char panel[NB_NAME_LENGTH] = "", series[NB_NAME_LENGTH] = "";
        const nb_run_head *head;
        int p = -1, s, drawn;
        NB_TRY(belongs(by, reader, i, &head, &drawn));
        runs->unfinished += is_unfinished(by, head);
        if (!drawn) continue;
        describe(&head->info, by->script->panel, 0, panel);
        name_series(by->script, v, &head->info, series);
        s = nb_figure_place(series, runs->series_name[0], &runs->series_count[0], most_series(by->script));
        if (s >= 0) p = nb_figure_place(panel, runs->panel_name, &runs->panel_count, NB_FIGURE_PANELS);
        if (p >= 0 && !runs->run[p][s]) /* the first of several alike is drawn */
            NB_TRY(read_run(by, reader, i, &runs->run[p][s]));
        else
            runs->left_out++;
    }
    nb_figure_share_series(runs);
out:
    nb_free(v);
    if (status != NB_OK) nb_figure_runs_clear(runs);
    return status;
}

/* names the settings that the record's runs lack, and what makes such runs */
static nb_status fail_without_runs(const nb_figure_script *script) {
    const char *const *runs = script->type.runs;
    int more = 0;
    while (runs[0] && runs[more + 1]) more++;
    if (!runs[0]) return nb_fail(NB_ERROR_INPUT, "figure %s: the record has no runs for it", script->type.name);
    return nb_fail(
        NB_ERROR_INPUT,
        "figure %s: the record has none of its runs (%s); 'ncpbench reproduce %s' makes them%s: ncpbench run "
        "%s -o FILE.h5",
        script->type.name, *script->select ? script->select : "any", script->type.name,
        more ? ", of which the first are" : ", which are", runs[0]);
}

nb_status nb_figure_collect_selected(const nb_figure_script *script, const nb_record_table *table,
                                     const nb_figure_source *source, nb_figure_runs *runs) {
    selection by = {.script = script, .table = table, .where = source->where};
    nb_status status = collect(&by, source->readers[0], runs);
    if (status != NB_OK || runs->panel_count > 0) return status;
    by.relaxed = 1;
    status = collect(&by, source->readers[0], runs);
    if (status != NB_OK || runs->panel_count > 0) return status;
    nb_figure_runs_clear(runs);
    return fail_without_runs(script);
}

/* adds a sentence, unless it is there, after this if there is something before it */
static void add_once(char *text, size_t size, const char *between, const char *sentence) {
    size_t used = strlen(text);
    if (!strstr(text, sentence) && used < size)
        snprintf(text + used, size - used, "%s%s", used ? between : "", sentence);
}

void nb_figure_note_cold(nb_figure_runs *runs, int64_t cold, int64_t count, char *text, size_t size) {
    char sentence[160];
    if (cold == 0) return;
    snprintf(sentence, sizeof sentence,
             "Times of %s%lld run(s) are of the recorded pass, cold and made once (no --repeat).",
             cold < count ? "" : "all ", (long long)cold);
    add_once(text, size, "\n", sentence);
    add_once(runs->note, sizeof runs->note, " ", sentence);
}

/* "a virtual machine: other guests may disturb timings; busy (load 3)" without what explains it: "a virtual machine;
 * busy" */
static void shorten(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        if (from[0] == ':' && from[1] == ' ') from += strcspn(from, ";");
        if (strncmp(from, " (load", 6) == 0) from += strcspn(from, ")") + (strchr(from, ')') != NULL);
        if (*from) *to++ = *from++;
    }
    *to = '\0';
}

/* adds a sentence of those warnings, with a semicolon between, that the text does not have yet */
static void note_against(const char *warnings, const char *between, char *text, size_t size) {
    char sentence[sizeof((nb_provenance *)0)->warnings + 32] = "", warning[200], whole[sizeof sentence + 1];
    for (const char *from = warnings; *from; from += strspn(from, "; ")) {
        size_t used = strlen(sentence), length = strcspn(from, ";");
        snprintf(warning, sizeof warning, "%.*s", (int)length, from);
        from += length;
        if (strstr(text, warning)) continue;
        snprintf(sentence + used, sizeof sentence - used, "%s%s", used ? "; " : "Times may be off: ", warning);
    }
    if (!*sentence) return;
    snprintf(whole, sizeof whole, "%s.", sentence);
    add_once(text, size, between, whole);
}

static void note_warnings(nb_figure_runs *runs, const nb_provenance *where, char *text, size_t size) {
    char brief[sizeof where->warnings];
    note_against(where->warnings, "\n", text, size);
    snprintf(brief, sizeof brief, "%s", where->warnings);
    shorten(brief);
    note_against(brief, " ", runs->note, sizeof runs->note);
}

void nb_figure_note_warnings(nb_figure_runs *runs, const nb_record_reader *reader, char *text, size_t size) {
    for (int k = 0; k < nb_record_provenance_count(reader); k++)
        note_warnings(runs, nb_record_provenance_at(reader, k), text, size);
}

/* the first drawn run's, and whether there are others */
static const nb_provenance *look_at_provenance(const nb_figure_runs *runs, const nb_figure_source *source,
                                               int *several) {
    const nb_record_reader *reader = source->readers[0];
    const nb_provenance *first = NULL;
    *several = 0;
    for (int p = 0; p < runs->panel_count && source->count == 1; p++)
        for (int s = 0; s < runs->series_count[p]; s++) {
            const nb_run *run = runs->run[p][s];
            if (!run) continue;
            const nb_provenance *own = nb_record_provenance_at(reader, run->provenance);
            if (!first) first = own;
            *several |= !nb_provenance_alike(first, own);
        }
    return first ? first : nb_record_provenance(reader);
}

const nb_provenance *nb_figure_made_with(const nb_figure_runs *runs, const nb_figure_source *source) {
    int several;
    return look_at_provenance(runs, source, &several);
}

const char *nb_figure_made_elsewhere(const nb_figure_runs *runs, const nb_figure_source *source) {
    int several;
    (void)look_at_provenance(runs, source, &several);
    return several ? " (first of several)" : "";
}

void nb_figure_runs_clear(nb_figure_runs *runs) {
    for (int p = 0; p < NB_FIGURE_PANELS; p++)
        for (int s = 0; s < NB_FIGURE_SERIES; s++) nb_run_destroy(runs->run[p][s]);
    for (int measure = 0; measure < 2; measure++) {
        nb_free(runs->cost[measure]);
        nb_free(runs->ratio[measure]);
    }
    nb_free(runs->timings);
    for (int p = 0; p < NB_FIGURE_PANELS; p++) free(runs->table[p]);
    memset(runs, 0, sizeof *runs);
}
