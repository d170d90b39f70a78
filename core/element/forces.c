#include "element/forces.h"

#include <string.h>

#include "element/scalar_lane.h"
#include "element/tetrahedron_formulas.h"

NB_PRECISIONS(f64);

static int is_principal(const nb_world *world, int32_t i) {
    return world->materials[world->tetrahedra[i].material].kind == NB_MATERIAL_NEO_HOOKEAN_PRINCIPAL;
}

int32_t nb_element_row_count(const nb_world *world) {
    int32_t rows = world->spring_count;
    for (int32_t i = 0; i < world->tetrahedron_count; i++) rows += is_principal(world, i) ? 3 : 6;
    return rows;
}

static nb_vec3 position_of(const double *x, int32_t particle) {
    return nb_vec3_of(x[3 * (int64_t)particle], x[3 * (int64_t)particle + 1], x[3 * (int64_t)particle + 2]);
}

/* adds those of one tetrahedron; returns how many multipliers it has */
static int add_tetrahedron(const nb_world *world, int32_t i, const double *x, const double *lambda, double *force) {
    const nb_tetrahedron *of = &world->tetrahedra[i];
    nb_vec3 corner[4];
    nb_lane_svd svd;
    nb_lane_stretch at;
    double f[9], p[9] = {0};
    for (int a = 0; a < 4; a++) corner[a] = position_of(x, of->particle[a]);
    const nb_mat3 m = nb_rest_shape_gradient(&of->rest, corner);
    memcpy(f, m.m, sizeof f);
    nb_lane_svd_of(f, &svd);
    if (is_principal(world, i)) {
        for (int k = 0; k < 9; k++)
            for (int r = 0; r < 3; r++) p[k] += lambda[r] * svd.u[3 * (k / 3) + r] * svd.v[3 * (k % 3) + r];
    } else {
        nb_lane_stretch_of(&svd, &at);
        nb_lane_stretch_backward(at.r, at.s, at.turn, lambda, p);
    }
    for (int a = 0; a < 4; a++) {
        nb_vec3 b = nb_scale(of->rest.length, of->rest.gradient[a]);
        for (int k = 0; k < 3; k++)
            force[3 * (int64_t)of->particle[a] + k] += p[3 * k] * b.x + p[3 * k + 1] * b.y + p[3 * k + 2] * b.z;
    }
    return is_principal(world, i) ? 3 : 6;
}

void nb_element_forces(const nb_world *world, const double *x, const double *lambda, double *force) {
    memset(force, 0, 3 * (size_t)world->particle_count * sizeof *force);
    for (int principal = 0; principal < 2; principal++)
        for (int32_t i = 0; i < world->tetrahedron_count; i++)
            if (is_principal(world, i) == principal) lambda += add_tetrahedron(world, i, x, lambda, force);
    for (int32_t i = 0; i < world->spring_count; i++) {
        const int32_t *end = world->springs[i].particle;
        nb_vec3 pull = nb_scale(lambda[i], nb_normalized(nb_sub(position_of(x, end[0]), position_of(x, end[1]))));
        const double along[3] = {pull.x, pull.y, pull.z};
        for (int k = 0; k < 3; k++) {
            force[3 * (int64_t)end[0] + k] += along[k];
            force[3 * (int64_t)end[1] + k] -= along[k];
        }
    }
}

void nb_cavity_forces(const nb_world *world, const double *x, const double *v, double h, double *work, double *force) {
    const int64_t numbers = 3 * (int64_t)world->particle_count;
    for (int32_t k = 0; k < world->cavity_count; k++) {
        const nb_filled_cavity *of = &world->cavities[k];
        const double volume = nb_cavity_volume(&of->surface, x), slope = nb_volume_stiffness(&of->law, volume);
        double pressure = nb_volume_pressure(&of->law, volume);
        memset(work, 0, (size_t)numbers * sizeof *work);
        nb_cavity_add_gradient(&of->surface, x, 1, work);
        for (int64_t i = 0; v && i < numbers; i++) pressure -= slope * h * work[i] * v[i];
        for (int64_t i = 0; i < numbers; i++) force[i] += pressure * work[i];
    }
}
