/* The stages of the trajectory kernel beside the island's: functions of a thread's number, as in island/stages.h. What
 * is of bodies, pieces or pairs a thread makes of every `threads`-th. */
#ifndef NB_TRAJECTORY_STAGES_H
#define NB_TRAJECTORY_STAGES_H

#include <float.h>

#include "cone/cone.h"
#include "constraint/unilateral.h"
#include "contact/piece.h"
#include "island/stages.h"
#include "model/drive.h"
#include "model/energy.h"
#include "model/free_turn.h"
#include "trajectory/view.h"

/* as nb_encounter_add, into slots; counts what has none as well */
NB_INLINE_FN nb_status nb_trajectory_keep(const nb_encounter *encounter, nb_feature_kind kind, int32_t feature_a,
                                          int32_t feature_b, nb_vec3 point_a, nb_vec3 point_b, nb_vec3 normal) {
    nb_contacts *contacts = encounter->contacts;
    nb_contact contact;
    if (!nb_encounter_contact(encounter, kind, feature_a, feature_b, point_a, point_b, normal, &contact)) return NB_OK;
    if (contacts->count < contacts->capacity) contacts->items[contacts->count] = contact;
    contacts->count++;
    return NB_OK;
}

#define NB_KEEP_CONTACT nb_trajectory_keep
#include "contact/narrow_phase_formulas.h"

/* ---- detection ---- */

/* nb_pieces_place */
NB_FN void nb_trajectory_place(nb_trajectory *c, const nb_trajectory_scene *k, int t, int threads) {
    for (int32_t i = t; i < k->pieces; i += threads) {
        nb_piece *piece = &c->pieces[i];
        const nb_body *body = &c->world.bodies[k->items[i].body];
        nb_vec3 low, high;
        *piece = k->items[i];
        piece->centre = body->position;
        if (piece->polyhedron)
            nb_piece_place_polyhedron(body, piece->polyhedron, c->vectors + k->first_vector[i], piece);
        if (piece->kind == NB_SHAPE_HALF_SPACE) {
            piece->normals = c->vectors + k->first_vector[i];
            piece->normals[0] = nb_normalized(nb_quat_rotate(body->orientation, nb_vec3_of(0, 0, 1)));
        }
        c->moving[i] = nb_piece_moving(&c->world, k->h, piece);
        nb_piece_extent(piece, &low, &high);
        c->bounds[i] = nb_piece_bounds(&c->world, k->h, &c->moving[i], low, high);
    }
}

NB_INLINE_FN nb_encounter nb_trajectory_encounter(const nb_trajectory *c, const nb_trajectory_scene *k, int32_t a,
                                                  int32_t b, double friction, nb_contacts *contacts) {
    nb_encounter encounter;
    encounter.a = c->moving[a];
    encounter.b = c->moving[b];
    encounter.margin = c->world.settings.contact_margin + c->world.settings.contact_thickness;
    encounter.h = k->h;
    encounter.friction = friction;
    encounter.planar = encounter.swapped = 0;
    encounter.contacts = contacts;
    return encounter;
}

/* whether the piece's bounding sphere comes near the plane */
NB_INLINE_FN int nb_trajectory_is_near_plane(const nb_trajectory *c, const nb_trajectory_scene *k, int32_t piece,
                                             int32_t plane) {
    const nb_encounter encounter = nb_trajectory_encounter(c, k, piece, plane, 0, NULL);
    const nb_piece *a = &c->pieces[piece], *b = &c->pieces[plane];
    const double height = nb_dot(b->normals[0], nb_sub(a->centre, b->centre)) - a->radius;
    return nb_encounter_least_distance(&encounter, b->normals[0], height) <= encounter.margin;
}

/* whether the broad phase holds the two pieces against each other */
NB_INLINE_FN int nb_trajectory_may_meet(const nb_trajectory *c, const nb_trajectory_scene *k, int32_t a, int32_t b) {
    const nb_bounds *x = &c->bounds[a], *y = &c->bounds[b];
    if (c->pieces[a].kind == NB_SHAPE_HALF_SPACE) return nb_trajectory_is_near_plane(c, k, b, a);
    if (c->pieces[b].kind == NB_SHAPE_HALF_SPACE) return nb_trajectory_is_near_plane(c, k, a, b);
    return nb_boxes_overlap(&x->low, &x->high, &y->low, &y->high);
}

