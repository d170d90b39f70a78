#include "claims/element.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "table/outcome.h"
#include "table/rows.h"
#include "table/settings.h"
#include "table/statistics.h"

const char *nb_element_kind_at(const void *context, int i) {
    static const char *const names[NB_ELEMENT_KINDS] = {"runs", "copies", "steps", "iterations", "repeats"};
    (void)context;
    return names[i];
}

int64_t nb_element_count(const nb_run *run, nb_element_kind kind) {
    switch (kind) {
    case NB_ELEMENT_COPY: return run->batch.scenes;
    case NB_ELEMENT_STEP: return run->step_count;
    case NB_ELEMENT_ITERATION: return run->step_count > 0 ? run->newton_start[run->step_count] - run->step_count : 0;
    case NB_ELEMENT_REPEAT: return run->repeat_count > 0 ? run->repeat_count : 1;
    default: return 1;
    }
}

/* ---- names ---- */

static nb_status find_setting(const nb_element *e, const char *name, double *value) {
    char text[NB_NAME_LENGTH], *end;
    if (!nb_setting_find(&e->run->info, name, strlen(name), text))
        return nb_fail(NB_ERROR_INPUT, "a run of %s has no '%.60s'", e->run->info.scenario, name);
    *value = strtod(text, &end);
    if (end != text && !*end) return NB_OK;
    return nb_fail(NB_ERROR_INPUT, "'%.60s' is no number, but '%.60s'", name, text);
}

/* the column of steps of this name; of repetitions, the median of it over their steps; *found: there is one */
static nb_status find_column(const nb_element *e, const char *name, int *found, double *value) {
    const nb_run *run = e->run;
    const nb_rows steps = nb_rows_of_steps(run);
    double unit, *values;
    const int column = nb_step_column_find(name, &unit);
    *found = column >= 0;
    if (!*found) return NB_OK;
    if (e->kind == NB_ELEMENT_STEP) {
        *value = unit * steps.first[e->place * steps.width + column];
        return NB_OK;
    }
    const double *repeated = nb_run_repeated(run, column);
    nb_status status = NB_ALLOCATE(steps.count, &values);
    if (status != NB_OK) return status;
    for (int64_t k = 0; k < steps.count; k++)
        values[k] = repeated ? repeated[e->place * steps.count + k] : steps.first[k * steps.width + column];
    *value = unit * nb_quantile(values, nb_sort_sample(values, steps.count), 0.5);
    nb_free(values);
    return NB_OK;
}

/* the row of the k-th iteration of the run: each step has one row more, of the state that it ends at */
static int64_t row_of_iteration(const nb_run *run, int64_t k) {
    int32_t step = 0;
    while (step + 1 < run->step_count && run->newton_start[step + 1] - (step + 1) <= k) step++;
    return k + step;
}

static nb_status find_name(const nb_element *e, const char *name, double *value) {
    int found = 0;
    if (e->kind == NB_ELEMENT_STEP && strcmp(name, "step") == 0) {
        *value = (double)e->place;
        return NB_OK;
    }
    if (e->kind == NB_ELEMENT_STEP || e->kind == NB_ELEMENT_REPEAT) {
        nb_status status = find_column(e, name, &found, value);
        if (status != NB_OK || found) return status;
    }
    if (e->kind == NB_ELEMENT_ITERATION && nb_run_newton_column(e->run, name) >= 0) {
        *value = nb_run_newton_number(e->run, row_of_iteration(e->run, e->place), nb_run_newton_column(e->run, name));
        return NB_OK;
    }
    if (strcmp(name, "failed") == 0) {
        *value = *e->run->fault != 0;
        return NB_OK;
    }
    for (int i = 0; i < nb_run_usage_members.count; i++) {
        const nb_member *member = &nb_run_usage_members.items[i];
        if (strcmp(member->name, name) != 0 || member->kind != NB_MEMBER_REAL) continue;
        memcpy(value, (const char *)&e->run->usage + member->offset, sizeof *value);
        return NB_OK;
    }
    return find_setting(e, name, value);
}

