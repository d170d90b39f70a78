#include "statistics/compared_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_values.h"
#include "reason.h"
#include "table/linear_cost.h"
#include "table/outcome.h"

/* ---- settings ---- */

static int is_limit(const char *name) {
    return strcmp(name, "newton_iterations") == 0 || strcmp(name, "linear_iterations") == 0;
}

/* the value of an attribute; "" of one that the run does not use */
static void used_text(const nb_member *field, const nb_run_info *info, char text[NB_NAME_LENGTH]) {
    *text = '\0';
    if (nb_setting_is_used(info, field->name)) nb_member_text(field, info, 6, text, NB_NAME_LENGTH);
}

/* the parameters of one kind, written to a stream */
typedef struct parameters {
    FILE *stream;
    const nb_run_info *info;
    int kind;
} parameters;

static nb_status write_parameter(void *context, const nb_named_value *parameter) {
    const char *name = parameter->name, *value = parameter->text;
    const parameters *p = context;
    if (nb_setting_is_standard(name, value)) return NB_OK; /* as of a record that lacks it */
    if (!nb_setting_is_used(p->info, name)) return NB_OK;
    if (p->kind == nb_setting_parameter_kind(name)) fprintf(p->stream, ", %s %s", name, value);
    return NB_OK;
}

nb_status nb_compared_key(const nb_run_info *info, int kind, char **key) {
    size_t length;
    char *buffer = NULL;
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings");
    for (int i = 0; i < nb_run_info_members.count; i++) {
        char text[NB_NAME_LENGTH];
        if (nb_setting_kind(nb_run_info_members.items[i].name) != kind || is_limit(nb_run_info_members.items[i].name))
            continue;
        used_text(&nb_run_info_members.items[i], info, text);
        fprintf(stream, ", %s %s", nb_run_info_members.items[i].name, text);
    }
    parameters p = {stream, info, kind};
    nb_status status = nb_named_values_read(info->parameters, write_parameter, &p);
    fclose(stream);
    if (status == NB_OK) status = nb_copy_text(buffer, key);
    free(buffer);
    return status;
}

static nb_status add_setting(nb_compared_run *d, const char *name, nb_compared_setting **setting) {
    nb_status status;
    NB_TRY(NB_RESERVE(d->setting_count + 1, &d->setting_capacity, &d->settings));
    *setting = &d->settings[d->setting_count++];
    snprintf((*setting)->name, NB_NAME_LENGTH, "%s", name);
    (*setting)->used = nb_setting_is_used(&d->info, name);
out:
    return status;
}

static nb_status add_parameter(void *context, const nb_named_value *parameter) {
    nb_compared_setting *setting;
    nb_status status = NB_OK;
    NB_TRY(add_setting(context, parameter->name, &setting));
    nb_setting_shorten(parameter->text, setting->value);
out:
    return status;
}

static nb_status take_settings(nb_compared_run *d) {
    nb_status status = NB_OK;
    for (int i = 0; i < nb_run_info_members.count; i++) {
        const nb_member *field = &nb_run_info_members.items[i];
        nb_compared_setting *setting;
        if (!nb_setting_kind(field->name)) continue;
        NB_TRY(add_setting(d, field->name, &setting));
        nb_member_text(field, &d->info, 9, setting->value, NB_NAME_LENGTH);
    }
    status = nb_named_values_read(d->info.parameters, add_parameter, d);
out:
    return status;
}

/* the whole run's time in every repetition */
static nb_status take_times(nb_compared_run *d, const nb_run *run) {
    d->repeats = run->repeat_count;
    d->sample_count = run->repeat_count > 0 ? run->repeat_count : 1;
    nb_status status = NB_ALLOCATE(d->sample_count, &d->seconds);
    if (status != NB_OK) return status;
    for (int32_t s = 0; s < run->step_count; s++) {
        if (run->repeat_count == 0) d->seconds[0] += run->steps[s * NB_STEP_COLUMNS + NB_STEP_STEP_S];
        for (int32_t r = 0; r < run->repeat_count; r++)
            d->seconds[r] += run->repeat_step_s[(int64_t)r * run->step_count + s];
    }
    return NB_OK;
}

