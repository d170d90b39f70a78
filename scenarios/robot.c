#include "robot.h"

#include <math.h>

#include "model/drive.h"

nb_quat nb_turn_to(nb_vec3 axis) {
    nb_vec3 x = nb_vec3_of(1, 0, 0), across = nb_cross(x, axis);
    double sine = nb_norm(across), cosine = nb_dot(x, axis);
    if (sine < 1e-12) return cosine > 0 ? nb_quat_identity() : nb_quat_about(nb_vec3_of(0, 0, 1), acos(-1));
    return nb_quat_about(nb_scale(1 / sine, across), atan2(sine, cosine));
}

double nb_ramp(double t, double from, double to, double *rate) {
    double s = fmin(1, fmax(0, (t - from) / (to - from)));
    *rate = 6 * s * (1 - s) / (to - from);
    return s * s * (3 - 2 * s);
}

static nb_vec3 position_of(const nb_placed *at, nb_vec3 p) {
    return nb_add(at->position, nb_quat_rotate(at->turn, p));
}

nb_status nb_add_link_shapes(nb_world *world, nb_link *links, int32_t count) {
    nb_status status = NB_OK;
    for (int32_t i = 0; i < count && status == NB_OK; i++)
        status = nb_add_box_shape(world, links[i].half, &links[i].shape);
    return status;
}

static nb_status add_link(nb_world *world, const nb_link *link, double friction, const nb_placed *at, int32_t *body) {
    nb_status status = nb_world_add_solid(world, NB_BODY_DYNAMIC, link->shape, link->mass, friction,
                                          position_of(at, link->centre), at->turn, body);
    if (status == NB_OK && link->ghost) world->bodies[*body].shape = -1;
    return status;
}

nb_status nb_add_robot(nb_world *world, const nb_link *links, int32_t count, double friction, const nb_placed *at,
                       int32_t *first) {
    static const double rigid[6] = {0};
    nb_status status = NB_OK;
    *first = world->body_count;
    for (int32_t i = 0; i < count; i++) {
        const nb_link *link = &links[i];
        int32_t body, index, parent = link->parent < 0 ? -1 : *first + link->parent;
        NB_TRY(add_link(world, link, friction, at, &body));
        if (link->kind == NB_JOINT_DISTANCE) continue; /* free */
        nb_vec3 anchor = position_of(at, link->anchor);
        nb_quat frame = nb_quat_product(at->turn, nb_turn_to(link->axis));
        if (link->kind == NB_JOINT_FIXED || link->kind == NB_JOINT_SPHERICAL)
            NB_TRY(nb_world_add_joint_at(world, link->kind, body, parent, anchor, frame, rigid, &index));
        else
            NB_TRY(nb_world_add_motor(world, link->kind, body, parent, anchor, frame, link->stiffness, link->damping,
                                      &index));
    }
out:
    return status;
}
