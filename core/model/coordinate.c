#include "model/coordinate.h"

#include <math.h>

#include "base/memory.h"

static const double TURN = 6.28318530717958647692;

int32_t nb_motor_of(const nb_world *world, int32_t joint) {
    int32_t low = 0, high = world->motor_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (world->motors[middle].joint < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < world->motor_count && world->motors[low].joint == joint ? low : -1;
}

int nb_driven_row(const nb_world *world, int32_t joint) {
    const int32_t motor = world->joints[joint].kind == NB_JOINT_FIXED ? nb_motor_of(world, joint) : -1;
    return motor < 0 ? -1 : world->motors[motor].along ? NB_MOTOR_ROW_ALONG : NB_MOTOR_ROW_ABOUT;
}

void nb_coordinate_of_motor(const nb_world *world, int32_t motor, nb_coordinate *c) {
    const nb_motor *m = &world->motors[motor];
    const nb_joint *joint = &world->joints[m->joint];
    *c = nb_coordinate_between(joint, m->along, m->anchor, m->frame);
}

int nb_coordinate_of(const nb_world *world, int32_t joint, nb_coordinate *c) {
    const nb_joint *of = &world->joints[joint];
    *c = nb_coordinate_between(of, of->kind == NB_JOINT_PRISMATIC, of->anchor_b, of->frame_b);
    if (of->kind == NB_JOINT_REVOLUTE || of->kind == NB_JOINT_PRISMATIC) return 1;
    const int32_t motor = of->kind == NB_JOINT_FIXED ? nb_motor_of(world, joint) : -1;
    if (motor >= 0) nb_coordinate_of_motor(world, motor, c);
    return motor >= 0;
}

nb_joint_row nb_coordinate_at(const nb_coordinate *c, double near, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb) {
    return nb_coordinate_row_at(c, near, xa, qa, xb, qb);
}

/* of the angle: 2 atan2(x, w) of `between`, the frame of a as that of b sees it */
static double angle_change(nb_quat between, nb_vec3 turn) {
    const double square = between.w * between.w + between.x * between.x;
    return turn.x + (turn.y * (between.w * between.z + between.x * between.y) +
                     turn.z * (between.x * between.z - between.w * between.y)) /
                        square;
}

nb_joint_row nb_coordinate_differentiate(const nb_coordinate *c, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                                         const nb_vec3 move[2], const nb_vec3 turn[2]) {
    const nb_quat b = nb_quat_product(qb, c->frame_b);
    const nb_vec3 e = nb_quat_rotate(b, nb_vec3_of(1, 0, 0)), de = nb_cross(turn[1], e);
    if (c->along) {
        const nb_vec3 ra = nb_quat_rotate(qa, c->anchor_a), rb = nb_quat_rotate(qb, c->anchor_b);
        const nb_vec3 dra = nb_cross(turn[0], ra), reach = nb_sub(nb_add(xa, ra), xb);
        const nb_vec3 dreach = nb_sub(nb_add(move[0], dra), move[1]), apart = nb_sub(reach, rb);
        const nb_vec3 pull = nb_add(nb_cross(dreach, e), nb_cross(reach, de));
        return (nb_joint_row){.value = nb_dot(de, apart) + nb_dot(e, nb_sub(dreach, nb_cross(turn[1], rb))),
                              .linear_a = de,
                              .angular_a = nb_add(nb_cross(dra, e), nb_cross(ra, de)),
                              .linear_b = nb_scale(-1, de),
                              .angular_b = nb_scale(-1, pull)};
    }
    const nb_quat between = nb_quat_product(nb_quat_conjugate(b), nb_quat_product(qa, c->frame_a));
    const nb_vec3 relative = nb_quat_rotate(nb_quat_conjugate(b), nb_sub(turn[0], turn[1]));
    return (nb_joint_row){.value = angle_change(between, relative), .angular_a = de, .angular_b = nb_scale(-1, de)};
}

double nb_coordinate_rate_of_change(const nb_coordinate *c, double change, double h, double *slope) {
    const double half = tan(change / 2);
    *slope = (c->along ? 1 : 1 + half * half) / h;
    return (c->along ? change : 2 * half) / h;
}

nb_joint_row nb_coordinate_now(const nb_world *world, const nb_coordinate *c, double near) {
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_world_pose(world, c->body_a, &xa, &qa);
    nb_world_pose(world, c->body_b, &xb, &qb);
    return nb_coordinate_at(c, near, xa, qa, xb, qb);
}

double nb_coordinate_rate(const nb_world *world, const nb_coordinate *c, const nb_joint_row *row) {
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        const int32_t i = side ? c->body_b : c->body_a;
        if (i < 0 || world->bodies[i].kind == NB_BODY_FIXED) continue;
        const nb_body *body = &world->bodies[i];
        rate += nb_dot(side ? row->linear_b : row->linear_a, body->linear_velocity) +
                nb_dot(side ? row->angular_b : row->angular_a, body->angular_velocity);
    }
    return rate;
}

