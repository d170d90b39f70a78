#include "model/joint.h"

#include <math.h>

/* which of the six rows (translation x, y, z; rotation x, y, z) each kind has */
static const char rows_of[][6] = {
    [NB_JOINT_FIXED] = {1, 1, 1, 1, 1, 1},
    [NB_JOINT_SPHERICAL] = {1, 1, 1, 0, 0, 0},
    [NB_JOINT_REVOLUTE] = {1, 1, 1, 0, 1, 1},
    [NB_JOINT_PRISMATIC] = {0, 1, 1, 1, 1, 1},
};

int nb_joint_rows(nb_joint_kind kind) {
    if (kind == NB_JOINT_DISTANCE) return 1;
    int count = 0;
    for (int i = 0; i < 6; i++) count += rows_of[kind][i];
    return count;
}

static nb_vec3 axis_of(const nb_mat3 *frame, int i) {
    return nb_vec3_of(frame->m[0][i], frame->m[1][i], frame->m[2][i]);
}

/* along the axis e, fixed in body b: c = e . (pa - pb) */
static nb_joint_row translation_row(nb_vec3 e, nb_vec3 pa, nb_vec3 ra, nb_vec3 xb, nb_vec3 pb) {
    return (nb_joint_row){
        .value = nb_dot(e, nb_sub(pa, pb)),
        .linear_a = e,
        .angular_a = nb_cross(ra, e),
        .linear_b = nb_scale(-1, e),
        /* the axis turns with b: its lever reaches from b's centre to a's anchor */
        .angular_b = nb_scale(-1, nb_cross(nb_sub(pa, xb), e)),
    };
}

/* The rotation vector of a unit quaternion of rotation below pi, and the inverse of its left Jacobian: a change of the
 * rotation by the small vector d (in the outer frame) changes the vector by J^-1 d, with
 * J^-1 d = d - v x d / 2 + k v x (v x d),  k = (1 - (t/2) cot(t/2))/t^2. */
static nb_vec3 rotation_vector(nb_quat q, double *k) {
    if (q.w < 0) q = (nb_quat){-q.w, -q.x, -q.y, -q.z};
    nb_vec3 v = {q.x, q.y, q.z};
    double sine = nb_norm(v), angle = 2 * atan2(sine, q.w);
    double scale = sine > 1e-9 ? angle / sine : 2;
    *k = angle > 1e-3 ? (1 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle) : 1.0 / 12 + angle * angle / 720;
    return nb_scale(scale, v);
}

/* component i of the rotation vector of a's frame seen from b's frame */
static nb_joint_row rotation_row(const nb_mat3 *frame_b, nb_vec3 v, double k, int i) {
    /* dv = J^-1 R_b^T (omega_a - omega_b); row i of J^-1 is e + (v x e)/2 + k v x (v x e), as J^-T turns v's sign */
    nb_vec3 e = nb_vec3_of(i == 0, i == 1, i == 2), ve = nb_cross(v, e);
    nb_vec3 row = nb_add(nb_add_scaled(e, 0.5, ve), nb_scale(k, nb_cross(v, ve)));
    nb_vec3 gradient = nb_mat3_apply(frame_b, row);
    const double component[3] = {v.x, v.y, v.z};
    return (nb_joint_row){.value = component[i], .angular_a = gradient, .angular_b = nb_scale(-1, gradient)};
}

static nb_joint_row distance_row(double length, nb_vec3 pa, nb_vec3 ra, nb_vec3 pb, nb_vec3 rb) {
    nb_vec3 d = nb_sub(pa, pb);
    double distance = nb_norm(d);
    /* coincident anchors have no direction: any unit vector is a subgradient */
    nb_vec3 n = distance > 0 ? nb_scale(1 / distance, d) : nb_vec3_of(0, 0, 1);
    return (nb_joint_row){
        .value = distance - length,
        .linear_a = n,
        .angular_a = nb_cross(ra, n),
        .linear_b = nb_scale(-1, n),
        .angular_b = nb_scale(-1, nb_cross(rb, n)),
    };
}

int nb_joint_evaluate(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                      nb_joint_row rows[NB_JOINT_MAX_ROWS]) {
    nb_vec3 ra = nb_quat_rotate(qa, joint->anchor_a), rb = nb_quat_rotate(qb, joint->anchor_b);
    nb_vec3 pa = nb_add(xa, ra), pb = nb_add(xb, rb);
    if (joint->kind == NB_JOINT_DISTANCE) {
        rows[0] = distance_row(joint->length, pa, ra, pb, rb);
        rows[0].compliance = joint->compliance[0];
        return 1;
    }
    nb_quat a = nb_quat_product(qa, joint->frame_a), b = nb_quat_product(qb, joint->frame_b);
    nb_mat3 frame_b = nb_quat_matrix(b);
    double k;
    nb_vec3 v = rotation_vector(nb_quat_product(nb_quat_conjugate(b), a), &k);
    int count = 0;
    for (int i = 0; i < 6; i++) {
        if (!rows_of[joint->kind][i]) continue;
        rows[count] =
            i < 3 ? translation_row(axis_of(&frame_b, i), pa, ra, xb, pb) : rotation_row(&frame_b, v, k, i - 3);
        rows[count++].compliance = joint->compliance[i];
    }
    return count;
}