NB_FN void nb_trajectory_find_near(const nb_trajectory *c, const nb_trajectory_scene *k, int t, int threads) {
    for (int32_t i = t; i < k->pairs; i += threads) {
        const nb_trajectory_pair *pair = &k->pair[i];
        int is_near = 0;
        for (int32_t a = pair->begin_a; a < pair->end_a && !is_near; a++)
            for (int32_t b = pair->begin_b; b < pair->end_b && !is_near; b++)
                is_near = nb_trajectory_may_meet(c, k, a, b);
        c->near_pair[i] = is_near;
    }
}

/* by one thread */
NB_FN void nb_trajectory_list_near(nb_trajectory *c, const nb_trajectory_scene *k, nb_island *v) {
    int32_t count = 0;
    for (int32_t i = 0; i < k->pairs; i++)
        if (c->near_pair[i]) c->near_pair[count++] = i;
    c->near_pairs = count;
    c->contacts = c->found_total = c->crowded = v->contacts = 0;
}

/* how many near pairs there are in the turn that begins with number `first` */
NB_INLINE_FN int32_t nb_trajectory_turn(const nb_trajectory *c, const nb_trajectory_scene *k, int32_t first) {
    const int32_t left = c->near_pairs - first;
    return left < k->turn ? left : k->turn;
}

NB_INLINE_FN void nb_trajectory_sort(nb_contact *items, int32_t count) {
    for (int32_t i = 1; i < count; i++) {
        const nb_contact one = items[i];
        int32_t to = i;
        for (; to > 0 && items[to - 1].feature > one.feature; to--) items[to] = items[to - 1];
        items[to] = one;
    }
}

/* the contacts of pair `n` of the turn */
NB_INLINE_FN void nb_trajectory_collide_pair(nb_trajectory *c, const nb_trajectory_scene *k, int32_t first, int32_t n) {
    const nb_trajectory_pair *pair = &k->pair[c->near_pair[first + n]];
    double size = INFINITY;
    nb_contacts list;
    list.count = 0;
    list.capacity = NB_TRAJECTORY_PAIR_SLOTS;
    list.items = c->found + (int64_t)n * NB_TRAJECTORY_PAIR_SLOTS;
    for (int32_t a = pair->begin_a; a < pair->end_a; a++)
        for (int32_t b = pair->begin_b; b < pair->end_b; b++) {
            if (!nb_trajectory_may_meet(c, k, a, b)) continue;
            const nb_encounter encounter = nb_trajectory_encounter(c, k, a, b, pair->friction, &list),
                               other = swapped_encounter(&encounter);
            (void)nb_encounter_collide_known(&encounter, &other);
            size = fmin(size, fmin(c->pieces[a].radius, c->pieces[b].radius));
        }
    if (list.count <= NB_TRAJECTORY_PAIR_SLOTS && list.count > 1) {
        nb_trajectory_sort(list.items, list.count);
        list.count = nb_contacts_keep_first(list.items, list.count, size);
    }
    c->found_count[n] = list.count;
}

NB_FN void nb_trajectory_collide(nb_trajectory *c, const nb_trajectory_scene *k, int32_t first, int t, int threads) {
    for (int32_t n = t; n < nb_trajectory_turn(c, k, first); n += threads) nb_trajectory_collide_pair(c, k, first, n);
}

/* By one thread: where each pair's contacts begin in the list, which stays empty where they do not fit. */
NB_FN void nb_trajectory_number(nb_trajectory *c, const nb_trajectory_scene *k, int32_t first, nb_island *v) {
    for (int32_t n = 0; n < nb_trajectory_turn(c, k, first); n++) {
        c->found_begin[n] = c->found_total;
        c->found_total += c->found_count[n];
        if (c->found_count[n] > NB_TRAJECTORY_PAIR_SLOTS && c->found_count[n] > c->crowded)
            c->crowded = c->found_count[n];
    }
    c->contacts = v->contacts = c->crowded || c->found_total > k->contact_slots ? 0 : c->found_total;
}

