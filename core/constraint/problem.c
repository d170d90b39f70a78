#include "constraint/problem.h"

#include <math.h>

NB_PRECISIONS(f32, f64);

nb_status nb_problem_detect(nb_problem *problem, int32_t *added) {
    *added = 0;
    if (!problem->type->detect)
        return nb_fail(NB_ERROR_UNSUPPORTED, "contacts cannot be detected again: this problem has rows and no bodies");
    return problem->type->detect(problem, added);
}

nb_status nb_problem_verify(nb_problem *problem, double most, nb_verify_mode mode, nb_overlap *overlap) {
    if (!problem->type->verify)
        return nb_fail(NB_ERROR_UNSUPPORTED, "contacts cannot be verified: this problem has rows and no bodies");
    return problem->type->verify(problem, most, mode, overlap);
}

nb_law_state nb_problem_state(const nb_problem *problem) {
    return (nb_law_state){problem->h, problem->value, problem->z, problem->w};
}

/* without branches, so that the compiler takes several rows at a time */
double nb_problem_velocity_scale(const nb_problem *problem) {
    const real *value = problem->value, *w = problem->w, *z = problem->z;
    const int32_t rows = problem->rows;
    double largest = 0;
    int64_t none = 0; /* of these is a number */
#pragma omp simd reduction(max : largest) reduction(| : none)
    for (int32_t r = 0; r < rows; r++) {
        const double own = fabs((double)value[r]), made = fabs((double)w[r] * (double)z[r]);
        const double more = own > made ? own : made;
        largest = more > largest ? more : largest;
        none |= (own != own) | (made != made);
    }
    return none ? (double)NAN : largest;
}
