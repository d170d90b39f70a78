#include "statistics/unsolved.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "reason.h"

double nb_run_tolerance(const nb_run_info *info) {
    if (info->newton_tolerance > 0) return info->newton_tolerance;
    return strcmp(info->precision, "f32") == 0 ? NB_SOLVED_F32 : NB_SOLVED;
}

/* what the method's own measure says */
static int met(double reason) {
    return reason == NB_REASON_CONVERGED || reason == NB_REASON_EXACT;
}

/* whether the method saw by itself that it came no farther */
static int gave_up(double reason) {
    return reason == NB_REASON_STAGNATED || reason == NB_REASON_INFEASIBLE || reason == NB_REASON_WEDGED;
}

/* `joints`: these have the largest error */
static void add_step(double error, double reason, int joints, const nb_run_info *info, nb_unsolved *sum) {
    sum->of++;
    if (error <= nb_run_tolerance(info) || (!(info->newton_tolerance > 0) && met(reason))) return;
    sum->steps++;
    sum->joints += joints && gave_up(reason);
    sum->lagging += reason == NB_REASON_FRICTION_LAG;
    sum->stagnated += reason == NB_REASON_STAGNATED;
    sum->infeasible += reason == NB_REASON_INFEASIBLE;
    sum->wedged += reason == NB_REASON_WEDGED;
    nb_raise(&sum->worst, isnan(error) ? INFINITY : error);
}

void nb_unsolved_add(const nb_run *run, nb_unsolved *sum) {
    const nb_batch *batch = &run->batch;
    for (int64_t i = 0; i < (int64_t)batch->scenes * batch->steps; i++) {
        const double *row = batch->rows + i * NB_BATCH_COLUMNS;
        add_step(row[NB_BATCH_NATURAL_MAP_ERROR], row[NB_BATCH_REASON], 0, &run->info, sum);
    }
    for (int32_t i = 0; batch->scenes == 0 && i < run->step_count; i++) {
        const double *row = run->steps + (int64_t)i * NB_STEP_COLUMNS;
        add_step(row[NB_STEP_NATURAL_MAP_ERROR], row[NB_STEP_REASON], nb_run_ends_in_joints(run, i), &run->info, sum);
    }
}
