/* Two sets of runs held against each other, pair by pair. */
#ifndef NB_ANALYSIS_COMPARE_H
#define NB_ANALYSIS_COMPARE_H

#include "statistics/compared_run.h"
#include "table/statistics.h"

/* What one side of a pair took: of the whole run, or to reach an accuracy. */
typedef struct nb_compared_side {
    double newton_iterations, linear_iterations; /* in all */
    double work, flops;                          /* as in nb_cost, in all; NaN: not recorded */
    double error;        /* largest natural-map error at the end of a step [m/s]; of a system, its relative residual */
    double reached;      /* steps that reached the accuracy; NaN where none was asked for */
    nb_interval seconds; /* median over the repetitions of the whole run; with an accuracy, over the steps of the time
                            to reach it, infinite where it is not reached */
} nb_compared_side;

typedef enum nb_verdict {
    NB_VERDICT_ALIKE,   /* the interval of the ratio holds 1 */
    NB_VERDICT_FASTER,  /* B is: the interval lies below 1 */
    NB_VERDICT_SLOWER,  /* above 1 */
    NB_VERDICT_UNKNOWN, /* fewer than five samples, or an accuracy that not all steps reached: no interval */
    NB_VERDICT_APART    /* of two kinds of processor: times do not compare (whoever knows these sets it) */
} nb_verdict;
extern const char *const nb_verdict_names[];

typedef struct nb_comparison {
    int64_t a, b; /* indices into the two sets; -1: the run is missing there */
    char label[256];
    nb_compared_side side[2];
    nb_interval ratio; /* of the medians of the times, B over A */
    nb_verdict verdict;
    int work_differs, error_differs; /* iterations and errors are exact: any difference counts */
    /* 1: the last step has several solutions, and the two came to different ones, which their iterations and times are
     * of */
    int solution_differs;
    /* the first step, from 0, that two runs of one problem begin with different states (trace.h); -1: none, or two
     * problems */
    int32_t parting;
    /* [m/s] by how much bodies' velocities of the final step differ, where both runs of one problem solved it from the
     * same velocities, and this is more than their errors: it has several solutions. Else 0. */
    double states_apart;
    int is_baseline; /* a run that others are held against (nb_compare_with), beside itself, or with b = -1 */
} nb_comparison;

/* Pairs the runs whose settings agree (seed and repetitions are none); the k-th of several alike with the k-th. The
 * list [*count] holds the runs of A in their order, then those that B alone has; the caller frees it (nb_free). With
 * an `accuracy` > 0 the sides tell what it took to reach it, else the whole runs. */
nb_status nb_compare(const nb_compared_runs *a, const nb_compared_runs *b, double accuracy, nb_comparison **list,
                     int64_t *count);

/* Runs of one set that differ in `by` alone (an attribute or a parameter; nb_compared_run_agree_but), each held against
 * those of the value that stands first in the set. The set's own `by` should be the same, for the labels. */
nb_status nb_compare_by(const nb_compared_runs *set, const char *by, double accuracy, nb_comparison **list,
                        int64_t *count);

/* The runs of `set`, each held against run `baseline` of `bases`, which may be the same set: A is the baseline, B the
 * run. Runs of another scenario are held against the first run of that scenario in `bases` that has the baseline's
 * solver settings and precision; where there is none, a is -1. Each baseline comes before the runs that are held
 * against it. */
nb_status nb_compare_with(const nb_compared_runs *bases, int64_t baseline, const nb_compared_runs *set, double accuracy,
                          nb_comparison **list, int64_t *count);

#endif
