#include "inner_cone.h"

#include <string.h>

#include "base/memory.h"
#include "method/interior_point/interior_step.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

extern const nb_method_class NB_REAL_NAME(nb_interior_point_method);

enum {
    LINEAR_ITERATIONS = 1000,
    MOST_OPTIONS = 16
};

struct nb_inner_cone {
    const nb_projected *problem; /* borrowed */
    nb_method_settings settings;
    double solver_values[MOST_OPTIONS], preconditioner_values[MOST_OPTIONS];
    nb_cone_law *law;    /* [range_count] relaxed, of ranges with friction */
    nb_law_range *range; /* [range_count] */
    nb_scaled_problem *scaled;
    nb_interior *interior;
    nb_step_outcome outcome; /* nobody's */
    const real *scale;       /* of the solve */
    double *compliance, *q;  /* [rows] */
};

/* interior-point's own linear solver */
static nb_status set_solver(nb_inner_cone *c) {
    nb_status status;
    const nb_method_class *type = &NB_REAL_NAME(nb_interior_point_method);
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const int scene = c->problem->matrix == NULL;
    c->settings = *c->problem->settings;
    c->settings.linear_solver = nb_method_linear_solver(type, scene);
    c->settings.preconditioner = nb_method_preconditioner(type, scene);
    NB_TRY(nb_linear_solver_find(c->settings.linear_solver, &solver));
    NB_TRY(nb_preconditioner_find(c->settings.preconditioner, &preconditioner));
    nb_options_standard(solver->options, solver->option_count, c->solver_values);
    nb_options_standard(preconditioner->options, preconditioner->option_count, c->preconditioner_values);
    c->settings.linear_solver_values = c->solver_values;
    c->settings.preconditioner_values = c->preconditioner_values;
    c->settings.linear = (nb_linear_stop){.iterations = LINEAR_ITERATIONS};
out:
    return status;
}

static void relax(nb_inner_cone *c) {
    const nb_problem *p = c->problem->p;
    for (int32_t i = 0; i < p->range_count; i++) {
        c->range[i] = p->ranges[i];
        if (p->ranges[i].law->type != &nb_cone_class) continue;
        c->law[i] = *(const nb_cone_law *)p->ranges[i].law;
        c->law[i].base.type = &nb_relaxed_class;
        c->range[i].law = &c->law[i].base;
    }
    c->scaled->ranges = c->range;
}

nb_status nb_inner_cone_create(const nb_projected *problem, nb_inner_cone **inner) {
    nb_status status;
    nb_inner_cone *c = NULL;
    nb_problem *p = problem->p;
    *inner = NULL;
    NB_TRY(NB_ALLOCATE(1, &c));
    c->problem = problem;
    NB_TRY(set_solver(c));
    NB_TRY(NB_ALLOCATE(p->range_count, &c->law));
    NB_TRY(NB_ALLOCATE(p->range_count, &c->range));
    NB_TRY(NB_ALLOCATE(p->rows, &c->compliance));
    NB_TRY(NB_ALLOCATE(p->rows, &c->q));
    NB_TRY(nb_scaled_problem_create(p, &c->settings, &c->scaled));
    nb_scaled_problem_begin_step(c->scaled, NULL, NULL, &c->outcome);
    relax(c);
    NB_TRY(nb_interior_create(c->scaled, &c->interior));
    *inner = c;
    return NB_OK;
out:
    nb_inner_cone_destroy(c);
    return status;
}

void nb_inner_cone_destroy(nb_inner_cone *c) {
    if (!c) return;
    nb_interior_destroy(c->interior);
    nb_scaled_problem_destroy(c->scaled);
    nb_free(c->law);
    nb_free(c->range);
    nb_free(c->compliance);
    nb_free(c->q);
    nb_free(c);
}

void nb_inner_cone_begin(nb_inner_cone *c, const real *scale, const real *linear, double modulus) {
    const nb_projected *s = c->problem;
    c->scale = scale;
    for (int32_t r = 0; r < s->rows; r++) {
        const double to_row = (double)nb_projected_s(s, r) * (double)scale[r]; /* impulses over y */
        c->compliance[r] = modulus / (to_row * to_row);
        c->q[r] = (double)linear[r] / to_row;
    }
    nb_scaled_problem_set(c->scaled, c->compliance, c->q);
    nb_interior_start(c->interior, 1, 1, 0);
    nb_interior_measure(c->interior);
}

void nb_inner_cone_read(nb_inner_cone *c, real *y) {
    const nb_projected *s = c->problem;
    const nb_scaled_problem *p = c->scaled;
    for (int32_t r = 0; r < s->rows; r++)
        y[r] = (real)(p->unit * (double)p->s[r] * c->interior->x[r] /
                      ((double)nb_projected_s(s, r) * (double)c->scale[r]));
}

nb_status nb_inner_cone_advance(nb_inner_cone *c, int *moved) {
    nb_status status;
    NB_TRY(nb_interior_step(c->interior));
    nb_interior_measure(c->interior);
    *moved = c->interior->alpha > 0;
out:
    return status;
}
