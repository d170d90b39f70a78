#include "constraint/coordinate_rows.h"

#include <math.h>

#include "base/arena.h"
#include "base/memory.h"
#include "constraint/box.h"
#include "constraint/moved_body.h"
#include "constraint/step_rate.h"
#include "operator/joint_pack.h"

NB_PRECISIONS(f32, f64);

/* a row at the start of the step */
typedef struct start {
    nb_coordinate coordinate;
    double sign; /* of the coordinate in the row */
    double s;    /* there */
    double held; /* the value is sign (s - held) where that counts */
    double rate; /* of a rotor: ds/dt in the step before */
    nb_joint_row row;
} start;

struct nb_coordinate_row_set {
    nb_step_rows base; /* first */
    nb_joint_pack pack;
    nb_box_law law;
    const nb_world *world;
    nb_arena arena;
    nb_coordinate_row *of;     /* [blocks] */
    start *start;              /* [blocks] */
    nb_jacobian_row *jacobian; /* [blocks] */
    real *lower, *upper, *compliance;
};

static void lay_out(nb_arena *a, nb_coordinate_row_set *s, int32_t rows) {
    NB_PLACE(a, rows, &s->of);
    NB_PLACE(a, rows, &s->start);
    NB_PLACE(a, rows, &s->jacobian);
    NB_PLACE(a, rows, &s->lower);
    NB_PLACE(a, rows, &s->upper);
    NB_PLACE(a, rows, &s->compliance);
}

/* ---- the start of a step ---- */

/* ds/dt of a change of s over h; turned as nb_quat_advance turns a body */
static double rate_of_change(const nb_coordinate *coordinate, double change, double h) {
    return coordinate->along ? change / h : 2 * tan(change / 2) / h;
}

/* ds/dt in the step before, where the bodies moved by the velocities that they have: not by the gradient, whose change
 * in a step is of the order of the rotor's acceleration */
static double rate_before(const nb_world *world, const start *at, double h) {
    nb_vec3 x[2];
    nb_quat q[2];
    for (int side = 0; side < 2; side++) {
        const int32_t i = side ? at->coordinate.body_b : at->coordinate.body_a;
        nb_world_pose(world, i, &x[side], &q[side]);
        if (i < 0 || world->bodies[i].kind == NB_BODY_FIXED) continue;
        const nb_body *body = &world->bodies[i];
        const int steered = body->kind == NB_BODY_KINEMATIC; /* its velocities are of the coming step */
        x[side] = nb_add_scaled(x[side], -h, steered ? body->linear_before : body->linear_velocity);
        q[side] = nb_quat_advance(q[side], -h, steered ? body->angular_before : body->angular_velocity);
    }
    const double before = nb_coordinate_at(&at->coordinate, at->s, x[0], q[0], x[1], q[1]).value;
    return rate_of_change(&at->coordinate, at->s - before, h);
}

/* what the coordinate is held against, with its bounds and compliance over h^2 */
static void begin_row(nb_coordinate_row_set *s, int32_t i, double h) {
    const nb_world *world = s->world;
    const nb_coordinate_row *of = &s->of[i];
    const nb_joint *joint = &world->joints[of->joint];
    const nb_motor *motor = of->motor < 0 ? NULL : &world->motors[of->motor];
    start *at = &s->start[i];
    double lower = 0, upper = INFINITY, compliance = 0, near = (joint->limits[0] + joint->limits[1]) / 2;
    at->sign = of->kind == NB_COORDINATE_UPPER ? -1 : 1;
    at->held = 0;
    if (motor) {
        nb_coordinate_of_motor(world, of->motor, &at->coordinate);
        near = motor->target;
    } else {
        nb_coordinate_of(world, of->joint, &at->coordinate);
    }
    at->row = nb_coordinate_now(world, &at->coordinate, near);
    at->s = at->row.value;
    switch (of->kind) {
    case NB_COORDINATE_LOWER: at->held = joint->limits[0]; break;
    case NB_COORDINATE_UPPER: at->held = joint->limits[1]; break;
    case NB_COORDINATE_FRICTION: upper = h * joint->friction, lower = -upper; break;
    case NB_COORDINATE_ARMATURE:
        lower = -INFINITY, compliance = 1 / joint->armature, at->held = at->s;
        /* a stage starts where no body was moved to by its velocities */
        at->rate =
            world->integration ? nb_coordinate_rate(world, &at->coordinate, &at->row) : rate_before(world, at, h);
        break;
    default:
        if (!motor) break; /* the kind of a motor's row */
        upper = h * motor->effort, lower = -upper;
        compliance = 1 / (motor->stiffness + motor->damping / h);
        at->held = motor->target;
        if (!isinf(motor->stiffness))
            at->held = compliance * (motor->stiffness * motor->target + motor->damping * (at->s / h + motor->rate));
        compliance /= h * h;
    }
    s->lower[i] = (real)lower;
    s->upper[i] = (real)upper;
    s->compliance[i] = (real)compliance;
}

