#include "statistics/penetrating.h"

void nb_penetrating_add(const nb_run *run, nb_penetrating *sum) {
    for (int32_t k = 0; k < run->step_count; k++) {
        const double *row = run->steps + (int64_t)k * NB_STEP_COLUMNS;
        const double deepest = row[NB_STEP_MAX_PENETRATION], allowed = row[NB_STEP_PENETRATION_ALLOWED];
        sum->of++;
        if (!(deepest > allowed)) continue; /* NaN: not measured */
        sum->steps++;
        if (deepest - allowed <= sum->worst - sum->allowed) continue;
        sum->worst = deepest;
        sum->allowed = allowed;
    }
}
