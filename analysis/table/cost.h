/* What a step took to reach an accuracy (private to analysis/). */
#ifndef NB_ANALYSIS_COST_H
#define NB_ANALYSIS_COST_H

#include "record/run.h"

/* What a step took until its natural-map error [m/s], of a problem file relative to ||q||, was at most the accuracy
 * asked for. Of a Matrix Market system: until the relative residual ||b - A x|| / ||b|| was, by the history of the
 * linear iterations where there is one; work and times of the solve are then the share of these iterations. */
typedef struct nb_cost {
    int reached;              /* 0: never; then the rest is what was spent without reaching it */
    double newton_iterations; /* until then */
    double linear_iterations; /* until then */
    double work;              /* products with A (operator_applications) until then; NaN of a plugin's method */
    double factorisations;    /* of matrices, until then */
    double flops;             /* operations of the linear solves until then, with set-ups and factorizations
                                 (results/schema.md); to an error of linear solves with the vectors
                                 (linear_cost.h); NaN where a method or a plugin does not count them */
    double seconds; /* assembly, set-up and solves of these iterations, and what is done once a step; no measuring, no
                       recording. Where the run was repeated: their share in the recorded pass's, of the median
                       repetition of the step. Of a problem file whose last iterate reached it: the median whole solve
                       of the repetitions */
} nb_cost;

/* the error that an accuracy is of */
typedef enum nb_cost_error {
    NB_OF_MAP,     /* natural-map error [m/s], as nb_cost_to */
    NB_OF_ENERGY,  /* of linear solves: energy error, relative to the solution (linear_cost.h) */
    NB_OF_RESIDUAL /* of linear solves: true residual, relative to that of the initial guess */
} nb_cost_error;
extern const char *const nb_cost_error_units[]; /* " m/s", " of the energy norm", " of the first residual" */

/* Operations of Newton row `row`'s linear solve (results/schema.md): those of assembly and set-up, and `share` of those
 * of the products with A and of P; of a direct solver, whose operator applications are its solves, of these. */
double nb_flops_of(const nb_run *run, int64_t row, double share);

/* Step `step` of the run, from its Newton history; 0 iterations where the start was accurate enough. */
nb_cost nb_cost_to(const nb_run *run, int32_t step, double accuracy);

#endif
