#include "table/column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "table/settings.h"

/* the names that a value may be made of */
typedef struct name_list {
    const char *(*at)(const void *context, int i);
    int count;
    const void *context;
} name_list;

static nb_status wrong(const nb_column_reading *r, const char *value, const char *what) {
    return nb_fail(NB_ERROR_INPUT, "%s: 'columns: %.200s': %s", r->owner, value, what);
}

nb_status nb_column_unknown(const char *owner, const char *kind, const char *name, int count,
                            const char *(*at)(const void *context, int i), const void *context) {
    char message[1400];
    nb_status status = nb_name_unknown(kind, name, count, at, context);
    if (status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(NB_ERROR_INPUT, "%s: %s", owner, message);
}

/* ---- names ---- */

static const char *linear_at(const void *context, int i) {
    (void)context;
    return nb_linear_columns[i].name;
}

static const char *step_at(const void *context, int i) {
    (void)context;
    return nb_step_columns[i].name;
}

static const char *cost_at(const void *context, int i) {
    static const char *const names[] = {"newton_iterations", "factorisations", "linear_iterations",   "step_s",
                                        "energy_iterations", "energy_flops",   "residual_iterations", "residual_flops",
                                        "residual_s"};
    (void)context;
    return names[i];
}

static const char *batch_at(const void *context, int i) {
    (void)context;
    return nb_step_columns[nb_batch_step_column[i]].name;
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
                                        [NB_FUNCTION_SUM] = "sum",
                                        [NB_FUNCTION_FIRST] = "first",
                                        [NB_FUNCTION_LAST] = "last",
                                        [NB_FUNCTION_WORST] = "worst"};
    (void)context;
    return names[NB_FUNCTION_BEFORE + i];
}

/* ---- values ---- */

static const name_list of_linear = {linear_at, NB_LINEAR_COLUMNS, NULL}, of_steps = {step_at, NB_STEP_COLUMNS, NULL},
                       of_costs = {cost_at, NB_COSTS, NULL}, of_batch = {batch_at, NB_BATCH_COLUMNS, NULL};

/* whether a line is of a run, or a copy of one: attributes, and functions of what its steps have */
static int is_of_runs(int rows) {
    return rows == NB_ROWS_RUN || rows == NB_ROWS_BATCH;
}

/* whether it is what a linear solve took, in a row of one of its iterations */
static int is_of_solve(const nb_column_reading *r, const nb_record_column *c) {
    return r->rows == NB_ROWS_LINEAR && c->function == NB_FUNCTION_BEFORE;
}

static name_list names_of(const nb_column_reading *r, const nb_record_column *c) {
    const name_list attributes = {nb_setting_attribute_at, nb_run_info_members.count, NULL};
    const name_list of_newton = {nb_known_columns_at, r->known.count, &r->known};
    if (c->accuracy > 0) return of_costs;
    if (r->rows == NB_ROWS_NEWTON || is_of_solve(r, c)) return of_newton;
    if (r->rows == NB_ROWS_LINEAR) return of_linear;
    if (r->rows == NB_ROWS_STEP) return of_steps;
    if (c->function == NB_FUNCTION_NONE) return attributes;
    return r->rows == NB_ROWS_BATCH ? of_batch : of_steps;
}

