#include "proximal.h"

#include <math.h>
#include <string.h>

NB_PRECISIONS(f32, f64);

nb_status nb_proximal_run(nb_semismooth *s, const double *x, double weight, int32_t budget, double *centre) {
    nb_status status = NB_OK;
    nb_scaled_problem *c = s->problem;
    const double over = 1.5;
    double eps = 1e-2;
    int32_t end = c->outcome->newton_iterations + budget;
    int light = 0;
    memcpy(centre, x, (size_t)c->rows * sizeof *x);
    while (!c->solved && c->outcome->newton_iterations < end && eps < 1e8) {
        nb_semismooth_task task = {NB_PHASE_PROXIMAL, weight * (light ? 10 : 100), eps, centre, 15, 0, 0};
        int done;
        memcpy(s->x, centre, (size_t)c->rows * sizeof *centre);
        NB_TRY(nb_semismooth_run(s, &task, &done));
        if (done) {
            for (int32_t r = 0; r < c->rows; r++) centre[r] += over * (s->x[r] - centre[r]);
            eps *= 0.4;
            light = 0;
        } else if (!light) {
            light = 1;
        } else {
            light = 0;
            eps *= 5;
        }
    }
out:
    return status;
}
