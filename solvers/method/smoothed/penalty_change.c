#include "penalty_change.h"

#include <string.h>
#include <tgmath.h>

#include "contact/contact.h"
#include "model/carried.h"
#include "model/pair.h"

NB_PRECISIONS(f32, f64);

enum {
    MOTIONS = 7,           /* of a side: 3 of its centre, 3 turns, its size */
    COLUMNS = 2 * MOTIONS, /* of both */
    INPUTS = 2 * NB_CHANGE_INPUTS
};

static nb_vec3 unit(int k) {
    return nb_vec3_of(k == 0, k == 1, k == 2);
}

static void write_vector(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

/* motion `k` of a side; MOTIONS: none */
static nb_body_tangent motion(int k) {
    const nb_vec3 none = {0, 0, 0};
    return (nb_body_tangent){k < 3 ? unit(k) : none, k >= 3 && k < 6 ? unit(k - 3) : none, k == 6};
}

void nb_penalty_move_bodies(const nb_world *world, const nb_problem *p, double h, nb_body *end, nb_body_turn *turn,
                            double *all) {
    for (int32_t i = 0; i < world->body_count; i++) {
        const nb_body *body = &world->bodies[i];
        double *u = all + 6 * (ptrdiff_t)i;
        for (int k = 0; k < 6; k++) u[k] = body->kind == NB_BODY_FIXED ? 0 : (double)p->u[p->nodes->velocity[i] + k];
        const nb_vec3 spin = nb_vec3_of(u[3], u[4], u[5]);
        end[i] = *body;
        turn[i] = nb_body_turn_of(h, spin);
        end[i].position = nb_add_scaled(body->position, h, nb_vec3_of(u[0], u[1], u[2]));
        end[i].orientation = nb_quat_advance(body->orientation, h, spin);
    }
}

/* ---- from motions of the bodies to inputs and velocities ---- */

/* Those of the end follow a small motion of the start, and velocities. `by` [12][COLUMNS] is by motions of the end
 * (`at_end`), or of the start. by_velocity has what velocities change by themselves, and is added to. */
static void add_motions(const nb_penalty_place *at, int at_end, const double *by, nb_penalty_change *c) {
    for (int side = 0; side < 2; side++) {
        const int32_t body = c->body[side];
        if (body < 0) continue;
        const nb_body_turn *turn = &at->turn[body];
        for (int r = 0; r < 12; r++) {
            const double *from = by + r * COLUMNS + side * MOTIONS;
            double *in = c->by_input + r * INPUTS + side * NB_CHANGE_INPUTS, *u = c->by_velocity + 12 * r + 6 * side;
            nb_vec3 by_turn = nb_vec3_of(from[3], from[4], from[5]), by_spin = {0, 0, 0};
            memcpy(in, from, MOTIONS * sizeof *in);
            if (!at_end) continue;
            write_vector(nb_body_turn_back(turn, by_turn), in + 3);
            by_spin = nb_body_turn_change_back(turn, at->h, by_turn);
            const double spins[3] = {by_spin.x, by_spin.y, by_spin.z};
            for (int k = 0; k < 3; k++) {
                u[k] += at->h * from[k];
                u[3 + k] += spins[k];
            }
        }
    }
}

/* ---- contacts ---- */

/* a contact of the end as such: the step's rows have its points turned back to the start (penalty_contacts.h) */
static nb_contact contact_at_end(const nb_penalty_place *at, const nb_contact *contact) {
    nb_contact c = *contact;
    nb_vec3 *const point[2] = {&c.point_a, &c.point_b};
    const int32_t body[2] = {c.body_a, c.body_b};
    for (int side = 0; side < 2; side++) {
        const nb_body *start = &at->start->bodies[body[side]], *end = &at->end->bodies[body[side]];
        nb_vec3 arm = nb_sub(*point[side], start->position);
        if (start->kind == NB_BODY_FIXED) continue;
        if (!at->problem->contacts_linear) arm = nb_body_turn_apply(&at->turn[body[side]], arm);
        *point[side] = nb_add(end->position, arm);
    }
    return c;
}

/* out [12] += J^T (-T dv) */
static void add_answer(double j[3][12], const double *t, const double dv[3], int stride, double *out) {
    for (int k = 0; k < 3; k++) {
        const double dz = -(t[3 * k] * dv[0] + t[3 * k + 1] * dv[1] + t[3 * k + 2] * dv[2]);
        for (int r = 0; r < 12; r++) out[r * stride] += j[k][r] * dz;
    }
}

/* Rows where the features are: at the end the gap is that of the features alone, and slips have their arms. */
static void rows_at(const nb_penalty_place *at, const nb_contact *contact, nb_contact_rows_at *rows) {
    const int32_t a = contact->body_a, b = contact->body_b;
    const double *u[2] = {at->u + 6 * (ptrdiff_t)a, at->u + 6 * (ptrdiff_t)b};
    const int linear = at->of_iterate || at->problem->contacts_linear || !nb_contact_turns(at->start, a, b);
    nb_contact_rows_evaluate_bare(at->of_iterate ? at->end : at->start, contact, at->h, linear, u[0], u[1], rows);
    nb_contact_rows_carry(at->start, contact, at->of_iterate || !linear, rows);
    if (!at->of_iterate) return;
    rows->linear = rows->carried = 0; /* what a kinematic body carries does not move with the end */
    rows->moved = nb_vec3_of(0, 0, 0);
    for (int side = 0; side < 2; side++) rows->end[side].turn = nb_body_turn_of(at->h, nb_vec3_of(0, 0, 0));
}

/* by what velocities change of the rows, their features as they are */
static void add_velocities(const nb_penalty_place *at, const nb_contact_rows_at *rows, const double z[3],
                           const double *t, double j[3][12], nb_penalty_change *c) {
    double by_velocity[3][12], stiffness[2][3][3];
    if (at->of_iterate) {
        memcpy(by_velocity, j, sizeof by_velocity);
        memset(by_velocity[0], 0, sizeof *by_velocity); /* the gap is where the bodies are */
    } else {
        nb_contact_rows_by_velocity(rows, by_velocity);
        nb_contact_rows_stiffness(rows, z, stiffness);
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 9; k++)
                c->by_velocity[12 * (6 * side + 3 + k / 3) + 6 * side + 3 + k % 3] += stiffness[side][k / 3][k % 3];
    }
    for (int v = 0; v < 12; v++) {
        const double dv[3] = {by_velocity[0][v], by_velocity[1][v], by_velocity[2][v]};
        add_answer(j, t, dv, 12, c->by_velocity + v);
    }
}