static int ends_in(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* The place of "NAME", or of "NAME_s" where "NAME_ms" is asked for, which is 1e3 of it; -1: none. */
static int find_unit(name_list known, const char *name, char seconds[NB_NAME_LENGTH], double *unit) {
    snprintf(seconds, NB_NAME_LENGTH, "%s", name);
    *unit = 1;
    int i = nb_name_find(name, known.count, known.at, known.context);
    if (i >= 0 || strlen(name) >= NB_NAME_LENGTH || !ends_in(name, "_ms")) return i;
    snprintf(seconds + strlen(name) - 2, 2, "s");
    *unit = 1e3;
    return nb_name_find(seconds, known.count, known.at, known.context);
}

int nb_step_column_find(const char *name, double *unit) {
    char seconds[NB_NAME_LENGTH];
    return find_unit(of_steps, name, seconds, unit);
}

/* a term of a sum */
static nb_status add_term(const nb_column_reading *r, const char *name, nb_record_column *c) {
    const name_list known = names_of(r, c);
    char seconds[NB_NAME_LENGTH];
    double unit;
    int i = find_unit(known, name, seconds, &unit), of_newton = r->rows == NB_ROWS_NEWTON;
    if (i < 0 && r->asked_linear && nb_known_columns_have(seconds)) i = NB_TERM_NONE;
    if (is_of_solve(r, c) && (i >= 0 || strcmp(name, "flops") == 0)) i = NB_TERM_NONE;
    if (r->rows == NB_ROWS_RUN && c->function != NB_FUNCTION_NONE && c->accuracy == 0 &&
        (c->terms > 0 ? *c->of[0] != '\0' : i == -1)) {
        i = find_unit((name_list){nb_known_columns_at, r->known.count, &r->known}, name, seconds, &unit);
        of_newton = 1;
    }
    if (i == -1) return nb_column_unknown(r->owner, "column", name, known.count, known.at, known.context);
    if (c->terms == NB_COLUMN_TERMS) return wrong(r, c->name, "a sum of more terms than there may be");
    int time = ends_in(seconds, "_s");
    if (c->terms > 0 && (time != c->time || unit != c->unit))
        return wrong(r, name, "it is not in the unit of the other terms of its sum");
    c->time = time;
    c->unit = unit;
    if (of_newton || i == NB_TERM_NONE) snprintf(c->of[c->terms], NB_NAME_LENGTH, "%s", seconds);
    c->term[c->terms++] = i;
    return NB_OK;
}

/* "NAME[+NAME...][@ACCURACY]" */
static nb_status read_sum(const nb_column_reading *r, char *text, nb_record_column *c) {
    nb_status status = NB_OK;
    char *rest, *end, *at = strchr(text, '@');
    if (at) {
        c->accuracy = strtod(at + 1, &end);
        if (end == at + 1 || *end || !(c->accuracy > 0) || r->rows != NB_ROWS_RUN)
            return wrong(r, text, "an accuracy is a number above 0, in rows of a run");
        *at = '\0';
    }
    for (char *name = strtok_r(text, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) NB_TRY(add_term(r, name, c));
    if (c->terms == 0 || (c->accuracy > 0 && c->terms > 1))
        return wrong(r, text, "a function takes a column, or a sum of several");
out:
    return status;
}

nb_status nb_column_function_read(const char *owner, const char *name, nb_column_function *function) {
    const int count = NB_FUNCTION_WORST - NB_FUNCTION_BEFORE + 1, i = nb_name_find(name, count, function_at, NULL);
    if (i < 0) return nb_column_unknown(owner, "function", name, count, function_at, NULL);
    *function = (nb_column_function)(NB_FUNCTION_BEFORE + i);
    return NB_OK;
}

/* "FUNCTION(...)" whose bracket is at `bracket` */
static nb_status read_function(const nb_column_reading *r, char *text, char *bracket, nb_record_column *c) {
    size_t length = strlen(bracket);
    if (bracket[length - 1] != ')') return wrong(r, text, "a bracket is not closed");
    bracket[length - 1] = *bracket = '\0';
    const nb_status status = nb_column_function_read(r->owner, text, &c->function);
    if (status != NB_OK) return status;
    if (r->rows == NB_ROWS_STEP && c->function != NB_FUNCTION_BEFORE)
        return wrong(r, text, "of a step there is one value: only before(...) is of several");
    int of_iterations = !is_of_runs(r->rows) && !r->all_steps;
    if ((c->function == NB_FUNCTION_BEFORE) != of_iterations)
        return wrong(r, text,
                     of_iterations ? "of an iteration there is one value: only before(...) is of several"
                                   : "only iterations of one step have others before them");
    return read_sum(r, bracket + 1, c);
}

/* one value by itself, or "NAME/start" */
static nb_status read_value(const nb_column_reading *r, char *text, nb_record_column *c) {
    static const char *const numbers[] = {
        [NB_ROWS_RUN] = "", [NB_ROWS_BATCH] = "copy", [NB_ROWS_STEP] = "step", "iteration", "iteration"};
    const size_t length = strlen(text);
    const int of_run = is_of_runs(r->rows);
    c->term[0] = strcmp(text, numbers[r->rows]) == 0          ? NB_TERM_ITERATION
                 : of_run && strcmp(text, "repetitions") == 0 ? NB_TERM_REPETITIONS
                 : of_run && strcmp(text, "peak_bytes") == 0  ? NB_TERM_MEMORY
                                                              : 0;
    c->terms = c->term[0] != 0;
    if (c->terms) return NB_OK;
    if (!of_run && r->all_steps) return wrong(r, text, "of all steps it takes a function, as in median(...)");
    if (!of_run && r->rows != NB_ROWS_STEP && ends_in(text, "/start")) {
        c->function = NB_FUNCTION_START;
        text[length - strlen("/start")] = '\0';
    }
    return add_term(r, text, c);
}

nb_status nb_column_read_name(const nb_column_reading *r, const char *name, nb_record_column *column) {
    *column = (nb_record_column){.digits = 9};
    snprintf(column->name, sizeof column->name, "%s", name);
    return add_term(r, name, column);
}

nb_status nb_column_read(const nb_column_reading *r, const char *text, nb_record_column *column) {
    nb_record_column c = {.digits = 9, .unit = 1};
    char word[256], *end;
    if ((size_t)snprintf(word, sizeof word, "%s", text) >= sizeof word) return wrong(r, text, "the text is too long");
    char *equals = strchr(word, '='), *value = equals ? equals + 1 : word, *colon = strchr(value, ':');
    if (equals) *equals = '\0';
    if (colon) {
        c.digits = (int)strtol(colon + 1, &end, 10);
        if (end == colon + 1 || *end || c.digits < 1 || c.digits > 17)
            return wrong(r, word, "after a colon stand the digits, 1 to 17");
        *colon = '\0';
    }
    snprintf(c.name, sizeof c.name, "%.*s", NB_NAME_LENGTH - 1, word);
    char *bracket = strchr(value, '(');
    const nb_status status = bracket ? read_function(r, value, bracket, &c) : read_value(r, value, &c);
    if (status == NB_OK) *column = c;
    return status;
}
