#include "planar.h"

#include <math.h>

#include "base/largest.h"

nb_status nb_add_sphere_shape(nb_world *world, double radius, int32_t *shape) {
    nb_shape *sphere;
    nb_status status = nb_shape_sphere(radius, &sphere);
    return status == NB_OK ? nb_world_add_shape(world, sphere, shape) : status;
}

nb_status nb_add_lamina(nb_world *world, int32_t shape, double mass, double friction, double x, double z,
                        int32_t *body) {
    nb_vec3 half = world->shapes[shape]->half;
    double about_x = 0.25 * mass * half.z * half.z, about_z = 0.25 * mass * half.x * half.x;
    const nb_body lamina = {.kind = NB_BODY_DYNAMIC,
                            .mass = mass,
                            .inertia = nb_vec3_of(about_x, about_x + about_z, about_z),
                            .position = nb_vec3_of(x, 0, z),
                            .orientation = nb_quat_identity(),
                            .shape = shape,
                            .friction = friction};
    return nb_world_add_body(world, &lamina, body);
}

double nb_out_of_plane(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const double *q = final->q + 7 * (int64_t)b, *u = final->u + 6 * (int64_t)b;
        const double out[] = {q[1], q[4], q[6], u[1], u[3], u[5]};
        for (int k = 0; k < 6 && initial->bodies[b].kind == NB_BODY_DYNAMIC; k++) nb_raise(&largest, fabs(out[k]));
    }
    return largest;
}

double nb_sphere_overlap(const nb_world *initial, const nb_snapshot *final) {
    double largest = 0;
    for (int32_t i = 0; i < initial->body_count; i++)
        for (int32_t j = 0; j < i; j++) {
            const nb_body *a = &initial->bodies[i], *b = &initial->bodies[j];
            const double *x = final->q + 7 * (int64_t)i, *y = final->q + 7 * (int64_t)j;
            if (a->shape < 0 || initial->shapes[a->shape]->kind != NB_SHAPE_SPHERE) continue;
            if (b->shape < 0 || initial->shapes[b->shape]->kind != NB_SHAPE_SPHERE) continue;
            double apart = nb_norm(nb_vec3_of(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
            nb_raise(&largest, initial->shapes[a->shape]->radius + initial->shapes[b->shape]->radius - apart);
        }
    return largest;
}

double nb_energy_at_end(const nb_world *initial, const nb_snapshot *final) {
    double sum = 0;
    for (int32_t b = 0; b < initial->body_count; b++) {
        const nb_body *body = &initial->bodies[b];
        const double *q = final->q + 7 * (int64_t)b, *u = final->u + 6 * (int64_t)b;
        if (body->kind != NB_BODY_DYNAMIC) continue;
        nb_vec3 v = nb_vec3_of(u[0], u[1], u[2]), spin = nb_vec3_of(u[3], u[4], u[5]);
        nb_vec3 w = nb_quat_rotate(nb_quat_conjugate((nb_quat){q[3], q[4], q[5], q[6]}), spin);
        sum += 0.5 * (body->inertia.x * w.x * w.x + body->inertia.y * w.y * w.y + body->inertia.z * w.z * w.z);
        sum += body->mass * (0.5 * nb_dot(v, v) - nb_dot(initial->gravity, nb_vec3_of(q[0], q[1], q[2])));
    }
    return sum;
}

int nb_takes_all_back(const nb_world *initial) {
    const nb_time_stepping *way = &initial->settings.stepping;
    return way->scheme == NB_STEPPING_IMPLICIT || (way->stabilization == 1 && isinf(way->recovery_speed));
}
