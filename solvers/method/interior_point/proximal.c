#include "proximal.h"

#include <math.h>
#include <string.h>

NB_PRECISIONS(f32, f64);

enum {
    MOST_ITERATIONS = 12 /* of a step */
};

static const double first_eps = 1e-3, largest_eps = 1e8, over_relaxation = 1.5;

nb_proximal nb_proximal_start(const nb_scaled_problem *problem, const double *x, double weight, double *centre) {
    memcpy(centre, x, (size_t)problem->rows * sizeof *x);
    return (nb_proximal){centre, first_eps, weight};
}

nb_status nb_proximal_run(nb_proximal *p, nb_semismooth *s, int32_t budget) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = s->problem;
    int32_t end = c->outcome->newton_iterations + budget;
    while (!c->solved && c->outcome->newton_iterations < end && p->eps < largest_eps) {
        double rho = 5 * p->weight / sqrt(p->eps);
        const nb_semismooth_task task = {NB_PHASE_PROXIMAL, rho, p->eps, p->centre, MOST_ITERATIONS, 0, 0};
        int done;
        memcpy(s->x, p->centre, (size_t)c->rows * sizeof *s->x);
        NB_TRY(nb_semismooth_run(s, &task, &done));
        for (int32_t r = 0; done && r < c->rows; r++) p->centre[r] += over_relaxation * (s->x[r] - p->centre[r]);
        p->eps *= done ? 0.5 : 5;
    }
out:
    return status;
}
