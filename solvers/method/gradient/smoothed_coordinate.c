#include "smoothed_step.h"

#include <math.h>
#include <string.h>

#include "constraint/step.h"
#include "step_gradient.h"

NB_PRECISIONS(f32, f64);

/* an active row is eliminated as if it gave way by this part of its inverse mass; refinement takes it back */
static const double ease = 1e-10;

/* ---- from a step ---- */

static void begin_term(nb_smoothed_step *s, const nb_world *world, int32_t joint, nb_smoothed_term *at) {
    at->body[0] = at->coordinate.body_a;
    at->body[1] = at->coordinate.body_b;
    at->start = nb_coordinate_now(world, &at->coordinate, nb_coordinate_near(world, joint));
    for (int k = 0; k < 2; k++) at->slot[k] = at->body[k] >= 0 ? s->matrix->pairs.slot[at->body[k]] : -1;
}

void nb_smoothed_coordinate_begin(nb_smoothed_step *s, nb_problem *p, int32_t first) {
    const nb_world *world = s->world;
    nb_smoothed_term *term = s->term;
    for (int32_t i = 0; i < s->coordinates; i++) {
        const nb_coordinate_row *of = nb_step_coordinate_row(nb_step_of(p), i);
        const int32_t r = p->bilaterals + 3 * p->contacts + i;
        nb_smoothed_coordinate *c = &s->coordinate[i];
        nb_coordinate coordinate[NB_COUPLED];
        double factor[NB_COUPLED];
        *c = (nb_smoothed_coordinate){.kind = of->kind, .row = first + i, .term = term};
        c->terms = nb_coordinate_terms(world, of, coordinate, factor);
        for (int k = 0; k < c->terms; k++, term++) {
            term->coordinate = coordinate[k];
            term->factor = factor[k];
            begin_term(s, world, of->coupling < 0 ? of->joint : world->couplings[of->coupling].joint[k], term);
        }
        c->from = nb_coordinate_begin(world, of, &c->term->coordinate, &c->term->start, s->h);
        const double size = (double)p->w[r] + c->from.compliance;
        c->s = size > 0 ? 1 / sqrt(size) : 1;
        c->z = (double)p->z[r];
    }
}

/* ---- the residual ---- */

/* whether its row is that of the start of the step */
static int is_of_start(const nb_smoothed_step *s, const nb_smoothed_coordinate *c) {
    return s->frozen || c->kind == NB_COORDINATE_FRICTION;
}

/* where the row is taken */
static void poses_of(const nb_smoothed_step *s, const nb_smoothed_coordinate *c, const nb_smoothed_term *at,
                     nb_vec3 x[2], nb_quat q[2]) {
    for (int k = 0; k < 2; k++)
        if (is_of_start(s, c))
            nb_world_pose(s->world, at->body[k], &x[k], &q[k]);
        else
            nb_smoothed_step_pose(s, at->body[k], &x[k], &q[k]);
}

static void set_row(double factor, const nb_joint_row *row, double to[12]) {
    const nb_vec3 part[4] = {row->linear_a, row->angular_a, row->linear_b, row->angular_b};
    for (int k = 0; k < 4; k++) {
        to[3 * k] = factor * part[k].x;
        to[3 * k + 1] = factor * part[k].y;
        to[3 * k + 2] = factor * part[k].z;
    }
}

/* j . u of the two bodies, with those that are prescribed */
static double along(const nb_smoothed_term *at, const double j[12], const double *u) {
    double sum = 0;
    for (int k = 0; k < 12; k++)
        if (at->body[k / 6] >= 0) sum += j[k] * u[6 * (ptrdiff_t)at->body[k / 6] + k % 6];
    return sum;
}

