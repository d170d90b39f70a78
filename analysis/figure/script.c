#include "figure/script.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "table/known_columns.h"

/* ---- faults ---- */

static nb_status wrong(const nb_script_source *source, const char *key, const char *value, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "figure %s: '%s: %.200s': %s", source->name, key, value, what);
}

/* the same of a name that is unknown */
static nb_status unknown(const nb_script_source *source, const char *kind, const char *name, int count,
                         const char *(*at)(const void *context, int i), const void *context) {
    char owner[80];
    snprintf(owner, sizeof owner, "figure %s", source->name);
    return nb_column_unknown(owner, kind, name, count, at, context);
}

/* ---- keys ---- */

static const struct {
    const char *name;
    size_t offset;
    int lines; /* 1: it may stand several times */
} keys[] = {
#define KEY(name, member, lines) \
    { name, offsetof(nb_figure_script, member), lines }
    KEY("title", type.summary, 0),
    KEY("run", runs, 1),
    KEY("quick", quick, 1),
    KEY("make", makes, 1),
    KEY("quickmake", quick_makes, 1),
    KEY("files", files, 0),
    KEY("any", any, 0),
    KEY("all", all, 0),
    KEY("apart", apart, 0),
    KEY("select", select, 0),
    KEY("also", also, 0),
    KEY("timings", timings, 0),
    KEY("panel", panel, 0),
    KEY("series", series, 0),
    KEY("gathered", gathered, 0),
    KEY("rows", rows, 0),
    KEY("at", at, 0),
    KEY("columns", columns, 0),
    KEY("y", y, 0),
    KEY("number", numbers, 1),
    KEY("times", times, 0),
};

enum {
    KEYS = sizeof keys / sizeof *keys
};

static const char *key_at(const void *context, int i) {
    (void)context;
    return keys[i].name;
}

static nb_status set_key(nb_figure_script *script, const char *line) {
    char name[32];
    size_t length = strcspn(line, ":");
    const char *value = line + length + (line[length] == ':');
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    int i = nb_name_find(name, KEYS, key_at, NULL), used = 0;
    if (i < 0) return unknown(script->source, "key", name, KEYS, key_at, NULL);
    value += strspn(value, " ");
    const char **place = (const char **)(void *)((char *)script + keys[i].offset);
    while (keys[i].lines && used < NB_SCRIPT_RUNS && place[used]) used++;
    if (place[used] || used == NB_SCRIPT_RUNS)
        return wrong(script->source, name, value,
                     keys[i].lines ? "there are too many such lines" : "there is such a line already");
    if (!*value) return wrong(script->source, name, value, "it says nothing");
    place[used] = value;
    return NB_OK;
}

/* a table that is being read */
typedef struct reading {
    const nb_figure_script *script;
    nb_record_table *table;
    char owner[80];
    nb_column_reading columns;
} reading;

static nb_status add_column(const reading *r, const nb_record_column *c) {
    if (r->table->count == NB_TABLE_COLUMNS)
        return wrong(r->script->source, "columns", c->name, "there are too many columns");
    r->table->columns[r->table->count++] = *c;
    return NB_OK;
}

static nb_status read_column(const reading *r, const char *text) {
    nb_record_column c;
    const nb_status status = nb_column_read(&r->columns, text, &c);
    return status == NB_OK ? add_column(r, &c) : status;
}

static nb_status add_all(const reading *r) {
    nb_status status = NB_OK;
    nb_record_column c;
    if (r->table->rows != NB_ROWS_NEWTON || r->table->all_steps)
        return wrong(r->script->source, "columns", "all", "it is for rows of newton, in one step");
    for (int i = 0; i < r->columns.known.count; i++) {
        NB_TRY(nb_column_read_name(&r->columns, r->columns.known.at[i]->name, &c));
        NB_TRY(add_column(r, &c));
    }
out:
    return status;
}

