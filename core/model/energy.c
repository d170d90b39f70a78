#include "model/energy.h"

#include "model/coordinate.h"

static double rotor_energy(const nb_world *world, int32_t joint) {
    const double armature = world->joints[joint].armature;
    nb_coordinate c;
    if (!(armature > 0) || !nb_coordinate_of(world, joint, &c)) return 0;
    const nb_joint_row row = nb_coordinate_now(world, &c, 0);
    const double rate = nb_coordinate_rate(world, &c, &row);
    return 0.5 * armature * rate * rate;
}

double nb_world_kinetic_energy(const nb_world *world) {
    double energy = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        if (b->kind == NB_BODY_DYNAMIC) energy += nb_body_kinetic_energy(b);
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        const nb_particle *p = &world->particles[i];
        if (p->kind == NB_BODY_DYNAMIC) energy += 0.5 * p->mass * nb_dot(p->velocity, p->velocity);
    }
    for (int32_t j = 0; j < world->joint_count; j++) energy += rotor_energy(world, j);
    return energy;
}

double nb_world_potential_energy(const nb_world *world) {
    double energy = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == NB_BODY_DYNAMIC)
            energy -= world->bodies[i].mass * nb_dot(world->gravity, world->bodies[i].position);
    for (int32_t i = 0; i < world->particle_count; i++)
        if (world->particles[i].kind == NB_BODY_DYNAMIC)
            energy -= world->particles[i].mass * nb_dot(world->gravity, world->particles[i].position);
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        if (nb_driven_row(world, j) >= 0) continue;
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        nb_vec3 xa, xb;
        nb_quat qa, qb;
        nb_world_pose(world, joint->body_a, &xa, &qa);
        nb_world_pose(world, joint->body_b, &xb, &qb);
        int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
        for (int k = 0; k < count; k++)
            if (rows[k].compliance > 0 && !(joint->damping[k] > 0))
                energy += 0.5 * rows[k].value * rows[k].value / rows[k].compliance;
    }
    return energy;
}