void nb_smoothed_coordinate_evaluate(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_coordinate *c = &s->coordinate[i];
    double apart = -c->from.held, rate = 0;
    for (int k = 0; k < c->terms; k++) {
        nb_smoothed_term *at = &c->term[k];
        nb_joint_row row = at->start;
        nb_vec3 x[2];
        nb_quat q[2];
        poses_of(s, c, at, x, q);
        if (!is_of_start(s, c)) row = nb_coordinate_at(&at->coordinate, at->start.value, x[0], q[0], x[1], q[1]);
        set_row(at->factor, &row, at->j);
        if (is_of_start(s, c)) rate += along(at, at->j, s->u);
        apart += at->factor * row.value;
    }
    c->by_apart = 1 / s->h;
    c->value = rate;
    if (c->kind == NB_COORDINATE_ARMATURE)
        c->value += nb_coordinate_rate_of_change(&c->term->coordinate, apart, s->h, &c->by_apart) - c->from.rate;
    else if (c->kind == NB_COORDINATE_FRICTION)
        c->by_apart = 0;
    else
        c->value += apart / s->h;
}

void nb_smoothed_coordinate_start(nb_smoothed_step *s, int32_t i) {
    const nb_smoothed_coordinate *c = &s->coordinate[i];
    s->zeta[c->row] = c->z / c->s - c->s * (c->value + c->from.compliance * c->z);
}

void nb_smoothed_coordinate_add_residual(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_coordinate *c = &s->coordinate[i];
    nb_smoothed_box_at(s->rho, s->zeta[c->row], c->from.lower / c->s, c->from.upper / c->s, &c->pair);
    c->z = c->s * c->pair.x;
    s->rz[c->row] = c->s * (c->value + c->from.compliance * c->z) - c->pair.y;
    for (int k = 0; k < c->terms; k++) {
        const nb_smoothed_term *at = &c->term[k];
        for (int v = 0; v < 12; v++)
            if (at->slot[v / 6] >= 0) s->ru[6 * (ptrdiff_t)at->body[v / 6] + v % 6] -= c->z * at->j[v];
    }
}

/* ---- the linear systems ---- */

/* q and k of a term: the derivatives of y and of -J^T z by the velocities */
static void linearise_term(const nb_smoothed_step *s, const nb_smoothed_coordinate *c, nb_smoothed_term *at) {
    nb_vec3 x[2];
    nb_quat q[2];
    memset(at->k, 0, sizeof at->k);
    if (is_of_start(s, c)) {
        for (int v = 0; v < 12; v++) at->q[v] = c->s * at->j[v];
        return;
    }
    poses_of(s, c, at, x, q);
    for (int v = 0; v < 12; v++) {
        nb_vec3 move[2] = {{0}}, turn[2] = {{0}};
        double row[12];
        nb_smoothed_step_motion(s, at->body[v / 6], v % 6, &move[v / 6], &turn[v / 6]);
        const nb_joint_row change = nb_coordinate_differentiate(&at->coordinate, x[0], q[0], x[1], q[1], move, turn);
        at->q[v] = c->s * at->factor * c->by_apart * change.value;
        set_row(at->factor, &change, row);
        for (int k = 0; k < 12; k++) at->k[12 * k + v] = -c->z * row[k];
    }
}

void nb_smoothed_coordinate_linearise(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_coordinate *c = &s->coordinate[i];
    c->t = c->s * c->pair.slope;
    c->c = c->pair.rest + c->s * c->from.compliance * c->t;
    c->inverse = 1 / fmax(c->c, ease);
    for (int k = 0; k < c->terms; k++) linearise_term(s, c, &c->term[k]);
}

void nb_smoothed_coordinate_assemble(nb_smoothed_step *s, int32_t i) {
    const nb_smoothed_coordinate *c = &s->coordinate[i];
    double block[144];
    for (int n = 0; n < c->terms * c->terms; n++) {
        const nb_smoothed_term *at = &c->term[n / c->terms], *by = &c->term[n % c->terms];
        for (int k = 0; k < 144; k++)
            block[k] = c->t * c->inverse * at->j[k / 12] * by->q[k % 12] + (at == by ? at->k[k] : 0);
        nb_smoothed_matrix_add(s->matrix, at->slot, by->slot, block);
    }
}

