#include "statistics/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"

enum {
    BOOTSTRAP_SEED = 1
};

const char *const nb_verdict_names[] = {"alike", "B faster", "B slower", "unknown", "two processors"};

/* To an accuracy, of a run of one step: its time in every repetition, as the whole step's varied. */
static nb_status spread_over_repetitions(const nb_compared_run *d, double *sample) {
    double *sorted = NULL;
    nb_status status = NB_ALLOCATE(d->sample_count, &sorted);
    if (status != NB_OK) return status;
    memcpy(sorted, d->seconds, (size_t)d->sample_count * sizeof *sorted);
    double median = nb_quantile(sorted, nb_sort_sample(sorted, d->sample_count), 0.5);
    for (int32_t i = 0; i < d->sample_count; i++)
        sample[i] = d->costs[0].reached ? d->costs[0].seconds * d->seconds[i] / median : INFINITY;
    nb_free(sorted);
    return NB_OK;
}

/* the times that the medians are of; owned by the caller */
static nb_status take_sample(const nb_compared_run *d, double accuracy, double **sample, int64_t *count) {
    int repetitions = accuracy > 0 && d->step_count == 1 && d->repeats > 1;
    *count = accuracy > 0 && !repetitions ? d->step_count : d->sample_count;
    nb_status status = NB_ALLOCATE(*count, sample);
    if (status == NB_OK && repetitions) return spread_over_repetitions(d, *sample);
    for (int64_t i = 0; status == NB_OK && i < *count; i++) {
        (*sample)[i] = d->seconds[accuracy > 0 ? 0 : i];
        if (accuracy > 0) (*sample)[i] = d->costs[i].reached ? d->costs[i].seconds : INFINITY;
    }
    return status;
}

static nb_status fill_side(const nb_compared_run *d, double accuracy, nb_compared_side *side) {
    double *sample = NULL;
    int64_t count;
    nb_status status;
    *side = (nb_compared_side){d->newton_iterations, d->linear_iterations, d->work, d->flops, d->error, NAN,
                               {NAN, NAN, NAN}};
    if (accuracy > 0) {
        side->newton_iterations = side->linear_iterations = side->work = side->flops = side->reached = 0;
        for (int32_t s = 0; s < d->step_count; s++) {
            side->newton_iterations += d->costs[s].newton_iterations;
            side->linear_iterations += d->costs[s].linear_iterations;
            side->work += d->costs[s].work;
            side->flops += d->costs[s].flops;
            side->reached += d->costs[s].reached;
        }
    }
    NB_TRY(take_sample(d, accuracy, &sample, &count));
    NB_TRY(nb_bootstrap_median(sample, count, BOOTSTRAP_SEED, &side->seconds));
out:
    nb_free(sample);
    return status;
}

static nb_verdict judge(const nb_interval *ratio) {
    if (isnan(ratio->low) || isnan(ratio->high)) return NB_VERDICT_UNKNOWN;
    if (ratio->high < 1) return NB_VERDICT_FASTER;
    return ratio->low > 1 ? NB_VERDICT_SLOWER : NB_VERDICT_ALIKE;
}

static int differ(double x, double y) {
    return !(x == y || (isnan(x) && isnan(y)));
}

/* whether they came to different ones of their last step's solutions; of two that came to neither of those known, by
 * their distances from these */
static int solutions_differ(const nb_compared_run *a, const nb_compared_run *b) {
    if (a->solution == NB_SOLUTION_NONE || b->solution == NB_SOLUTION_NONE) return 0;
    if (a->solution != b->solution) return 1;
    for (int i = 0; i < 2 && a->solution == NB_SOLUTION_ANOTHER; i++)
        if (fabs(a->solution_distance[i] - b->solution_distance[i]) > NB_REFERENCE_APART) return 1;
    return 0;
}

static double largest_difference(int64_t count, const double *a, const double *b) {
    double largest = 0;
    for (int64_t i = 0; i < count; i++) nb_raise(&largest, fabs(a[i] - b[i]));
    return largest;
}