double nb_coordinate_near(const nb_world *world, int32_t joint) {
    const nb_joint *of = &world->joints[joint];
    if (of->counted) return of->turned;
    if (!of->limited) return 0;
    if (of->limits[1] - of->limits[0] < TURN) return (of->limits[0] + of->limits[1]) / 2;
    return fmin(fmax(0, of->limits[0]), of->limits[1]);
}

double nb_coordinate_of_joint(const nb_world *world, int32_t joint) {
    nb_coordinate c;
    if (!nb_coordinate_of(world, joint, &c)) return 0;
    return nb_coordinate_now(world, &c, nb_coordinate_near(world, joint)).value;
}

void nb_world_count_turns(nb_world *world) {
    for (int32_t j = 0; j < world->joint_count; j++) {
        nb_joint *joint = &world->joints[j];
        if (joint->kind != NB_JOINT_REVOLUTE && joint->kind != NB_JOINT_FIXED) continue;
        joint->turned = nb_coordinate_of_joint(world, j);
        joint->counted = 1;
    }
}

double nb_limit_crossed(const nb_world *world, int32_t joint, double near, nb_vec3 xa, nb_quat qa, nb_vec3 xb,
                        nb_quat qb, int *along) {
    const nb_joint *of = &world->joints[joint];
    nb_coordinate c;
    if (!of->limited || !nb_coordinate_of(world, joint, &c)) return 0;
    const double s = nb_coordinate_at(&c, near, xa, qa, xb, qb).value;
    *along = c.along;
    return fmax(0, fmax(of->limits[0] - s, s - of->limits[1]));
}

/* one more row, where `rows` has room for them */
static void put(nb_coordinate_row *rows, int32_t *count, nb_coordinate_kind kind, int32_t joint, int32_t motor) {
    if (rows) rows[*count] = (nb_coordinate_row){kind, joint, motor, -1};
    ++*count;
}

int32_t nb_coordinate_rows(const nb_world *world, nb_coordinate_row *rows) {
    int32_t count = 0;
    for (int32_t j = 0, m = 0; j < world->joint_count; j++) {
        const nb_joint *joint = &world->joints[j];
        if (joint->limited) {
            put(rows, &count, NB_COORDINATE_LOWER, j, -1);
            put(rows, &count, NB_COORDINATE_UPPER, j, -1);
        }
        if (joint->friction > 0) put(rows, &count, NB_COORDINATE_FRICTION, j, -1);
        if (joint->armature > 0) put(rows, &count, NB_COORDINATE_ARMATURE, j, -1);
        for (; m < world->motor_count && world->motors[m].joint == j; m++) /* they come in the order of their joints */
            if (world->motors[m].effort > 0) put(rows, &count, NB_COORDINATE_MOTOR, j, m);
    }
    for (int32_t i = 0; i < world->coupling_count; i++) {
        put(rows, &count, NB_COORDINATE_COUPLING, world->couplings[i].joint[0], -1);
        if (rows) rows[count - 1].coupling = i;
    }
    return count;
}

