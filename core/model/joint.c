#include "model/joint.h"

#include <math.h>

int nb_joint_rows(nb_joint_kind kind) {
    int count = 0;
    for (int i = 0; i < NB_JOINT_MAX_ROWS; i++) count += nb_joint_has_row(kind, i);
    return count;
}

int nb_joint_evaluate(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                      nb_joint_row rows[NB_JOINT_MAX_ROWS]) {
    const nb_joint_frames at = nb_joint_frames_at(joint, xa, qa, xb, qb);
    int count = 0;
    for (int i = 0; i < NB_JOINT_MAX_ROWS; i++)
        if (nb_joint_has_row(joint->kind, i)) rows[count++] = nb_joint_row_at(joint, &at, i);
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
    const nb_joint_frames at = nb_joint_frames_at(joint, xa, qa, xb, qb);
    p->frame_b = at.axes_b;
    p->v = at.v;
    p->k = at.k;
    for (int i = 0; i < 3; i++) p->by_turn[i] = nb_joint_rotation_row(&at, i).angular_a;
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
        if (!nb_joint_has_row(kind, i)) continue;
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

int nb_joint_begin(const nb_joint *joint, nb_vec3 xa, nb_quat qa, nb_vec3 xb, nb_quat qb,
                   nb_joint_start starts[NB_JOINT_MAX_ROWS]) {
    const nb_joint_frames at = nb_joint_frames_at(joint, xa, qa, xb, qb);
    int count = 0;
    for (int i = 0; i < NB_JOINT_MAX_ROWS; i++)
        if (nb_joint_has_row(joint->kind, i)) starts[count++] = nb_joint_start_at(joint, &at, i);
    return count;
}
