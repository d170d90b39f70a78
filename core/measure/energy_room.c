#include "measure/energy_room.h"

#include <math.h>

#include "base/memory.h"
#include "model/coordinate.h"
#include "model/energy.h"
#include "model/free_turn.h"

static nb_vec3 angular_momentum(const nb_body *b) {
    const nb_mat3 inertia = nb_inertia_at(b, b->orientation);
    return nb_mat3_apply(&inertia, b->angular_velocity);
}

/* of body i, linear and angular, and of the particles behind the bodies */
static double *of_body(const nb_energy_room *room, int32_t i) {
    return room->momentum + 6 * (ptrdiff_t)i;
}

static double *of_particle(const nb_energy_room *room, const nb_world *world, int32_t i) {
    return room->momentum + 6 * (ptrdiff_t)world->body_count + 3 * (ptrdiff_t)i;
}

static void write_vector(nb_vec3 v, double *to) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static nb_vec3 change(nb_vec3 now, const double *from) {
    return nb_sub(now, nb_vec3_of(from[0], from[1], from[2]));
}

nb_status nb_energy_room_begin(nb_energy_room *room, const nb_world *world) {
    nb_status status;
    NB_TRY(NB_RESERVE(6 * (int64_t)world->body_count + 3 * (int64_t)world->particle_count, &room->capacity,
                      &room->momentum));
    room->kinetic = nb_world_kinetic_energy(world);
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        write_vector(nb_scale(b->mass, b->linear_velocity), of_body(room, i));
        write_vector(angular_momentum(b), of_body(room, i) + 3);
    }
    for (int32_t i = 0; i < world->particle_count; i++)
        write_vector(nb_scale(world->particles[i].mass, world->particles[i].velocity), of_particle(room, world, i));
out:
    return status;
}

/* K and the mass of all that moves by forces */
static double of_change(const nb_energy_room *room, const nb_world *world, double *mass) {
    double sum = 0;
    *mass = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        if (b->kind != NB_BODY_DYNAMIC) continue;
        const nb_vec3 linear = change(nb_scale(b->mass, b->linear_velocity), of_body(room, i)),
                      angular = change(angular_momentum(b), of_body(room, i) + 3);
        const nb_mat3 inverse = nb_inverse_inertia_at(b, b->orientation);
        sum += nb_dot(linear, linear) / (2 * b->mass) + 0.5 * nb_dot(angular, nb_mat3_apply(&inverse, angular));
        *mass += b->mass;
    }
    for (int32_t i = 0; i < world->particle_count; i++) {
        const nb_particle *p = &world->particles[i];
        if (p->kind != NB_BODY_DYNAMIC) continue;
        const nb_vec3 linear = change(nb_scale(p->mass, p->velocity), of_particle(room, world, i));
        sum += nb_dot(linear, linear) / (2 * p->mass);
        *mass += p->mass;
    }
    return sum;
}

/* what an integrator of order 2 may add to the rotation of bodies */
static double of_rotation(const nb_world *world, double h) {
    double sum = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        if (b->kind != NB_BODY_DYNAMIC) continue;
        const double least = fmin(b->inertia.x, fmin(b->inertia.y, b->inertia.z)),
                     most = fmax(b->inertia.x, fmax(b->inertia.y, b->inertia.z));
        sum += 0.5 * nb_dot(b->angular_velocity, angular_momentum(b)) * pow(h * nb_norm(b->angular_velocity), 3) *
               (1 - least / most);
    }
    return sum;
}

/* what is left of penetrations where bodies turn on linear rows, and lifted again */
static double of_turning(const nb_world *world, double h) {
    double sum = 0;
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *b = &world->bodies[i];
        if (b->kind != NB_BODY_DYNAMIC || b->shape < 0) continue;
        const double angle = h * nb_norm(b->angular_velocity), radius = world->shapes[b->shape]->radius;
        if (isfinite(radius)) sum += b->mass * radius * angle * angle;
    }
    return sum * nb_norm(world->gravity);
}

/* by which the body turns in the step */
static double angle_of(const nb_world *world, int32_t body, double h) {
    if (body < 0 || world->bodies[body].kind != NB_BODY_DYNAMIC) return 0;
    return h * nb_norm(world->bodies[body].angular_velocity);
}

/* what joints add where their bodies turn, by their forces, and at most as much as if each carried this mass */
static double of_joints(const nb_world *world, const nb_snapshot *final, double h, double mass) {
    double sum = 0;
    int32_t row = 0;
    for (int32_t i = 0; i < world->joint_count; i++) {
        const nb_joint *joint = &world->joints[i];
        const double a = angle_of(world, joint->body_a, h), b = angle_of(world, joint->body_b, h),
                     way = 0.5 * (nb_norm(joint->anchor_a) * a * a + nb_norm(joint->anchor_b) * b * b),
                     turn = 0.5 * (a + b) * (a + b);
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        nb_vec3 x[2];
        nb_quat q[2];
        double work = 0;
        nb_world_pose(world, joint->body_a, &x[0], &q[0]);
        nb_world_pose(world, joint->body_b, &x[1], &q[1]);
        const int count = nb_joint_evaluate(joint, x[0], q[0], x[1], q[1], rows);
        for (int k = 0; k < count && row < final->bilaterals; k++)
            work += fabs(final->lambda_bilateral[row++]) * (nb_norm(rows[k].linear_a) > 0 ? way : turn);
        sum += fmin(work, mass * nb_norm(world->gravity) * way);
    }
    return sum;
}

/* what couplings add: in a step the angle is 2 atan(h v / 2), short of h v by v^3 h^3 / 12 */
static double of_couplings(const nb_world *world, const nb_snapshot *final, double h) {
    const int32_t first = final->coordinate_rows - world->coupling_count; /* behind the rows of joints */
    double sum = 0;
    for (int32_t i = 0; first >= 0 && i < world->coupling_count; i++) {
        const nb_coupling *coupling = &world->couplings[i];
        double way = 0;
        for (int k = 0; k < coupling->count; k++) {
            nb_coordinate of;
            if (!nb_coordinate_of(world, coupling->joint[k], &of) || of.along) continue;
            const nb_joint_row row = nb_coordinate_now(world, &of, nb_coordinate_near(world, coupling->joint[k]));
            way += fabs(coupling->factor[k]) * pow(h * fabs(nb_coordinate_rate(world, &of, &row)), 3) / 12;
        }
        sum += fabs(final->lambda_coordinate[first + i]) * way;
    }
    return sum;
}

double nb_energy_room_end(const nb_energy_room *room, const nb_world *world, const nb_snapshot *final, double h,
                          nb_step_errors errors) {
    double mass;
    const double changed = of_change(room, world, &mass), fall = h * nb_norm(world->gravity);
    if (errors == NB_ERRORS_OF_BE)
        return fmin(changed, 2 * mass * fall * fall) + of_turning(world, h) + of_joints(world, final, h, mass) +
               of_couplings(world, final, h);
    const double kinetic = fmax(room->kinetic, nb_world_kinetic_energy(world)),
                 share = kinetic > changed ? sqrt(changed / kinetic) : 1;
    const double own = 16 * share * changed + of_rotation(world, h);
    return errors == NB_ERRORS_OF_CONTACTS ? own + 4 * changed + of_turning(world, h) : own;
}

void nb_energy_room_clear(nb_energy_room *room) {
    nb_free(room->momentum);
    *room = (nb_energy_room){0};
}