/* of the two bodies with mass */
static void gather(const nb_smoothed_term *at, const double *u, double own[12]) {
    for (int k = 0; k < 12; k++) own[k] = at->slot[k / 6] >= 0 ? u[6 * (ptrdiff_t)at->body[k / 6] + k % 6] : 0;
}

static void scatter(const nb_smoothed_term *at, const double own[12], double *u) {
    for (int k = 0; k < 12; k++)
        if (at->slot[k / 6] >= 0) u[6 * (ptrdiff_t)at->body[k / 6] + k % 6] += own[k];
}

void nb_smoothed_coordinate_eliminate(const nb_smoothed_step *s, int32_t i, const nb_smoothed_solution *x,
                                      double *force) {
    const nb_smoothed_coordinate *c = &s->coordinate[i];
    const double row = c->inverse * x->rz[c->row];
    for (int n = 0; n < c->terms; n++) {
        const nb_smoothed_term *at = &c->term[n];
        double own[12];
        for (int k = 0; k < 12; k++) own[k] = x->transposed ? -row * at->q[k] : c->t * row * at->j[k];
        scatter(at, own, force);
    }
}

void nb_smoothed_coordinate_recover(const nb_smoothed_step *s, int32_t i, const double *du,
                                    const nb_smoothed_solution *x) {
    const nb_smoothed_coordinate *c = &s->coordinate[i];
    double own[NB_COUPLED][12], driven = 0, *rz = &x->rz[c->row];
    for (int n = 0; n < c->terms; n++) {
        const nb_smoothed_term *at = &c->term[n];
        gather(at, du, own[n]);
        for (int k = 0; k < 12; k++) driven += (x->transposed ? at->j : at->q)[k] * own[n][k];
    }
    *rz += x->transposed ? c->t * driven : -driven;
    const double dz = c->inverse * *rz;
    x->z[c->row] += dz;
    *rz -= c->c * dz;
    for (int n = 0; n < c->terms; n++) {
        const nb_smoothed_term *at = &c->term[n];
        double out[12];
        for (int k = 0; k < 12; k++) {
            out[k] = x->transposed ? -at->q[k] * dz : at->j[k] * c->t * dz;
            for (int v = 0; v < 12; v++) out[k] -= at->k[x->transposed ? 12 * v + k : 12 * k + v] * own[n][v];
        }
        scatter(at, out, x->ru);
    }
}

/* ---- inputs ---- */

