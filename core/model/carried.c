#include "model/carried.h"

#include "model/integration.h"

nb_vec3 nb_carried_position(const nb_world *world, int32_t node) {
    if (world->integration) return nb_integration_start_position(world->integration, node);
    return node < world->body_count ? world->bodies[node].position
                                    : world->particles[node - world->body_count].position;
}

/* x turned by the unit quaternion of (1, e) */
static nb_vec3 turned(nb_vec3 e, nb_vec3 x) {
    const nb_vec3 once = nb_cross(e, x);
    return nb_add_scaled(x, 2 / (1 + nb_dot(e, e)), nb_add(once, nb_cross(e, once)));
}

nb_vec3 nb_carried_on(const nb_body *base, double h, nb_vec3 x) {
    return turned(nb_scale(h / 2, base->angular_velocity), x);
}

nb_vec3 nb_carried_back(const nb_body *base, double h, nb_vec3 x) {
    return turned(nb_scale(-h / 2, base->angular_velocity), x);
}

nb_vec3 nb_carried_excess(const nb_world *world, int32_t base, nb_vec3 place, double h, int at_end) {
    const nb_body *body = &world->bodies[base];
    if (body->kind != NB_BODY_KINEMATIC) return nb_vec3_of(0, 0, 0);
    nb_vec3 from = place, mean;
    if (world->integration)
        mean = nb_sub(nb_integration_carried(world->integration, base, place, &from), body->linear_velocity);
    nb_vec3 arm = nb_sub(from, body->position), end = nb_carried_on(body, h, arm);
    if (!world->integration) mean = nb_scale(1 / h, nb_sub(end, arm));
    return nb_sub(mean, nb_cross(body->angular_velocity, at_end ? end : arm));
}

/* ---- joints ---- */

/* the side of a joint that is kinematic where the other one is dynamic; -1: none */
static int prescribed_side(const nb_world *world, const nb_joint *joint) {
    const int32_t body[2] = {joint->body_a, joint->body_b};
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0 && world->bodies[body[side]].kind == NB_BODY_KINEMATIC && body[!side] >= 0 &&
            world->bodies[body[!side]].kind == NB_BODY_DYNAMIC)
            return side;
    return -1;
}

static nb_vec3 linear_of(const nb_joint_row *row, int side) {
    return side ? row->linear_b : row->linear_a;
}

int nb_carried_joint(const nb_world *world, const nb_joint *joint, const nb_joint_row *rows, double h, double *excess) {
    const int side = prescribed_side(world, joint);
    if (side < 0) return 0;
    const int32_t base = side ? joint->body_b : joint->body_a, held = side ? joint->body_a : joint->body_b;
    const nb_vec3 lacking = nb_carried_excess(world, base, nb_carried_position(world, held), h, 0);
    for (int k = 0; k < nb_joint_rows(joint->kind); k++) excess[k] = -nb_dot(linear_of(&rows[k], !side), lacking);
    return nb_joint_rows(joint->kind);
}

int nb_carried_joint_change(const nb_world *world, const nb_joint *joint, const nb_joint_row *rows,
                            const nb_joint_row *change, double h, const nb_vec3 move[2], double *excess) {
    const int side = prescribed_side(world, joint);
    if (side < 0) return 0;
    const int32_t base = side ? joint->body_b : joint->body_a, held = side ? joint->body_a : joint->body_b;
    /* it is linear in the way from the one to the other */
    const nb_vec3 apart = nb_add(world->bodies[base].position, nb_sub(move[!side], move[side])),
                  lacking = nb_carried_excess(world, base, nb_carried_position(world, held), h, 0),
                  lacking_change = nb_carried_excess(world, base, apart, h, 0);
    for (int k = 0; k < nb_joint_rows(joint->kind); k++)
        excess[k] = -nb_dot(linear_of(&change[k], !side), lacking) - nb_dot(linear_of(&rows[k], !side), lacking_change);
    return nb_joint_rows(joint->kind);
}
