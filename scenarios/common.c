#include "common.h"

#include <math.h>

#include "base/random.h"

nb_status nb_add_ground(nb_world *world, double friction, nb_quat turn, int32_t *body) {
    nb_status status;
    nb_shape *shape;
    int32_t index;
    NB_TRY(nb_shape_half_space(&shape));
    NB_TRY(nb_world_add_shape(world, shape, &index));
    NB_TRY(nb_world_add_solid(world, NB_BODY_FIXED, index, 0, friction, nb_vec3_of(0, 0, 0), turn, body));
out:
    return status;
}

nb_status nb_add_box_shape(nb_world *world, nb_vec3 half, int32_t *shape) {
    nb_shape *box;
    nb_status status = nb_shape_box(half, &box);
    return status == NB_OK ? nb_world_add_shape(world, box, shape) : status;
}

nb_vec3 nb_random_offset(uint64_t *seed, double size) {
    nb_vec3 offset = nb_vec3_of(0, 0, 0);
    if (size > 0) {
        offset.x = nb_random_uniform(seed, -size, size);
        offset.y = nb_random_uniform(seed, -size, size);
        offset.z = nb_random_uniform(seed, -size, size);
    }
    return offset;
}

double nb_balanced_rate(const nb_snapshot *final, double rate, double external) {
    return external + (rate - external) / nb_snapshot_contact_weight(final);
}

double nb_momentum_rate(const nb_world *initial, const nb_snapshot *final) {
    double rate = 0, external = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        rate += body->mass * (final->u[6 * (int64_t)b + 2] - final->u_before[6 * (int64_t)b + 2]) / final->time_step;
        external += body->mass * initial->gravity.z + body->force.z;
    }
    for (int32_t i = 0; i < initial->particle_count; i++) {
        const nb_particle *particle = &initial->particles[i];
        const int64_t z = 3 * (int64_t)i + 2;
        if (particle->kind != NB_BODY_DYNAMIC) continue;
        rate += particle->mass * (final->particle_v[z] - final->particle_v_before[z]) / final->time_step;
        external += particle->mass * initial->gravity.z + particle->force.z;
    }
    return nb_balanced_rate(final, rate, external);
}

void nb_checks_of_motion(const nb_world *initial, int first, nb_checks *checks) {
    nb_checks_presuppose(checks, first, initial->settings.integrator == NB_INTEGRATOR_BE, "the integrator is be");
}

double nb_weight(const nb_world *world) {
    double weight = 0;
    for (int32_t b = 0; b < world->body_count; b++)
        if (world->bodies[b].kind == NB_BODY_DYNAMIC) weight += world->bodies[b].mass * nb_norm(world->gravity);
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_DYNAMIC) weight += world->particles[i].mass * nb_norm(world->gravity);
    return weight;
}

double nb_press_on_plane(double h, double pull, double *lift, double *gap) {
    const double free = *lift - h * pull;
    *lift = fmax(free, -*gap / h);
    *gap += h * *lift;
    return (*lift - free) / h;
}

double nb_vibration_left(double w, double h, double steps) {
    return pow(1 + w * w * h * h, -steps / 2);
}

const char *const nb_at_rest = "the steps made bring it to rest";

/* whether the body was built above height z; fixed bodies never are */
static int is_above(const nb_world *initial, int32_t body, double z) {
    return body >= 0 && initial->bodies[body].kind == NB_BODY_DYNAMIC && initial->bodies[body].position.z > z;
}

double nb_force_across(const nb_world *initial, const nb_snapshot *final, double z, double *weight) {
    double force = 0;
    *weight = 0;
    for (int32_t b = 0; b < initial->body_count; b++)
        if (is_above(initial, b, z)) *weight += initial->bodies[b].mass * nb_norm(initial->gravity);
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        int first = is_above(initial, pair[0], z), second = is_above(initial, pair[1], z);
        if (first != second) force += (first ? 1 : -1) * nb_snapshot_contact_force(final, i).z;
    }
    return force;
}
