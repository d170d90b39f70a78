#include "statistics/solver_costs.h"

#include <math.h>

#include "base/memory.h"

const char *const nb_work_names[NB_WORK_MEASURES] = {"operations", "operator applications", "linear iterations",
                                                     "iterations"};

/* the problem of a run that has none */
enum {
    NONE = -1,
    LEFT_OUT = -2
};

static nb_status find_solvers(const nb_compared_runs *compared, nb_solver_costs *c) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(compared->count, &c->solver));
    NB_TRY(NB_ALLOCATE(compared->count, &c->first));
    for (int64_t i = 0; i < compared->count; i++) {
        int64_t s = 0;
        while (s < c->solvers && !nb_compared_run_same_solver(&compared->items[c->first[s]], &compared->items[i])) s++;
        if (s == c->solvers) c->first[c->solvers++] = i;
        c->solver[i] = s;
    }
out:
    return status;
}

static nb_status find_problems(const nb_compared_runs *compared, nb_solver_costs *c) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(compared->count, &c->problem));
    NB_TRY(NB_ALLOCATE(compared->count, &c->steps));
    for (int64_t i = 0; i < compared->count; i++) c->problem[i] = NONE;
    for (int64_t i = 0; i < compared->count; i++) {
        if (c->problem[i] != NONE || compared->items[i].step_count == 0) continue;
        int without_forces = 0;
        c->steps[c->problems] = 0;
        for (int64_t j = i; j < compared->count; j++) {
            if (!nb_compared_run_same_problem(&compared->items[j], &compared->items[i])) continue;
            c->problem[j] = c->problems;
            without_forces |= compared->items[j].without_forces;
            if (compared->items[j].step_count > c->steps[c->problems])
                c->steps[c->problems] = compared->items[j].step_count;
        }
        if (!without_forces) {
            c->problems++;
            continue;
        }
        c->without_forces++;
        for (int64_t j = i; j < compared->count; j++)
            if (c->problem[j] == c->problems) c->problem[j] = LEFT_OUT;
    }
out:
    return status;
}

int nb_compared_runs_are_files(const nb_compared_runs *compared) {
    for (int64_t i = 0; i < compared->count; i++)
        if (!compared->items[i].of_file) return 0;
    return 1;
}

/* Operations, or else products with A, where all runs count them; else linear iterations, or of problem files the
 * method's own. */
static nb_work_measure choose_work(const nb_compared_runs *compared) {
    int flops = 1, products = 1;
    for (int64_t i = 0; i < compared->count; i++) {
        flops &= !isnan(compared->items[i].flops);
        products &= !isnan(compared->items[i].work);
    }
    if (flops || products) return flops ? NB_WORK_FLOPS : NB_WORK_PRODUCTS;
    return nb_compared_runs_are_files(compared) ? NB_WORK_OWN_ITERATIONS : NB_WORK_LINEAR_ITERATIONS;
}

static double work_of(const nb_cost *x, nb_work_measure work) {
    return work == NB_WORK_FLOPS               ? x->flops
           : work == NB_WORK_PRODUCTS          ? x->work
           : work == NB_WORK_LINEAR_ITERATIONS ? x->linear_iterations
                                               : x->newton_iterations;
}

/* What the run took for all its steps; 0 where it did not reach the accuracy in each, or ended before others did. */
static int add_costs(const nb_compared_run *d, int32_t steps, nb_work_measure work, double cost[2]) {
    cost[0] = cost[1] = 0;
    for (int32_t step = 0; step < d->step_count; step++) {
        if (!d->costs[step].reached) return 0;
        cost[0] += d->costs[step].seconds;
        cost[1] += work_of(&d->costs[step], work);
    }
    return d->step_count == steps;
}

nb_status nb_solver_costs_make(const nb_compared_runs *compared, nb_solver_costs *c) {
    nb_status status;
    c->work = choose_work(compared);
    c->by_work = compared->apart;
    NB_TRY(find_solvers(compared, c));
    NB_TRY(find_problems(compared, c));
    const int64_t entries = c->problems * c->solvers;
    for (int measure = 0; measure < 2; measure++) NB_TRY(NB_ALLOCATE(entries, &c->cost[measure]));
    NB_TRY(NB_ALLOCATE(entries, &c->error));
    for (int64_t k = 0; k < entries; k++) c->cost[0][k] = c->cost[1][k] = c->error[k] = NAN;
    for (int64_t i = 0; i < compared->count; i++) {
        const nb_compared_run *d = &compared->items[i];
        double cost[2];
        if (c->problem[i] < 0) continue;
        const int64_t entry = c->problem[i] * c->solvers + c->solver[i];
        if (!isnan(c->cost[0][entry])) continue;
        const int solved = add_costs(d, c->steps[c->problem[i]], c->work, cost);
        c->tried++;
        c->cold += solved && d->repeats == 0;
        for (int measure = 0; measure < 2; measure++)
            c->cost[measure][entry] = solved ? cost[measure] : (double)INFINITY;
        const double error = isnan(d->relative_error) ? d->error : d->relative_error;
        c->error[entry] = d->step_count == c->steps[c->problem[i]] && !isnan(error) ? error : (double)INFINITY;
    }
out:
    return status;
}

void nb_solver_costs_clear(nb_solver_costs *c) {
    nb_free(c->solver);
    nb_free(c->first);
    nb_free(c->problem);
    nb_free(c->steps);
    nb_free(c->cost[0]);
    nb_free(c->cost[1]);
    nb_free(c->error);
    *c = (nb_solver_costs){0};
}