int nb_coordinate_terms(const nb_world *world, const nb_coordinate_row *row, nb_coordinate of[NB_COUPLED],
                        double factor[NB_COUPLED]) {
    if (row->coupling < 0) {
        factor[0] = row->kind == NB_COORDINATE_UPPER ? -1 : 1;
        if (row->motor < 0)
            nb_coordinate_of(world, row->joint, of);
        else
            nb_coordinate_of_motor(world, row->motor, of);
        return 1;
    }
    const nb_coupling *coupling = &world->couplings[row->coupling];
    for (int32_t k = 0; k < coupling->count; k++) {
        factor[k] = coupling->factor[k];
        nb_coordinate_of(world, coupling->joint[k], &of[k]);
    }
    return coupling->count;
}

void nb_velocities_before(const nb_world *world, int32_t i, nb_vec3 *v, nb_vec3 *omega) {
    *v = *omega = nb_vec3_of(0, 0, 0);
    if (i < 0 || world->bodies[i].kind == NB_BODY_FIXED) return;
    const nb_body *body = &world->bodies[i];
    const int steered = body->kind == NB_BODY_KINEMATIC; /* its velocities are of the coming step */
    *v = steered ? body->linear_before : body->linear_velocity;
    *omega = steered ? body->angular_before : body->angular_velocity;
}

void nb_pose_before(const nb_world *world, int32_t i, double h, nb_vec3 *x, nb_quat *q) {
    nb_vec3 v, omega;
    nb_world_pose(world, i, x, q);
    if (i < 0 || world->bodies[i].kind == NB_BODY_FIXED) return;
    nb_velocities_before(world, i, &v, &omega);
    *x = nb_add_scaled(*x, -h, v);
    *q = nb_quat_advance(*q, -h, omega);
}

/* ds/dt in the step before, where the bodies moved by the velocities that they have: not by the gradient, whose change
 * in a step is of the order of the rotor's acceleration */
static double rate_before(const nb_world *world, const nb_coordinate *c, double s, double h) {
    nb_vec3 x[2];
    nb_quat q[2];
    double slope;
    nb_pose_before(world, c->body_a, h, &x[0], &q[0]);
    nb_pose_before(world, c->body_b, h, &x[1], &q[1]);
    return nb_coordinate_rate_of_change(c, s - nb_coordinate_at(c, s, x[0], q[0], x[1], q[1]).value, h, &slope);
}

double nb_motor_held(const nb_motor *m, double s, double h, double *compliance, double *by_start) {
    return nb_motor_holds(m, s, h, compliance, by_start);
}

nb_coordinate_start nb_coordinate_begin(const nb_world *world, const nb_coordinate_row *row, const nb_coordinate *first,
                                        const nb_joint_row *now, double h) {
    const nb_joint *joint = &world->joints[row->joint];
    const nb_motor *motor = row->motor < 0 ? NULL : &world->motors[row->motor];
    nb_coordinate_start start = {.upper = INFINITY};
    switch (row->kind) {
    case NB_COORDINATE_LOWER: start.held = joint->limits[0]; break;
    case NB_COORDINATE_UPPER: start.held = -joint->limits[1]; break;
    case NB_COORDINATE_COUPLING: start.lower = -INFINITY, start.held = world->couplings[row->coupling].offset; break;
    case NB_COORDINATE_FRICTION: start.upper = h * joint->friction, start.lower = -start.upper; break;
    case NB_COORDINATE_ARMATURE:
        start.lower = -INFINITY, start.compliance = 1 / joint->armature, start.held = now->value, start.by_start = 1;
        /* a stage starts where no body was moved to by its velocities */
        start.rate =
            world->integration ? nb_coordinate_rate(world, first, now) : rate_before(world, first, now->value, h);
        break;
    default:
        if (!motor) break; /* the kind of a motor's row */
        start.upper = h * motor->effort, start.lower = -start.upper;
        start.held = nb_motor_held(motor, now->value, h, &start.compliance, &start.by_start);
        start.compliance /= h * h;
    }
    return start;
}