nb_status nb_coordinate_row_set_begin(nb_coordinate_row_set *s, const nb_world *world, double h) {
    const int32_t rows = nb_coordinate_rows(world, NULL);
    nb_status status;
    s->world = world;
    nb_arena_measure(&s->arena);
    lay_out(&s->arena, s, rows);
    NB_TRY(nb_arena_reserve(&s->arena));
    lay_out(&s->arena, s, rows);
    nb_coordinate_rows(world, s->of);
    for (int32_t i = 0; i < rows; i++) {
        NB_TRY(nb_coordinate_check(world, s->of[i].joint));
        begin_row(s, i, h);
        s->jacobian[i].a = s->start[i].coordinate.body_a;
        s->jacobian[i].b = s->start[i].coordinate.body_b;
    }
    s->pack = nb_joint_pack_of(s->pack.base.nodes, rows, s->jacobian);
    s->law = (nb_box_law){{&nb_box_class}, s->lower, s->upper, s->compliance};
out:
    return status;
}

/* ---- evaluation ---- */

static void narrow(double sign, nb_vec3 from, real *to) {
    to[0] = (real)(sign * from.x);
    to[1] = (real)(sign * from.y);
    to[2] = (real)(sign * from.z);
}

/* the rate of a row by the velocities of the iterate */
static double rate_of(const nb_jacobian_row *row, const nb_problem *at) {
    double rate = 0;
    for (int side = 0; side < 2; side++) {
        const int32_t body = side ? row->b : row->a;
        for (int k = 0; body >= 0 && k < 6; k++)
            rate += (double)row->j[6 * side + k] * (double)at->u[6 * (ptrdiff_t)body + k];
    }
    return rate;
}

/* `moved` 0: without the velocities, as other rows have it */
static double value_of(const nb_coordinate_row_set *s, int32_t i, const nb_problem *at, double moved,
                       const nb_joint_row *row) {
    const start *from = &s->start[i];
    const double h = (double)at->h, apart = from->sign * (row->value - from->held);
    switch (s->of[i].kind) {
    case NB_COORDINATE_LOWER:
    case NB_COORDINATE_UPPER: return nb_gap_rate(s->world, apart, h);
    case NB_COORDINATE_MOTOR: return apart / h;
    case NB_COORDINATE_ARMATURE: return rate_of_change(&from->coordinate, apart, h) - from->rate;
    default: return moved > 0 ? rate_of(&s->jacobian[i], at) : 0;
    }
}

static void evaluate(nb_step_rows *rows, const nb_world *world, const nb_problem *at, double moved, real *value) {
    nb_coordinate_row_set *s = (nb_coordinate_row_set *)rows;
    for (int32_t i = 0; i < s->pack.base.blocks; i++) {
        const start *from = &s->start[i];
        nb_joint_row row = from->row;
        nb_vec3 xa, xb;
        nb_quat qa, qb;
        if (moved > 0 && s->of[i].kind != NB_COORDINATE_FRICTION) {
            nb_moved_body(world, at->u, s->jacobian[i].a, moved, &xa, &qa);
            nb_moved_body(world, at->u, s->jacobian[i].b, moved, &xb, &qb);
            row = nb_coordinate_at(&from->coordinate, from->s, xa, qa, xb, qb);
        }
        narrow(from->sign, row.linear_a, s->jacobian[i].j);
        narrow(from->sign, row.angular_a, s->jacobian[i].j + 3);
        narrow(from->sign, row.linear_b, s->jacobian[i].j + 6);
        narrow(from->sign, row.angular_b, s->jacobian[i].j + 9);
        value[i] = (real)value_of(s, i, at, moved, &row);
    }
}

/* ---- all of them ---- */

nb_step_rows *nb_coordinate_row_set_item(nb_coordinate_row_set *set) {
    return &set->base;
}

const nb_coordinate_row *nb_coordinate_row_set_row(const nb_coordinate_row_set *set, int32_t i) {
    return &set->of[i];
}

nb_status nb_coordinate_row_set_create(const nb_nodes *nodes, nb_coordinate_row_set **set) {
    nb_status status = NB_ALLOCATE(1, set);
    if (status != NB_OK) return status;
    nb_coordinate_row_set *s = *set;
    s->pack = nb_joint_pack_of(nodes, 0, NULL);
    s->law.base.type = &nb_box_class;
    s->base = (nb_step_rows){&s->pack.base, &s->law.base, evaluate};
    return NB_OK;
}

void nb_coordinate_row_set_destroy(nb_coordinate_row_set *set) {
    if (!set) return;
    nb_arena_clear(&set->arena);
    nb_free(set);
}