static void add_work(nb_compared_run *d, const nb_run *run) {
    for (int32_t s = 0; s < run->step_count; s++) {
        nb_cost all = nb_cost_to(run, s, -1); /* never reached: everything */
        double error = run->steps[s * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR];
        d->newton_iterations += all.newton_iterations;
        d->linear_iterations += all.linear_iterations;
        d->work += all.work;
        d->flops += all.flops;
        d->relative_error = fmax(d->relative_error, run->steps[s * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_RELATIVE]);
        if (nb_run_is_system(run)) error = nb_run_system_residual(run);
        if (!(error <= d->error)) d->error = isnan(d->error) ? d->error : error; /* NaN stays */
    }
}

/* whether the error at the end is what was asked for: of scenes and files, of a file relative to ||q||, of systems */
static int meets(const nb_compared_run *d, const nb_run *run) {
    const double relative = d->info.relative_tolerance;
    if (d->of_system) {
        double tolerance = d->info.linear_tolerance;
        return tolerance > 0 ? d->error <= tolerance * (1 + 1e-6) : -1;
    }
    if (d->info.newton_tolerance > 0) return run->step_count > 0 && d->error <= d->info.newton_tolerance;
    return relative > 0 ? nb_run_last(run, NB_STEP_NATURAL_MAP_RELATIVE) <= relative : -1;
}

/* ---- lists ---- */

int nb_compared_runs_are_systems(const nb_compared_runs *compared) {
    for (int64_t i = 0; i < compared->count; i++)
        if (!compared->items[i].of_system) return 0;
    return 1;
}

/* A problem that is known to be infeasible (run/standard_set.h) is solved, to every accuracy, by the method that says
 * so: its iterations and time are those of the whole step. */
static void accept_proof(nb_compared_run *d, const nb_run *run) {
    if (!d->of_file || run->step_count != 1 || *run->fault || !nb_setting_is_infeasible(&d->info)) return;
    if (nb_run_last(run, NB_STEP_REASON) != (double)NB_REASON_INFEASIBLE) return;
    d->costs[0] = nb_cost_to(run, 0, -1);
    d->costs[0].reached = 1;
    d->error = d->relative_error = 0;
    d->met = 1;
}

/* whether each step reached the accuracy as it began, and no contact of the last one has a force */
static int needs_no_forces(const nb_compared_run *d, const nb_snapshot *final) {
    for (int32_t s = 0; s < d->step_count; s++)
        if (!d->costs[s].reached || d->costs[s].newton_iterations > 0) return 0;
    for (int32_t i = 0; i < final->contacts; i++)
        if (final->lambda_normal[i] != 0) return 0;
    return !d->of_system && d->step_count > 0;
}

static nb_status take_final(const nb_snapshot *final, nb_compared_run *d) {
    nb_status status = NB_OK;
    const int64_t count = 6 * (int64_t) final->bodies;
    d->final_error = final->error;
    if (count == 0 || !final->u || !final->u_before) return NB_OK;
    NB_TRY(NB_ALLOCATE(count, &d->u));
    NB_TRY(NB_ALLOCATE(count, &d->u_before));
    memcpy(d->u, final->u, (size_t)count * sizeof *d->u);
    memcpy(d->u_before, final->u_before, (size_t)count * sizeof *d->u_before);
    d->bodies = final->bodies;
out:
    return status;
}