static int is_dynamic(const nb_world *world, int32_t body) {
    return body >= 0 && world->bodies[body].kind == NB_BODY_DYNAMIC;
}

nb_status nb_coordinate_check(const nb_world *world, int32_t joint) {
    const nb_joint *of = &world->joints[joint];
    nb_coordinate c;
    if (!of->limited && of->friction == 0 && of->armature == 0) return NB_OK;
    if (of->limited && !(of->limits[0] < of->limits[1] && isfinite(of->limits[1] - of->limits[0])))
        return nb_fail(NB_ERROR_INPUT, "joint %d: its lower limit %g must be below its upper limit %g", (int)joint,
                       of->limits[0], of->limits[1]);
    if (!(of->friction >= 0 && isfinite(of->friction) && of->armature >= 0 && isfinite(of->armature)))
        return nb_fail(NB_ERROR_INPUT, "joint %d: friction %g and armature %g must be numbers from 0 on", (int)joint,
                       of->friction, of->armature);
    if (!nb_coordinate_of(world, joint, &c))
        return nb_fail(NB_ERROR_INPUT,
                       "joint %d has %s and no free coordinate: it must be revolute, prismatic, or driven by a motor",
                       (int)joint,
                       of->limited        ? "limits"
                       : of->friction > 0 ? "friction"
                                          : "armature");
    if (!is_dynamic(world, of->body_a) && !is_dynamic(world, of->body_b))
        return nb_fail(NB_ERROR_INPUT, "joint %d joins no body that has mass", (int)joint);
    return NB_OK;
}

nb_status nb_world_add_coupling(nb_world *world, const nb_coupling *coupling) {
    nb_status status;
    const int n = (int)world->coupling_count;
    int moves = 0;
    if (coupling->count < 1 || coupling->count > NB_COUPLED)
        return nb_fail(NB_ERROR_INPUT, "coupling %d: %d joints; expected 1 to %d", n, (int)coupling->count, NB_COUPLED);
    if (!isfinite(coupling->offset))
        return nb_fail(NB_ERROR_INPUT, "coupling %d: offset %g must be finite", n, coupling->offset);
    for (int32_t k = 0; k < coupling->count; k++) {
        const int32_t joint = coupling->joint[k];
        nb_coordinate c;
        if (joint < 0 || joint >= world->joint_count)
            return nb_fail(NB_ERROR_INPUT, "coupling %d: there is no joint %d", n, (int)joint);
        if (!nb_coordinate_of(world, joint, &c))
            return nb_fail(NB_ERROR_INPUT,
                           "coupling %d: joint %d has no free coordinate: it must be revolute, prismatic, or driven by "
                           "a motor",
                           n, (int)joint);
        if (!(isfinite(coupling->factor[k]) && coupling->factor[k] != 0))
            return nb_fail(NB_ERROR_INPUT, "coupling %d: factor %g must be a number other than 0", n,
                           coupling->factor[k]);
        for (int32_t i = 0; i < k; i++)
            if (coupling->joint[i] == joint)
                return nb_fail(NB_ERROR_INPUT, "coupling %d names joint %d twice", n, (int)joint);
        moves |= is_dynamic(world, c.body_a) || is_dynamic(world, c.body_b);
    }
    if (!moves) return nb_fail(NB_ERROR_INPUT, "coupling %d: its joints join no body that has mass", n);
    NB_TRY(NB_RESERVE(n + 1, &world->coupling_capacity, &world->couplings));
    world->couplings[world->coupling_count++] = *coupling;
out:
    return status;
}