/* the column that the head's `y` or --y names */
static nb_status add_y(const reading *r, const char *quantity) {
    nb_record_column c = {.digits = 9, .unit = 1, .terms = 1};
    if (!quantity) return wrong(r->script->source, "columns", "y", "the head has no line 'y'");
    c.term[0] = nb_figure_choice_linear(quantity);
    if (c.term[0] >= 0) {
        snprintf(c.name, sizeof c.name, "%s", nb_linear_columns[c.term[0]].name);
        if (nb_figure_choice_relative(quantity)) {
            snprintf(c.name, sizeof c.name, "relative_residual");
            c.function = NB_FUNCTION_START;
        }
    } else { /* what is asked for may be a column of runs alone, and of none of this program's methods */
        nb_figure_choice_name(quantity, c.name);
        if (quantity == r->script->y && !nb_known_columns_have(c.name))
            return unknown(r->script->source, "column", quantity, r->columns.known.count, nb_known_columns_at,
                           &r->columns.known);
        snprintf(c.of[0], NB_NAME_LENGTH, "%s", c.name);
        c.term[0] = 0;
    }
    const size_t length = strlen(c.name);
    c.time = length > 2 && strcmp(c.name + length - 2, "_s") == 0;
    r->table->y = r->table->count;
    return add_column(r, &c);
}

/* ---- tables ---- */

static nb_status read_columns(const reading *r, const nb_figure_choice *choice) {
    nb_status status = NB_OK;
    char text[1024], *rest;
    if ((size_t)snprintf(text, sizeof text, "%s", r->script->columns) >= sizeof text)
        return wrong(r->script->source, "columns", text, "the line is too long");
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "all") == 0)
            NB_TRY(add_all(r));
        else if (strcmp(word, "y") == 0)
            NB_TRY(add_y(r, choice && choice->quantity ? choice->quantity : r->script->y));
        else
            NB_TRY(read_column(r, word));
    }
out:
    return status;
}

/* "last" as -1, or a number from 0 */
static int read_place(const char *text, size_t length, int32_t *place) {
    char word[16], *end;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    *place = -1;
    if (strcmp(word, "last") == 0) return 1;
    long number = strtol(word, &end, 10);
    *place = (int32_t)number;
    return end != word && !*end && length < 10 && number >= 0;
}

/* of which step, and of which of its Newton iterations */
static nb_status read_at(const nb_figure_script *script, const nb_figure_choice *choice, nb_record_table *table) {
    const char *at = script->at ? script->at : "last:0";
    size_t step = strcspn(at, ":");
    table->newton = 0;
    table->all_steps = strcmp(at, "all") == 0;
    if (table->all_steps && table->rows != NB_ROWS_NEWTON)
        return wrong(script->source, "at", at, "all steps are for rows of newton");
    if (!table->all_steps && (!read_place(at, step, &table->step) ||
                              (at[step] && !read_place(at + step + 1, strlen(at + step + 1), &table->newton))))
        return wrong(script->source, "at", at, "it is STEP[:NEWTON], each a number from 0 or last; or all");
    if (script->y && choice && choice->step >= 0) {
        table->step = choice->step;
        table->newton = choice->newton >= 0 ? choice->newton : 0;
    }
    return NB_OK;
}

static const char *const friction_curves[] = {"fischer-burmeister", "minimum-map", NULL};
static const char *const scaling_curves[] = {"fischer-burmeister r=1", "fischer-burmeister r=1/4", "minimum-map r=1",
                                             "minimum-map r=1/4", NULL};

/* of the studies of bench/study.h, in the order of their blocks */
static const char *const gradient_curves[] = {"sliding",
                                              "sticking",
                                              "at-rest",
                                              "rolling",
                                              "landing",
                                              "falling-off",
                                              "sliding-single-level",
                                              "rolling-single-level",
                                              "landing-single-level",
                                              NULL};
static const char *const stopping_curves[] = {"smoothed 1e-3",
                                              "smoothed 1e-4",
                                              "interior-point 1e-8",
                                              "interior-point 1e-10",
                                              "single-level 1e-6",
                                              "single-level 1e-9",
                                              NULL};

/* of figure/scene.h's pictures with contacts */
static const char marked[] = "time_s contacts open sticking sliding largest low high body_a body_b x_m y_m z_m";