nb_status nb_compared_runs_take(nb_compared_runs *compared, const nb_run *run, double accuracy) {
    nb_status status;
    NB_TRY(NB_RESERVE(compared->count + 1, &compared->capacity, &compared->items));
    nb_compared_run *d = &compared->items[compared->count++];
    *d = (nb_compared_run){
        .info = run->info, .step_count = run->step_count, .provenance = run->provenance, .relative_error = NAN};
    d->solution = nb_run_solution(run, d->solution_distance);
    d->of_system = nb_run_is_system(run);
    d->of_file = d->of_system || (*run->fault && run->info.bodies == 0) ||
                 isfinite(run->step_count ? run->steps[NB_STEP_NATURAL_MAP_RELATIVE] : NAN);
    d->info.parameters = NULL;
    NB_TRY(nb_copy_text(run->info.parameters ? run->info.parameters : "", &d->info.parameters));
    NB_TRY(take_settings(d));
    NB_TRY(nb_compared_key(&run->info, NB_COMPARED_PROBLEM, &d->problem));
    NB_TRY(nb_compared_key(&run->info, NB_COMPARED_SOLVER, &d->solver));
    snprintf(d->remark, sizeof d->remark, "%s", run->remark);
    NB_TRY(take_times(d, run));
    add_work(d, run);
    d->met = meets(d, run);
    NB_TRY(nb_trace_take(run, &d->trace));
    NB_TRY(take_final(&run->final, d));
    NB_TRY(NB_ALLOCATE(run->step_count, &d->costs));
    for (int32_t s = 0; s < run->step_count; s++) d->costs[s] = nb_cost_of_error(run, s, compared->error, accuracy);
    d->without_forces = needs_no_forces(d, &run->final);
    accept_proof(d, run);
out:
    return status;
}

nb_status nb_compared_runs_read(nb_compared_runs *compared, nb_record_reader *reader, const nb_conditions *where,
                                double accuracy) {
    nb_status status = NB_OK;
    for (int i = 0; i < nb_record_run_count(reader) && status == NB_OK; i++) {
        const nb_run_head *head;
        nb_run *run = NULL;
        NB_TRY(nb_record_read_head(reader, i, &head));
        if (!nb_conditions_hold(where, &head->info)) continue;
        NB_TRY(nb_record_read_run(reader, i, &run));
        status = nb_compared_runs_take(compared, run, accuracy);
        nb_run_destroy(run);
    }
out:
    return status;
}

void nb_compared_runs_clear(nb_compared_runs *compared) {
    for (int64_t i = 0; i < compared->count; i++) {
        nb_compared_run *d = &compared->items[i];
        nb_free(d->info.parameters);
        nb_free(d->settings);
        nb_free(d->problem);
        nb_free(d->solver);
        nb_free(d->seconds);
        nb_free(d->costs);
        nb_free(d->trace);
        nb_free(d->u);
        nb_free(d->u_before);
    }
    nb_free(compared->items);
    for (int within = 0; within < 2; within++) nb_differing_destroy(compared->differing[within]);
    *compared = (nb_compared_runs){0};
}

/* ---- iterations at most ---- */

int nb_compared_run_same_problem(const nb_compared_run *a, const nb_compared_run *b) {
    return a->info.seed == b->info.seed && strcmp(a->problem, b->problem) == 0;
}

int nb_compared_run_same_solver(const nb_compared_run *a, const nb_compared_run *b) {
    return strcmp(a->solver, b->solver) == 0 && strcmp(a->limits, b->limits) == 0;
}

static int32_t limit(const nb_compared_run *d, int linear) {
    const char *name = linear ? "linear_iterations" : "newton_iterations";
    if (!nb_setting_is_used(&d->info, name)) return 0;
    return linear ? d->info.linear_iterations : d->info.newton_iterations;
}

int nb_compared_run_limits_differ(const nb_compared_run *a, const nb_compared_run *b) {
    for (int linear = 0; linear < 2; linear++)
        if (limit(a, linear) && limit(b, linear) && limit(a, linear) != limit(b, linear)) return 1;
    return 0;
}

/* whether runs of this solver differ in the limit on one problem */
static int was_asked(const nb_compared_runs *set, const nb_compared_run *of, int linear) {
    for (int64_t i = 0; i < set->count; i++) {
        const nb_compared_run *a = &set->items[i];
        if (strcmp(a->solver, of->solver) != 0) continue;
        for (int64_t j = i + 1; j < set->count; j++) {
            const nb_compared_run *b = &set->items[j];
            if (limit(a, linear) != limit(b, linear) && strcmp(b->solver, of->solver) == 0 &&
                nb_compared_run_same_problem(a, b))
                return 1;
        }
    }
    return 0;
}

