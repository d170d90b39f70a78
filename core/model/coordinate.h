/* The free coordinate of a joint: the angle of a revolute one, the displacement of a prismatic one, or of a fixed one
 * along the axis that a motor frees. What acts on it besides the joint's own rows: limits, dry friction, the inertia of
 * a rotor (armature), and motors with a limit of effort. With the rate v of the coordinate s over a step of h and the
 * impulse z = h lambda of each row, lambda in N m or N,
 *
 *     limits      0 <= (s - lower)/h  _|_  z >= 0,   0 <= (upper - s)/h  _|_  z >= 0      s at the end of the step
 *     friction    |z| <= h tau,   v = 0 inside, v opposes z at the bound
 *     armature    v - v_0 + z/I = 0                 implicit Euler of I dv/dt = -lambda
 *     motor       its row of motor.h with |z| <= h tau
 *
 * The rate of friction is taken along the axis as it stands at the start of the step; that of a rotor is the change of
 * s in the step over h, and v_0 that in the step before. A coupling holds a sum of coordinates, of up to NB_COUPLED
 * joints:
 *
 *     coupling    (sum_i factor_i s_i - offset)/h = 0                                     s at the end of the step
 *
 * Angles count turns: s is the one nearest to that of the step before. At the start it is the one nearest to the middle
 * of limits that are less than a turn apart, else to 0, or to the limit next to that. */
#ifndef NB_MODEL_COORDINATE_H
#define NB_MODEL_COORDINATE_H

#include "model/world.h"

/* what messages call its rows */
#define NB_COORDINATE_ROWS_NAME "limits, friction, armature, efforts and couplings of joints"

typedef struct nb_coordinate {
    int32_t body_a, body_b; /* -1: the world */
    int along;              /* 1: along the frames' x axis [m]; 0: about it [rad] */
    nb_vec3 anchor_a, anchor_b;
    nb_quat frame_a, frame_b; /* which coincide where s = 0 */
} nb_coordinate;

typedef enum nb_coordinate_kind {
    NB_COORDINATE_LOWER,
    NB_COORDINATE_UPPER,
    NB_COORDINATE_FRICTION,
    NB_COORDINATE_ARMATURE,
    NB_COORDINATE_MOTOR,
    NB_COORDINATE_COUPLING
} nb_coordinate_kind;

typedef struct nb_coordinate_row {
    nb_coordinate_kind kind;
    int32_t joint, motor; /* of the world, of a coupling the first joint; motor -1: none */
    int32_t coupling;     /* of the world; -1: none */
} nb_coordinate_row;

/* The first motor of a joint; -1: none. */
int32_t nb_motor_of(const nb_world *world, int32_t joint);

/* The row of a fixed joint that a motor drives (motor.h), among its six; -1: none. */
int nb_driven_row(const nb_world *world, int32_t joint);

/* Whether the joint has a free coordinate, and which. */
int nb_coordinate_of(const nb_world *world, int32_t joint, nb_coordinate *coordinate);
/* The same as motor `motor` counts it: from the frame that it holds its target against. */
void nb_coordinate_of_motor(const nb_world *world, int32_t motor, nb_coordinate *coordinate);

/* s where the bodies are there, and its gradient (model/joint.h); of an angle the one nearest to `near`. */
nb_joint_row nb_coordinate_at(const nb_coordinate *coordinate, double near, nb_vec3 xa, nb_quat qa, nb_vec3 xb,
                              nb_quat qb);
/* The same as the world stands. */
nb_joint_row nb_coordinate_now(const nb_world *world, const nb_coordinate *coordinate, double near);
/* The small motion of s, `value`, and of that gradient where the bodies move by `move` [m] and turn by the small
 * vectors `turn` [rad], in the world's axes, [0] a and [1] b. Exact where joints have come apart, too. */
nb_joint_row nb_coordinate_differentiate(const nb_coordinate *coordinate, nb_vec3 xa, nb_quat qa, nb_vec3 xb,
                                         nb_quat qb, const nb_vec3 move[2], const nb_vec3 turn[2]);
/* ds/dt of these bodies' velocities */
double nb_coordinate_rate(const nb_world *world, const nb_coordinate *coordinate, const nb_joint_row *row);
/* ds/dt of a change of s over h, of an angle that of a body which nb_quat_advance turns; *slope: by the change */
double nb_coordinate_rate_of_change(const nb_coordinate *coordinate, double change, double h, double *slope);

/* The angle of joint `joint` that its next one is nearest to. */
double nb_coordinate_near(const nb_world *world, int32_t joint);
/* Its coordinate as the world stands, turns counted; 0 where it has none. */
double nb_coordinate_of_joint(const nb_world *world, int32_t joint);
/* Counts on from where the world stands: as a step begins. */
void nb_world_count_turns(nb_world *world);

/* How far joint `joint` is beyond its limits, 0 within; the bodies at x and q, its angle the one nearest to `near`.
 * *along: whether in m or in rad. */
