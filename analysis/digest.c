#include "digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "json.h"
#include "outcome.h"

/* ---- settings ---- */

static int listed(const char *name, const char *const *names) {
    while (*names && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* what kind of setting an attribute is; 0: how often it was timed, or what came of the scenario */
static int kind_of(const char *name) {
    static const char *const none[] = {
        "repeat", "warmup", "seed", "bodies", "joints", "tetrahedra", "batch", "batch_perturbation", "reference", NULL};
    static const char *const problem[] = {"scenario", "precision", "time_step", "steps", "settle", "lead", NULL};
    if (listed(name, none)) return 0;
    return listed(name, problem) ? NB_DIGEST_PROBLEM : NB_DIGEST_SOLVER;
}

/* the parameters of one kind, written to a stream */
typedef struct parameters {
    FILE *stream;
    int kind;
} parameters;

static nb_status write_parameter(void *context, const char *name, const char *value) {
    const parameters *p = context;
    if (strcmp(name, "time-limit") == 0) return NB_OK; /* changes no number that is there */
    int solver = strncmp(name, "linear-solver.", 14) == 0 || strncmp(name, "preconditioner.", 15) == 0 ||
                 strncmp(name, "method.", 7) == 0 || strcmp(name, "relative-tolerance") == 0;
    if (p->kind == (solver ? NB_DIGEST_SOLVER : NB_DIGEST_PROBLEM)) fprintf(p->stream, ", %s %s", name, value);
    return NB_OK;
}

/* all settings of one kind as one text; without `fields` the parameters alone */
static nb_status write_key(const nb_run_info *info, int kind, int fields, char **key) {
    size_t length;
    char *buffer = NULL;
    FILE *stream = open_memstream(&buffer, &length);
    if (!stream) return nb_fail(NB_ERROR_MEMORY, "out of memory for a run's settings");
    for (int i = 0; fields && i < nb_info_field_count; i++) {
        char text[NB_NAME_LENGTH];
        if (kind_of(nb_info_fields[i].name) != kind) continue;
        nb_field_text(&nb_info_fields[i], info, 6, text, NB_NAME_LENGTH);
        fprintf(stream, ", %s %s", nb_info_fields[i].name, text);
    }
    parameters p = {stream, kind};
    nb_status status = info->parameters ? nb_json_read(info->parameters, write_parameter, &p) : NB_OK;
    fclose(stream);
    if (status == NB_OK) status = nb_copy_text(buffer, key);
    free(buffer);
    return status;
}

/* ---- work ---- */

/* The median time of a whole solve; of a problem file, which is one step. What the set-up once a step takes is in it,
 * and in no iteration. */
static double solve_time(const nb_run *run) {
    nb_step_time time;
    if (nb_run_step_time(run, &time) == NB_OK) return time.median;
    return run->steps[NB_STEP_STEP_S];
}

nb_cost nb_cost_to(const nb_run *run, int32_t step, double accuracy) {
    nb_cost cost = {0};
    for (int64_t r = run->newton_start[step]; r < run->newton_start[step + 1]; r++) {
        const double *row = run->newton + r * NB_NEWTON_COLUMNS;
        double seconds = row[NB_NEWTON_ASSEMBLY_S] + row[NB_NEWTON_SETUP_S] + row[NB_NEWTON_SOLVE_S];
        double relative = row[NB_NEWTON_NATURAL_MAP_RELATIVE];
        int last = r == run->newton_start[step + 1] - 1; /* nothing was done after it */
        cost.reached = (isnan(relative) ? row[NB_NEWTON_NATURAL_MAP_ERROR] : relative) <= accuracy;
        if (last && cost.reached && !isnan(relative)) {
            cost.seconds = solve_time(run);
            cost.newton_iterations = run->steps[(int64_t)step * NB_STEP_COLUMNS + NB_STEP_NEWTON_ITERATIONS];
        }
        if (cost.reached || last) break;
        cost.newton_iterations++;
        if (isfinite(row[NB_NEWTON_LINEAR_ITERATIONS])) cost.linear_iterations += row[NB_NEWTON_LINEAR_ITERATIONS];
        cost.work += row[NB_NEWTON_OPERATOR_APPLICATIONS];
        cost.factorisations += nb_row_factorisations(row);
        if (isfinite(seconds)) cost.seconds += seconds;
    }
    return cost;
}

/* the whole run's time in every repetition */
static nb_status take_times(nb_digest *d, const nb_run *run) {
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

static void add_work(nb_digest *d, const nb_run *run) {
    for (int32_t s = 0; s < run->step_count; s++) {
        nb_cost all = nb_cost_to(run, s, -1); /* never reached: everything */
        double error = run->steps[s * NB_STEP_COLUMNS + NB_STEP_NATURAL_MAP_ERROR];
        d->newton_iterations += all.newton_iterations;
        d->linear_iterations += all.linear_iterations;
        d->work += all.work;
        if (!(error <= d->error)) d->error = isnan(d->error) ? d->error : error; /* NaN stays */
    }
}

/* ---- lists ---- */

nb_status nb_digests_take(nb_digests *digests, const nb_run *run, double accuracy) {
    nb_status status;
    NB_TRY(NB_RESERVE(digests->count + 1, &digests->capacity, &digests->items));
    nb_digest *d = &digests->items[digests->count++];
    *d = (nb_digest){.info = run->info, .step_count = run->step_count};
    d->of_file = (*run->fault && run->info.bodies == 0) ||
                 isfinite(run->step_count ? run->steps[NB_STEP_NATURAL_MAP_RELATIVE] : NAN);
    d->info.parameters = NULL;
    NB_TRY(nb_copy_text(run->info.parameters ? run->info.parameters : "{}", &d->info.parameters));
    NB_TRY(write_key(&run->info, NB_DIGEST_PROBLEM, 1, &d->problem));
    NB_TRY(write_key(&run->info, NB_DIGEST_SOLVER, 1, &d->solver));
    NB_TRY(take_times(d, run));
    add_work(d, run);
    NB_TRY(NB_ALLOCATE(run->step_count, &d->costs));
    for (int32_t s = 0; s < run->step_count; s++) d->costs[s] = nb_cost_to(run, s, accuracy);
out:
    return status;
}

nb_status nb_digests_read(nb_digests *digests, nb_record_reader *reader, double accuracy) {
    nb_status status = NB_OK;
    for (int i = 0; i < nb_record_run_count(reader) && status == NB_OK; i++) {
        nb_run *run = NULL;
        status = nb_record_read_run(reader, i, &run);
        if (status == NB_OK) status = nb_digests_take(digests, run, accuracy);
        nb_run_destroy(run);
    }
    return status;
}

void nb_digests_clear(nb_digests *digests) {
    for (int64_t i = 0; i < digests->count; i++) {
        nb_digest *d = &digests->items[i];
        nb_free(d->info.parameters);
        nb_free(d->problem);
        nb_free(d->solver);
        nb_free(d->seconds);
        nb_free(d->costs);
    }
    nb_free(digests->items);
    *digests = (nb_digests){0};
}

/* ---- labels ---- */

static int varies(const nb_digests *digests, const nb_field *field) {
    char first[NB_NAME_LENGTH] = "", text[NB_NAME_LENGTH] = "";
    for (int64_t i = 0; i < digests->count; i++) {
        nb_field_text(field, &digests->items[i].info, 6, i ? text : first, NB_NAME_LENGTH);
        if (i && strcmp(first, text) != 0) return 1;
    }
    return 0;
}

static int same_field(const nb_field *field, const nb_digest *a, const nb_digest *b) {
    char x[NB_NAME_LENGTH], y[NB_NAME_LENGTH];
    nb_field_text(field, &a->info, 6, x, NB_NAME_LENGTH);
    nb_field_text(field, &b->info, 6, y, NB_NAME_LENGTH);
    return strcmp(x, y) == 0;
}

/* whether item i's attribute `f` follows from those before it: every item with the same ones has it */
static int follows(const nb_digests *digests, int64_t i, int kinds, int f) {
    const nb_digest *d = &digests->items[i];
    for (int64_t j = 0; j < digests->count; j++) {
        int same = 1;
        for (int g = 0; g < f && same; g++)
            same = !(kind_of(nb_info_fields[g].name) & kinds) || same_field(&nb_info_fields[g], d, &digests->items[j]);
        if (same && !same_field(&nb_info_fields[f], d, &digests->items[j])) return 0;
    }
    return 1;
}

/* whether another run of other settings has the same attributes of these kinds, so that only parameters differ */
static int parameters_matter(const nb_digests *digests, int64_t i, int kinds) {
    const nb_digest *a = &digests->items[i];
    for (int64_t j = 0; j < digests->count; j++) {
        const nb_digest *b = &digests->items[j];
        int alike = !(kinds & NB_DIGEST_PROBLEM && strcmp(a->problem, b->problem) != 0) &&
                    !(kinds & NB_DIGEST_SOLVER && strcmp(a->solver, b->solver) != 0);
        for (int f = 0; !alike && f < nb_info_field_count; f++) /* told apart by an attribute */
            alike = kind_of(nb_info_fields[f].name) & kinds && !same_field(&nb_info_fields[f], a, b);
        if (!alike) return 1;
    }
    return 0;
}

static void append(char *label, size_t size, const char *text) {
    size_t used = strlen(label);
    snprintf(label + used, size - used, "%s", used ? text : text + 2); /* without the comma at the start */
}

/* whether a text of settings holds ", name value" */
static int holds(const char *settings, const char *piece) {
    size_t length = strlen(piece);
    for (const char *at = strstr(settings, piece); at; at = strstr(at + 1, piece))
        if (at[length] == '\0' || at[length] == ',') return 1;
    return 0;
}

/* whether another item with the same attributes lacks this parameter of item i: ", name value" */
static int tells_apart(const nb_digests *digests, int64_t i, int kinds, const char *piece) {
    for (int64_t j = 0; j < digests->count; j++) {
        const nb_digest *d = &digests->items[j];
        int same = 1;
        for (int f = 0; f < nb_info_field_count && same; f++)
            same = !(kind_of(nb_info_fields[f].name) & kinds) || same_field(&nb_info_fields[f], &digests->items[i], d);
        if (same && !holds(d->solver, piece) && !holds(d->problem, piece)) return 1;
    }
    return 0;
}

/* Appends the parameters in `text`, ", a 1, b 2"; of a short label those alone that tell the item from others. */
static void append_parameters(const nb_digests *digests, int64_t i, int kinds, char *text, char *label, size_t size) {
    for (char *at = text; *at;) {
        char *next = strstr(at + 2, ", "), *end = next ? next : at + strlen(at), kept = *end;
        *end = '\0';
        if (!(kinds & NB_DIGEST_SHORT) || tells_apart(digests, i, kinds, at)) append(label, size, at);
        *end = kept;
        at = end;
    }
}

void nb_digest_label(const nb_digests *digests, int64_t i, int kinds, char *label, size_t size) {
    const nb_digest *d = &digests->items[i];
    *label = '\0';
    for (int f = 0; f < nb_info_field_count; f++) {
        const nb_field *field = &nb_info_fields[f];
        char text[NB_NAME_LENGTH], piece[2 * NB_NAME_LENGTH];
        int scene = strcmp(field->name, "scenario") == 0;
        int bare = scene || (kinds & NB_DIGEST_SHORT && field->kind == NB_FIELD_TEXT);
        if (!(kind_of(field->name) & kinds) || !(scene || varies(digests, field))) continue;
        if (kinds & NB_DIGEST_SHORT && *label && follows(digests, i, kinds, f)) continue;
        nb_field_text(field, &d->info, 6, text, NB_NAME_LENGTH);
        snprintf(piece, sizeof piece, ", %s%s%s", bare ? "" : field->name, bare ? "" : " ", text);
        append(label, size, piece);
    }
    for (int kind = 1; kind <= 2 && parameters_matter(digests, i, kinds); kind++) {
        char *text = NULL;
        if (kind & kinds && write_key(&d->info, kind, 0, &text) == NB_OK)
            append_parameters(digests, i, kinds, text, label, size);
        nb_free(text);
    }
}
