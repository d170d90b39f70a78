#include "soft.h"

#include <stdio.h>

static nb_vec3 vec3_at(const double *x, int64_t i) {
    return nb_vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

nb_soft_state nb_soft_state_of(const nb_world *initial, const nb_snapshot *final, int32_t first_particle,
                               int32_t count) {
    nb_soft_state s = {0};
    for (int32_t i = first_particle; i < first_particle + count; i++) {
        double m = initial->particles[i].mass;
        nb_vec3 v = vec3_at(final->particle_v, i), change = nb_sub(v, vec3_at(final->particle_v_before, i));
        s.mass += m;
        s.middle = nb_add_scaled(s.middle, m, vec3_at(final->particle_x, i));
        s.momentum = nb_add_scaled(s.momentum, m, v);
        s.rate = nb_add_scaled(s.rate, m / final->time_step, change);
    }
    s.middle = nb_scale(1 / s.mass, s.middle);
    s.rate.x = nb_balanced_rate(final, s.rate.x, s.mass * initial->gravity.x);
    s.rate.y = nb_balanced_rate(final, s.rate.y, s.mass * initial->gravity.y);
    s.rate.z = nb_balanced_rate(final, s.rate.z, s.mass * initial->gravity.z);
    return s;
}

/* six times the volume of a tetrahedron */
static double volume_of(nb_vec3 a, nb_vec3 b, nb_vec3 c, nb_vec3 d) {
    return nb_dot(nb_sub(b, a), nb_cross(nb_sub(c, a), nb_sub(d, a)));
}

/* Whether the edge from a to b passes through the triangle, between its corners: its ends are on two sides, by more
 * than the round-off of edges in the triangle's plane. */
static int passes_through(const double *x, int32_t a, int32_t b, const int32_t corner[3]) {
    const nb_vec3 from = vec3_at(x, a), to = vec3_at(x, b);
    nb_vec3 c[3];
    int left = 0;
    for (int k = 0; k < 3; k++) {
        if (corner[k] == a || corner[k] == b) return 0;
        c[k] = vec3_at(x, corner[k]);
    }
    for (int k = 0; k < 3; k++) left += volume_of(from, to, c[k], c[(k + 1) % 3]) > 0;
    const double before = volume_of(from, c[0], c[1], c[2]), behind = volume_of(to, c[0], c[1], c[2]);
    const double least = 1e-9 * nb_norm(nb_sub(to, from)) * nb_norm(nb_cross(nb_sub(c[1], c[0]), nb_sub(c[2], c[0])));
    return left % 3 == 0 && (before > 0) != (behind > 0) && fmin(fabs(before), fabs(behind)) > least;
}

int32_t nb_pierced_triangles(const nb_world *world, const double *x) {
    int32_t count = 0;
    for (int32_t t = 0; t < world->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            const int32_t *edge = world->triangles[t].particle, a = edge[k], b = edge[(k + 1) % 3];
            for (int32_t of = 0; of < world->triangle_count; of++)
                count += passes_through(x, a, b, world->triangles[of].particle);
        }
    return count;
}

nb_vec3 nb_force_on_particles(const nb_snapshot *final, int32_t first_particle, int32_t count, int32_t body) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    for (int32_t i = 0; i < final->contacts; i++) {
        int64_t soft = nb_snapshot_soft(final, i);
        if (soft < 0 || (body >= 0 && final->contact_bodies[2 * (int64_t)i + 1] != body)) continue;
        for (int64_t n = 4 * soft; n < 4 * soft + 4; n++)
            if (final->soft_particle[n] >= first_particle && final->soft_particle[n] < first_particle + count)
                sum = nb_add_scaled(sum, final->soft_weight[n], nb_snapshot_contact_force(final, i));
    }
    return sum;
}

nb_status nb_check_filling(const char *scenario, double model, double compression, double pressure) {
    nb_volume_law law;
    char why[200];
    if (model >= NB_VOLUME_MODELS && pressure == 0) return NB_OK;
    if (model >= NB_VOLUME_MODELS)
        return nb_fail(NB_ERROR_USAGE, "scenario '%s': volume=none has no pressure, and %g atm was given", scenario,
                       pressure);
    nb_status status = nb_volume_law_make((nb_volume_model)model, compression, pressure, 1, &law);
    if (status == NB_OK) return NB_OK;
    snprintf(why, sizeof why, "%s", nb_error_message());
    return nb_fail(status, "scenario '%s': %s", scenario, why);
}