/* whether the solver has runs with the limit of `of` on every problem that it has runs on */
static int is_everywhere(const nb_compared_runs *set, const nb_compared_run *of, int linear) {
    for (int64_t i = 0; i < set->count; i++) {
        int found = strcmp(set->items[i].solver, of->solver) != 0;
        for (int64_t j = 0; j < set->count && !found; j++)
            found = limit(&set->items[j], linear) == limit(of, linear) &&
                    strcmp(set->items[j].solver, of->solver) == 0 &&
                    nb_compared_run_same_problem(&set->items[i], &set->items[j]);
        if (!found) return 0;
    }
    return 1;
}

static void add_limit(const nb_compared_runs *set, nb_compared_run *d, int linear) {
    size_t used = strlen(d->limits), size = sizeof d->limits;
    const char *name = linear ? "linear_iterations" : "newton_iterations";
    if (limit(d, linear) == 0) return;
    if (limit(d, linear) == nb_setting_usual_limit(&d->info, d->of_file, linear) && !is_everywhere(set, d, linear))
        snprintf(d->limits + used, size - used, ", %s own", name);
    else
        snprintf(d->limits + used, size - used, ", %s %d", name, (int)limit(d, linear));
}

/* the run of a solver before item `i` of set `s` whose limits were judged already, or NULL */
static const nb_compared_run *first_of_solver(nb_compared_runs *const *sets, int s, int64_t i) {
    const nb_compared_run *d = &sets[s]->items[i];
    for (int t = 0; t <= s; t++)
        for (int64_t j = 0; j < (t == s ? i : sets[t]->count); j++)
            if (strcmp(sets[t]->items[j].solver, d->solver) == 0) return &sets[t]->items[j];
    return NULL;
}

/* the settings in which the runs of all sets differ, for the labels of one */
static nb_status find_differing(nb_compared_runs *const *sets, int count, int within, nb_differing **differing) {
    nb_status status;
    NB_TRY(nb_differing_create(within, differing));
    for (int s = 0; s < count; s++)
        for (int64_t i = 0; i < sets[s]->count; i++) NB_TRY(nb_differing_add(*differing, &sets[s]->items[i].info));
out:
    return status;
}

nb_status nb_compared_runs_settle(nb_compared_runs *const *sets, int count) {
    nb_status status = NB_OK;
    for (int s = 0; s < 2 * count && status == NB_OK; s++)
        status = find_differing(sets, count, s % 2, &sets[s / 2]->differing[s % 2]);
    if (status != NB_OK) return status;
    for (int s = 0; s < count; s++)
        for (int64_t i = 0; i < sets[s]->count; i++) {
            nb_compared_run *d = &sets[s]->items[i];
            const nb_compared_run *first = first_of_solver(sets, s, i);
            for (int linear = 0; linear < 2; linear++) {
                d->asked[linear] = first ? first->asked[linear] : 0;
                for (int t = 0; t < count && !first && !d->asked[linear]; t++)
                    d->asked[linear] = was_asked(sets[t], d, linear);
            }
        }
    for (int s = 0; s < count; s++)
        for (int64_t i = 0; i < sets[s]->count; i++) {
            nb_compared_run *d = &sets[s]->items[i];
            *d->limits = '\0';
            for (int linear = 0; linear < 2; linear++)
                if (d->asked[linear]) add_limit(sets[s], d, linear);
        }
    return NB_OK;
}

/* ---- runs that differ in one setting ---- */

/* whether a setting is another where `by` is */
static int depends_on(const char *by, const char *name) {
    static const char *const of_method[] = {"linear_solver", "preconditioner", NULL};
    const nb_scene_setting *setting = nb_scene_setting_find(name);
    int method = strcmp(by, "method") == 0;
    if (strcmp(by, name) == 0 || (method && nb_setting_is_listed(name, of_method))) return 1;
    if (strcmp(by, "time-stepping") == 0) return (setting && setting->linearised) || strcmp(name, "geometry") == 0;
    if (strncmp(name, "preconditioner.", 15) == 0) return method || strcmp(by, "preconditioner") == 0;
    if (strncmp(name, "linear-solver.", 14) == 0) return method || strcmp(by, "linear_solver") == 0;
    return method && strncmp(name, "method.", 7) == 0;
}