/* friction's impulse is -h lambda c v_t, c that of nb_friction_slope */
static void add_friction(const nb_penalty_place *at, const nb_contact *contact, const real *value, const double z[3],
                         double j[3][12], nb_penalty_change *c) {
    const nb_smoothed_friction *law = &at->rows->law;
    const double slip[2] = {(double)value[1], (double)value[2]};
    const double mu = contact->friction;
    if (!(mu > 0)) return;
    const double by_mu = (double)nb_friction_by_mu(law, (real)mu, (real)sqrt(slip[0] * slip[0] + slip[1] * slip[1]));
    for (int side = 0; side < 2; side++) {
        const double own = nb_world_friction_slope(at->start, mu, c->body[side], c->body[1 - side]);
        for (int r = 0; r < 12; r++)
            for (int k = 0; k < 2; k++)
                c->by_input[r * INPUTS + side * NB_CHANGE_INPUTS + NB_CHANGE_FRICTION] -=
                    own * by_mu * z[0] * slip[k] * j[1 + k][r];
    }
}

/* how what a kinematic body carries changes with the start */
static void add_carried(const nb_penalty_place *at, const nb_contact_rows_at *rows, const double *t, double j[3][12],
                        nb_penalty_change *c) {
    nb_contact_rows_at start = *rows;
    start.carried = at->start->bodies[c->body[1]].kind == NB_BODY_KINEMATIC;
    start.end[1].turn = at->turn[c->body[1]];
    for (int side = 0; side < 2 && start.carried; side++)
        for (int k = 0; k < 3; k++) {
            double dv[3] = {0};
            nb_contact_rows_carry_change(&start, nb_scale(side ? -1 : 1, unit(k)), dv);
            add_answer(j, t, dv, INPUTS, c->by_input + side * NB_CHANGE_INPUTS + NB_CHANGE_POSITION + k);
        }
}

