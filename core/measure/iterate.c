#include "measure/iterate.h"

#include <math.h>

#include "constraint/step.h"

NB_PRECISIONS(f32, f64);

void nb_measure_iterate(nb_measure *measure, const nb_problem *p, nb_errors *errors) {
    nb_measure_iterate_within(measure, p, INFINITY, errors);
}

int nb_measure_iterate_within(nb_measure *measure, const nb_problem *p, double most, nb_errors *errors) {
    double *u, *z;
    if (p->whole) p = p->whole;
    nb_measure_own_iterate(measure, &u, &z);
    for (int32_t i = 0; i < p->velocities; i++) u[i] = (double)p->u[i];
    for (int32_t r = 0; r < p->rows; r++) z[r] = (double)p->z[r];
    return nb_measure_evaluate_within(measure, most, errors);
}

nb_status nb_measure_detect(nb_measure *measure, nb_problem *problem, int32_t *added) {
    nb_status status = nb_problem_detect(problem, added);
    if (status != NB_OK || *added == 0) return status;
    return nb_measure_set_contacts(measure, nb_step_contacts(nb_step_of(problem)));
}

nb_status nb_measure_verify(nb_measure *measure, nb_problem *problem, double most, nb_verify_mode mode,
                            nb_overlap *overlap) {
    nb_status status = nb_problem_verify(problem, most, mode, overlap);
    const nb_step *step = nb_step_of(problem);
    double h;
    if (status != NB_OK || overlap->added + overlap->renewed == 0) return status;
    const nb_world *world = nb_step_world(step, &h);
    if (NB_REAL_BITS != 64 || !nb_step_may_be_shared(step))
        return nb_measure_set_contacts(measure, nb_step_contacts(step));
    return nb_measure_begin_beside(measure, (const void *)step, world, nb_step_contacts(step), h, NB_GEOMETRY_FROZEN);
}

void nb_measure_report(const nb_problem *p, const nb_errors *errors, nb_newton_report *report) {
    *report = (nb_newton_report){0};
    for (int i = 0; i < NB_METHOD_COLUMNS; i++) report->values[i] = (double)NAN;
    report->constraint_error = fmax(errors->bilateral, errors->penetration / (double)p->h);
    report->complementarity_error = errors->complementarity;
    report->friction_error = errors->friction;
    report->bilateral_error = errors->bilateral;
    report->momentum_error = errors->momentum;
    report->natural_map_error = errors->natural_map;
    report->file_error = errors->file.relative;
    report->coulomb_error = errors->coulomb;
    report->velocity_error = errors->velocity_error;
    report->force_error = errors->force_error;
    for (int i = 0; i < 2; i++) report->distance[i] = errors->distance[i];
    report->largest = errors->largest;
    nb_largest_error_report(&errors->largest);
}

double nb_measure_start_scale(const nb_problem *p, const nb_errors *errors) {
    return fmax(errors->natural_map, nb_problem_velocity_scale(p));
}

int nb_measure_converged(const nb_errors *errors, const nb_method_settings *settings) {
    double own = settings->newton_tolerance, relative = settings->relative_tolerance;
    return (own > 0 || relative > 0) && (!(own > 0) || errors->natural_map <= own) &&
           (!(relative > 0) || errors->file.relative <= relative);
}

int nb_measure_diverged(const nb_errors *errors, double scale) {
    return !isfinite(errors->natural_map) || errors->natural_map > 1e8 * scale;
}
