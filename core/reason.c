#include "reason.h"

const char *nb_reason_name(nb_reason reason) {
    static const char *const names[NB_REASON_COUNT] = {
        [NB_REASON_NONE] = "none",
        [NB_REASON_CONVERGED] = "converged",
        [NB_REASON_EXACT] = "exact",
        [NB_REASON_ROUND_OFF] = "round-off",
        [NB_REASON_ITERATIONS] = "iterations",
        [NB_REASON_DIVERGED] = "diverged",
        [NB_REASON_INDEFINITE] = "indefinite",
        [NB_REASON_NOT_POSITIVE_DEFINITE] = "not-positive-definite",
        [NB_REASON_SINGULAR] = "singular",
        [NB_REASON_BREAKDOWN] = "breakdown",
        [NB_REASON_STAGNATED] = "stagnated",
        [NB_REASON_NAN] = "nan",
        [NB_REASON_REFUSED] = "refused",
        [NB_REASON_TIME_LIMIT] = "time-limit",
        [NB_REASON_CRASHED] = "crashed",
        [NB_REASON_INFEASIBLE] = "infeasible",
        [NB_REASON_RAY] = "ray",
        [NB_REASON_CYCLED] = "cycled",
        [NB_REASON_INCONSISTENT] = "inconsistent",
        [NB_REASON_FRICTION_LAG] = "friction-lag",
        [NB_REASON_WEDGED] = "wedged",
    };
    return (unsigned)reason < NB_REASON_COUNT ? names[reason] : "unknown";
}

int nb_reason_converged(nb_reason reason) {
    return reason == NB_REASON_CONVERGED || reason == NB_REASON_EXACT || reason == NB_REASON_ROUND_OFF;
}