/* ---- how they change ---- */

/* two bodies and what moves them, with the rows' own points */
typedef struct small_motion {
    nb_vec3 turn_a, turn_b;
    nb_vec3 arm_a, arm_b;     /* changes of the arms */
    nb_vec3 point_a, point_b; /* of the anchors */
    nb_vec3 reach;            /* of the way from b's centre to a's anchor */
} small_motion;

static nb_joint_row translation_change(nb_vec3 e, nb_vec3 ra, nb_vec3 reach, const small_motion *m) {
    nb_vec3 de = nb_cross(m->turn_b, e);
    return (nb_joint_row){
        .linear_a = de,
        .angular_a = nb_add(nb_cross(m->arm_a, e), nb_cross(ra, de)),
        .linear_b = nb_scale(-1, de),
        .angular_b = nb_scale(-1, nb_add(nb_cross(m->reach, e), nb_cross(reach, de))),
    };
}

static nb_joint_row distance_change(const nb_joint_row *row, double distance, nb_vec3 ra, nb_vec3 rb,
                                    const small_motion *m) {
    nb_vec3 n = row->linear_a, dn = nb_sub(m->point_a, m->point_b);
    dn = nb_scale(distance > 0 ? 1 / distance : 0, nb_add_scaled(dn, -nb_dot(n, dn), n));
    return (nb_joint_row){
        .linear_a = dn,
        .angular_a = nb_add(nb_cross(m->arm_a, n), nb_cross(ra, dn)),
        .linear_b = nb_scale(-1, dn),
        .angular_b = nb_scale(-1, nb_add(nb_cross(m->arm_b, n), nb_cross(rb, dn))),
    };
}

/* k'(t)/t of k in rotation_vector, t the length of v */
static double slope_over_angle(double t, double k) {
    if (!(t > 0.2)) return 1.0 / 360 + t * t * (1.0 / 7560 + t * t * (1.0 / 201600 + t * t / 5987520));
    double c = 1 / tan(0.5 * t);
    return ((0.25 * t * (1 + c * c) - 0.5 * c) / (t * t) - 2 * k / t) / t;
}

/* of the row about axis i of b's frame; `dv` is the change of the rotation vector v */
static nb_joint_row rotation_change(const nb_joint_place *p, nb_vec3 dv, int i, nb_vec3 gradient,
                                    const small_motion *m) {
    const nb_vec3 v = p->v;
    const double k = p->k;
    nb_vec3 e = nb_vec3_of(i == 0, i == 1, i == 2), ve = nb_cross(v, e), dve = nb_cross(dv, e);
    double dk = slope_over_angle(nb_norm(v), k) * nb_dot(v, dv);
    nb_vec3 twice = nb_add(nb_cross(dv, ve), nb_cross(v, dve));
    nb_vec3 row = nb_add_scaled(nb_add_scaled(nb_scale(0.5, dve), k, twice), dk, nb_cross(v, ve));
    nb_vec3 change = nb_add(nb_cross(m->turn_b, gradient), nb_mat3_apply(&p->frame_b, row));
    return (nb_joint_row){.angular_a = change, .angular_b = nb_scale(-1, change)};
}

void nb_joint_place_at(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb, nb_joint_place *p) {
    *p = (nb_joint_place){
        .joint = joint, .arm_a = nb_quat_rotate(qa, joint->anchor_a), .arm_b = nb_quat_rotate(qb, joint->anchor_b)};
    p->reach = nb_sub(nb_add(xa, p->arm_a), xb);
    p->count = nb_joint_evaluate(joint, xa, qa, xb, qb, p->rows);
    if (joint->kind == NB_JOINT_DISTANCE || joint->kind == NB_JOINT_SPHERICAL)
        return; /* they do not see how it turns */
    nb_quat a = nb_quat_product(qa, joint->frame_a), b = nb_quat_product(qb, joint->frame_b);
    p->frame_b = nb_quat_matrix(b);
    p->v = rotation_vector(nb_quat_product(nb_quat_conjugate(b), a), &p->k);
    for (int i = 0; i < 3; i++) p->by_turn[i] = rotation_row(&p->frame_b, p->v, p->k, i).angular_a;
}

