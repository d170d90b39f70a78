#include "plugin_method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/memory.h"
#include "constraint/cone_rows.h"
#include "constraint/step.h"
#include "measure/iterate.h"

/* a plugin's method as one of the harness's */
typedef struct adapted {
    nb_method_class base;
    const nb_plugin_class *plugin;
} adapted;

NB_PRECISIONS(f64);

/* which contact of a step stands where */
typedef struct named_contact {
    int32_t body[2];
    uint64_t feature;
    int32_t number;
} named_contact;

typedef struct method_state {
    nb_method base;
    const nb_plugin_class *type;
    nb_method_settings settings;
    void *own; /* the plugin's */
    /* of the present step */
    nb_problem *p;
    nb_measure *measure;
    const nb_observer *observer;
    nb_system *system; /* W: D with the compliance of joints and contacts on its diagonal */
    ncpbench_contacts_f64 shown;
    double *r, *q, *u_start, *du; /* [rows] r, q; [velocities] u_start, du */
    int32_t *body, *previous;     /* [contacts][2], [contacts]; with `feature` and `frame` the contacts' identity */
    uint64_t *feature;
    double *frame;        /* [contacts][9] */
    nb_arena arena;       /* holds them */
    named_contact *named; /* [named_count] of this step or, while it begins, of the one before, in order */
    int32_t named_count;
    int64_t named_capacity;
    nb_newton_report report; /* of the iterate told last */
    nb_status told;          /* what the observer made of it */
    double resumed, spent;   /* [s] the clock when the plugin went on; its time since the last report */
    double all;              /* [s] in all */
} method_state;

static adapted loaded[NB_PLUGIN_MOST];

static void drop(method_state *s) {
    nb_system_destroy(s->system);
    nb_arena_clear(&s->arena);
    s->system = NULL;
}

static void destroy(nb_method *self) {
    method_state *s = (method_state *)self;
    if (!s) return;
    if (s->type->plugin.destroy) {
        nb_plugin_before before = nb_plugin_enter(s->type, NB_PLUGIN_DESTROY);
        s->type->plugin.destroy(s->own);
        nb_plugin_leave(&before);
    }
    drop(s);
    nb_free(s->named);
    nb_free(s);
}

static nb_status create(const nb_method_class *type, const nb_method_settings *settings, nb_method **self) {
    nb_status status;
    method_state *s = NULL;
    *self = NULL;
    NB_TRY(NB_ALLOCATE(1, &s));
    s->base.type = type;
    s->type = ((const adapted *)type)->plugin;
    s->settings = *settings;
    NB_TRY(nb_plugin_make_f64(s->type, settings->values, &s->own));
    *self = &s->base;
    return NB_OK;
out:
    nb_free(s);
    return status;
}

/* ---- the problem as the plugin sees it ---- */

static void place_vectors(nb_arena *a, method_state *s) {
    NB_PLACE(a, s->p->rows, &s->r);
    NB_PLACE(a, s->p->rows, &s->q);
    NB_PLACE(a, s->p->velocities, &s->u_start);
    NB_PLACE(a, s->p->velocities, &s->du);
    NB_PLACE(a, 2 * (int64_t)s->p->contacts, &s->body);
    NB_PLACE(a, s->p->contacts, &s->previous);
    NB_PLACE(a, s->p->contacts, &s->feature);
    NB_PLACE(a, 9 * (int64_t)s->p->contacts, &s->frame);
}

static nb_status make_vectors(method_state *s) {
    nb_arena_measure(&s->arena);
    place_vectors(&s->arena, s);
    nb_status status = nb_arena_reserve(&s->arena);
    if (status == NB_OK) place_vectors(&s->arena, s);
    return status;
}

