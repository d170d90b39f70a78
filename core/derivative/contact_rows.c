#include "derivative/contact_rows.h"

#include <string.h>

#include "contact/frame.h"
#include "model/carried.h"

/* ---- how a body turns ---- */

nb_body_turn nb_body_turn_of(double h, nb_vec3 omega) {
    nb_vec3 e = nb_scale(0.5 * h, omega);
    return (nb_body_turn){e, 2 / (1 + nb_dot(e, e))};
}

static nb_vec3 turned(const nb_body_turn *turn, nb_vec3 e, nb_vec3 x) {
    nb_vec3 once = nb_cross(e, x);
    return nb_add_scaled(x, turn->scale, nb_add(once, nb_cross(e, once)));
}

nb_vec3 nb_body_turn_apply(const nb_body_turn *turn, nb_vec3 x) {
    return turned(turn, turn->e, x);
}

nb_vec3 nb_body_turn_back(const nb_body_turn *turn, nb_vec3 x) {
    return turned(turn, nb_scale(-1, turn->e), x);
}

nb_vec3 nb_body_turn_change(const nb_body_turn *turn, double h, nb_vec3 domega) {
    return nb_scale(0.5 * h * turn->scale, nb_add(domega, nb_cross(turn->e, domega)));
}

nb_vec3 nb_body_turn_change_back(const nb_body_turn *turn, double h, nb_vec3 x) {
    return nb_scale(0.5 * h * turn->scale, nb_sub(x, nb_cross(turn->e, x)));
}

/* ---- values ---- */