NB_FN void nb_trajectory_list(const nb_trajectory *c, const nb_trajectory_scene *k, int32_t first, int t, int threads) {
    for (int32_t n = t; c->contacts > 0 && n < nb_trajectory_turn(c, k, first); n += threads)
        for (int32_t i = 0; i < c->found_count[n]; i++) {
            nb_contact *to = &c->contact[c->found_begin[n] + i];
            *to = c->found[(int64_t)n * NB_TRAJECTORY_PAIR_SLOTS + i];
            to->gap -= c->world.settings.contact_thickness;
        }
}

/* ---- the start of a step ---- */

NB_INLINE_FN void nb_trajectory_put(real *array, int32_t stride, int32_t at, nb_vec3 x) {
    array[at] = (real)x.x;
    array[stride + at] = (real)x.y;
    array[2 * stride + at] = (real)x.z;
}

NB_INLINE_FN nb_vec3 nb_trajectory_of_slot(const real *array, int32_t slots, int32_t slot) {
    return nb_vec3_of((double)array[slot], (double)array[slots + slot], (double)array[2 * slots + slot]);
}

/* masses and u~ of the slots (nb_step_begin) */
NB_FN void nb_trajectory_begin_bodies(nb_trajectory *c, const nb_trajectory_scene *k, const nb_island *v, int t,
                                      int threads) {
    for (int32_t i = t; i < k->slots; i += threads) {
        const nb_body *body = &c->world.bodies[k->body[i]];
        const int moves = body->kind == NB_BODY_DYNAMIC;
        const nb_vec3 none = nb_vec3_of(0, 0, 0);
        nb_free_spin spin;
        c->inverse_mass[i] = moves ? 1 / body->mass : 0;
        c->free_velocity[i] = c->free_spin[i] = none;
        for (int j = 0; j < 3; j++)
            for (int n = 0; n < 3; n++) c->inverse_inertia[i].m[j][n] = 0;
        if (moves) {
            c->inverse_inertia[i] = nb_turned_inverse_inertia(body, body->orientation);
            nb_turn_free_spin(body, c->world.settings.gyroscopic, k->h, &spin);
            c->free_spin[i] = spin.spin;
            c->free_velocity[i] = nb_add_scaled(body->linear_velocity, k->h,
                                                nb_add_scaled(c->world.gravity, 1 / body->mass, body->force));
        }
        const nb_mat3 *inverse = &c->inverse_inertia[i];
        v->inverse_mass[i] = (real)c->inverse_mass[i];
        for (int j = 0; j < 3; j++) v->inverse_mass[(1 + j) * k->slots + i] = (real)inverse->m[j][j];
        v->inverse_mass[4 * k->slots + i] = (real)inverse->m[0][1];
        v->inverse_mass[5 * k->slots + i] = (real)inverse->m[0][2];
        v->inverse_mass[6 * k->slots + i] = (real)inverse->m[1][2];
        nb_trajectory_put(v->u_free, k->slots, i, c->free_velocity[i]);
        nb_trajectory_put(v->u_free + 3 * k->slots, k->slots, i, c->free_spin[i]);
        for (int j = 0; j < 6; j++) v->u[j * k->slots + i] = 0;
    }
}

/* where the contact holds its body, from the body's centre */
NB_INLINE_FN nb_vec3 nb_trajectory_arm(const nb_trajectory *c, const nb_contact *contact, int side) {
    return side ? nb_sub(contact->point_b, c->world.bodies[contact->body_b].position)
                : nb_sub(contact->point_a, c->world.bodies[contact->body_a].position);
}

/* d . D d for a direction of the contact */
NB_INLINE_FN double nb_trajectory_share(const nb_trajectory *c, int32_t slot, nb_vec3 arm, nb_vec3 direction) {
    const nb_vec3 turning = nb_cross(arm, direction);
    return c->inverse_mass[slot] + nb_dot(turning, nb_mat3_apply(&c->inverse_inertia[slot], turning));
}