static const nb_made_table made[NB_SCRIPT_ROWS] = {
    [NB_ROWS_RUN] = {"run"}, /* these five have no columns of their own */
    [NB_ROWS_BATCH] = {"batch"},
    [NB_ROWS_STEP] = {"step"},
    [NB_ROWS_NEWTON] = {"newton"},
    [NB_ROWS_LINEAR] = {"linear"},
    [NB_ROWS_PROFILE] = {"profile", "cost share share_low share_high"},
    [NB_ROWS_DEVICES] = {"devices", "contacts time_us least_us most_us limit_us", .of_timings = 1},
    [NB_ROWS_SCENE] = {"scene", "time_s top_m penetration_m penetration_so_far_m first_m least_strain most_strain "
                                "strain_limit share_above middle_x_m middle_y_m middle_z_m wide_x_m wide_y_m wide_z_m"},
    [NB_ROWS_MOMENTS] = {"moments", "time_s top_m least_strain most_strain strain_limit "
                                    "middle_x_m middle_y_m middle_z_m wide_x_m wide_y_m wide_z_m"},
    [NB_ROWS_SCENE_FORCES] = {"scene-forces", marked},
    [NB_ROWS_SCENE_ERRORS] = {"scene-errors", marked},
    [NB_ROWS_SCENE_MODES] = {"scene-modes", marked},
    [NB_ROWS_CONTACTS] = {"contacts", "share error_m_s height_m force_n mode body_a body_b at_most"},
    [NB_ROWS_EXTENSION] = {"extension", "stretch volume least_volume most_volume"},
    [NB_ROWS_FORCES] = {"forces", "low_body high_body x_m y_m z_m force_n"},
    [NB_ROWS_GRADIENT] = {"gradient-error", "rho_j error differences_error", .curves = gradient_curves, .of_study = 1},
    [NB_ROWS_GRADIENT_FRICTION] = {"gradient-friction", "friction_left error creep hard_error",
                                   .curves = stopping_curves, .of_study = 1},
    [NB_ROWS_OPTIMIZATION] = {"course", "evaluation rho_j cost exact_cost exact_m exact_rad"},
    [NB_ROWS_BANDWIDTH] = {"bandwidth", "bytes gb_s triad_gb_s", .of_timings = 1},
    [NB_ROWS_CLASSES] = {"classes", "class tried solved near"},
    [NB_ROWS_FIELD] = {"field", "cost share low high"},
    [NB_ROWS_SPECTRA] = {"spectra", "index eigenvalue condition iterations"},
    [NB_ROWS_FRICTION] = {"friction", "force_n compliance error", .curves = friction_curves},
    [NB_ROWS_SCALING] = {"scaling", "lambda error", .curves = scaling_curves},
};

static const char *rows_at(const void *context, int i) {
    (void)context;
    return made[i].name;
}

static nb_status read_rows(const nb_figure_script *script, nb_record_table *table) {
    if (!script->rows) return wrong(script->source, "rows", "", "the head has no such line");
    int i = nb_name_find(script->rows, NB_SCRIPT_ROWS, rows_at, NULL);
    if (i < 0) return unknown(script->source, "rows", script->rows, NB_SCRIPT_ROWS, rows_at, NULL);
    table->rows = i;
    if (!made[i].columns)
        return script->columns ? NB_OK : wrong(script->source, "columns", "", "the head has no such line");
    table->made = &made[i];
    for (const char *name = made[i].columns; *name; name += strspn(name, " ")) {
        snprintf(table->columns[table->count++].name, NB_NAME_LENGTH, "%.*s", (int)strcspn(name, " "), name);
        name += strcspn(name, " ");
    }
    if (script->columns || script->at || script->y)
        return wrong(script->source, "rows", script->rows, "such a table has fixed columns: no 'columns', 'at', 'y'");
    return NB_OK;
}