static void set(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static nb_vec3 get(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

/* velocity of the point at the end of the arm; what the point moves by within the step, per time */
static nb_vec3 velocity_of(const nb_contact_end *end) {
    return nb_add(end->v, nb_cross(end->omega, end->arm));
}

static nb_vec3 motion_of(const nb_contact_end *end, double h, int linear) {
    return linear ? velocity_of(end) : nb_add_scaled(end->v, 1 / h, nb_sub(end->arm, end->start));
}

static void add_slip(nb_contact_rows_at *rows) {
    for (int k = 1; k < 3; k++) rows->value[k] = nb_dot(rows->direction[k], rows->slip);
}

void nb_contact_rows_evaluate_bare(const nb_world *world, const nb_contact *contact, double h, int linear,
                                   const double *a, const double *b, nb_contact_rows_at *rows) {
    const nb_vec3 point[2] = {contact->point_a, contact->point_b};
    const int32_t body[2] = {contact->body_a, contact->body_b};
    const double *u[2] = {a, b};
    *rows = (nb_contact_rows_at){.h = h, .linear = linear};
    rows->direction[0] = contact->normal;
    nb_contact_tangents(world, contact->normal, &rows->direction[1], &rows->direction[2]);
    for (int k = 0; k < 2; k++) {
        nb_contact_end *end = &rows->end[k];
        end->v = get(u[k]);
        end->omega = get(u[k] + 3);
        end->turn = nb_body_turn_of(h, end->omega);
        end->start = nb_sub(point[k], world->bodies[body[k]].position);
        end->arm = linear ? end->start : nb_body_turn_apply(&end->turn, end->start);
    }
    rows->slip = nb_sub(velocity_of(&rows->end[0]), velocity_of(&rows->end[1]));
    rows->moved = nb_sub(motion_of(&rows->end[0], h, linear), motion_of(&rows->end[1], h, linear));
    rows->value[0] = contact->gap / h + nb_dot(rows->direction[0], rows->moved);
    add_slip(rows);
}

void nb_contact_rows_carry(const nb_world *start, const nb_contact *contact, int at_end, nb_contact_rows_at *rows) {
    rows->carried = start->bodies[contact->body_b].kind == NB_BODY_KINEMATIC;
    rows->at_end = at_end;
    if (!rows->carried) return;
    const nb_vec3 place = nb_carried_position(start, contact->body_a);
    rows->slip = nb_sub(rows->slip, nb_carried_excess(start, contact->body_b, place, rows->h, at_end));
    add_slip(rows);
}

void nb_contact_rows_evaluate(const nb_world *world, const nb_contact *contact, double h, int linear, const double *a,
                              const double *b, nb_contact_rows_at *rows) {
    nb_contact_rows_evaluate_bare(world, contact, h, linear, a, b, rows);
    nb_contact_rows_carry(world, contact, !linear, rows);
}

/* the excess is (C - 1) r/h - omega x r, or omega x C r */
void nb_contact_rows_carry_change(const nb_contact_rows_at *rows, nb_vec3 apart, double value[3]) {
    const nb_contact_end *base = &rows->end[1];
    if (!rows->carried) return;
    const nb_vec3 end = nb_body_turn_apply(&base->turn, apart);
    const nb_vec3 change =
        nb_add_scaled(nb_scale(1 / rows->h, nb_sub(end, apart)), -1, nb_cross(base->omega, rows->at_end ? end : apart));
    for (int k = 1; k < 3; k++) value[k] -= nb_dot(rows->direction[k], change);
}

nb_vec3 nb_contact_rows_carry_change_back(const nb_contact_rows_at *rows, const double by_value[3]) {
    const nb_contact_end *base = &rows->end[1];
    if (!rows->carried) return nb_vec3_of(0, 0, 0);
    const nb_vec3 by_change =
        nb_scale(-1, nb_add_scaled(nb_scale(by_value[1], rows->direction[1]), by_value[2], rows->direction[2]));
    nb_vec3 by_end = nb_scale(1 / rows->h, by_change), by_apart = nb_scale(-1, by_end);
    nb_vec3 *by_arm = rows->at_end ? &by_end : &by_apart;
    *by_arm = nb_sub(*by_arm, nb_cross(by_change, base->omega));
    return nb_add(by_apart, nb_body_turn_back(&base->turn, by_end));
}

void nb_contact_rows_jacobian(const nb_contact_rows_at *rows, double jacobian[3][12]) {
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            nb_vec3 d = nb_scale(side ? -1 : 1, rows->direction[k]);
            set(d, jacobian[k] + 6 * side);
            set(nb_cross(rows->end[side].arm, d), jacobian[k] + 6 * side + 3);
        }
}

void nb_contact_rows_by_velocity(const nb_contact_rows_at *rows, double by_velocity[3][12]) {
    nb_contact_rows_jacobian(rows, by_velocity);
    if (rows->linear) return;
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            const nb_contact_end *end = &rows->end[side];
            nb_vec3 d = nb_scale(side ? -1 : 1, rows->direction[k]);
            /* the arm turns by L domega: the normal's row has its motion, those of the tangents omega x it */
            nb_vec3 lever = nb_cross(end->arm, k == 0 ? nb_scale(1 / rows->h, d) : nb_cross(d, end->omega));
            nb_vec3 own = k == 0 ? nb_vec3_of(0, 0, 0) : nb_cross(end->arm, d);
            set(nb_add(own, nb_body_turn_change_back(&end->turn, rows->h, lever)), by_velocity[k] + 6 * side + 3);
        }
}

static nb_vec3 impulse(const nb_contact_rows_at *rows, const double z[3]) {
    nb_vec3 p = nb_scale(z[0], rows->direction[0]);
    return nb_add_scaled(nb_add_scaled(p, z[1], rows->direction[1]), z[2], rows->direction[2]);
}

void nb_contact_rows_stiffness(const nb_contact_rows_at *rows, const double z[3], double stiffness[2][3][3]) {
    nb_vec3 p = impulse(rows, z);
    memset(stiffness, 0, 2 * sizeof *stiffness);
    if (rows->linear) return;
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 3; j++) {
            const nb_contact_end *end = &rows->end[side];
            nb_vec3 change = nb_body_turn_change(&end->turn, rows->h, nb_vec3_of(j == 0, j == 1, j == 2));
            double column[3];
            set(nb_scale(side ? -1 : 1, nb_cross(nb_cross(change, end->arm), p)), column);
            for (int i = 0; i < 3; i++) stiffness[side][i][j] = column[i];
        }
}