/* contact t, from zero impulses; lanes beyond have none */
NB_FN void nb_trajectory_begin_contact(nb_trajectory *c, const nb_trajectory_scene *k, const nb_island *v, int t) {
    nb_vec3 direction[3];
    double diagonal[3];
    if (t >= v->contacts) return;
    const nb_contact *contact = &c->contact[t];
    const nb_vec3 arm_a = nb_trajectory_arm(c, contact, 0), arm_b = nb_trajectory_arm(c, contact, 1);
    const int32_t a = k->slot[contact->body_a], b = k->slot[contact->body_b], n = v->threads;
    direction[0] = contact->normal;
    nb_tangents(contact->normal, &direction[1], &direction[2]);
    for (int i = 0; i < 3; i++)
        diagonal[i] = nb_trajectory_share(c, a, arm_a, direction[i]) + nb_trajectory_share(c, b, arm_b, direction[i]);
    c->tangent[2 * t] = direction[1];
    c->tangent[2 * t + 1] = direction[2];
    c->weight[2 * t] = diagonal[0];
    c->weight[2 * t + 1] = (diagonal[1] + diagonal[2]) / 2;
    v->a[t] = a;
    v->b[t] = b;
    nb_trajectory_put(v->geometry, n, t, direction[0]);
    nb_trajectory_put(v->geometry + 3 * n, n, t, direction[1]);
    nb_trajectory_put(v->geometry + 6 * n, n, t, arm_a);
    nb_trajectory_put(v->geometry + 9 * n, n, t, arm_b);
    v->offset[t] = (real)(contact->gap / k->h);
    v->arms_turn[t] = 0;
    v->coefficient[t] = (real)contact->friction;
    nb_trajectory_put(v->z, n, t, nb_vec3_of(0, 0, 0));
}

/* position and orientation of a body of the world, or the world (-1), at the iterate, or where it is */
NB_INLINE_FN void nb_trajectory_pose(const nb_trajectory *c, const nb_trajectory_scene *k, const nb_island_shared *s,
                                     int32_t body, nb_vec3 *x, nb_quat *q) {
    nb_vec3 velocity = nb_vec3_of(0, 0, 0), spin = velocity;
    *x = velocity;
    *q = nb_quat_identity();
    if (body < 0) return;
    if (s) {
        velocity = nb_trajectory_of_slot(s->motion, s->slots, k->slot[body]);
        spin = nb_trajectory_of_slot(s->motion + 3 * s->slots, s->slots, k->slot[body]);
    }
    nb_body_after(&c->world.bodies[body], s ? k->h : 0, velocity, spin, x, q);
}

/* what the rows of the joint have in common, at the iterate, or where bodies are without `s` */
NB_INLINE_FN nb_joint_frames nb_trajectory_frames(const nb_trajectory *c, const nb_trajectory_scene *k,
                                                  const nb_island_shared *s, const nb_joint *joint) {
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_trajectory_pose(c, k, s, joint->body_a, &xa, &qa);
    nb_trajectory_pose(c, k, s, joint->body_b, &xb, &qb);
    return nb_joint_frames_at(joint, xa, qa, xb, qb);
}

/* Turns of joints, dampers and motors of step `step`, as nb_world_begin_step has them. */
NB_CALLED_FN void nb_trajectory_begin_joints(const nb_trajectory *c, const nb_trajectory_scene *k, int32_t step, int t,
                                             int threads) {
    for (int32_t j = t; j < k->joints; j += threads) {
        nb_joint *joint = &c->world.joints[j];
        nb_vec3 xa, xb;
        nb_quat qa, qb;
        nb_motor motor;
        const int32_t driven = k->motor_of[j];
        if (driven >= 0) motor = k->motor[driven];
        const nb_coordinate at = driven >= 0 ? nb_coordinate_between(joint, motor.along, motor.anchor, motor.frame)
                                             : nb_coordinate_between(joint, joint->kind == NB_JOINT_PRISMATIC,
                                                                     joint->anchor_b, joint->frame_b);
        nb_world_pose(&c->world, joint->body_a, &xa, &qa);
        nb_world_pose(&c->world, joint->body_b, &xb, &qb);
        if (driven >= 0 || joint->kind == NB_JOINT_REVOLUTE) {
            joint->turned = nb_coordinate_row_at(&at, joint->counted ? joint->turned : 0, xa, qa, xb, qb).value;
            joint->counted = 1;
        }
        if (joint->damping[0] > 0 || joint->damping[3] > 0) nb_joint_begin_dampers(joint, k->h, xa, qa, xb, qb);
        if (driven < 0) continue;
        const nb_trajectory_aim *aim = &k->aim[(int64_t)(step < k->aims ? step : k->aims - 1) * k->motors + driven];
        motor.target = aim->target;
        motor.rate = aim->rate;
        nb_joint_begin_motor(joint, &motor, nb_coordinate_row_at(&at, motor.target, xa, qa, xb, qb).value, k->h);
    }
}

