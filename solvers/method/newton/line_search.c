#include "line_search.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

double nb_line_search_move(nb_problem *p, const real *du, const real *dz, real t) {
    double largest = 0;
    for (int32_t i = 0; i < p->velocities; i++) p->u[i] += t * du[i];
    for (int32_t r = 0; r < p->rows; r++) {
        p->z[r] += t * dz[r];
        nb_raise(&largest, (double)fabs(t * dz[r] * p->w[r]));
    }
    return largest;
}

int nb_line_search_run(const nb_line_search *search, nb_problem *p, double *step_linf) {
    const int most_halvings = 8;
    real t = 1;
    memcpy(search->u_saved, p->u, (size_t)p->velocities * sizeof(real));
    memcpy(search->z_saved, p->z, (size_t)p->rows * sizeof(real));
    for (int halvings = 0; halvings <= most_halvings; halvings++, t /= 2) {
        *step_linf = nb_line_search_move(p, search->du, search->dz, t);
        if (search->merit(search->context) <= (1 - 1e-4 * (double)t) * search->before) return 1;
        memcpy(p->u, search->u_saved, (size_t)p->velocities * sizeof(real));
        memcpy(p->z, search->z_saved, (size_t)p->rows * sizeof(real));
    }
    *step_linf = 0;
    return 0;
}