double nb_limit_crossed(const nb_world *world, int32_t joint, double near, nb_vec3 xa, nb_quat qa, nb_vec3 xb,
                        nb_quat qb, int *along);

/* The rows of the world's coordinates, joint by joint, in the order of their kinds, then those of couplings; returns
 * their number. `rows` NULL: to count them. */
int32_t nb_coordinate_rows(const nb_world *world, nb_coordinate_row *rows);

/* The coordinates whose sum, each times its factor, stands in a row; returns their number. */
int nb_coordinate_terms(const nb_world *world, const nb_coordinate_row *row, nb_coordinate of[NB_COUPLED],
                        double factor[NB_COUPLED]);

/* What a motor holds s against at the end of a step of h, from s at its start; its *compliance e, and the derivative
 * *by_start of what it holds. */
double nb_motor_held(const nb_motor *motor, double s, double h, double *compliance, double *by_start);

/* how a row begins a step of h */
typedef struct nb_coordinate_start {
    double lower, upper; /* bounds of its impulse [N m s or N s] */
    double compliance;   /* e/h^2 [1/(kg m^2) or 1/kg] */
    double held;         /* what the sum of factor times s is held against [rad or m] */
    double by_start;     /* the change of `held` by s at the start */
    double rate;         /* of a rotor: ds/dt in the step before */
} nb_coordinate_start;

/* From the row's first coordinate, which stands at `now`. */
nb_coordinate_start nb_coordinate_begin(const nb_world *world, const nb_coordinate_row *row, const nb_coordinate *first,
                                        const nb_joint_row *now, double h);

/* The velocities by which body i came to where it is, its own but for one that is prescribed; 0 of fixed ones and of
 * the world, -1. Where it was h before that. */
void nb_velocities_before(const nb_world *world, int32_t i, nb_vec3 *v, nb_vec3 *omega);
void nb_pose_before(const nb_world *world, int32_t i, double h, nb_vec3 *x, nb_quat *q);

/* NB_ERROR_INPUT where a joint has limits, friction or armature and no free coordinate; limits that are not in order;
 * friction or armature below 0; no body with mass. */
nb_status nb_coordinate_check(const nb_world *world, int32_t joint);

/* Copies the coupling; motors are known. NB_ERROR_INPUT where it names no joints, too many, one twice, or one without a
 * free coordinate; factors that are 0 or not finite; no body with mass. */
nb_status nb_world_add_coupling(nb_world *world, const nb_coupling *coupling);

/* ---- the same in functions that a GPU shares ---- */

/* of a joint whose frame and anchor on body b are these where s = 0 */
NB_INLINE_FN nb_coordinate nb_coordinate_between(const nb_joint *joint, int along, nb_vec3 anchor_b, nb_quat frame_b) {
    nb_coordinate c;
    c.body_a = joint->body_a;
    c.body_b = joint->body_b;
    c.along = along;
    c.anchor_a = joint->anchor_a;
    c.anchor_b = anchor_b;
    c.frame_a = joint->frame_a;
    c.frame_b = frame_b;
    return c;
}

/* nb_coordinate_at */
NB_INLINE_FN nb_joint_row nb_coordinate_row_at(const nb_coordinate *c, double near, nb_vec3 xa, nb_quat qa, nb_vec3 xb,
                                               nb_quat qb) {
    const double turn = 6.28318530717958647692;
    const nb_quat b = nb_quat_product(qb, c->frame_b);
    const nb_vec3 e = nb_quat_rotate(b, nb_vec3_of(1, 0, 0));
    nb_joint_row row;
    row.compliance = 0;
    if (c->along) {
        const nb_vec3 ra = nb_quat_rotate(qa, c->anchor_a), pa = nb_add(xa, ra);
        const nb_vec3 pb = nb_add(xb, nb_quat_rotate(qb, c->anchor_b));
        row.value = nb_dot(e, nb_sub(pa, pb));
        row.linear_a = e;
        row.angular_a = nb_cross(ra, e);
        row.linear_b = nb_scale(-1, e);
        row.angular_b = nb_scale(-1, nb_cross(nb_sub(pa, xb), e));
        return row;
    }
    const nb_quat between = nb_quat_product(nb_quat_conjugate(b), nb_quat_product(qa, c->frame_a));
    const double angle = 2 * atan2(between.x, between.w);
    row.value = angle - turn * round((angle - near) / turn);
    row.angular_a = e;
    row.angular_b = nb_scale(-1, e);
    row.linear_a = row.linear_b = nb_vec3_of(0, 0, 0);
    return row;
}

/* nb_motor_held */
NB_INLINE_FN double nb_motor_holds(const nb_motor *m, double s, double h, double *compliance, double *by_start) {
    *compliance = 1 / (m->stiffness + m->damping / h);
    *by_start = *compliance * m->damping / h;
    return isinf(m->stiffness) ? m->target : *compliance * (m->stiffness * m->target + m->damping * (s / h + m->rate));
}

#endif