nb_status nb_script_make_table(const nb_figure_script *script, const nb_figure_choice *choice, nb_record_table *table) {
    nb_status status;
    reading r = {.script = script, .table = table};
    *table = (nb_record_table){.y = -1};
    nb_known_columns_list(&r.columns.known);
    snprintf(r.owner, sizeof r.owner, "figure %s", script->source->name);
    NB_TRY(read_rows(script, table));
    if (table->made) return NB_OK;
    if (script->y && choice && choice->quantity && nb_figure_choice_linear(choice->quantity) >= 0) {
        r.columns.asked_linear = table->rows != NB_ROWS_LINEAR;
        table->rows = NB_ROWS_LINEAR;
    }
    NB_TRY(read_at(script, choice, table));
    r.columns.owner = r.owner;
    r.columns.rows = table->rows;
    r.columns.all_steps = table->all_steps;
    NB_TRY(read_columns(&r, choice));
    if (script->y && table->y < 0) NB_TRY(wrong(script->source, "y", script->y, "no column of 'columns' is y"));
out:
    return status;
}

/* ---- scripts ---- */

static const char *const none[] = {NULL}; /* any runs will do */

nb_status nb_script_read_numbers(const nb_figure_script *script, nb_row_number *numbers, int *count) {
    nb_status status = NB_OK;
    char owner[80];
    snprintf(owner, sizeof owner, "figure %s", script->source->name);
    for (*count = 0; script->numbers[*count] && status == NB_OK; ++*count)
        status = nb_row_number_read(owner, script->numbers[*count], &numbers[*count]);
    return status;
}

/* what is wrong with a line `number` shows in a row without numbers */
static nb_status check_numbers(const nb_figure_script *s, const nb_record_table *table) {
    const double row[NB_TABLE_COLUMNS] = {0};
    double values[NB_ROW_NUMBERS];
    nb_row_number numbers[NB_ROW_NUMBERS];
    char message[600];
    int count;
    nb_status status = nb_script_read_numbers(s, numbers, &count);
    if (status != NB_OK) return status;
    status = nb_row_numbers_take(numbers, count, table, NULL, row, 1, values);
    if (status == NB_OK || status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(NB_ERROR_INPUT, "figure %s: number: %s", s->source->name, message);
}

/* what the lines together say */
static nb_status check(nb_figure_script *s) {
    int everything = s->panel && strcmp(s->panel, "*") == 0;
    nb_record_table table;
    if (!s->type.summary) return wrong(s->source, "title", "", "the head has no such line");
    if (everything != (s->series && strcmp(s->series, "*") == 0))
        return wrong(s->source, "panel", s->panel ? s->panel : "", "'*' stands for panel and series, or for neither");
    if (s->timings && strcmp(s->timings, "newton") != 0)
        return wrong(s->source, "timings", s->timings, "they are of newton");
    if (s->gathered && strcmp(s->gathered, "series") != 0)
        return wrong(s->source, "gathered", s->gathered, "they are the series");
    if (s->times && strcmp(s->times, "shown") != 0) return wrong(s->source, "times", s->times, "they are shown");
    const nb_status status = nb_script_make_table(s, NULL, &table);
    if (status != NB_OK) return status;
    if (table.made && table.made->of_study) s->type.study = s->rows;
    return check_numbers(s, &table);
}

nb_status nb_script_read(const nb_script_source *source, nb_figure_script *script) {
    nb_status status = NB_OK;
    *script = (nb_figure_script){.source = source, .type.name = source->name, .type.summary = NULL};
    for (const char *const *line = source->head; *line && status == NB_OK; line++) status = set_key(script, *line);
    if (script->runs[0]) script->type.runs = script->runs;
    if (script->quick[0]) script->type.quick_runs = script->quick;
    if (script->makes[0]) script->type.makes = script->makes;
    if (script->quick_makes[0]) script->type.quick_makes = script->quick_makes;
    if (script->any || script->all) script->type.runs = none;
    script->type.of_all = script->all != NULL;
    script->type.apart = script->apart != NULL;
    script->type.files = script->files;
    if (script->also && strcmp(script->also, "any") == 0) script->also = "";
    if (!script->select) script->select = "";
    if (!script->panel) script->panel = "";
    if (!script->series) script->series = "";
    if (status == NB_OK) status = check(script);
    if (!script->type.summary) script->type.summary = "";
    return status;
}

const nb_figure_class *nb_figure_at(int i) {
    static int count;
    while (count <= i && nb_script_sources[count].name) {
        (void)nb_script_read(&nb_script_sources[count], &nb_scripts[count]); /* who draws it is told what is wrong */
        count++;
    }
    return i < count ? &nb_scripts[i].type : NULL;
}
