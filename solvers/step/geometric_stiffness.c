#include "geometric_stiffness.h"

#include <string.h>
#include <tgmath.h>

NB_PRECISIONS(f32, f64);

void nb_geometric_stiffness_lay_out(nb_arena *a, const nb_problem *p, nb_geometric_stiffness *g) {
    NB_PLACE(a, p->velocities, &g->du);
    NB_PLACE(a, p->velocities, &g->before);
    NB_PLACE(a, p->velocities, &g->after);
}

void nb_geometric_stiffness_leave(nb_geometric_stiffness *g, const nb_problem *p) {
    memcpy(g->du, p->u, (size_t)p->velocities * sizeof *g->du);
}

void nb_geometric_stiffness_keep(nb_geometric_stiffness *g, const nb_problem *p) {
    for (int32_t i = 0; i < p->velocities; i++) g->du[i] = p->u[i] - g->du[i];
    p->type->row_forces(p, p->z, g->before);
    g->known = 1;
}

void nb_geometric_stiffness_update(nb_geometric_stiffness *g, nb_problem *p) {
    const real rounding = 64 * NB_REAL_EPSILON;
    real largest = 0;
    if (!g->known) return;
    p->type->row_forces(p, p->z, g->after);
    for (int32_t i = 0; i < p->velocities; i++) largest = fmax(largest, fabs(g->du[i]));
    for (int32_t i = 0; i < p->velocities; i++) {
        real change = g->after[i] - g->before[i], du = g->du[i];
        /* what is round-off says nothing of a slope */
        int counts = fabs(du) > sqrt(NB_REAL_EPSILON) * largest &&
                     fabs(change) > rounding * (fabs(g->after[i]) + fabs(g->before[i]));
        g->after[i] = counts ? fmax(R(0), -change / du) : 0;
    }
    p->type->stiffen(p, g->after);
}
