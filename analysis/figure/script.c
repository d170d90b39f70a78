#include "figure/script.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "figure/gradient_error.h"
#include "figure/gradient_friction.h"
#include "run/columns.h"

/* the names that a value may be made of */
typedef struct name_list {
    const char *(*at)(const void *context, int i);
    int count;
    const void *context;
} name_list;

/* ---- faults ---- */

/* a script has a head; what computes with a value has none */
static const char *kind_of(const nb_script_source *source) {
    return source->head ? "figure" : "claim";
}

static nb_status wrong(const nb_script_source *source, const char *key, const char *value, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "%s %s: '%s: %.200s': %s", kind_of(source), source->name, key, value, what);
}

/* the same of a name that is unknown */
static nb_status unknown(const nb_script_source *source, const char *kind, const char *name, name_list known) {
    char message[1400];
    nb_status status = nb_name_unknown(kind, name, known.count, known.at, known.context);
    if (status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(NB_ERROR_INPUT, "%s %s: %s", kind_of(source), source->name, message);
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
    KEY("any", any, 0),
    KEY("all", all, 0),
    KEY("select", select, 0),
    KEY("also", also, 0),
    KEY("with", type.with, 0),
    KEY("timings", timings, 0),
    KEY("panel", panel, 0),
    KEY("series", series, 0),
    KEY("gathered", gathered, 0),
    KEY("rows", rows, 0),
    KEY("at", at, 0),
    KEY("columns", columns, 0),
    KEY("y", y, 0),
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
    if (i < 0) return unknown(script->source, "key", name, (name_list){key_at, KEYS, NULL});
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

/* ---- what a column is made of ---- */

static const char *newton_at(const void *known, int i) {
    return ((const nb_known_columns *)known)->at[i]->name;
}

static const char *linear_at(const void *context, int i) {
    (void)context;
    return nb_linear_columns[i].name;
}

static const char *step_at(const void *context, int i) {
    (void)context;
    return nb_step_columns[i].name;
}

static const char *attribute_at(const void *context, int i) {
    (void)context;
    return nb_run_info_members.items[i].name;
}

static const char *cost_at(const void *context, int i) {
    static const char *const names[] = {"newton_iterations", "factorisations", "linear_iterations", "step_s",
                                        "energy_iterations", "energy_flops"};
    (void)context;
    return names[i];
}

static const char *batch_at(const void *context, int i) {
    (void)context;
    return nb_step_columns[nb_batch_step_column[i]].name;
}

static const char *rows_at(const void *context, int i) {
    static const char *const names[NB_SCRIPT_ROWS] = {[NB_ROWS_RUN] = "run",
                                                      [NB_ROWS_BATCH] = "batch",
                                                      [NB_ROWS_STEP] = "step",
                                                      [NB_ROWS_NEWTON] = "newton",
                                                      [NB_ROWS_LINEAR] = "linear",
                                                      [NB_ROWS_PROFILE] = "profile",
                                                      [NB_ROWS_DEVICES] = "devices",
                                                      [NB_ROWS_SCENE] = "scene",
                                                      [NB_ROWS_MOMENTS] = "moments",
                                                      [NB_ROWS_EXTENSION] = "extension",
                                                      [NB_ROWS_FORCES] = "forces",
                                                      [NB_ROWS_FRICTION] = "friction",
                                                      [NB_ROWS_SCALING] = "scaling",
                                                      [NB_ROWS_GRADIENT] = "gradient-error",
                                                      [NB_ROWS_GRADIENT_FRICTION] = "gradient-friction",
                                                      [NB_ROWS_OPTIMIZATION] = "course",
                                                      [NB_ROWS_SPECTRA] = "spectra"};
    (void)context;
    return names[i];
}

static const char *function_at(const void *context, int i) {
    static const char *const names[] = {[NB_FUNCTION_BEFORE] = "before",
                                        [NB_FUNCTION_LEAST] = "least",
                                        [NB_FUNCTION_QUARTER] = "quarter",
                                        [NB_FUNCTION_MEDIAN] = "median",
                                        [NB_FUNCTION_THREE_QUARTERS] = "three_quarters",
                                        [NB_FUNCTION_MOST] = "most",
                                        [NB_FUNCTION_SPREAD] = "spread",
                                        [NB_FUNCTION_MEAN] = "mean",
                                        [NB_FUNCTION_COUNT] = "count",
                                        [NB_FUNCTION_LAST] = "last",
                                        [NB_FUNCTION_WORST] = "worst"};
    (void)context;
    return names[NB_FUNCTION_BEFORE + i];
}

/* a table that is being read */
typedef struct reading {
    const nb_figure_script *script;
    nb_script_table *table;
    int asked_linear; /* 1: --y asked for a column of linear/, where the head speaks of newton/ */
    nb_known_columns known;
} reading;

static const name_list of_linear = {linear_at, NB_LINEAR_COLUMNS, NULL}, of_steps = {step_at, NB_STEP_COLUMNS, NULL},
                       of_costs = {cost_at, NB_COSTS, NULL}, of_batch = {batch_at, NB_BATCH_COLUMNS, NULL};

/* whether a line is of a run, or a copy of one: attributes, and functions of what its steps have */
static int is_of_runs(nb_script_rows rows) {
    return rows == NB_ROWS_RUN || rows == NB_ROWS_BATCH;
}

static name_list names_of(const reading *r, const nb_script_column *c) {
    const name_list attributes = {attribute_at, nb_run_info_members.count, NULL};
    const name_list of_newton = {newton_at, r->known.count, &r->known};
    if (c->accuracy > 0) return of_costs;
    if (r->table->rows == NB_ROWS_NEWTON) return of_newton;
    if (r->table->rows == NB_ROWS_LINEAR) return of_linear;
    if (r->table->rows == NB_ROWS_STEP) return of_steps;
    if (c->function == NB_FUNCTION_NONE) return attributes;
    return r->table->rows == NB_ROWS_BATCH ? of_batch : of_steps;
}

static int ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* a term "NAME" of a sum, or "NAME_ms" for a column "NAME_s" */
static nb_status add_term(const reading *r, const char *name, nb_script_column *c) {
    const name_list known = names_of(r, c);
    char seconds[NB_NAME_LENGTH];
    double unit = 1;
    snprintf(seconds, sizeof seconds, "%s", name);
    int i = nb_name_find(name, known.count, known.at, known.context);
    if (i < 0 && strlen(name) < sizeof seconds && ends_in(name, "_ms")) {
        snprintf(seconds + strlen(name) - 2, 2, "s");
        i = nb_name_find(seconds, known.count, known.at, known.context);
        unit = 1e3;
    }
    if (i < 0 && r->asked_linear && nb_known_columns_have(seconds)) i = NB_TERM_NONE;
    if (i == -1) return unknown(r->script->source, "column", name, known);
    if (c->terms == NB_SCRIPT_TERMS)
        return wrong(r->script->source, "columns", c->name, "a sum of more terms than there may be");
    int time = ends_in(seconds, "_s");
    if (c->terms > 0 && (time != c->time || unit != c->unit))
        return wrong(r->script->source, "columns", name, "it is not in the unit of the other terms of its sum");
    c->time = time;
    c->unit = unit;
    if (r->table->rows == NB_ROWS_NEWTON || i == NB_TERM_NONE) snprintf(c->of[c->terms], NB_NAME_LENGTH, "%s", seconds);
    c->term[c->terms++] = i;
    return NB_OK;
}

/* "NAME[+NAME...][@ACCURACY]" */
static nb_status read_sum(const reading *r, char *text, nb_script_column *c) {
    nb_status status = NB_OK;
    char *rest, *end, *at = strchr(text, '@');
    if (at) {
        c->accuracy = strtod(at + 1, &end);
        if (end == at + 1 || *end || !(c->accuracy > 0) || r->table->rows != NB_ROWS_RUN)
            return wrong(r->script->source, "columns", text, "an accuracy is a number above 0, in rows of a run");
        *at = '\0';
    }
    for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) NB_TRY(add_term(r, name, c));
    if (c->terms == 0 || (c->accuracy > 0 && c->terms > 1))
        return wrong(r->script->source, "columns", text, "a function takes a column, or a sum of several");
out:
    return status;
}

/* "FUNCTION(...)" whose bracket is at `bracket` */
static nb_status read_function(const reading *r, char *text, char *bracket, nb_script_column *c) {
    const int count = NB_FUNCTION_WORST - NB_FUNCTION_BEFORE + 1;
    size_t length = strlen(bracket);
    if (bracket[length - 1] != ')') return wrong(r->script->source, "columns", text, "a bracket is not closed");
    bracket[length - 1] = *bracket = '\0';
    int i = nb_name_find(text, count, function_at, NULL);
    if (i < 0) return unknown(r->script->source, "function", text, (name_list){function_at, count, NULL});
    c->function = (nb_script_function)(NB_FUNCTION_BEFORE + i);
    if (r->table->rows == NB_ROWS_STEP)
        return wrong(r->script->source, "columns", text, "of a step there is one value, and no function of several");
    int of_iterations = !is_of_runs(r->table->rows) && !r->table->all_steps;
    if ((c->function == NB_FUNCTION_BEFORE) != of_iterations)
        return wrong(r->script->source, "columns", text,
                     of_iterations ? "of an iteration there is one value: only before(...) is of several"
                                   : "only iterations of one step have others before them");
    return read_sum(r, bracket + 1, c);
}

/* one value by itself, or "NAME/start" */
static nb_status read_value(const reading *r, char *text, nb_script_column *c) {
    size_t length = strlen(text);
    int of_run = is_of_runs(r->table->rows);
    c->terms = 1;
    if (!of_run && strcmp(text, r->table->rows == NB_ROWS_STEP ? "step" : "iteration") == 0) {
        c->term[0] = NB_TERM_ITERATION;
        return NB_OK;
    }
    if (r->table->rows == NB_ROWS_BATCH && strcmp(text, "copy") == 0) {
        c->term[0] = NB_TERM_ITERATION;
        return NB_OK;
    }
    if (of_run && strcmp(text, "repetitions") == 0) {
        c->term[0] = NB_TERM_REPETITIONS;
        return NB_OK;
    }
    if (of_run && strcmp(text, "peak_bytes") == 0) {
        c->term[0] = NB_TERM_MEMORY;
        return NB_OK;
    }
    c->terms = 0;
    if (!of_run && r->table->all_steps)
        return wrong(r->script->source, "columns", text, "of all steps it takes a function, as in median(...)");
    if (!of_run && r->table->rows != NB_ROWS_STEP && ends_in(text, "/start")) {
        c->function = NB_FUNCTION_START;
        text[length - strlen("/start")] = '\0';
    }
    return add_term(r, text, c);
}

static nb_status add_column(const reading *r, const nb_script_column *c) {
    if (r->table->count == NB_SCRIPT_COLUMNS)
        return wrong(r->script->source, "columns", c->name, "there are too many columns");
    r->table->columns[r->table->count++] = *c;
    return NB_OK;
}

static nb_status add_all(const reading *r) {
    nb_status status = NB_OK;
    if (r->table->rows != NB_ROWS_NEWTON || r->table->all_steps)
        return wrong(r->script->source, "columns", "all", "it is for rows of newton, in one step");
    for (int i = 0; i < r->known.count; i++) {
        nb_script_column c = {.digits = 9};
        snprintf(c.name, sizeof c.name, "%s", newton_at(&r->known, i));
        NB_TRY(add_term(r, c.name, &c));
        NB_TRY(add_column(r, &c));
    }
out:
    return status;
}

/* the column that the head's `y` or --y names */
static nb_status add_y(const reading *r, const char *quantity) {
    nb_script_column c = {.digits = 9, .unit = 1, .terms = 1};
    if (!quantity) return wrong(r->script->source, "columns", "y", "the head has no line 'y'");
    c.term[0] = nb_figure_choice_linear(quantity);
    if (c.term[0] >= 0) {
        snprintf(c.name, sizeof c.name, "%s", linear_at(NULL, c.term[0]));
        if (nb_figure_choice_relative(quantity)) {
            snprintf(c.name, sizeof c.name, "relative_residual");
            c.function = NB_FUNCTION_START;
        }
    } else { /* what is asked for may be a column of runs alone, and of none of this program's methods */
        nb_figure_choice_name(quantity, c.name);
        if (quantity == r->script->y && !nb_known_columns_have(c.name))
            return unknown(r->script->source, "column", quantity, (name_list){newton_at, r->known.count, &r->known});
        snprintf(c.of[0], NB_NAME_LENGTH, "%s", c.name);
        c.term[0] = 0;
    }
    c.time = ends_in(c.name, "_s");
    r->table->y = r->table->count;
    return add_column(r, &c);
}

/* "[NAME=]VALUE[:DIGITS]" */
static nb_status read_column(const reading *r, char *text) {
    nb_status status;
    nb_script_column c = {.digits = 9, .unit = 1};
    char *equals = strchr(text, '='), *value = equals ? equals + 1 : text, *colon = strchr(value, ':'), *end;
    if (equals) *equals = '\0';
    if (colon) {
        c.digits = (int)strtol(colon + 1, &end, 10);
        if (end == colon + 1 || *end || c.digits < 1 || c.digits > 17)
            return wrong(r->script->source, "columns", text, "after a colon stand the digits, 1 to 17");
        *colon = '\0';
    }
    snprintf(c.name, sizeof c.name, "%s", text);
    char *bracket = strchr(value, '(');
    if (bracket)
        NB_TRY(read_function(r, value, bracket, &c));
    else
        NB_TRY(read_value(r, value, &c));
    NB_TRY(add_column(r, &c));
out:
    return status;
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
static nb_status read_at(const nb_figure_script *script, const nb_figure_choice *choice, nb_script_table *table) {
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
        table->newton = choice->newton;
    }
    return NB_OK;
}

static const char *const friction_curves[] = {"fischer-burmeister", "minimum-map", NULL};
static const char *const scaling_curves[] = {"fischer-burmeister r=1", "fischer-burmeister r=1/4", "minimum-map r=1",
                                             "minimum-map r=1/4", NULL};

static const nb_script_made made[NB_SCRIPT_ROWS] = {
    [NB_ROWS_PROFILE] = {.columns = "cost share share_low share_high"},
    [NB_ROWS_DEVICES] = {.columns = "contacts time_us least_us most_us limit_us", .of_timings = 1},
    [NB_ROWS_SCENE] = {.columns =
                           "time_s top_m penetration_m penetration_so_far_m first_m least_strain most_strain "
                           "strain_limit share_above middle_x_m middle_y_m middle_z_m wide_x_m wide_y_m wide_z_m"},
    [NB_ROWS_MOMENTS] = {.columns = "time_s top_m least_strain most_strain strain_limit "
                                    "middle_x_m middle_y_m middle_z_m wide_x_m wide_y_m wide_z_m"},
    [NB_ROWS_EXTENSION] = {.columns = "stretch volume least_volume most_volume"},
    [NB_ROWS_FORCES] = {.columns = "low_body high_body x_m y_m z_m force_n"},
    [NB_ROWS_GRADIENT] = {.columns = "rho_j error differences_error", .curves = nb_gradient_error_curves},
    [NB_ROWS_GRADIENT_FRICTION] = {.columns = "friction_left error creep hard_error",
                                   .curves = nb_gradient_friction_curves},
    [NB_ROWS_OPTIMIZATION] = {.columns = "evaluation rho_j cost exact_cost exact_m exact_rad"},
    [NB_ROWS_SPECTRA] = {.columns = "index eigenvalue"},
    [NB_ROWS_FRICTION] = {.columns = "force_n compliance error", .curves = friction_curves},
    [NB_ROWS_SCALING] = {.columns = "lambda error", .curves = scaling_curves},
};

static nb_status read_rows(const nb_figure_script *script, nb_script_table *table) {
    if (!script->rows) return wrong(script->source, "rows", "", "the head has no such line");
    int i = nb_name_find(script->rows, NB_SCRIPT_ROWS, rows_at, NULL);
    if (i < 0) return unknown(script->source, "rows", script->rows, (name_list){rows_at, NB_SCRIPT_ROWS, NULL});
    table->rows = (nb_script_rows)i;
    if (!made[i].columns)
        return script->columns ? NB_OK : wrong(script->source, "columns", "", "the head has no such line");
    table->made = &made[i];
    if (script->columns || script->at || script->y)
        return wrong(script->source, "rows", script->rows, "such a table has fixed columns: no 'columns', 'at', 'y'");
    return NB_OK;
}

nb_status nb_script_make_table(const nb_figure_script *script, const nb_figure_choice *choice, nb_script_table *table) {
    nb_status status;
    reading r = {.script = script, .table = table};
    *table = (nb_script_table){.y = -1};
    nb_known_columns_list(&r.known);
    NB_TRY(read_rows(script, table));
    if (table->made) return NB_OK;
    if (script->y && choice && choice->quantity && nb_figure_choice_linear(choice->quantity) >= 0) {
        r.asked_linear = table->rows != NB_ROWS_LINEAR;
        table->rows = NB_ROWS_LINEAR;
    }
    NB_TRY(read_at(script, choice, table));
    NB_TRY(read_columns(&r, choice));
    if (script->y && table->y < 0) NB_TRY(wrong(script->source, "y", script->y, "no column of 'columns' is y"));
out:
    return status;
}

nb_status nb_script_read_value(const char *owner, const char *text, int of_copies, nb_script_column *column) {
    const nb_script_source source = {.name = owner};
    const nb_figure_script script = {.source = &source};
    nb_script_table table = {.rows = of_copies ? NB_ROWS_BATCH : NB_ROWS_RUN, .y = -1};
    const reading r = {.script = &script, .table = &table};
    char word[256];
    if ((size_t)snprintf(word, sizeof word, "%s", text) >= sizeof word)
        return wrong(&source, "columns", text, "the text is too long");
    nb_status status = read_column(&r, word);
    if (status == NB_OK) *column = table.columns[0];
    return status;
}

/* ---- scripts ---- */

static const char *const none[] = {NULL}; /* any runs will do */

/* what the lines together say */
static nb_status check(nb_figure_script *s) {
    int everything = s->panel && strcmp(s->panel, "*") == 0;
    nb_script_table table;
    if (!s->type.summary) return wrong(s->source, "title", "", "the head has no such line");
    if (everything != (s->series && strcmp(s->series, "*") == 0))
        return wrong(s->source, "panel", s->panel ? s->panel : "", "'*' stands for panel and series, or for neither");
    if (s->timings && strcmp(s->timings, "newton") != 0)
        return wrong(s->source, "timings", s->timings, "they are of newton");
    if (s->gathered && strcmp(s->gathered, "series") != 0)
        return wrong(s->source, "gathered", s->gathered, "they are the series");
    if (s->times && strcmp(s->times, "shown") != 0) return wrong(s->source, "times", s->times, "they are shown");
    return nb_script_make_table(s, NULL, &table);
}

nb_status nb_script_read(const nb_script_source *source, nb_figure_script *script) {
    nb_status status = NB_OK;
    *script = (nb_figure_script){.source = source, .type.name = source->name, .type.summary = NULL};
    for (const char *const *line = source->head; *line && status == NB_OK; line++) status = set_key(script, *line);
    if (script->runs[0]) script->type.runs = script->runs;
    if (script->quick[0]) script->type.quick_runs = script->quick;
    if (script->any || script->all) script->type.runs = none;
    script->type.of_all = script->all != NULL;
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
