#include "run/perturb.h"

#include "base/random.h"

static nb_vec3 shaken(nb_vec3 v, double size, uint64_t *state) {
    nb_vec3 by;
    by.x = nb_random_uniform(state, -size, size);
    by.y = nb_random_uniform(state, -size, size);
    by.z = nb_random_uniform(state, -size, size);
    return nb_add(v, by);
}

void nb_perturb(nb_world *world, double size, uint64_t seed, int32_t copy) {
    uint64_t state = seed;
    if (copy == 0) return;
    state = nb_random_bits(&state) + (uint64_t)copy; /* sequences of neighbouring states do not resemble each other */
    state = nb_random_bits(&state);
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *body = &world->bodies[i];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        double radius = body->shape >= 0 ? world->shapes[body->shape]->radius : 0;
        if (!(radius > 0)) radius = 1;
        body->position = shaken(body->position, size * radius, &state);
        body->linear_velocity = shaken(body->linear_velocity, size * radius, &state);
        body->angular_velocity = shaken(body->angular_velocity, size, &state);
        if (!world->planar) continue;
        body->position.y = body->linear_velocity.y = 0;
        body->angular_velocity.x = body->angular_velocity.z = 0;
    }
}