/* row t - joint_first of the joints, from zero impulses */
NB_CALLED_FN void nb_trajectory_begin_joint_row(const nb_trajectory *c, const nb_trajectory_scene *k,
                                                const nb_island_settings *p, const nb_island *v, int t) {
    const int32_t i = t - v->joint_first, n = v->threads;
    const double h = (double)p->h;
    if (i < 0 || i >= k->joint_rows) return;
    const nb_joint *joint = &c->world.joints[k->row[i].joint];
    const nb_joint_frames at = nb_trajectory_frames(c, k, NULL, joint);
    const nb_joint_row row = nb_joint_row_at(joint, &at, k->row[i].row);
    const nb_joint_start start = nb_joint_start_at(joint, &at, k->row[i].row);
    v->a[t] = k->row[i].a;
    v->b[t] = k->row[i].b;
    nb_trajectory_put(v->geometry, n, t, row.linear_a);
    nb_trajectory_put(v->geometry + 3 * n, n, t, row.angular_a);
    nb_trajectory_put(v->geometry + 6 * n, n, t, row.linear_b);
    nb_trajectory_put(v->geometry + 9 * n, n, t, row.angular_b);
    v->motion[t] = (int32_t)start.motion;
    for (int j = 0; j < NB_JOINT_NUMBERS; j++) v->joint[j * n + t] = (real)start.numbers[j];
    v->offset[t] = (real)(row.value / h);
    v->coefficient[t] = (real)(row.compliance / (h * h));
    v->z[t] = 0;
}

NB_FN void nb_trajectory_count_sides(const nb_island *v, int t, int threads) {
    if (t == 0) v->side_start[0] = 0;
    for (int32_t i = t; i < v->bodies; i += threads) {
        int32_t count = 0;
        for (int32_t e = 0; e < v->contacts; e++) count += (v->a[e] == i) + (v->b[e] == i);
        for (int32_t e = v->joint_first; e < v->joint_first + v->joint_rows; e++)
            count += (v->a[e] == i) + (v->b[e] == i);
        v->side_start[i + 1] = count;
    }
}

/* by one thread */
NB_FN void nb_trajectory_add_sides(const nb_island *v) {
    for (int32_t i = 0; i < v->bodies; i++) v->side_start[i + 1] += v->side_start[i];
}

/* those of elements [begin, end) on body i, which come to number `to` on; returns the end of them */
NB_INLINE_FN int32_t nb_trajectory_list_side(const nb_island *v, int32_t i, int32_t begin, int32_t end, int32_t to) {
    for (int32_t e = begin; e < end; e++) {
        if (v->a[e] == i) v->side_list[to++] = 2 * e;
        if (v->b[e] == i) v->side_list[to++] = 2 * e + 1;
    }
    return to;
}

NB_FN void nb_trajectory_list_sides(const nb_island *v, int t, int threads) {
    for (int32_t i = t; i < v->bodies; i += threads) {
        const int32_t to = nb_trajectory_list_side(v, i, 0, v->contacts, v->side_start[i]);
        nb_trajectory_list_side(v, i, v->joint_first, v->joint_first + v->joint_rows, to);
    }
}

/* ---- the harness's natural map ---- */

/* the velocity of a slot's point at the iterate */
NB_INLINE_FN nb_vec3 nb_trajectory_velocity(const nb_island_shared *s, int32_t slot, nb_vec3 arm) {
    return nb_add(nb_trajectory_of_slot(s->motion, s->slots, slot),
                  nb_cross(nb_trajectory_of_slot(s->motion + 3 * s->slots, s->slots, slot), arm));
}

