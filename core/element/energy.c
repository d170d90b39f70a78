#include "element/energy.h"

#include <math.h>

#include "element/scalar_lane.h"
#include "element/tetrahedron_formulas.h"

NB_PRECISIONS(f64);

static void decompose(const nb_world *world, int32_t i, nb_lane_svd *svd) {
    const nb_tetrahedron *of = &world->tetrahedra[i];
    nb_vec3 corner[4];
    double f[9];
    for (int a = 0; a < 4; a++) corner[a] = world->particles[of->particle[a]].position;
    const nb_mat3 m = nb_rest_shape_gradient(&of->rest, corner);
    for (int k = 0; k < 9; k++) f[k] = m.m[k / 3][k % 3];
    nb_lane_svd_of(f, svd);
}

void nb_principal_stretches(const nb_world *world, int32_t i, double s[3]) {
    nb_lane_svd svd;
    decompose(world, i, &svd);
    for (int k = 0; k < 3; k++) s[k] = svd.s[k];
}

static double energy_of(const nb_world *world, int32_t i) {
    const nb_tetrahedron *of = &world->tetrahedra[i];
    const nb_material *material = &world->materials[of->material];
    double mu = nb_material_mu(material), lambda = nb_material_lambda(material);
    nb_lane_svd svd;
    decompose(world, i, &svd);
    if (material->kind != NB_MATERIAL_LINEAR) {
        const double rest[3] = {1, 1, 1};
        return of->rest.volume *
               (nb_lane_neo_hookean_energy(mu, lambda, svd.s) - nb_lane_neo_hookean_energy(mu, lambda, rest));
    }
    const double apart[3] = {svd.s[0] - 1, svd.s[1] - 1, svd.s[2] - 1};
    double e[6], square = 0, trace = 0;
    nb_lane_strain_of(svd.v, apart, e);
    for (int k = 0; k < 6; k++) {
        e[k] -= of->activation[k];
        square += (k < 3 ? 1 : 0.5) * e[k] * e[k];
        trace += k < 3 ? e[k] : 0;
    }
    return of->rest.volume * (mu * square + lambda / 2 * trace * trace);
}

double nb_elastic_energy(const nb_world *world) {
    double energy = 0;
    for (int32_t i = 0; i < world->tetrahedron_count; i++) energy += energy_of(world, i);
    for (int32_t i = 0; i < world->spring_count; i++) {
        const nb_spring *of = &world->springs[i];
        double longer =
            nb_norm(nb_sub(world->particles[of->particle[0]].position, world->particles[of->particle[1]].position)) -
            of->length;
        if (isfinite(of->stiffness)) energy += of->stiffness / 2 * longer * longer;
    }
    return energy;
}

double nb_cavity_energy(const nb_world *world) {
    double energy = 0;
    for (int32_t k = 0; k < world->cavity_count; k++)
        energy += nb_volume_energy(&world->cavities[k].law, nb_world_cavity_volume(world, k));
    return energy;
}

double nb_volume_ratio_of(const nb_world *world, int32_t i, const double *x) {
    const nb_tetrahedron *of = &world->tetrahedra[i];
    nb_vec3 corner[4];
    for (int a = 0; a < 4; a++) {
        const double *at = x + 3 * (int64_t)of->particle[a];
        corner[a] = nb_vec3_of(at[0], at[1], at[2]);
    }
    const nb_mat3 f = nb_rest_shape_gradient(&of->rest, corner);
    const double(*m)[3] = f.m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

double nb_volume_ratio(const nb_world *world, const double *x) {
    double volume = 0, rest = 0;
    for (int32_t i = 0; i < world->tetrahedron_count; i++) {
        const double at_rest = world->tetrahedra[i].rest.volume;
        volume += at_rest * nb_volume_ratio_of(world, i, x);
        rest += at_rest;
    }
    return volume / rest;
}