/* nb_comparison's states_apart; natural maps are forgiving, so that a hundred of them count as error */
static double states_apart(const nb_compared_run *a, const nb_compared_run *b) {
    const double solved = 1e-6, errors = a->final_error + b->final_error;
    const int64_t count = 6 * (int64_t)a->bodies;
    if (count == 0 || b->bodies != a->bodies || !(a->final_error <= solved) || !(b->final_error <= solved)) return 0;
    if (largest_difference(count, a->u_before, b->u_before) > errors) return 0;
    const double apart = largest_difference(count, a->u, b->u);
    return apart > fmax(100 * errors, NB_REFERENCE_APART) ? apart : 0;
}

static nb_status fill_pair(const nb_compared_run *a, const nb_compared_run *b, double accuracy, nb_comparison *c) {
    double *sample_a = NULL, *sample_b = NULL;
    int64_t count_a, count_b;
    nb_status status;
    NB_TRY(take_sample(a, accuracy, &sample_a, &count_a));
    NB_TRY(take_sample(b, accuracy, &sample_b, &count_b));
    NB_TRY(nb_bootstrap_ratio(sample_a, count_a, sample_b, count_b, BOOTSTRAP_SEED, &c->ratio));
    c->verdict = judge(&c->ratio);
    const nb_compared_side *x = &c->side[0], *y = &c->side[1];
    c->work_differs = differ(x->newton_iterations, y->newton_iterations) ||
                      differ(x->linear_iterations, y->linear_iterations) || differ(x->reached, y->reached) ||
                      differ(x->work, y->work);
    c->error_differs = differ(x->error, y->error);
    c->solution_differs = solutions_differ(a, b);
    if (nb_compared_run_same_problem(a, b)) {
        c->parting = nb_trace_parting(a->trace, a->step_count, b->trace, b->step_count);
        c->states_apart = states_apart(a, b);
    }
out:
    nb_free(sample_a);
    nb_free(sample_b);
    return status;
}

static int same_settings(const nb_compared_run *a, const nb_compared_run *b) {
    return strcmp(a->problem, b->problem) == 0 && nb_compared_run_same_solver(a, b);
}

/* the partner of run `i` of `set`: where it is the k-th of its settings, the k-th of them in `other`; -1: none */
static int64_t partner(const nb_compared_runs *set, int64_t i, const nb_compared_runs *other) {
    int64_t before = 0;
    for (int64_t j = 0; j < i; j++) before += same_settings(&set->items[j], &set->items[i]);
    for (int64_t j = 0; j < other->count; j++)
        if (same_settings(&other->items[j], &set->items[i]) && before-- == 0) return j;
    return -1;
}

static nb_status fill(const nb_compared_runs *a, const nb_compared_runs *b, double accuracy, nb_comparison *c) {
    nb_status status = NB_OK;
    c->ratio = c->side[0].seconds = c->side[1].seconds = (nb_interval){NAN, NAN, NAN};
    c->verdict = NB_VERDICT_UNKNOWN;
    c->parting = -1;
    nb_compared_run_label(c->a >= 0 ? a : b, c->a >= 0 ? c->a : c->b, NB_COMPARED_PROBLEM | NB_COMPARED_SOLVER,
                          c->label, sizeof c->label);
    if (c->a >= 0) NB_TRY(fill_side(&a->items[c->a], accuracy, &c->side[0]));
    if (c->b >= 0) NB_TRY(fill_side(&b->items[c->b], accuracy, &c->side[1]));
    if (c->a >= 0 && c->b >= 0) NB_TRY(fill_pair(&a->items[c->a], &b->items[c->b], accuracy, c));
out:
    return status;
}

