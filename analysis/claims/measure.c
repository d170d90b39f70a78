#include "claims/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/status.h"
#include "claims/element.h"
#include "constraint/ncp.h"
#include "figure/functions.h"
#include "table/conditions.h"
#include "table/expression.h"
#include "table/statistics.h"

NB_PRECISIONS(f64);

/* ---- the complementarity functions, which need no run ---- */

typedef enum function {
    FRICTION_ERROR,
    FRICTION_COMPLIANCE,
    SCALED,
    FUNCTIONS
} function;

static const char *name_at(const void *context, int i) {
    static const char *const names[FUNCTIONS] = {"friction_error", "friction_compliance", "scaled"};
    (void)context;
    return names[i];
}

static double value_of(int which, int ncp, const double x[2]) {
    double error, compliance;
    if (which == SCALED) return nb_figure_scaled(ncp, x[0], x[1]);
    compliance = nb_figure_friction(ncp, x[0], &error);
    return which == FRICTION_ERROR ? error : compliance;
}

/* "friction_error" of "minimum-map, 5"; NB_ERROR_USAGE or NB_ERROR_INPUT where there is none of this name, or the
 * argument is another. */
static nb_status claim_function(const char *name, const char *argument, double *value) {
    const int which = nb_name_find(name, FUNCTIONS, name_at, NULL), numbers = which == SCALED ? 2 : 1;
    const size_t length = strcspn(argument, ",");
    const char *at = argument + length;
    double x[2] = {0, 0};
    int ncp = 0;
    char *end = NULL;
    if (which < 0) return nb_name_unknown("function", name, FUNCTIONS, name_at, NULL);
    while (ncp < NB_NCP_FUNCTIONS && !nb_name_is(nb_ncp_function_names[ncp], argument, length)) ncp++;
    for (int i = 0; i < numbers && at; i++) {
        x[i] = *at == ',' ? strtod(at + 1, &end) : (double)NAN;
        at = *at == ',' && end != at + 1 ? end : NULL;
    }
    if (ncp == NB_NCP_FUNCTIONS || !at || *at)
        return nb_fail(NB_ERROR_INPUT, "'%.40s(%.60s)': it takes a complementarity function and %d number(s)", name,
                       argument, numbers);
    *value = value_of(which, ncp, x);
    return NB_OK;
}

/* ---- what a measure says ---- */

typedef struct measure {
    nb_aggregate aggregate;
    nb_element_kind kind;
    char expression[512], conditions[256];
    nb_conditions where; /* borrows from conditions */
} measure;

/* the aggregate that the text begins with, or NB_AGGREGATES */
static nb_aggregate aggregate_in(const char *text) {
    size_t length = strcspn(text, " ");
    return text[length] ? nb_aggregate_find(text, length) : NB_AGGREGATES;
}

/* cuts the text at a word in it, and returns what follows, or NULL */
static char *cut(char *text, const char *word) {
    char *at = strstr(text, word);
    if (!at) return NULL;
    *at = '\0';
    return at + strlen(word);
}

