#include "constraint/problem.h"

#include <math.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

nb_status nb_problem_detect(nb_problem *problem, int32_t *added) {
    *added = 0;
    if (!problem->type->detect)
        return nb_fail(NB_ERROR_UNSUPPORTED, "contacts cannot be detected again: this problem has rows and no bodies");
    return problem->type->detect(problem, added);
}

nb_law_state nb_problem_state(const nb_problem *problem) {
    return (nb_law_state){problem->h, problem->value, problem->z, problem->w};
}

double nb_problem_velocity_scale(const nb_problem *problem) {
    double largest = 0;
    for (int32_t r = 0; r < problem->rows; r++) {
        nb_raise(&largest, fabs((double)problem->value[r]));
        nb_raise(&largest, fabs((double)problem->w[r] * (double)problem->z[r]));
    }
    return largest;
}
