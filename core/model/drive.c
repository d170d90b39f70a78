#include "model/drive.h"

#include <math.h>

#include "base/memory.h"

nb_status nb_world_add_motor(nb_world *world, nb_joint_kind kind, int32_t body_a, int32_t body_b, nb_vec3 anchor,
                             nb_quat frame, double stiffness, double damping, int32_t *motor) {
    nb_status status;
    int32_t joint;
    double compliance[6] = {0};
    const int along = kind == NB_JOINT_PRISMATIC;
    if (kind != NB_JOINT_REVOLUTE && !along)
        return nb_fail(NB_ERROR_INPUT, "motor %d: its joint must be revolute or prismatic", (int)world->motor_count);
    if (!(stiffness >= 0 && damping >= 0 && stiffness + damping > 0 && isfinite(damping)))
        return nb_fail(NB_ERROR_INPUT,
                       "motor %d: stiffness %g and damping %g must be numbers from 0 on, one of them positive",
                       (int)world->motor_count, stiffness, damping);
    NB_TRY(NB_RESERVE(world->motor_count + 1, &world->motor_capacity, &world->motors));
    NB_TRY(nb_world_add_joint_at(world, NB_JOINT_FIXED, body_a, body_b, anchor, frame, compliance, &joint));
    *motor = world->motor_count;
    world->motors[world->motor_count++] = (nb_motor){.joint = joint,
                                                     .along = along,
                                                     .stiffness = stiffness,
                                                     .damping = damping,
                                                     .anchor = world->joints[joint].anchor_b,
                                                     .frame = world->joints[joint].frame_b};
out:
    return status;
}

double nb_motor_position(const nb_world *world, int32_t index) {
    nb_coordinate coordinate;
    nb_coordinate_of_motor(world, index, &coordinate);
    return nb_coordinate_now(world, &coordinate, world->motors[index].target).value;
}

/* the velocities that what is prescribed comes with */
static void keep_velocities(nb_world *world) {
    for (int32_t i = 0; i < world->body_count; i++) {
        nb_body *body = &world->bodies[i];
        if (body->kind != NB_BODY_KINEMATIC) continue;
        body->linear_before = body->linear_velocity;
        body->angular_before = body->angular_velocity;
    }
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_KINEMATIC) world->particles[i].before = world->particles[i].velocity;
}

static void begin_dampers(const nb_world *world, nb_joint *joint, double h) {
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    if (!(joint->damping[0] > 0 || joint->damping[3] > 0)) return;
    nb_world_pose(world, joint->body_a, &xa, &qa);
    nb_world_pose(world, joint->body_b, &xb, &qb);
    nb_joint_begin_dampers(joint, h, xa, qa, xb, qb);
}

void nb_world_begin_step(nb_world *world, double h) {
    keep_velocities(world);
    nb_world_count_turns(world);
    if (world->prescribe) world->prescribe(world, h);
    for (int32_t i = 0; i < world->joint_count; i++) begin_dampers(world, &world->joints[i], h);
    for (int32_t i = 0; i < world->motor_count; i++) {
        const nb_motor *m = &world->motors[i];
        if (!(m->effort > 0)) nb_joint_begin_motor(&world->joints[m->joint], m, nb_motor_position(world, i), h);
    }
}

nb_vec3 nb_body_velocity_at(const nb_body *body, nb_vec3 point) {
    if (body->kind == NB_BODY_FIXED) return nb_vec3_of(0, 0, 0);
    return nb_add(body->linear_velocity, nb_cross(body->angular_velocity, nb_sub(point, body->position)));
}

void nb_world_move(nb_world *world, double h) {
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind != NB_BODY_FIXED) nb_body_move(&world->bodies[i], h);
    for (int32_t i = 0; i < world->particle_count; i++) {
        nb_particle *particle = &world->particles[i];
        if (particle->kind != NB_BODY_FIXED)
            particle->position = nb_add_scaled(particle->position, h, particle->velocity);
    }
    world->time += h;
}
