#include "measure.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "ncp/file_problem.h"
#include "ncp/problem.h"
#include "system/step.h"

struct nb_measure {
    nb_problem *problem;      /* the step's, or the file's */
    nb_step *step;            /* NULL for a file */
    const nb_file_data *file; /* NULL for a world */
    double *z, *u;            /* [rows of the file] */
};

nb_status nb_measure_create(nb_measure **measure) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, measure));
    NB_TRY(nb_step_create(&(*measure)->step));
    (*measure)->problem = nb_step_problem((*measure)->step);
out:
    if (status != NB_OK) {
        nb_measure_destroy(*measure);
        *measure = NULL;
    }
    return status;
}

nb_status nb_measure_create_file(const nb_file_data *data, nb_measure **measure) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(1, measure));
    (*measure)->file = data;
    NB_TRY(nb_file_problem_create(data, &(*measure)->problem));
    NB_TRY(NB_ALLOCATE(nb_file_data_rows(data), &(*measure)->z));
    NB_TRY(NB_ALLOCATE(nb_file_data_rows(data), &(*measure)->u));
out:
    if (status != NB_OK) {
        nb_measure_destroy(*measure);
        *measure = NULL;
    }
    return status;
}

void nb_measure_destroy(nb_measure *measure) {
    if (!measure) return;
    if (measure->file) nb_file_problem_destroy(measure->problem);
    nb_step_destroy(measure->step);
    nb_free(measure->z);
    nb_free(measure->u);
    nb_free(measure);
}

nb_status nb_measure_begin(nb_measure *measure, const nb_world *world, const nb_contacts *contacts, double h,
                           int frozen) {
    return nb_step_begin(measure->step, world, contacts, h, frozen);
}

/* without hypot's care for numbers near the ends of the range */
static double length_of(const double x[2]) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

/* |w (z_f - Proj(z_f - v/w))| for the disc of radius `limit` */
static double friction_error(const double z[2], const double v[2], double w, double limit) {
    double x[2] = {z[0] - v[0] / w, z[1] - v[1] / w};
    double length = length_of(x);
    if (length <= limit) return length_of(v); /* not by way of x: a large z would swallow v */
    double scale = limit / length;
    return w * length_of((double[2]){z[0] - scale * x[0], z[1] - scale * x[1]});
}

void nb_measure_errors(nb_measure *measure, const double *u, const double *z, nb_errors *errors) {
    nb_problem *p = measure->problem;
    memcpy(p->u, u, (size_t)p->velocities * sizeof *u);
    memcpy(p->z, z, (size_t)p->rows * sizeof *z);
    p->class->evaluate(p, NULL);
    *errors = (nb_errors){0};
    for (int32_t i = 0; i < p->bilaterals; i++)
        nb_raise(&errors->bilateral, fabs(p->value[i] + p->compliance[i] * z[i]));
    for (int32_t i = 0; i < p->contacts; i++) {
        int32_t r = p->bilaterals + 3 * i;
        double a = p->value[r], force = p->w[r] * z[r];
        nb_raise(&errors->complementarity, fabs(a < force ? a : force));
        nb_raise(&errors->friction, friction_error(z + r + 1, p->value + r + 1, p->w[r + 1], fmax(0, p->mu[i] * z[r])));
        nb_raise(&errors->penetration, -a * p->h);
        if (isnan(a) || isnan(force)) errors->complementarity = NAN;
    }
    errors->momentum = p->class->momentum_error(p);
    nb_raise(&errors->natural_map, errors->complementarity);
    nb_raise(&errors->natural_map, errors->friction);
    nb_raise(&errors->natural_map, errors->bilateral);
    nb_raise(&errors->natural_map, errors->momentum);
    errors->file = (nb_natural_map){NAN, NAN, NAN, NAN, NAN};
    if (!measure->file) return;
    nb_file_data_from_rows(measure->file, z, measure->z);
    nb_natural_map_compute(measure->file, measure->z, measure->u, &errors->file);
}

const double *nb_measure_values(const nb_measure *measure) {
    return measure->problem->value;
}
