#include "soft.h"

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
    return s;
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