/* "ssor"; of a method, which takes solvers of its own, these too: "newton pcr jacobi"; "warm" where the other is not */
static void name_side(const nb_compared_run *d, const nb_compared_run *other, const char *by, char *text, size_t size) {
    char value[NB_NAME_LENGTH] = "-";
    const char *warm = strcmp(by, "warm_start") != 0 && d->info.warm_start && !other->info.warm_start ? ", warm" : "";
    const char *solver = d->info.linear_solver, *precond = d->info.preconditioner;
    int of_method = strcmp(by, "method") == 0 && strcmp(solver, "none") != 0;
    int preconditioned = of_method && strcmp(precond, "none") != 0;
    nb_setting_value(&d->info, by, value);
    snprintf(text, size, "%s%s%s%s%s%s", *value ? value : "none", of_method && *solver ? " " : "",
             of_method ? solver : "", preconditioned && *precond ? " " : "", preconditioned ? precond : "", warm);
}

/* takes "NAME VALUE" out of "arch, NAME VALUE, omega=1.2" */
static void drop(char *label, const char *name) {
    char head[NB_NAME_LENGTH];
    snprintf(head, sizeof head, ", %s ", name);
    char *at = strstr(label, head);
    if (!at) return;
    const char *rest = at + 2 + strcspn(at + 2, ",");
    memmove(at, rest, strlen(rest) + 1);
}

static nb_status fill_change(const nb_compared_runs *set, const char *by, double accuracy, nb_comparison *c) {
    char from[4 * NB_NAME_LENGTH], to[4 * NB_NAME_LENGTH];
    nb_status status;
    NB_TRY(fill(set, set, accuracy, c));
    const nb_compared_run *a = &set->items[c->a], *b = &set->items[c->b];
    name_side(a, b, by, from, sizeof from);
    name_side(b, a, by, to, sizeof to);
    char label[sizeof c->label]; /* one of the two may use more */
    nb_compared_run_label(set, c->b, NB_COMPARED_PROBLEM | NB_COMPARED_SOLVER, label, sizeof label);
    if (strlen(label) > strlen(c->label)) memcpy(c->label, label, sizeof label);
    if (strcmp(by, "method") == 0) { /* what the two do not share stands with each */
        drop(c->label, "linear_solver");
        drop(c->label, "preconditioner");
        if (nb_setting_starts_as_usual(&a->info) && nb_setting_starts_as_usual(&b->info)) drop(c->label, "warm_start");
    }
    size_t used = strlen(c->label);
    snprintf(c->label + used, sizeof c->label - used, "%s%s -> %s", used ? ": " : "", from, to);
out:
    return status;
}

/* the runs of a set with what each has of one setting */
typedef struct changes {
    const nb_compared_runs *set;
    const char *by;
    char (*value)[NB_NAME_LENGTH]; /* [count] "" of a run that does not have it, or does not use it */
    int *has;                      /* [count] */
} changes;

static nb_status read_changes(changes *c) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(c->set->count, &c->value));
    NB_TRY(NB_ALLOCATE(c->set->count, &c->has));
    for (int64_t i = 0; i < c->set->count; i++) {
        const nb_compared_run *d = &c->set->items[i];
        c->has[i] = nb_setting_value(&d->info, c->by, c->value[i]) && nb_setting_is_used(&d->info, c->by);
    }
out:
    return status;
}

/* whether two runs differ in the setting, and in nothing else that both use */
static int differ_in(const changes *c, int64_t i, int64_t j) {
    if (!c->has[i] || !c->has[j] || strcmp(c->value[i], c->value[j]) == 0) return 0;
    return nb_compared_run_agree_but(&c->set->items[i], &c->set->items[j], c->by);
}

/* whether run `j` is what run `i` is held against: of the value that is the first among its counterparts, and the first
 * of several alike */
static int is_base(const changes *c, int64_t j, int64_t i) {
    const nb_compared_run *base = &c->set->items[j];
    if (!differ_in(c, j, i)) return 0;
    for (int64_t k = 0; k < j; k++) {
        const nb_compared_run *d = &c->set->items[k];
        if (same_settings(d, base) && d->info.seed == base->info.seed) return 0;
        if (c->has[k] && strcmp(c->value[j], c->value[k]) != 0 && differ_in(c, k, i)) return 0;
    }
    return 1;
}