static int compare_named(const void *left, const void *right) {
    const named_contact *a = left, *b = right;
    for (int side = 0; side < 2; side++)
        if (a->body[side] != b->body[side]) return a->body[side] < b->body[side] ? -1 : 1;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

/* what the contacts are, and where each stood in the step before */
static nb_status identify(method_state *s, const nb_step *step) {
    const int32_t count = s->p->contacts, *order = nb_step_contact_order(step);
    const nb_contact *items = nb_step_contacts(step)->items;
    for (int32_t i = 0; i < count; i++) {
        const nb_contact *item = &items[order[i]];
        const named_contact key = {{item->body_a, item->body_b}, item->feature, i};
        const named_contact *found =
            s->named_count > 0 ? bsearch(&key, s->named, (size_t)s->named_count, sizeof key, compare_named) : NULL;
        memcpy(s->body + 2 * i, key.body, sizeof key.body);
        s->feature[i] = key.feature;
        s->previous[i] = found ? found->number : -1;
        nb_step_contact_directions(step, i, (double(*)[3])(s->frame + 9 * i));
    }
    nb_status status = NB_RESERVE(count, &s->named_capacity, &s->named);
    s->named_count = status == NB_OK ? count : 0;
    for (int32_t i = 0; i < s->named_count; i++)
        s->named[i] = (named_contact){{s->body[2 * i], s->body[2 * i + 1]}, s->feature[i], i};
    if (s->named_count > 0) qsort(s->named, (size_t)s->named_count, sizeof *s->named, compare_named);
    return status;
}

static void apply(void *host, const double *r, double *y) {
    nb_system_apply(((const method_state *)host)->system, r, y);
}

/* W r + q are the velocities of the rows where the impulses are r, linear at the present velocities */
static nb_status linearise(method_state *s) {
    nb_status status;
    nb_problem *p = s->p;
    const nb_csr *w;
    const nb_step *step = nb_step_of(p);
    nb_cone_rows laws;
    double sum = 0;
    NB_TRY(nb_cone_rows_of(p, s->type->title, &laws));
    NB_TRY(make_vectors(s));
    NB_TRY(nb_system_create(p->exact, &s->system));
    for (int32_t i = 0; i < p->rows; i++) s->system->c[i] = i < p->bilaterals ? laws.bilateral->compliance[i] : 0;
    for (int32_t i = p->bilaterals; i < p->rows; i += 3) s->system->c[i] = laws.cone->soft;
    p->type->evaluate(p, s->r); /* r is zero: without impulses */
    p->type->momentum_rows(p, s->q);
    nb_system_values_changed(s->system);
    memcpy(s->u_start, p->u, (size_t)p->velocities * sizeof(double));
    memcpy(s->r, p->z, (size_t)p->rows * sizeof(double));
    for (int32_t i = 0; i < p->rows; i++) {
        s->q[i] = p->value[i] - s->q[i];
        sum += s->q[i] * s->q[i];
    }
    NB_TRY(nb_system_matrix(s->system, &w));
    if (step) NB_TRY(identify(s, step));
    s->shown = (ncpbench_contacts_f64){.size = sizeof s->shown,
                                       .joints = p->bilaterals,
                                       .contacts = p->contacts,
                                       .w = {w->rows, 0, w->start, w->column, w->value},
                                       .q = s->q,
                                       .mu = laws.cone->mu,
                                       .norm_q = sqrt(sum),
                                       .host = s,
                                       .apply = apply,
                                       .body = step ? s->body : NULL,
                                       .feature = step ? s->feature : NULL,
                                       .previous = step ? s->previous : NULL,
                                       .frame = step ? s->frame : NULL};
out:
    return status;
}

/* ---- what is recorded ---- */

enum {
    PHASE,
    FACTORISATIONS,
    COLUMNS
};

static const nb_column columns[COLUMNS] = {
    [PHASE] = {"phase", "1", "kind of iteration (see the attribute legend)", "5=plugin"},
    [FACTORISATIONS] = {"factorisations", "1", "matrices factorized"},
};

/* the harness's errors of the impulses r */
static void measure(method_state *s, const double *r, nb_errors *errors) {
    nb_problem *p = s->p;
    memcpy(p->z, r, (size_t)p->rows * sizeof(double));
    p->type->velocity_step(p, p->z, s->du);
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] = s->u_start[i] + s->du[i];
    nb_measure_iterate_f64(s->measure, p, errors);
    nb_measure_report_f64(p, errors, &s->report);
    s->report.values[PHASE] = 5;
}

static void tell(method_state *s) {
    if (s->told == NB_OK && s->observer && s->observer->newton)
        s->told = s->observer->newton(s->observer->context, &s->report);
}

/* The time since the last report was the last iterate's. */
static void tell_iteration(method_state *s, int64_t factorisations) {
    s->report.solved = 1;
    s->report.solve_s = s->spent;
    s->report.values[FACTORISATIONS] = (double)factorisations;
    s->all += s->spent;
    s->spent = 0;
    tell(s);
}

static void monitor(void *host, const double *r) {
    method_state *s = host;
    nb_errors errors;
    s->spent += nb_clock_seconds() - s->resumed;
    nb_plugin_before before = nb_plugin_enter(NULL, NB_PLUGIN_OUTSIDE);
    tell_iteration(s, 0);
    measure(s, r, &errors);
    nb_plugin_leave(&before);
    s->resumed = nb_clock_seconds();
}

/* ---- a step ---- */

static nb_status convert(method_state *s) {
    if (!s->type->method_f64.convert) return NB_OK;
    nb_plugin_before before = nb_plugin_enter(s->type, NB_PLUGIN_CONVERT);
    const char *text = s->type->method_f64.convert(s->own, &s->shown);
    nb_status status = nb_plugin_said_f64(s->type, NB_PLUGIN_CONVERT, text);
    nb_plugin_leave(&before);
    return status;
}

