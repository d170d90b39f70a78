#include "common.h"

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

static nb_vec3 vec3_at(const double *x, int64_t i) {
    return nb_vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

nb_vec3 nb_force_from(const nb_snapshot *final, int32_t body, int (*take)(const void *context, int32_t other),
                      const void *context) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    for (int32_t i = 0; i < final->contacts; i++) {
        const int32_t *pair = final->contact_bodies + 2 * (int64_t)i;
        int first = pair[0] == body;
        if ((!first && pair[1] != body) || !take(context, first ? pair[1] : pair[0])) continue;
        nb_vec3 force = nb_scale(final->lambda_normal[i], vec3_at(final->contact_normal, i));
        for (int k = 0; k < 2; k++)
            force = nb_add_scaled(force, final->lambda_friction[2 * (int64_t)i + k],
                                  vec3_at(final->contact_tangent, 2 * (int64_t)i + k));
        sum = nb_add_scaled(sum, first ? 1 : -1, force);
    }
    return sum;
}

double nb_drift(const nb_world *initial, const nb_snapshot *final, int32_t body) {
    const double *q = final->q + 7 * (int64_t)body;
    return nb_norm(nb_sub(nb_vec3_of(q[0], q[1], q[2]), initial->bodies[body].position));
}

double nb_weight(const nb_world *world) {
    double weight = 0;
    for (int32_t b = 0; b < world->body_count; b++)
        if (world->bodies[b].kind == NB_BODY_DYNAMIC) weight += world->bodies[b].mass * nb_norm(world->gravity);
    return weight;
}
