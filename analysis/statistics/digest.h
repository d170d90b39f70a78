/* What comparisons and profiles need of a run: its settings, its work, its times, and what each step took to reach a
 * given accuracy. Far smaller than the run, so that whole records fit. */
#ifndef NB_ANALYSIS_DIGEST_H
#define NB_ANALYSIS_DIGEST_H

#include "base/status.h"
#include "record/fields.h"
#include "record/record.h"
#include "record/run.h"

/* What a step took until its natural-map error [m/s], of a problem file relative to ||q||, was at most the accuracy
 * asked for. */
typedef struct nb_cost {
    int reached;              /* 0: never; the rest is what was spent in vain */
    double newton_iterations; /* done before */
    double linear_iterations; /* likewise */
    double work;              /* products with A (operator_applications) likewise; NaN where an older record lacks it */
    double factorisations;    /* likewise of matrices */
    double seconds; /* assembly, set-up and solves of these iterations; no measuring, no recording. Where the run was
                       repeated: their share in the recorded pass's, of the median repetition of the step. Of a problem
                       file whose last iterate reached it: the median whole solve of the repetitions */
} nb_cost;

/* Step `step` of the run, from its Newton history; 0 iterations where the start was accurate enough. */
nb_cost nb_cost_to(const nb_run *run, int32_t step, double accuracy);

typedef struct nb_digest {
    nb_run_info info; /* with its own parameters */
    char *problem;    /* the settings that say what is solved, as one text */
    char *solver;     /* those that say how, as far as the run heeds them (heed.h); without the iterations at most */
    int asked[2];     /* whether Newton's and the linear iterations at most say what was asked for: nb_digests_settle */
    char limits[2 * NB_NAME_LENGTH];                   /* these, then */
    double newton_iterations, linear_iterations, work; /* in all, as in nb_cost */
    double error;                                      /* largest natural-map error at the end of a step [m/s] */
    int of_file;                                       /* of a problem file */
    int32_t step_count, sample_count, repeats; /* repeats: timed repetitions; 0: times are of the recorded pass */
    double *seconds; /* [sample_count] of all steps: every timed repetition, or where there is none the recorded pass */
    nb_cost *costs;  /* [step_count] */
} nb_digest;

typedef struct nb_digests {
    nb_digest *items;
    int64_t count, capacity;
    const char *by; /* an attribute or a parameter that labels leave out, or NULL */
} nb_digests;

/* Adds the digest of one run. */
nb_status nb_digests_take(nb_digests *digests, const nb_run *run, double accuracy);
/* Adds the digests of all runs of the record. */
nb_status nb_digests_read(nb_digests *digests, nb_record_reader *reader, double accuracy);
void nb_digests_clear(nb_digests *digests);

/* Once all are there: every scenario has iterations of its own, at most, so that numbers of them alone do not say what
 * was asked for. They are one setting more (`limits`) of runs that are alike but for them, also in the problem, in one
 * of the sets; else nobody asked. Where not every number is there for every problem of such runs, that of the scenario
 * is called so. */
void nb_digests_settle(nb_digests *const *sets, int count);

/* whether they are of one problem; scenes of different seeds are different problems */
int nb_digest_same_problem(const nb_digest *a, const nb_digest *b);
/* whether they are of one solver */
int nb_digest_same_solver(const nb_digest *a, const nb_digest *b);
/* whether their iterations at most, as far as both heed them, differ */
int nb_digest_limits_differ(const nb_digest *a, const nb_digest *b);

/* What kind of setting an attribute is: NB_DIGEST_PROBLEM, NB_DIGEST_SOLVER; 0: none, or no attribute. */
int nb_digest_kind(const char *name);

/* Whether two runs have the same settings but for `by` (an attribute or a parameter) and what depends on it: of a
 * linear solver its options, of a method its linear solver too; what one of the two does not heed is none. */
int nb_digest_agree_but(const nb_digest *a, const nb_digest *b, const char *by);
/* The value of this setting; 0 where the run has none of this name. */
int nb_digest_value(const nb_digest *d, const char *name, char value[NB_NAME_LENGTH]);

enum {
    NB_DIGEST_PROBLEM = 1,
    NB_DIGEST_SOLVER = 2,
    NB_DIGEST_SHORT = 4 /* in a label: what a name says needs no attribute before it ("pcr"), and what follows
                            from what stands before (a method's own linear solver) is left out */
};

/* "linear_solver pcr, precision f64": the settings of these kinds in which the digests differ, of item `i`; where
 * parameters alone tell runs apart, these. Empty where all are alike. */
void nb_digest_label(const nb_digests *digests, int64_t i, int kinds, char *label, size_t size);

#endif