void nb_contact_rows_by_geometry(const nb_contact_rows_at *rows, const nb_contact_features *features, const double z[3],
                                 const nb_body_tangent *a, const nb_body_tangent *b, double value[3],
                                 double wrench[12]) {
    const nb_body_tangent *body[2] = {a, b};
    nb_contact_tangent moved;
    nb_contact_features_move(features, a, b, &moved);
    const nb_vec3 point[2] = {moved.point_a, moved.point_b};
    nb_vec3 turn = nb_cross(rows->direction[0], moved.normal), p = impulse(rows, z), dp = nb_cross(turn, p);
    value[0] = moved.gap / rows->h + nb_dot(moved.normal, rows->moved);
    for (int k = 1; k < 3; k++) value[k] = nb_dot(nb_cross(turn, rows->direction[k]), rows->slip);
    for (int side = 0; side < 2; side++) {
        const nb_contact_end *end = &rows->end[side];
        const double sign = side ? -1 : 1;
        nb_vec3 start = nb_sub(point[side], body[side]->move);
        nb_vec3 arm = rows->linear ? start : nb_body_turn_apply(&end->turn, start), swept = nb_cross(end->omega, arm);
        nb_vec3 way = rows->linear ? swept : nb_scale(1 / rows->h, nb_sub(arm, start));
        value[0] += sign * nb_dot(rows->direction[0], way);
        for (int k = 1; k < 3; k++) value[k] += sign * nb_dot(rows->direction[k], swept);
        set(nb_scale(sign, dp), wrench + 6 * side);
        set(nb_scale(sign, nb_add(nb_cross(arm, p), nb_cross(end->arm, dp))), wrench + 6 * side + 3);
    }
    nb_contact_rows_carry_change(rows, nb_sub(a->move, b->move), value);
}

/* the derivatives by the contact's motion, and, less those by the points, by the centres' */
static nb_contact_tangent by_motion(const nb_contact_rows_at *rows, const double z[3], const double by_value[3],
                                    const double by_wrench[12]) {
    const nb_vec3 *d = rows->direction, p = impulse(rows, z);
    nb_vec3 by_dp = {0}, by_point[2];
    for (int side = 0; side < 2; side++) {
        const nb_contact_end *end = &rows->end[side];
        const double sign = side ? -1 : 1;
        nb_vec3 force = nb_scale(sign, get(by_wrench + 6 * side)),
                torque = nb_scale(sign, get(by_wrench + 6 * side + 3));
        nb_vec3 by_way = nb_scale(sign * by_value[0], d[0]);
        nb_vec3 by_swept = nb_scale(sign, nb_add_scaled(nb_scale(by_value[1], d[1]), by_value[2], d[2]));
        if (rows->linear) by_swept = nb_add(by_swept, by_way);
        nb_vec3 by_arm = nb_add(nb_cross(p, torque), nb_cross(by_swept, end->omega));
        by_dp = nb_add(by_dp, nb_add(force, nb_cross(torque, end->arm)));
        if (rows->linear) {
            by_point[side] = by_arm;
            continue;
        }
        by_arm = nb_add_scaled(by_arm, 1 / rows->h, by_way);
        by_point[side] = nb_add_scaled(nb_body_turn_back(&end->turn, by_arm), -1 / rows->h, by_way);
    }
    nb_vec3 by_turn = nb_cross(p, by_dp);
    for (int k = 1; k < 3; k++) by_turn = nb_add_scaled(by_turn, by_value[k], nb_cross(d[k], rows->slip));
    nb_vec3 by_normal = nb_add_scaled(nb_cross(by_turn, d[0]), by_value[0], rows->moved);
    return (nb_contact_tangent){by_point[0], by_point[1], by_normal, by_value[0] / rows->h};
}

void nb_contact_rows_by_geometry_back(const nb_contact_rows_at *rows, const nb_contact_features *features,
                                      const double z[3], const double by_value[3], const double by_wrench[12],
                                      nb_body_tangent by[2]) {
    const nb_contact_tangent by_contact = by_motion(rows, z, by_value, by_wrench);
    nb_contact_features_move_back(features, &by_contact, by);
    /* arms begin at the centres */
    const nb_vec3 by_apart = nb_contact_rows_carry_change_back(rows, by_value);
    by[0].move = nb_add(nb_sub(by[0].move, by_contact.point_a), by_apart);
    by[1].move = nb_sub(nb_sub(by[1].move, by_contact.point_b), by_apart);
}