static nb_status read_measure(const char *text, measure *m) {
    nb_status status = NB_OK;
    char *rest, *where, *of;
    *m = (measure){.aggregate = aggregate_in(text), .kind = NB_ELEMENT_RUN};
    text += strlen(nb_aggregate_names[m->aggregate]) + 1;
    if ((size_t)snprintf(m->expression, sizeof m->expression, "%s", text) >= sizeof m->expression)
        return nb_fail(NB_ERROR_INPUT, "'%.80s ...' is too long", text);
    if ((where = cut(m->expression, " where ")) != NULL)
        snprintf(m->conditions, sizeof m->conditions, "%.*s", (int)sizeof m->conditions - 1, where);
    if ((of = cut(m->expression, " of ")) != NULL) {
        int kind = nb_name_find(of, NB_ELEMENT_KINDS, nb_element_kind_at, NULL);
        if (kind < 0) return nb_name_unknown("values", of, NB_ELEMENT_KINDS, nb_element_kind_at, NULL);
        m->kind = (nb_element_kind)kind;
    }
    for (char *word = strtok_r(m->conditions, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        NB_TRY(nb_conditions_add(&m->where, word));
out:
    return status;
}

/* ---- the values ---- */

typedef struct sample {
    double *values;
    int64_t count, capacity;
} sample;

static nb_status take_run(const nb_claim *claim, const measure *m, const nb_run *run, sample *s) {
    nb_status status = NB_OK;
    const int64_t count = nb_element_count(run, m->kind);
    for (int64_t k = 0; k < count; k++) {
        nb_element element = {run, m->kind, k, claim->id};
        NB_TRY(NB_RESERVE(s->count + 1, &s->capacity, &s->values));
        NB_TRY(nb_expression_value(m->expression, nb_element_value, &element, &s->values[s->count]));
        s->count++;
    }
out:
    return status;
}

static nb_status take_runs(const nb_claim *claim, const measure *m, nb_run *const *runs, int count, sample *s) {
    nb_status status = NB_OK;
    for (int i = 0; i < count && status == NB_OK; i++)
        if (nb_conditions_hold(&m->where, &runs[i]->info)) status = take_run(claim, m, runs[i], s);
    if (status == NB_OK && s->count == 0 && m->aggregate != NB_AGGREGATE_NUMBER)
        status = nb_fail(NB_ERROR_INPUT, "'%.200s': no run has such values", m->expression);
    if (status == NB_OK && m->aggregate == NB_AGGREGATE_ONE && s->count > 1)
        status =
            nb_fail(NB_ERROR_INPUT, "'%.200s': %lld values in the place of one", m->expression, (long long)s->count);
    return status;
}

/* NaN where one of the values is: what is unknown makes no verdict */
static double aggregate_of(nb_aggregate a, const sample *s, int64_t numbers) {
    double sum = 0;
    if (a == NB_AGGREGATE_NUMBER) return (double)s->count;
    if (numbers < s->count) return NAN;
    for (int64_t i = 0; i < s->count; i++) sum += a == NB_AGGREGATE_SHARE ? s->values[i] != 0 : s->values[i];
    switch (a) {
    case NB_AGGREGATE_LEAST: return s->values[0];
    case NB_AGGREGATE_MOST: return s->values[s->count - 1];
    case NB_AGGREGATE_MEDIAN: return nb_quantile(s->values, s->count, 0.5);
    case NB_AGGREGATE_MEAN:
    case NB_AGGREGATE_SHARE: return sum / (double)s->count;
    default: return sum;
    }
}

static nb_status set_interval(const measure *m, const sample *s, nb_measured *measured) {
    const nb_aggregate a = m->aggregate;
    nb_interval interval;
    if (a == NB_AGGREGATE_SHARE && s->count > 1 && (m->kind == NB_ELEMENT_RUN || m->kind == NB_ELEMENT_COPY)) {
        nb_share_interval(measured->value, s->count, &interval);
        measured->interval = NB_INTERVAL_SHARE;
        measured->low = interval.low;
        measured->high = interval.high;
        return NB_OK;
    }
    if (s->count < 2 || (a != NB_AGGREGATE_MEAN && a != NB_AGGREGATE_MEDIAN)) return NB_OK;
    measured->interval = NB_INTERVAL_RANGE;
    measured->low = s->values[0];
    measured->high = s->values[s->count - 1];
    if (a != NB_AGGREGATE_MEDIAN || s->count < NB_BOOTSTRAP_LEAST) return NB_OK;
    nb_status status = nb_bootstrap_median(s->values, s->count, 1, &interval);
    if (status != NB_OK) return status;
    measured->interval = NB_INTERVAL_BOOTSTRAP;
    measured->low = interval.low;
    measured->high = interval.high;
    return NB_OK;
}

/* ---- public ---- */

typedef struct names {
    const nb_claim *claim;
    const nb_measured *measured;
    int count;
} names;

static const char *measure_at(const void *context, int i) {
    return ((const names *)context)->claim->measures[i].name;
}

static nb_status find_measure(void *context, const char *name, const char *argument, double *value) {
    const names *n = context;
    int i = 0;
    const int is_low = argument && strcmp(name, "low") == 0, is_high = argument && strcmp(name, "high") == 0;
    if (argument && !is_low && !is_high) return claim_function(name, argument, value);
    if (argument) name = argument;
    while (i < n->count && strcmp(measure_at(n, i), name) != 0) i++;
    if (i == n->count) return nb_name_unknown("measure", name, n->count, measure_at, n);
    *value = is_low ? n->measured[i].low : is_high ? n->measured[i].high : n->measured[i].value;
    return NB_OK;
}

nb_status nb_claim_evaluate(const nb_claim *claim, const char *text, const nb_measured *measured, int count,
                            double *value) {
    names n = {claim, measured, count};
    return nb_expression_value(text, find_measure, &n, value);
}

nb_status nb_claim_take_measure(const nb_claim *claim, int i, nb_run *const *runs, int count, nb_measured *measured) {
    nb_status status;
    measure m;
    sample s = {0};
    const char *text = claim->measures[i].text;
    measured[i] = (nb_measured){.low = NAN, .high = NAN, .interval = NB_INTERVAL_NONE};
    if (aggregate_in(text) == NB_AGGREGATES) return nb_claim_evaluate(claim, text, measured, i, &measured[i].value);
    NB_TRY(read_measure(text, &m));
    NB_TRY(take_runs(claim, &m, runs, count, &s));
    const int64_t numbers = nb_sort_sample(s.values, s.count);
    measured[i].value = aggregate_of(m.aggregate, &s, numbers);
    if (numbers == s.count) NB_TRY(set_interval(&m, &s, &measured[i]));
out:
    nb_free(s.values);
    return status;
}