/* ---- functions of a run ---- */

/* rows of newton/ of the last step, or of linear/ of its first Newton iteration */
typedef struct history {
    nb_rows rows;
    int column;
} history;

/* of linear/; -1: none */
static int linear_column(const char *name) {
    for (int i = 0; i < NB_LINEAR_COLUMNS; i++)
        if (strcmp(nb_linear_columns[i].name, name) == 0) return i;
    return -1;
}

static nb_status find_history(const nb_run *run, int linear, const char *name, history *h) {
    const int64_t last = (int64_t)run->step_count - 1;
    h->rows = nb_rows_of_newton(run, last);
    h->column = linear ? linear_column(name) : nb_run_newton_column(run, name);
    if (h->column < 0) return nb_fail(NB_ERROR_INPUT, "a run of %s has no column '%.60s'", run->info.scenario, name);
    if (linear) h->rows = nb_rows_of_linear(run, h->rows.count > 0 ? run->newton_start[last] : -1);
    return NB_OK;
}

static double row_of(const history *h, int64_t k) {
    const int64_t count = h->rows.count;
    return count > 0 ? h->rows.first[(k >= 0 && k < count ? k : count - 1) * h->rows.width + h->column] : NAN;
}

static double rises_of(const history *h, int64_t most) {
    int64_t rises = 0;
    if (h->rows.count == 0) return NAN;
    for (int64_t k = 1; k < h->rows.count && (most < 0 || k <= most); k++) rises += row_of(h, k) > row_of(h, k - 1);
    return (double)rises;
}