/* Largest: the errors of contact t, and in *scale the largest of its row values. Its force is left for the bodies. */
NB_FN void nb_trajectory_measure_contact(nb_trajectory *c, const nb_trajectory_scene *k, const nb_island *v,
                                         const nb_island_shared *s, nb_island_lane *l, int t, int values) {
    nb_island_clear_sums(l);
    if (t >= v->contacts) return;
    const nb_contact *contact = &c->contact[t];
    const nb_vec3 t1 = c->tangent[2 * t], t2 = c->tangent[2 * t + 1];
    const nb_vec3 slip = nb_sub(nb_trajectory_velocity(s, l->a, nb_trajectory_arm(c, contact, 0)),
                                nb_trajectory_velocity(s, l->b, nb_trajectory_arm(c, contact, 1)));
    const double z[3] = {(double)l->z[0], (double)l->z[1], (double)l->z[2]};
    const double across[2] = {nb_dot(t1, slip), nb_dot(t2, slip)},
                 along = contact->gap / k->h + nb_dot(contact->normal, slip);
    const double force = c->weight[2 * t] * z[0], value = along + k->soft * z[0], limit = contact->friction * z[0];
    double error = nb_normal_error(value, force, DBL_EPSILON * fabs(force));
    if (isnan(value) || isnan(force)) error = NAN;
    error = nb_island_larger(error, nb_disc_error(z + 1, across, c->weight[2 * t + 1], fmax(0.0, limit)));
    c->push[t] = nb_add_scaled(nb_add_scaled(nb_scale(z[0], contact->normal), z[1], t1), z[2], t2);
    if (values) error = fmax(fabs(along), fmax(fabs(across[0]), fabs(across[1])));
    l->sums[NB_ISLAND_SUMS - 1] = error;
}

/* J of one side times the velocities there, and J D J^T */
NB_INLINE_FN double nb_trajectory_row_speed(const nb_island_shared *s, int32_t slot, nb_vec3 linear, nb_vec3 angular) {
    if (slot < 0) return 0;
    return nb_dot(linear, nb_trajectory_of_slot(s->motion, s->slots, slot)) +
           nb_dot(angular, nb_trajectory_of_slot(s->motion + 3 * s->slots, s->slots, slot));
}

NB_INLINE_FN double nb_trajectory_row_weight(const nb_trajectory *c, int32_t slot, nb_vec3 linear, nb_vec3 angular) {
    if (slot < 0) return 0;
    return c->inverse_mass[slot] * nb_dot(linear, linear) +
           nb_dot(angular, nb_mat3_apply(&c->inverse_inertia[slot], angular));
}

/* The same of a row of a joint, which the lane has: at the end of the step, or, frozen, at its start. */
NB_CALLED_FN void nb_trajectory_measure_joint_row(const nb_trajectory *c, const nb_trajectory_scene *k,
                                                  const nb_island_shared *s, nb_island_lane *l, int t, int values) {
    const int32_t i = t - s->joint_first;
    if (l->kind != 2) return;
    const nb_joint *joint = &c->world.joints[k->row[i].joint];
    const nb_joint_frames at = nb_trajectory_frames(c, k, k->frozen ? NULL : s, joint);
    const nb_joint_row row = nb_joint_row_at(joint, &at, k->row[i].row);
    const double z = (double)l->z[0], weight = nb_trajectory_row_weight(c, l->a, row.linear_a, row.angular_a) +
                                               nb_trajectory_row_weight(c, l->b, row.linear_b, row.angular_b);
    double value = row.value / k->h;
    if (k->frozen)
        value += nb_trajectory_row_speed(s, l->a, row.linear_a, row.angular_a) +
                 nb_trajectory_row_speed(s, l->b, row.linear_b, row.angular_b);
    const double error = fabs(value + row.compliance / (k->h * k->h) * z), noise = DBL_EPSILON * fabs(weight * z);
    c->pull[i].linear_a = nb_scale(z, row.linear_a);
    c->pull[i].angular_a = nb_scale(z, row.angular_a);
    c->pull[i].linear_b = nb_scale(z, row.linear_b);
    c->pull[i].angular_b = nb_scale(z, row.angular_b);
    l->sums[NB_ISLAND_SUMS - 1] = values ? fabs(value) : error < noise ? noise : error;
}