/* whether each of two runs has the warm start of its method, which nobody need have asked for */
static int start_as_methods(const nb_compared_run *a, const nb_compared_run *b, const char *by, const char *name) {
    return strcmp(by, "method") == 0 && strcmp(name, "warm_start") == 0 && nb_setting_starts_as_usual(&a->info) &&
           nb_setting_starts_as_usual(&b->info);
}

/* whether the numbers of iterations at most, where nobody asked for them */
static int is_own_limit(const nb_compared_run *a, const nb_compared_run *b, const char *name) {
    const int linear = strcmp(name, "linear_iterations") == 0;
    return is_limit(name) && !(a->asked[linear] && b->asked[linear]);
}

/* the setting of a run, which as a rule is where another run has it, or NULL */
static const nb_compared_setting *find_setting(const nb_compared_run *d, const char *name, int64_t place) {
    if (place < d->setting_count && strcmp(d->settings[place].name, name) == 0) return &d->settings[place];
    for (int64_t i = 0; i < d->setting_count; i++)
        if (strcmp(d->settings[i].name, name) == 0) return &d->settings[i];
    return NULL;
}

/* whether b has the settings of a; what a record lacks is standard */
static int has_settings_of(const nb_compared_run *b, const nb_compared_run *a, const char *by) {
    for (int64_t i = 0; i < a->setting_count; i++) {
        const nb_compared_setting *own = &a->settings[i], *other = find_setting(b, own->name, i);
        char standard[NB_NAME_LENGTH];
        const char *value = other ? other->value : nb_setting_standard(own->name, standard) ? standard : NULL;
        if (value && strcmp(own->value, value) == 0) continue;
        if (!own->used || (other ? !other->used : !nb_setting_is_used(&b->info, own->name))) continue;
        if (depends_on(by, own->name) || is_own_limit(a, b, own->name) || start_as_methods(a, b, by, own->name))
            continue;
        return 0;
    }
    return 1;
}

int nb_compared_run_agree_but(const nb_compared_run *a, const nb_compared_run *b, const char *by) {
    if (a->info.seed != b->info.seed && strcmp(by, "seed") != 0) return 0;
    return has_settings_of(b, a, by) && has_settings_of(a, b, by);
}

/* ---- labels ---- */

/* an attribute as a label tells it: "" of what the run does not use, and of limits that nobody asked for */
static void label_text(const nb_member *field, const nb_compared_run *d, char text[NB_NAME_LENGTH]) {
    int linear = strcmp(field->name, "linear_iterations") == 0;
    used_text(field, &d->info, text);
    if (!is_limit(field->name)) return;
    if (!d->asked[linear]) *text = '\0';
    const char *at = strstr(d->limits, linear ? "linear_iterations own" : "newton_iterations own");
    if (at && *text) snprintf(text, NB_NAME_LENGTH, "of the scenario");
}

/* a label of the problem names the scenario */
static const nb_differing *labelled(const nb_compared_runs *compared, int kinds) {
    return compared->differing[(kinds & NB_COMPARED_PROBLEM) != 0];
}

/* whether runs differ in an attribute; in iterations at most, as far as these were asked for */
static int varies(const nb_compared_runs *compared, int64_t i, int kinds, const nb_member *field) {
    char first[NB_NAME_LENGTH] = "", text[NB_NAME_LENGTH];
    if (compared->by && strcmp(field->name, compared->by) == 0) return 0;
    if (!is_limit(field->name))
        return nb_differing_in(labelled(compared, kinds), &compared->items[i].info, field->name);
    for (int64_t k = 0; k < compared->count; k++) {
        label_text(field, &compared->items[k], text);
        if (*first && *text && strcmp(first, text) != 0) return 1;
        if (!*first) snprintf(first, sizeof first, "%s", text);
    }
    return 0;
}

