/* What comparisons and profiles need of a run: its settings, its work, its times, and what each step took to reach a
 * given accuracy. Far smaller than the run, so that whole records fit. */
#ifndef NB_ANALYSIS_COMPARED_RUN_H
#define NB_ANALYSIS_COMPARED_RUN_H

#include "base/status.h"
#include "record/record.h"
#include "record/run.h"
#include "statistics/trace.h"
#include "table/conditions.h"
#include "table/cost.h"
#include "table/outcome.h"
#include "table/settings.h"

/* a setting of a run, as it is held against that of other runs: read once, for records have many pairs */
typedef struct nb_compared_setting {
    char name[NB_NAME_LENGTH], value[NB_NAME_LENGTH]; /* of a real, nine digits */
    int used;                                         /* by the run (setting_effect.h) */
} nb_compared_setting;

typedef struct nb_compared_run {
    nb_run_info info;              /* with its own parameters */
    char *problem;                 /* the settings that say what is solved, as one text */
    char remark[256];              /* what its method says of its last step, or "" */
    char *solver;                  /* those that say how, as far as the run uses them; without the iterations at most */
    int32_t provenance;            /* the run's, in its record */
    nb_compared_setting *settings; /* [setting_count] attributes that are settings, then parameters */
    int64_t setting_count, setting_capacity;
    int asked[2]; /* whether Newton's and the linear iterations at most say what was asked for: nb_compared_runs_settle
                   */
    char limits[2 * NB_NAME_LENGTH];                          /* these, then */
    double newton_iterations, linear_iterations, work, flops; /* in all, as in nb_cost */
    double error; /* largest natural-map error at the end of a step [m/s]; of a system, its relative residual */
    double relative_error;       /* the same of a problem file over ||q||; NaN of others */
    int without_forces;          /* 1: each step was solved as it began, and the last one has no contact force */
    int of_file;                 /* of a problem file, or a system */
    int of_system;               /* of a Matrix Market system */
    int met;                     /* every tolerance that it was asked for, of which there was one; -1: there was none */
    nb_solution_taken solution;  /* of several of its last step */
    double solution_distance[2]; /* from the two that are known [m/s] */
    int32_t step_count, sample_count, repeats; /* repeats: timed repetitions; 0: times are of the recorded pass */
    double *seconds; /* [sample_count] of all steps: every timed repetition, or where there is none the recorded pass */
    nb_cost *costs;  /* [step_count] */
    nb_trace *trace; /* [step_count] */
    int32_t bodies;  /* of the final step, its velocities and those that it began with [bodies, 6]; 0: not recorded */
    double *u, *u_before;
    double final_error; /* natural map of its solution [m/s] */
} nb_compared_run;

typedef struct nb_compared_runs {
    nb_compared_run *items;
    int64_t count, capacity;
    const char *by;      /* an attribute or a parameter that labels leave out, or NULL */
    int seeds;           /* 1: labels name the seed, too */
    nb_cost_error error; /* that accuracies are of; set before `take` */
    int apart;           /* 1: of several kinds of processor, whose times do not compare; whoever knows these sets it */
    /* the settings that labels name, among all runs and within scenarios: nb_compared_runs_settle */
    nb_differing *differing[2];
} nb_compared_runs;

/* Whether all of them are of Matrix Market systems. */
int nb_compared_runs_are_systems(const nb_compared_runs *compared);

/* All settings of one kind, NB_COMPARED_PROBLEM or NB_COMPARED_SOLVER, as one text (nb_free), without the iterations at
 * most. */
nb_status nb_compared_key(const nb_run_info *info, int kind, char **text);

/* Adds what is needed of one run. */
nb_status nb_compared_runs_take(nb_compared_runs *compared, const nb_run *run, double accuracy);
/* Adds that of the record's runs that meet the conditions (NULL: of all). */
nb_status nb_compared_runs_read(nb_compared_runs *compared, nb_record_reader *reader, const nb_conditions *where,
                                double accuracy);
void nb_compared_runs_clear(nb_compared_runs *compared);

/* To be called when all runs are there, before labels are made: they name the settings in which the runs of all sets
 * differ. The most iterations of a run may be its scenario's own, so that the numbers
 * alone do not say what was asked for. Where runs of one set are alike, their problem included, and differ in these
 * numbers alone, the numbers are one setting more (`limits`); else nobody asked for them. Where not every number is
 * there for every problem of such runs, that of the scenario is called so. */
nb_status nb_compared_runs_settle(nb_compared_runs *const *sets, int count);

/* whether they are of one problem; scenes of different seeds are different problems */
int nb_compared_run_same_problem(const nb_compared_run *a, const nb_compared_run *b);
/* whether they are of one solver */
int nb_compared_run_same_solver(const nb_compared_run *a, const nb_compared_run *b);
/* whether their iterations at most, as far as both use them, differ */
int nb_compared_run_limits_differ(const nb_compared_run *a, const nb_compared_run *b);

/* Whether two runs have the same settings but for `by` (an attribute or a parameter) and what depends on it: of a
 * linear solver its options, of a method its linear solver too, and its warm start where both have their methods' own;
 * what one of the two does not use is none. */
int nb_compared_run_agree_but(const nb_compared_run *a, const nb_compared_run *b, const char *by);
enum {
    NB_COMPARED_SHORT = 4 /* in a label: what a name says needs no attribute before it ("pcr"), and what follows
                            from what stands before (a method's own linear solver) is left out */
};

/* "arch, linear_solver pcr, mu 0.6": the scene, and of item `i` the settings of these kinds in which runs differ
 * (table/settings.h); with NB_COMPARED_PROBLEM those of its scenario. */
void nb_compared_run_label(const nb_compared_runs *compared, int64_t i, int kinds, char *label, size_t size);

#endif
