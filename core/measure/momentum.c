#include "measure/momentum.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "contact/contact.h"
#include "element/forces.h"
#include "model/coordinate.h"
#include "model/drive.h"
#include "model/free_turn.h"
#include "model/joint.h"

/* force and torque about the centre of mass */
typedef struct wrench {
    nb_vec3 force, torque; /* [N], [N m] */
} wrench;

static nb_vec3 vec3_at(const double *x, int64_t i) {
    return nb_vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

static nb_vec3 position_of(const double *q, int32_t body) {
    return body < 0 ? nb_vec3_of(0, 0, 0)
                    : nb_vec3_of(q[7 * (int64_t)body], q[7 * (int64_t)body + 1], q[7 * (int64_t)body + 2]);
}

static nb_quat turn_of(const double *q, int32_t body) {
    const double *p = q + 7 * (int64_t)body + 3;
    return body < 0 ? nb_quat_identity() : (nb_quat){p[0], p[1], p[2], p[3]};
}

/* the arm r of a body at the start of the step as it stands at its end */
static nb_vec3 turned_arm(const nb_snapshot *final, int32_t body, nb_vec3 r) {
    if (body < 0) return r;
    return nb_quat_rotate(turn_of(final->q, body),
                          nb_quat_rotate(nb_quat_conjugate(turn_of(final->q_before, body)), r));
}

/* how far the particles of contact i take its point over the step */
static nb_vec3 soft_motion(const nb_snapshot *final, int32_t i) {
    nb_vec3 sum = nb_vec3_of(0, 0, 0);
    int64_t k = nb_snapshot_soft(final, i);
    for (int64_t n = 4 * k; k >= 0 && n < 4 * k + 4; n++)
        if (final->soft_particle[n] >= 0)
            sum = nb_add_scaled(sum, final->time_step * final->soft_weight[n],
                                vec3_at(final->particle_v, final->soft_particle[n]));
    return sum;
}

/* what a snapshot does not say of its step */
typedef enum geometry {
    JOINTS,  /* contact points as they are at the start, joints and elements at the end */
    FROZEN,  /* all as they are at the start */
    UPDATED, /* points of both bodies that were detected opposite each other at the start, as they are at its end */
    MET,     /* points that are opposite each other at the end: of methods that find contacts themselves */
    GEOMETRIES
} geometry;

/* how far an arm's end moves over the step where contacts are linear in the velocities */
static nb_vec3 linear_motion(const nb_snapshot *final, int32_t body, nb_vec3 r) {
    if (body < 0) return nb_vec3_of(0, 0, 0);
    nb_vec3 v = vec3_at(final->u, 2 * (int64_t)body), spin = vec3_at(final->u, 2 * (int64_t)body + 1);
    return nb_scale(final->time_step, nb_add(v, nb_cross(spin, r)));
}

/* The two arms of contact i. The snapshot has the point on the first body, or particles; that on the second follows
 * from the gap at the end of the step, which is linear in the gap at its start. */
static void contact_arms(const nb_world *world, const nb_snapshot *final, int32_t i, geometry known, nb_vec3 *arm_a,
                         nb_vec3 *arm_b) {
    int32_t a = final->contact_bodies[2 * (int64_t)i], b = final->contact_bodies[2 * (int64_t)i + 1];
    nb_vec3 point = vec3_at(final->contact_point, i), n = vec3_at(final->contact_normal, i);
    const double distance = final->gap[i] + world->settings.contact_thickness; /* of the two points at the end */
    nb_vec3 ra = nb_sub(point, position_of(final->q_before, a)), rb = nb_sub(point, position_of(final->q_before, b));
    if (known == JOINTS || known == FROZEN || (known == UPDATED && !nb_contact_turns(world, a, b))) {
        nb_vec3 way = a < 0 ? soft_motion(final, i) : linear_motion(final, a, ra);
        double closed = nb_dot(n, nb_sub(way, linear_motion(final, b, rb)));
        *arm_a = ra;
        *arm_b = nb_add_scaled(rb, closed - distance, n);
        return;
    }
    nb_vec3 turned_b = turned_arm(final, b, rb), turned_n = turned_arm(final, b, n);
    *arm_a = a < 0 ? nb_add(ra, soft_motion(final, i)) : turned_arm(final, a, ra);
    nb_vec3 from_b = nb_sub(nb_add(position_of(final->q, a), *arm_a), position_of(final->q, b));
    if (known == MET) {
        *arm_b = nb_add_scaled(from_b, -distance, n);
        return;
    }
    nb_vec3 apart = nb_sub(from_b, turned_b);
    *arm_b = nb_add_scaled(turned_b, (nb_dot(n, apart) - distance) / nb_dot(n, turned_n), turned_n);
}

static void add(wrench *to, double sign, nb_vec3 force, nb_vec3 torque) {
    to->force = nb_add_scaled(to->force, sign, force);
    to->torque = nb_add_scaled(to->torque, sign, torque);
}

static void add_contacts(const nb_world *world, const nb_snapshot *final, geometry known, wrench *sum) {
    for (int32_t i = 0; i < final->contacts; i++) {
        nb_vec3 force = nb_scale(nb_snapshot_contact_weight(final), nb_snapshot_contact_force(final, i)), arm_a, arm_b;
        int32_t a = final->contact_bodies[2 * (int64_t)i], b = final->contact_bodies[2 * (int64_t)i + 1];
        contact_arms(world, final, i, known, &arm_a, &arm_b);
        if (a >= 0) add(&sum[a], 1, force, nb_cross(arm_a, force));
        if (b >= 0) add(&sum[b], -1, force, nb_cross(arm_b, force));
    }
}

static void add_joints(const nb_world *world, const nb_snapshot *final, geometry known, wrench *sum) {
    const double *q = known == FROZEN ? final->q_before : final->q;
    int32_t row = 0;
    for (int32_t j = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        int32_t a = joint->body_a, b = joint->body_b;
        int count = nb_joint_evaluate(joint, position_of(q, a), turn_of(q, a), position_of(q, b), turn_of(q, b), rows);
        for (int k = 0; k < count; k++) {
            double lambda = final->lambda_bilateral[row++];
            if (a >= 0) add(&sum[a], lambda, rows[k].linear_a, rows[k].angular_a);
            if (b >= 0) add(&sum[b], lambda, rows[k].linear_b, rows[k].angular_b);
        }
    }
}

/* friction acts along the axis at the start, other rows along that of the end */
static void add_coordinates(const nb_world *world, const nb_snapshot *final, geometry known,
                            const nb_coordinate_row *rows, wrench *sum) {
    for (int32_t i = 0; i < final->coordinate_rows; i++) {
        const nb_coordinate_row *of = &rows[i];
        const double *q = known == FROZEN || of->kind == NB_COORDINATE_FRICTION ? final->q_before : final->q;
        nb_coordinate c[NB_COUPLED];
        double factor[NB_COUPLED];
        const int terms = nb_coordinate_terms(world, of, c, factor);
        for (int k = 0; k < terms; k++) {
            const int32_t a = c[k].body_a, b = c[k].body_b;
            const double lambda = factor[k] * final->lambda_coordinate[i];
            const nb_joint_row row =
                nb_coordinate_at(&c[k], 0, position_of(q, a), turn_of(q, a), position_of(q, b), turn_of(q, b));
            if (a >= 0) add(&sum[a], lambda, row.linear_a, row.angular_a);
            if (b >= 0) add(&sum[b], lambda, row.linear_b, row.angular_b);
        }
    }
}

/* where inertia and gyroscopic torque may be taken: at the start of a step of be, as the settings say; in stages at the
 * end, unless that was not found, then where the body is without constraints */
typedef enum turned_at {
    AT_START,
    AT_END,
    FREE,
    TURNED_AT
} turned_at;

/* what the change of momentum of a body needs beside the constraints' forces */
static wrench needed(const nb_world *world, const nb_snapshot *final, turned_at where, int32_t b) {
    nb_body body = world->bodies[b];
    double h = final->time_step;
    body.orientation = turn_of(final->q_before, b);
    body.angular_velocity = vec3_at(final->u_before, 2 * (int64_t)b + 1);
    nb_quat turn = where == AT_END ? turn_of(final->q, b) : body.orientation;
    nb_vec3 spin = where == AT_END ? vec3_at(final->u, 2 * (int64_t)b + 1) : body.angular_velocity;
    if (where == FREE) nb_free_turn(&body, h, &turn, &spin);
    nb_mat3 inertia = nb_inertia_at(&body, turn);
    nb_vec3 dv = nb_sub(vec3_at(final->u, 2 * (int64_t)b), vec3_at(final->u_before, 2 * (int64_t)b));
    nb_vec3 without = nb_spin_after(&body, h, turn, spin);
    if (where == AT_START) {
        nb_free_spin free;
        nb_free_spin_of(&body, world->settings.gyroscopic, h, &free);
        without = free.spin;
    }
    nb_vec3 dw = nb_sub(vec3_at(final->u, 2 * (int64_t)b + 1), without);
    return (wrench){nb_sub(nb_add_scaled(nb_scale(body.mass / h, dv), -body.mass, world->gravity), body.force),
                    nb_scale(1 / h, nb_mat3_apply(&inertia, dw))};
}

/* [N m] the best counts */
static double torque_missing(const nb_world *world, const nb_snapshot *final, int32_t b, nb_vec3 there) {
    const int in_stage = world->settings.integrator != NB_INTEGRATOR_BE;
    double least = INFINITY;
    for (int where = in_stage ? AT_END : AT_START; where < (in_stage ? TURNED_AT : AT_END); where++) {
        const double missing = nb_norm(nb_sub(needed(world, final, (turned_at)where, b).torque, there));
        if (!(missing >= least)) least = missing; /* NaN, too */
    }
    return least;
}

static nb_momentum_defect defect_with(const nb_world *world, const nb_snapshot *final, geometry known,
                                      const nb_coordinate_row *rows, wrench *sum) {
    nb_momentum_defect defect = {0, 0};
    double gravity = nb_norm(world->gravity);
    for (int32_t b = 0; b < world->body_count; b++) sum[b] = (wrench){{0, 0, 0}, {0, 0, 0}};
    add_contacts(world, final, known, sum);
    add_joints(world, final, known, sum);
    add_coordinates(world, final, known, rows, sum);
    for (int32_t b = 0; b < world->body_count; b++) {
        const nb_body *body = &world->bodies[b];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        double weight = body->mass * (gravity > 0 ? gravity : 1);
        double radius = sqrt((body->inertia.x + body->inertia.y + body->inertia.z) / (2 * body->mass));
        nb_raise(&defect.linear, nb_norm(nb_sub(needed(world, final, AT_START, b).force, sum[b].force)) / weight);
        nb_raise(&defect.angular, torque_missing(world, final, b, sum[b].torque) / (weight * radius));
    }
    return defect;
}

static nb_status check_fit(const nb_world *world, const nb_snapshot *final) {
    int64_t rows = 0;
    for (int32_t j = 0; j < world->joint_count; j++) rows += nb_joint_rows(world->joints[j].kind);
    if (final->bodies != world->body_count || final->bilaterals != rows)
        return nb_fail(NB_ERROR_INPUT, "a state of %d bodies and %d joint rows in a world of %d and %lld",
                       final->bodies, final->bilaterals, world->body_count, (long long)rows);
    for (int64_t i = 0; i < 2 * (int64_t) final->contacts; i++)
        if (final->contact_bodies[i] < -1 || final->contact_bodies[i] >= final->bodies)
            return nb_fail(NB_ERROR_INPUT, "contact %lld is with body %d of %d", (long long)(i / 2),
                           final->contact_bodies[i], final->bodies);
    if (final->particles != world->particle_count || final->element_rows != nb_element_row_count(world))
        return nb_fail(NB_ERROR_INPUT, "a state of %d particles and %d rows of elements in a world of %d and %d",
                       (int) final->particles, (int) final->element_rows, (int)world->particle_count,
                       (int)nb_element_row_count(world));
    if (final->coordinate_rows != nb_coordinate_rows(world, NULL))
        return nb_fail(NB_ERROR_INPUT, "a state of %d rows of joint coordinates in a world of %d",
                       (int) final->coordinate_rows, (int)nb_coordinate_rows(world, NULL));
    return NB_OK;
}

/* adds the forces of contacts on particles [particles, 3] */
static void add_contact_forces(const nb_snapshot *final, double *force) {
    for (int32_t i = final->contacts - final->soft_contacts; i < final->contacts; i++) {
        nb_vec3 on = nb_scale(nb_snapshot_contact_weight(final), nb_snapshot_contact_force(final, i));
        const double of[3] = {on.x, on.y, on.z};
        for (int64_t n = 4 * (int64_t)nb_snapshot_soft(final, i), end = n + 4; n < end; n++)
            for (int k = 0; final->soft_particle[n] >= 0 && k < 3; k++)
                force[3 * (int64_t) final->soft_particle[n] + k] += final->soft_weight[n] * of[k];
    }
}

/* raises the defect by those of particles; rows of elements are those of the end of the step */
static nb_status add_particles(const nb_world *world, const nb_snapshot *final, geometry known,
                               nb_momentum_defect *defect) {
    nb_status status;
    double *force = NULL, *work = NULL, gravity = nb_norm(world->gravity);
    if (world->particle_count == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(3 * (int64_t)world->particle_count, &force));
    nb_element_forces(world, known == FROZEN ? final->particle_x_before : final->particle_x, final->lambda_element,
                      force);
    if (world->cavity_count > 0) NB_TRY(NB_ALLOCATE(3 * (int64_t)world->particle_count, &work));
    if (known == FROZEN)
        nb_cavity_forces(world, final->particle_x_before, final->particle_v, final->time_step, work, force);
    else
        nb_cavity_forces(world, final->particle_x, NULL, 0, work, force);
    add_contact_forces(final, force);
    for (int32_t i = 0; i < world->particle_count; i++) {
        const nb_particle *p = &world->particles[i];
        if (p->kind != NB_BODY_DYNAMIC) continue;
        nb_vec3 dv = nb_sub(vec3_at(final->particle_v, i), vec3_at(final->particle_v_before, i));
        nb_vec3 needs = nb_sub(nb_add_scaled(nb_scale(p->mass / final->time_step, dv), -p->mass, world->gravity),
                               nb_add(p->force, vec3_at(force, i)));
        nb_raise(&defect->linear, nb_norm(needs) / (p->mass * (gravity > 0 ? gravity : 1)));
    }
out:
    nb_free(force);
    nb_free(work);
    return status;
}

static nb_status copy(const void *from, int64_t count, size_t size, void *to) {
    nb_status status = nb_allocate(count, size, to);
    if (status == NB_OK && count > 0) memcpy(*(void **)to, from, (size_t)count * size);
    return status;
}

/* The world as its last step began, which sets its joints and loads; *step has its own bodies, joints and motors. What
 * moves particles alone has neither. */
static nb_status begin_again(const nb_world *world, const nb_snapshot *final, nb_world *step) {
    nb_status status;
    *step = *world;
    step->bodies = NULL, step->joints = NULL, step->motors = NULL;
    NB_TRY(copy(world->bodies, world->body_count, sizeof *step->bodies, &step->bodies));
    NB_TRY(copy(world->joints, world->joint_count, sizeof *step->joints, &step->joints));
    NB_TRY(copy(world->motors, world->motor_count, sizeof *step->motors, &step->motors));
    for (int32_t b = 0; b < step->body_count; b++) {
        step->bodies[b].position = position_of(final->q_before, b);
        step->bodies[b].orientation = turn_of(final->q_before, b);
    }
    step->time = final->time - final->time_step;
    if (step->motor_count > 0 || step->particle_count == 0) nb_world_begin_step(step, final->time_step);
out:
    return status;
}

/* the larger one; NaN where either is */
static double worse_of(const nb_momentum_defect *defect) {
    double largest = defect->linear;
    nb_raise(&largest, defect->angular);
    return largest;
}

nb_status nb_momentum_balance(const nb_world *world, const nb_snapshot *final, nb_momentum_defect *defect) {
    nb_status status;
    nb_world step = {0};
    wrench *sum = NULL;
    nb_coordinate_row *rows = NULL;
    NB_TRY(check_fit(world, final));
    NB_TRY(begin_again(world, final, &step));
    NB_TRY(NB_ALLOCATE(world->body_count, &sum));
    NB_TRY(NB_ALLOCATE(final->coordinate_rows, &rows));
    nb_coordinate_rows(world, rows);
    for (int known = 0; known < GEOMETRIES; known++) {
        nb_momentum_defect own = defect_with(&step, final, (geometry)known, rows, sum);
        NB_TRY(add_particles(world, final, (geometry)known, &own));
        if (known == 0 || worse_of(&own) < worse_of(defect)) *defect = own;
    }
out:
    nb_free(step.bodies);
    nb_free(step.joints);
    nb_free(step.motors);
    nb_free(sum);
    nb_free(rows);
    return status;
}