static double speed_of(const double *u) {
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static double mean_of(const double *x, int32_t count, int axis) {
    double sum = 0;
    for (int32_t i = 0; i < count; i++) sum += x[3 * (int64_t)i + axis];
    return count > 0 && x ? sum / count : (double)NAN;
}

/* the mean over all particles */
static double particles_of(const nb_run *run, const char *function, int axis) {
    const nb_snapshot *f = &run->final;
    const double at = mean_of(f->particle_x, f->particles, axis);
    if (*function == 'p') return at;
    double sum = 0;
    for (int32_t i = 0; i < f->particles; i++) sum += speed_of(f->particle_v + 3 * (int64_t)i);
    return f->particles > 0 ? sum / f->particles : (double)NAN;
}

/* the share of the bodies behind it in the scene's order that lie lower */
static double below(const nb_snapshot *f, long body) {
    int32_t lower = 0;
    for (int32_t i = (int32_t)body + 1; i < f->bodies; i++) lower += f->q[7 * i + 2] < f->q[7 * body + 2];
    return body + 1 < f->bodies ? (double)lower / (double)(f->bodies - body - 1) : (double)NAN;
}

static double body_of(const nb_run *run, const char *function, long body, int axis) {
    const nb_snapshot *f = &run->final;
    if (body < 0 || body >= f->bodies) return NAN;
    const double at = f->q[7 * body + axis];
    if (*function == 's') return speed_of(f->u + 6 * body);
    if (*function == 'b') return below(f, body);
    return at;
}

/* "BODY[, AXIS]", or "particles[, AXIS]" */
static nb_status read_body(const nb_run *run, const char *function, const char *argument, double *value) {
    static const char all[] = "particles";
    char *end;
    long body = strtol(argument, &end, 10);
    const int particles = strncmp(argument, all, sizeof all - 1) == 0;
    const char *rest = particles ? argument + sizeof all - 1 : end;
    int axis = 0, whole = *function == 's' || (*function == 'b' && !particles);
    if (!whole && *rest == ',') {
        rest += 1 + strspn(rest + 1, " ");
        axis = *rest ? *rest - 'x' : -1;
        rest += *rest != '\0';
        whole = axis >= 0 && axis <= 2;
    }
    if ((end == argument && !particles) || *rest || !whole)
        return nb_fail(NB_ERROR_INPUT, "'%s(%.60s)': it takes a body or particles, and place x, y or z", function,
                       argument);
    *value = particles ? particles_of(run, function, axis) : body_of(run, function, body, axis);
    return NB_OK;
}

/* Whether the step came to the tolerance superlinearly: its natural map's last three reductions until then are each by
 * a larger factor than the one before, the last by ten or more. */
static int is_superlinear(const nb_run *run, int32_t step, int column, double tolerance) {
    const int64_t first = run->newton_start[step], end = run->newton_start[step + 1];
    int64_t row = first;
    double factor = 0;
    while (row < end && !(nb_run_newton_number(run, row, column) <= tolerance)) row++;
    if (row == end || row - first < 3) return 0;
    for (int64_t k = row - 2; k <= row; k++) {
        double now = nb_run_newton_number(run, k - 1, column) / nb_run_newton_number(run, k, column);
        if (!(now > factor)) return 0;
        factor = now;
    }
    return factor >= 10;
}

static nb_status read_superlinear(const nb_run *run, const char *argument, double *value) {
    char *end;
    const double tolerance = strtod(argument, &end);
    const int column = nb_run_newton_column(run, "natural_map_error");
    if (end == argument || *end) return nb_fail(NB_ERROR_INPUT, "'superlinear(%.60s)': it takes a tolerance", argument);
    *value = 0;
    for (int32_t step = 0; step < run->step_count; step++) *value += is_superlinear(run, step, column, tolerance);
    return NB_OK;
}

/* newton, linear and rises: "COLUMN[, K]" */
static nb_status read_row(const nb_run *run, const char *function, const char *argument, double *value) {
    char name[NB_NAME_LENGTH], *end;
    size_t length = strcspn(argument, ",");
    int64_t k = -1;
    history h;
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    if (argument[length]) {
        k = strtol(argument + length + 1, &end, 10);
        if (end == argument + length + 1 || *end || k < 0)
            return nb_fail(NB_ERROR_INPUT, "'%s(%.60s)': after the comma stands an iteration", function, argument);
    }
    int linear = *function == 'l' || (*function == 'r' && linear_column(name) >= 0);
    nb_status status = find_history(run, linear, name, &h);
    if (status == NB_OK) *value = *function == 'r' ? rises_of(&h, k) : row_of(&h, k);
    return status;
}

nb_status nb_element_value(void *element, const char *name, const char *argument, double *value) {
    static const char *const rows[] = {"newton", "linear", "rises", NULL};
    static const char *const bodies[] = {"place", "speed", "below", NULL};
    const nb_element *e = element;
    const int of_copies = e->kind == NB_ELEMENT_COPY;
    nb_record_column column;
    char text[400], owner[80];
    if (!argument) return find_name(e, name, value);
    if (e->kind == NB_ELEMENT_RUN && nb_setting_is_listed(name, rows)) return read_row(e->run, name, argument, value);
    if (e->kind == NB_ELEMENT_RUN && nb_setting_is_listed(name, bodies))
        return read_body(e->run, name, argument, value);
    if (e->kind == NB_ELEMENT_RUN && strcmp(name, "superlinear") == 0) return read_superlinear(e->run, argument, value);
    if (e->kind != NB_ELEMENT_RUN && !of_copies)
        return nb_fail(NB_ERROR_INPUT, "'%.60s(...)' is of runs, and of copies", name);
    snprintf(text, sizeof text, "%s(%s)", name, argument);
    snprintf(owner, sizeof owner, "claim %s", e->claim);
    const nb_column_reading reading = {.owner = owner, .rows = of_copies ? NB_ROWS_BATCH : NB_ROWS_RUN};
    nb_status status = nb_column_read(&reading, text, &column);
    if (status != NB_OK) return status;
    return nb_record_column_value(&column, e->run, of_copies ? (int32_t)e->place : -1, value);
}
