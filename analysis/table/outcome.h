/* The outcome of a run in single numbers, as tables of runs show it. */
#ifndef NB_ANALYSIS_OUTCOME_H
#define NB_ANALYSIS_OUTCOME_H

#include "record/run.h"

/* a column at the last step; NaN where there is none */
double nb_run_last(const nb_run *run, nb_step_column column);

/* a column summed over the steps */
double nb_run_sum(const nb_run *run, nb_step_column column);

/* The times of all repetitions [repeat_count][step_count] of a column of steps; NULL: it has none. */
const double *nb_run_repeated(const nb_run *run, int column);

/* mean number of Newton iterations of a step, and of linear iterations of a Newton iteration; 0 where there are none */
double nb_run_newton_iterations(const nb_run *run);
double nb_run_linear_iterations(const nb_run *run);

/* Matrices factorised in a Newton iteration, and in all steps: as methods with phases count them, else a direct
 * solver's factor is one. */
double nb_run_row_factorisations(const nb_run *run, int64_t row);
double nb_run_factorisations(const nb_run *run);

/* Which of its last step's solutions the run came to, where two with other velocities are known, and `distance`, unless
 * NULL, of its velocities from each [m/s]: NB_SOLUTION_NONE and NaN where one alone is known, or the run did not come
 * to a natural map of NB_REFERENCE_REACHED. */
typedef enum nb_solution_taken {
    NB_SOLUTION_NONE,
    NB_SOLUTION_FIRST,
    NB_SOLUTION_SECOND,
    NB_SOLUTION_ANOTHER
} nb_solution_taken;
extern const char *const nb_solution_names[];
nb_solution_taken nb_run_solution(const nb_run *run, double distance[2]);

/* Whether it is of a Matrix Market system, which has no contacts to judge it by: its steps are the linear solves
 * with its right-hand sides. The true relative residual ||b - A x|| / ||b|| of one, and the largest of all; NaN where
 * there is none. */
int nb_run_is_system(const nb_run *run);
double nb_run_solve_residual(const nb_run *run, int32_t step);
double nb_run_system_residual(const nb_run *run);

/* why the last step ended, or "-" */
const char *nb_run_reason(const nb_run *run);
/* the same for readers: "converged to round-off" is a success */
const char *nb_run_reason_words(const nb_run *run);

/* The time of a step [s]: the median over the steps, in every timed repetition. `median`, `least` and `most` are those
 * of the repetitions; without any, `median` is that of the recorded pass. Below two, `least` and `most` are NaN. */
typedef struct nb_step_time {
    double median, least, most;
} nb_step_time;
nb_status nb_run_step_time(const nb_run *run, nb_step_time *time);

/* What a step took for assembly, set-up and solves [s]: the median over the timed repetitions; without any, that of the
 * recorded pass, which is cold and made once. */
double nb_run_work_time(const nb_run *run, int32_t step);
/* That over the recorded pass's: what times of its iterations, which repetitions do not tell apart, are to be
 * multiplied with. 1 without repetitions. */
double nb_run_time_scale(const nb_run *run, int32_t step);

/* Of a batch: steps of all copies a second of wall time (the median over the repetitions, or that of the recorded
 * pass), and the largest of a column over the copies' last steps; NaN where there is none. */
double nb_batch_throughput(const nb_batch *batch);
double nb_batch_worst_last(const nb_batch *batch, nb_batch_column column);

/* The share of all copies' steps, those that were not made included, whose natural map is at most `tolerance` [m/s]. */
double nb_batch_share(const nb_batch *batch, double tolerance);

#endif
