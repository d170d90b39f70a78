/* The numbers behind a verdict: measures of runs, as a claim's rule has them (claims/claim.h).
 *
 * The names in a measure's expression, of a run:
 *
 *   FUNCTION(COLUMN...)       of its steps, as in the heads of figures (table/column.h): most(max_penetration),
 *                             mean(newton_iterations), count(newton_iterations@1e-8)/steps, median(step_ms)
 *   newton(COLUMN[, K])       of its last step, as it is at iteration K (from 0; beyond the last: that) [the last]
 *   linear(COLUMN[, K])       of the first Newton iteration of its last step, after K linear iterations [the last]
 *   rises(COLUMN[, K])        how often that column of newton/ or linear/ goes up from row to row [in the first K]
 *   superlinear(TOLERANCE)    how many steps come to this natural map [m/s] superlinearly: by the last three reductions
 *                             until then, each by a larger factor than the one before, the last by ten or more
 *   place(BODY, AXIS)         where the body is at the end [m], AXIS x, y or z; BODY may be `particles`, for
 *                             the mean of them all
 *   speed(BODY)               how fast it is then [m/s]
 *   below(BODY)               the share of the bodies behind it in the scene's order that lie lower in the end
 *   failed                    1 where the run failed, else 0
 *   NAME                      a setting (time_step, mass), or what it took (wall_s, peak_bytes; results/record/run.h)
 *
 * of a copy: the functions of its steps, settings; of a step: the columns of steps, its number step from 0, settings;
 * of an iteration: the
 * columns of newton/, as they were before it and with what it did, and settings; of a timed repetition
 * (without any, the recorded pass): step_s, assembly_s, setup_s, solve_s, the median over the steps. A time NAME_s is
 * there in milliseconds, too: NAME_ms. */
#ifndef NB_ANALYSIS_CLAIMS_MEASURE_H
#define NB_ANALYSIS_CLAIMS_MEASURE_H

#include "claims/claim.h"
#include "record/run.h"

typedef enum nb_measured_interval {
    NB_INTERVAL_NONE,
    NB_INTERVAL_RANGE,     /* the least and the most of the values */
    NB_INTERVAL_BOOTSTRAP, /* of a median of five values or more: 95 %, percentile bootstrap (statistics.h) */
    NB_INTERVAL_SHARE      /* of a share of runs or copies: 95 %, Wilson's score interval (statistics.h) */
} nb_measured_interval;

typedef struct nb_measured {
    double value, low, high;
    nb_measured_interval interval;
} nb_measured;

/* Measure `i` of the claim from runs [count], with the measures before it in measured [i]. NB_ERROR_INPUT with one line
 * where the text makes no sense, or no run is as it asks. */
nb_status nb_claim_take_measure(const nb_claim *claim, int i, nb_run *const *runs, int count, nb_measured *measured);

/* The expression over all measures of the claim. It may have low(NAME) and high(NAME), the ends of the interval of a
 * measure (NaN where it has none), friction_error(NCP, FORCE) and friction_compliance(NCP, FORCE), what figure
 * macklin-fig06 draws, and scaled(NCP, LAMBDA, R), what macklin-fig09 draws (figure/functions.h).
 */
nb_status nb_claim_evaluate(const nb_claim *claim, const char *text, const nb_measured *measured, int count,
                            double *value);

#endif