nb_status nb_penalty_change_of_contact(const nb_penalty_place *at, const nb_contact *contact, const real *value,
                                       const real *impulse, const double *t, nb_penalty_change *c) {
    nb_status status;
    const nb_contact moved = at->of_iterate ? contact_at_end(at, contact) : *contact;
    const double z[3] = {(double)impulse[0], (double)impulse[1], (double)impulse[2]};
    nb_contact_rows_at rows;
    nb_contact_features features;
    double by[12 * COLUMNS], j[3][12], dv[3], wrench[12];
    *c = (nb_penalty_change){.body = {contact->body_a, contact->body_b}};
    NB_TRY(nb_contact_features_of(at->of_iterate ? at->end : at->start, &moved, &features));
    rows_at(at, &moved, &rows);
    nb_contact_rows_jacobian(&rows, j);
    add_velocities(at, &rows, z, t, j, c);
    for (int v = 0; v < COLUMNS; v++) {
        const nb_body_tangent still = motion(MOTIONS), own = motion(v % MOTIONS);
        nb_contact_rows_by_geometry(&rows, &features, z, v < MOTIONS ? &own : &still, v < MOTIONS ? &still : &own, dv,
                                    wrench);
        for (int r = 0; r < 12; r++) by[r * COLUMNS + v] = wrench[r];
        add_answer(j, t, dv, COLUMNS, by + v);
    }
    add_motions(at, at->of_iterate, by, c);
    if (at->of_iterate) add_carried(at, &rows, t, j, c);
    add_friction(at, contact, value, z, j, c);
out:
    return status;
}

void nb_penalty_change_keep_moving(const nb_penalty_place *at, const nb_contact *contact, const double *t,
                                   nb_penalty_change *c) {
    const nb_contact moved = contact_at_end(at, contact);
    nb_contact_rows_at rows;
    double j[3][12];
    rows_at(at, &moved, &rows);
    nb_contact_rows_jacobian(&rows, j);
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            for (int r = 0; r < 144; r++) c->by_velocity[r] += j[k][r / 12] * t[3 * k + l] * j[l][r % 12];
}

/* ---- joints ---- */

/* a row's numbers over the velocities of a and b */
static void row_of(const nb_joint_row *row, double out[12]) {
    write_vector(row->linear_a, out);
    write_vector(row->angular_a, out + 3);
    write_vector(row->linear_b, out + 6);
    write_vector(row->angular_b, out + 9);
}

static void pose_of(const nb_penalty_place *at, int32_t body, nb_vec3 *x, nb_quat *q) {
    const nb_world *world = at->problem->frozen ? at->start : at->end;
    *x = body < 0 ? nb_vec3_of(0, 0, 0) : world->bodies[body].position;
    *q = body < 0 ? nb_quat_identity() : world->bodies[body].orientation;
}

void nb_penalty_change_of_joint(const nb_penalty_place *at, const nb_joint *joint, const double *z, const double *e,
                                const double *damped, nb_penalty_change *c) {
    const int frozen = at->problem->frozen;
    double by[12 * COLUMNS] = {0}, u[12] = {0}, row[NB_JOINT_MAX_ROWS][12], change[12];
    nb_joint_row rows[NB_JOINT_MAX_ROWS], moved[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    *c = (nb_penalty_change){.body = {joint->body_a, joint->body_b}};
    pose_of(at, joint->body_a, &xa, &qa);
    pose_of(at, joint->body_b, &xb, &qb);
    for (int side = 0; side < 2; side++)
        if (c->body[side] >= 0) memcpy(u + 6 * side, at->u + 6 * (ptrdiff_t)c->body[side], 6 * sizeof *u);
    const int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
    for (int k = 0; k < count; k++) row_of(&rows[k], row[k]);
    for (int v = 0; v < COLUMNS; v++) {
        const nb_body_tangent still = motion(MOTIONS), own = motion(v % MOTIONS);
        const nb_body_tangent *a = v < MOTIONS ? &own : &still, *b = v < MOTIONS ? &still : &own;
        if (v % MOTIONS == NB_CHANGE_SIZE) continue;
        nb_joint_differentiate(joint, xa, qa, xb, qb, a->move, a->turn, b->move, b->turn, moved);
        const nb_vec3 move[2] = {a->move, b->move};
        double carried[NB_JOINT_MAX_ROWS] = {0};
        if (frozen) nb_carried_joint_change(at->start, joint, rows, moved, at->h, move, carried);
        for (int k = 0; k < count; k++) {
            double dv = moved[k].value / at->h + carried[k];
            row_of(&moved[k], change);
            for (int r = 0; r < 12; r++) dv += (frozen + damped[k]) * change[r] * u[r]; /* z = -(c/h + that J u)/e */
            for (int r = 0; r < 12; r++) by[r * COLUMNS + v] += z[k] * change[r] - row[k][r] * dv / e[k];
        }
    }
    for (int k = 0; k < count; k++)
        for (int r = 0; r < 144; r++)
            c->by_velocity[r] -= row[k][r / 12] * (frozen + damped[k]) * row[k][r % 12] / e[k];
    add_motions(at, !frozen, by, c);
}