/* M^-1 g = (u - u~) - M^-1 J^T z of a body; that of rotation times the radius of gyration */
NB_INLINE_FN double nb_trajectory_momentum_error(const nb_trajectory *c, const nb_island_shared *s, int32_t i) {
    const nb_mat3 *inverse = &c->inverse_inertia[i];
    const double radius = sqrt(3 * c->inverse_mass[i] / (inverse->m[0][0] + inverse->m[1][1] + inverse->m[2][2]));
    nb_vec3 force = nb_vec3_of(0, 0, 0), torque = force;
    for (int32_t n = s->side_start[i]; n < s->side_start[i + 1]; n++) {
        const int32_t element = s->side_list[n] / 2, side = s->side_list[n] % 2;
        if (element >= s->joint_first) {
            const nb_trajectory_pull *pull = &c->pull[element - s->joint_first];
            force = nb_add(force, side ? pull->linear_b : pull->linear_a);
            torque = nb_add(torque, side ? pull->angular_b : pull->angular_a);
            continue;
        }
        const nb_vec3 push = nb_scale(side ? -1 : 1, c->push[element]);
        force = nb_add(force, push);
        torque = nb_add(torque, nb_cross(nb_trajectory_arm(c, &c->contact[element], side), push));
    }
    const nb_vec3 off = nb_sub(nb_sub(nb_trajectory_of_slot(s->motion, s->slots, i), c->free_velocity[i]),
                               nb_scale(c->inverse_mass[i], force));
    const nb_vec3 turned =
        nb_scale(radius, nb_sub(nb_sub(nb_trajectory_of_slot(s->motion + 3 * s->slots, s->slots, i), c->free_spin[i]),
                                nb_mat3_apply(inverse, torque)));
    const double parts[6] = {off.x, off.y, off.z, turned.x, turned.y, turned.z};
    double largest = 0;
    for (int j = 0; j < 6; j++) largest = nb_island_larger(largest, fabs(parts[j]));
    return largest;
}

/* Largest: the lane's error so far, and those of its bodies. */
NB_FN void nb_trajectory_measure_bodies(const nb_trajectory *c, const nb_island_shared *s, nb_island_lane *l, int t,
                                        int threads) {
    double *error = &l->sums[NB_ISLAND_SUMS - 1];
    for (int32_t i = t; i < s->bodies; i += threads)
        *error = nb_island_larger(*error, nb_trajectory_momentum_error(c, s, i));
}

/* ---- the end of a step ---- */

/* Takes the iterate's velocities and moves the bodies. Sums: kinetic and potential energy. */
NB_FN void nb_trajectory_move(nb_trajectory *c, const nb_trajectory_scene *k, const nb_island_shared *s,
                              nb_island_lane *l, int t, int threads) {
    nb_island_clear_sums(l);
    for (int32_t i = t; i < s->bodies; i += threads) {
        nb_body *body = &c->world.bodies[k->body[i]];
        body->linear_velocity = nb_trajectory_of_slot(s->motion, s->slots, i);
        body->angular_velocity = nb_trajectory_of_slot(s->motion + 3 * s->slots, s->slots, i);
        nb_body_move(body, k->h);
        l->sums[0] += nb_body_kinetic_energy(body);
        l->sums[1] -= body->mass * nb_dot(c->world.gravity, body->position);
    }
}

/* Sums: adds the potential energy that a row's compliance took up, where the bodies have come to. */
NB_CALLED_FN void nb_trajectory_add_spring(const nb_trajectory *c, const nb_trajectory_scene *k, nb_island_lane *l,
                                           int32_t i) {
    if (l->kind != 2 || !k->row[i].keeps_energy) return;
    const nb_joint *joint = &c->world.joints[k->row[i].joint];
    const nb_joint_frames at = nb_trajectory_frames(c, k, NULL, joint);
    const nb_joint_row row = nb_joint_row_at(joint, &at, k->row[i].row);
    l->sums[1] += 0.5 * row.value * row.value / row.compliance;
}

/* Largest: how deep contact t is. */
NB_FN void nb_trajectory_measure_depth(const nb_trajectory *c, const nb_island *v, nb_island_lane *l, int t) {
    nb_island_clear_sums(l);
    if (t < v->contacts) l->sums[NB_ISLAND_SUMS - 1] = fmax(0.0, -c->contact[t].gap);
}

#endif