static int same_field(const nb_member *field, const nb_compared_run *a, const nb_compared_run *b) {
    char x[NB_NAME_LENGTH], y[NB_NAME_LENGTH];
    label_text(field, a, x);
    label_text(field, b, y);
    return strcmp(x, y) == 0;
}

/* whether item i's attribute `f` follows from those before it: every item with the same ones has it */
static int follows(const nb_compared_runs *compared, int64_t i, int kinds, int f) {
    const nb_compared_run *d = &compared->items[i];
    for (int64_t j = 0; j < compared->count; j++) {
        int same = 1;
        for (int g = 0; g < f && same; g++)
            same = !(nb_setting_kind(nb_run_info_members.items[g].name) & kinds) ||
                   same_field(&nb_run_info_members.items[g], d, &compared->items[j]);
        if (same && !same_field(&nb_run_info_members.items[f], d, &compared->items[j])) return 0;
    }
    return 1;
}

static void append(char *label, size_t size, const char *text) {
    size_t used = strlen(label);
    snprintf(label + used, size - used, "%s", used ? text : text + 2); /* without the comma at the start */
}

/* a label that parameters go to */
typedef struct labelling {
    const nb_compared_runs *compared;
    const nb_differing *differing;
    const nb_run_info *info;
    int kind, brief; /* 1: words without the names of their settings */
    char *label;
    size_t size;
} labelling;

static nb_status append_parameter(void *context, const nb_named_value *parameter) {
    const char *name = parameter->name, *value = parameter->text;
    const labelling *x = context;
    char piece[2 * NB_NAME_LENGTH + 4];
    int asked = x->compared->by && strcmp(name, x->compared->by) == 0;
    if (asked || x->kind != nb_setting_parameter_kind(name)) return NB_OK;
    if (!nb_setting_is_used(x->info, name) || !nb_differing_in(x->differing, x->info, name)) return NB_OK;
    const int bare = x->brief && !parameter->is_number;
    const int shown = strcmp(name, "from") == 0 ? (int)strcspn(value, "#") : (int)strlen(value); /* no checksum */
    snprintf(piece, sizeof piece, ", %s%s%.*s", bare ? "" : name, bare ? "" : " ", shown, value);
    append(x->label, x->size, piece);
    return NB_OK;
}

/* the kind of an attribute in a label; a seed is part of the problem where it tells runs apart */
static int label_kind(const nb_compared_runs *compared, const nb_member *field) {
    if (compared->seeds && strcmp(field->name, "seed") == 0) return NB_COMPARED_PROBLEM;
    return nb_setting_kind(field->name);
}

void nb_compared_run_label(const nb_compared_runs *compared, int64_t i, int kinds, char *label, size_t size) {
    const nb_compared_run *d = &compared->items[i];
    *label = '\0';
    for (int f = 0; f < nb_run_info_members.count; f++) {
        const nb_member *field = &nb_run_info_members.items[f];
        char text[NB_NAME_LENGTH], piece[2 * NB_NAME_LENGTH];
        int scene = strcmp(field->name, "scenario") == 0;
        int bare = scene || (kinds & NB_COMPARED_SHORT && field->kind == NB_MEMBER_TEXT);
        if (!(label_kind(compared, field) & kinds) || !(scene || varies(compared, i, kinds, field))) continue;
        if (kinds & NB_COMPARED_SHORT && *label && follows(compared, i, kinds, f)) continue;
        label_text(field, d, text);
        if (!*text) continue;
        snprintf(piece, sizeof piece, ", %s%s%s", bare ? "" : field->name, bare ? "" : " ", text);
        append(label, size, piece);
    }
    for (int kind = 1; kind <= 2; kind++) {
        labelling x = {compared, labelled(compared, kinds), &d->info, kind, (kinds & NB_COMPARED_SHORT) != 0, label,
                       size};
        if (kind & kinds)
            (void)nb_named_values_read(d->info.parameters, append_parameter, &x); /* refused before, if at all */
    }
}