nb_status nb_compare_by(const nb_compared_runs *set, const char *by, double accuracy, nb_comparison **list,
                        int64_t *count) {
    nb_status status;
    int64_t capacity = 0;
    changes all = {.set = set, .by = by};
    *count = 0;
    *list = NULL;
    NB_TRY(read_changes(&all));
    for (int64_t i = 1; i < set->count; i++)
        for (int64_t j = 0; j < i; j++) {
            if (!is_base(&all, j, i)) continue;
            NB_TRY(NB_RESERVE(*count + 1, &capacity, list));
            nb_comparison *c = &(*list)[(*count)++];
            *c = (nb_comparison){.a = j, .b = i};
            NB_TRY(fill_change(set, by, accuracy, c));
        }
out:
    nb_free(all.value);
    nb_free(all.has);
    return status;
}

nb_status nb_compare(const nb_compared_runs *a, const nb_compared_runs *b, double accuracy, nb_comparison **list,
                     int64_t *count) {
    nb_status status;
    *count = 0;
    NB_TRY(NB_ALLOCATE(a->count + b->count, list));
    for (int64_t i = 0; i < a->count; i++) {
        nb_comparison *c = &(*list)[(*count)++];
        c->a = i;
        c->b = partner(a, i, b);
        NB_TRY(fill(a, b, accuracy, c));
    }
    for (int64_t i = 0; i < b->count; i++) {
        if (partner(b, i, a) >= 0) continue;
        nb_comparison *c = &(*list)[(*count)++];
        c->a = -1;
        c->b = i;
        NB_TRY(fill(a, b, accuracy, c));
    }
out:
    return status;
}

/* the run that those of the scenario of `d` are held against; -1: none */
static int64_t base_for(const nb_compared_runs *bases, int64_t baseline, const nb_compared_run *d) {
    const nb_compared_run *base = &bases->items[baseline];
    if (strcmp(base->info.scenario, d->info.scenario) == 0) return baseline;
    for (int64_t j = 0; j < bases->count; j++) {
        const nb_compared_run *other = &bases->items[j];
        if (strcmp(other->info.scenario, d->info.scenario) == 0 && nb_compared_run_same_solver(other, base) &&
            strcmp(other->info.precision, base->info.precision) == 0)
            return j;
    }
    return -1;
}

static nb_status add_against(const nb_compared_runs *bases, const nb_compared_runs *set, double accuracy,
                             nb_comparison one, nb_comparison **list, int64_t *count, int64_t *capacity) {
    nb_status status;
    NB_TRY(NB_RESERVE(*count + 1, capacity, list));
    nb_comparison *c = &(*list)[(*count)++];
    *c = one;
    NB_TRY(fill(bases, set, accuracy, c));
    if (c->b >= 0) /* which is what the row is about */
        nb_compared_run_label(set, c->b, NB_COMPARED_PROBLEM | NB_COMPARED_SOLVER, c->label, sizeof c->label);
out:
    return status;
}

nb_status nb_compare_with(const nb_compared_runs *bases, int64_t baseline, const nb_compared_runs *set, double accuracy,
                          nb_comparison **list, int64_t *count) {
    nb_status status = NB_OK;
    int64_t capacity = 0;
    *count = 0;
    *list = NULL;
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t base = base_for(bases, baseline, &set->items[i]);
        int known = base < 0;
        for (int64_t k = 0; k < *count && !known; k++) known = (*list)[k].is_baseline && (*list)[k].a == base;
        nb_comparison first = {.a = base, .b = bases == set ? base : -1, .is_baseline = 1};
        if (!known) NB_TRY(add_against(bases, set, accuracy, first, list, count, &capacity));
        if (bases == set && base == i) continue;
        nb_comparison one = {.a = base, .b = i};
        NB_TRY(add_against(bases, set, accuracy, one, list, count, &capacity));
    }
out:
    return status;
}