/* its words as one line */
static void take_words(const ncpbench_method_outcome *said, char words[128]) {
    snprintf(words, 128, "%.*s", (int)sizeof said->words - 1, said->words);
    for (char *c = words; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
}

static nb_status solve(method_state *s, ncpbench_method_outcome *said, nb_reason *reason) {
    nb_status status;
    const nb_method_settings *settings = &s->settings;
    double relative = settings->relative_tolerance, norm = s->shown.norm_q;
    if (relative == 0 && norm > 0) relative = settings->newton_tolerance / norm;
    ncpbench_method_request_f64 asked = {.size = sizeof asked,
                                         .iterations = settings->newton_iterations,
                                         .tolerance = relative,
                                         .host = s,
                                         .monitor = s->observer && s->observer->newton ? monitor : NULL};
    nb_plugin_before before = nb_plugin_enter(s->type, NB_PLUGIN_SOLVE);
    s->resumed = nb_clock_seconds();
    const char *text = s->type->method_f64.solve(s->own, &s->shown, &asked, s->r, said);
    s->spent += nb_clock_seconds() - s->resumed;
    status = nb_plugin_said_f64(s->type, NB_PLUGIN_SOLVE, text);
    nb_plugin_leave(&before);
    if (status != NB_OK) return status;
    ncpbench_outcome plain = {.reason = said->reason,
                              .iterations = (int32_t)(said->iterations > INT32_MAX ? INT32_MAX : said->iterations)};
    NB_TRY(nb_plugin_outcome_f64(s->type, &plain, 1, reason));
    if (said->factorisations < 0)
        return nb_fail(NB_ERROR_NUMERIC, "%s: solve: claims %lld factorizations", s->type->title,
                       (long long)said->factorisations);
    if (said->reason != NCPBENCH_DIVERGED) NB_TRY(nb_plugin_finite_f64(s->type, NB_PLUGIN_SOLVE, s->p->rows, s->r));
out:
    return status;
}

/* The reason is the plugin's, except "converged": that is for the harness to decide, and there is none without a
 * tolerance. */
static nb_reason judge(const method_state *s, nb_reason claimed, const nb_errors *errors) {
    int asked = s->settings.relative_tolerance > 0 || s->settings.newton_tolerance > 0;
    if (!isfinite(errors->natural_map)) return NB_REASON_DIVERGED;
    if (nb_measure_converged_f64(errors, &s->settings)) return NB_REASON_CONVERGED;
    int refuted = claimed == NB_REASON_CONVERGED || (asked && nb_reason_converged(claimed));
    return refuted ? NB_REASON_STAGNATED : claimed;
}

static nb_status step(nb_method *self, nb_problem *p, nb_measure *harness, const nb_observer *observer,
                      nb_step_outcome *outcome) {
    method_state *s = (method_state *)self;
    nb_status status;
    nb_errors start;
    nb_reason reason;
    ncpbench_method_outcome said = {.size = sizeof said};
    *outcome = (nb_step_outcome){.reason = NB_REASON_NONE, .norm_a = NAN, .norm_a_inverse = NAN};
    drop(s);
    s->p = p;
    s->measure = harness;
    s->observer = observer;
    s->told = NB_OK;
    s->spent = s->all = 0;
    NB_TRY(linearise(s));
    NB_TRY(convert(s));
    measure(s, s->r, &start);
    NB_TRY(solve(s, &said, &reason));
    tell_iteration(s, said.factorisations);
    measure(s, s->r, &outcome->errors);
    tell(s);
    NB_TRY(s->told);
    outcome->reason = judge(s, reason, &outcome->errors);
    outcome->newton_iterations = (int32_t)(said.iterations > INT32_MAX ? INT32_MAX : said.iterations);
    outcome->solve_s = s->all;
    outcome->operator_applications = outcome->preconditioner_applications = NAN;
    take_words(&said, outcome->remark);
out:
    return status;
}

const nb_method_class *nb_plugin_method(const nb_plugin_class *type, int slot) {
    const ncpbench_class *plugin = &type->plugin;
    loaded[slot] = (adapted){.plugin = type,
                             .base = {.name = plugin->name,
                                      .summary = plugin->summary,
                                      .options = type->options,
                                      .option_count = (int)plugin->option_count,
                                      .columns = columns,
                                      .column_count = COLUMNS,
                                      .alone = 1,
                                      .newton_iterations = type->method_f64.iterations,
                                      .create = create,
                                      .step = step,
                                      .destroy = destroy}};
    return &loaded[slot].base;
}