static nb_vec3 read_vector(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

/* the change of s at the start of the step, and h before that, where its bodies [2] have these inputs */
static double start_change(const nb_smoothed_step *s, const nb_smoothed_term *at, const double *const in[2],
                           int before) {
    nb_vec3 x[2], move[2] = {{0}}, turn[2] = {{0}};
    nb_quat q[2];
    for (int k = 0; k < 2; k++) {
        nb_vec3 v, omega;
        nb_pose_before(s->world, at->body[k], before ? s->h : 0, &x[k], &q[k]);
        if (at->body[k] < 0) continue;
        move[k] = read_vector(in[k] + NB_INPUT_POSITION);
        turn[k] = read_vector(in[k] + NB_INPUT_POSITION + 3);
        if (!before) continue;
        nb_velocities_before(s->world, at->body[k], &v, &omega);
        const nb_body_turn back = nb_body_turn_of(-s->h, omega);
        turn[k] = nb_body_turn_apply(&back, turn[k]);
        if (s->world->bodies[at->body[k]].kind != NB_BODY_DYNAMIC) continue; /* its velocity is no input */
        move[k] = nb_add_scaled(move[k], -s->h, read_vector(in[k] + NB_INPUT_VELOCITY));
        turn[k] = nb_add(turn[k], nb_body_turn_change(&back, -s->h, read_vector(in[k] + NB_INPUT_VELOCITY + 3)));
    }
    return nb_coordinate_differentiate(&at->coordinate, x[0], q[0], x[1], q[1], move, turn).value;
}

/* of the rate of a rotor in the step before */
static double rate_change(const nb_smoothed_step *s, const nb_smoothed_term *at, const double *const in[2]) {
    nb_vec3 x[2];
    nb_quat q[2];
    double slope;
    for (int k = 0; k < 2; k++) nb_pose_before(s->world, at->body[k], s->h, &x[k], &q[k]);
    const double start = at->start.value,
                 before = nb_coordinate_at(&at->coordinate, start, x[0], q[0], x[1], q[1]).value;
    nb_coordinate_rate_of_change(&at->coordinate, start - before, s->h, &slope);
    return slope * (start_change(s, at, in, 0) - start_change(s, at, in, 1));
}

/* What inputs of the bodies of a term, [2][NB_INPUTS], change of its -J^T z; returns that of y. */
static double change_of_term(const nb_smoothed_step *s, const nb_smoothed_coordinate *c, const nb_smoothed_term *at,
                             const double *const in[2], double wrench[12]) {
    nb_vec3 x[2], move[2] = {{0}}, turn[2] = {{0}};
    nb_quat q[2];
    poses_of(s, c, at, x, q);
    for (int k = 0; k < 2; k++) {
        if (at->body[k] < 0) continue;
        move[k] = read_vector(in[k] + NB_INPUT_POSITION);
        turn[k] = read_vector(in[k] + NB_INPUT_POSITION + 3);
        if (!is_of_start(s, c)) turn[k] = nb_body_turn_apply(&s->turn[at->body[k]], turn[k]);
    }
    const nb_joint_row change = nb_coordinate_differentiate(&at->coordinate, x[0], q[0], x[1], q[1], move, turn);
    double apart = at->factor * change.value;
    set_row(at->factor, &change, wrench);
    double value = is_of_start(s, c) ? along(at, wrench, s->u) : 0;
    for (int k = 0; k < 12; k++) wrench[k] *= -c->z;
    if (c->from.by_start != 0) apart -= c->from.by_start * start_change(s, at, in, 0);
    if (c->kind == NB_COORDINATE_ARMATURE) value -= rate_change(s, at, in);
    return c->s * (value + c->by_apart * apart);
}

void nb_smoothed_coordinate_change(const nb_smoothed_step *s, int32_t i, const double *inputs, double *fu, double *fz) {
    static const double none[NB_INPUTS] = {0};
    const nb_smoothed_coordinate *c = &s->coordinate[i];
    fz[c->row] = 0;
    for (int n = 0; n < c->terms; n++) {
        const nb_smoothed_term *at = &c->term[n];
        const double *in[2];
        double wrench[12];
        for (int k = 0; k < 2; k++) in[k] = at->body[k] < 0 ? none : inputs + NB_INPUTS * (ptrdiff_t)at->body[k];
        fz[c->row] -= change_of_term(s, c, at, in, wrench);
        for (int k = 0; k < 12; k++)
            if (at->body[k / 6] >= 0) fu[6 * (ptrdiff_t)at->body[k / 6] + k % 6] -= wrench[k];
    }
}

void nb_smoothed_coordinate_back(const nb_smoothed_step *s, int32_t i, const double *by_u, const double *by_rows,
                                 double *by_inputs) {
    enum {
        STATE = NB_INPUT_FORCE /* inputs that rows depend on: the first ones of a body */
    };
    static const double none[NB_INPUTS] = {0};
    const nb_smoothed_coordinate *c = &s->coordinate[i];
    for (int n = 0; n < c->terms * 2 * STATE; n++) {
        const nb_smoothed_term *at = &c->term[n / (2 * STATE)];
        const int side = n / STATE % 2, k = n % STATE;
        double one[NB_INPUTS] = {0}, wrench[12];
        const double *const in[2] = {side ? none : one, side ? one : none};
        if (at->body[side] < 0) continue;
        one[k] = 1;
        double sum = change_of_term(s, c, at, in, wrench) * by_rows[c->row];
        for (int v = 0; v < 12; v++)
            if (at->body[v / 6] >= 0) sum += wrench[v] * by_u[6 * (ptrdiff_t)at->body[v / 6] + v % 6];
        by_inputs[NB_INPUTS * (ptrdiff_t)at->body[side] + k] -= sum;
    }
}