/* of the gradients alone */
static void place_change(const nb_joint_place *p, const small_motion *m, nb_joint_row change[NB_JOINT_MAX_ROWS]) {
    const nb_joint_row *rows = p->rows;
    const nb_joint_kind kind = p->joint->kind;
    nb_vec3 turn = nb_sub(m->turn_a, m->turn_b);
    nb_vec3 dv = {nb_dot(p->by_turn[0], turn), nb_dot(p->by_turn[1], turn), nb_dot(p->by_turn[2], turn)};
    if (kind == NB_JOINT_DISTANCE)
        change[0] = distance_change(&rows[0], rows[0].value + p->joint->length, p->arm_a, p->arm_b, m);
    for (int i = 0, own = 0; kind != NB_JOINT_DISTANCE && i < 6; i++) {
        if (!rows_of[kind][i]) continue;
        change[own] = i < 3 ? translation_change(rows[own].linear_a, p->arm_a, p->reach, m)
                            : rotation_change(p, dv, i - 3, rows[own].angular_a, m);
        own++;
    }
}

int nb_joint_place_reframe(const nb_joint_place *p, nb_vec3 shift, nb_vec3 turn,
                           nb_joint_row change[NB_JOINT_MAX_ROWS]) {
    const small_motion m = {.turn_b = turn};
    const nb_vec3 apart = nb_sub(p->reach, p->arm_b);
    place_change(p, &m, change);
    for (int r = 0; r < p->count; r++) {
        const nb_vec3 e = p->rows[r].linear_a; /* 0 of rows of rotation */
        change[r].value = nb_dot(change[r].linear_a, apart) - nb_dot(e, shift);
        if (nb_dot(e, e) == 0) change[r].value = nb_dot(p->rows[r].angular_b, turn);
    }
    return p->count;
}

int nb_joint_place_move(const nb_joint_place *p, nb_vec3 move_a, nb_vec3 turn_a, nb_vec3 move_b, nb_vec3 turn_b,
                        nb_joint_row change[NB_JOINT_MAX_ROWS]) {
    const nb_joint_row *rows = p->rows;
    small_motion m = {
        .turn_a = turn_a, .turn_b = turn_b, .arm_a = nb_cross(turn_a, p->arm_a), .arm_b = nb_cross(turn_b, p->arm_b)};
    m.point_a = nb_add(move_a, m.arm_a);
    m.point_b = nb_add(move_b, m.arm_b);
    m.reach = nb_sub(m.point_a, move_b);
    place_change(p, &m, change);
    for (int r = 0; r < p->count; r++)
        change[r].value = nb_dot(rows[r].linear_a, move_a) + nb_dot(rows[r].angular_a, turn_a) +
                          nb_dot(rows[r].linear_b, move_b) + nb_dot(rows[r].angular_b, turn_b);
    return p->count;
}

int nb_joint_differentiate(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb, nb_vec3 move_a,
                           nb_vec3 turn_a, nb_vec3 move_b, nb_vec3 turn_b, nb_joint_row change[NB_JOINT_MAX_ROWS]) {
    nb_joint_place place;
    nb_joint_place_at(joint, xa, qa, xb, qb, &place);
    return nb_joint_place_move(&place, move_a, turn_a, move_b, turn_b, change);
}

/* ---- where rows start ---- */

static void write_vector(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static void write_quat(nb_quat from, double *to) {
    to[0] = from.w;
    to[1] = from.x;
    to[2] = from.y;
    to[3] = from.z;
}

int nb_joint_begin(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                   nb_joint_start starts[NB_JOINT_MAX_ROWS]) {
    nb_vec3 ra = nb_quat_rotate(qa, joint->anchor_a), rb = nb_quat_rotate(qb, joint->anchor_b);
    nb_joint_start between = {.motion = NB_JOINT_LENGTH};
    write_vector(ra, between.numbers + 3);
    write_vector(rb, between.numbers + 6);
    write_vector(nb_sub(nb_add(xa, ra), nb_add(xb, rb)), between.numbers + 9);
    starts[0] = between;
    if (joint->kind == NB_JOINT_DISTANCE) return 1;
    nb_quat a = nb_quat_product(qa, joint->frame_a), b = nb_quat_product(qb, joint->frame_b);
    nb_mat3 frame_b = nb_quat_matrix(b);
    int count = 0;
    for (int i = 0; i < 6; i++) {
        if (!rows_of[joint->kind][i]) continue;
        nb_joint_start *start = &starts[count++];
        *start = between;
        start->motion = i < 3 ? NB_JOINT_TRANSLATION : (nb_joint_motion)(NB_JOINT_ROTATION_X + i - 3);
        if (i < 3) {
            write_vector(axis_of(&frame_b, i), start->numbers);
        } else {
            write_quat(nb_quat_product(nb_quat_conjugate(b), a), start->numbers);
            write_quat(b, start->numbers + 4);
        }
    }
    return count;
}
