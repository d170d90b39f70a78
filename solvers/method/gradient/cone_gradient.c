#include "cone_gradient.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"
#include "base/random.h"
#include "body_inputs.h"
#include "model/carried.h"
#include "model/pair.h"
#include "smoothed_step.h"

NB_PRECISIONS(f32, f64);

/* Whether the velocities of a step are open: held by the smoothing of contacts alone, so that they are no function of
 * what the step starts from and have no derivatives.
 *
 * Redundant contacts leave normal forces open, and friction may make velocities of these: a face that slides while it
 * turns has a continuum of solutions with other velocities (core/errors.md, "The true error"). The test changes
 * the normal row of each contact by a random number of up to 1 m/s. Open velocities answer in proportion to 1/rho, all
 * others alike at every small rho: a face that sticks, or slides without a turn, moves as far as its rows ask for,
 * whatever its forces do. The answers are taken at rho and at rho/100, at the unknowns of rho; those of contacts that
 * the smoothing rules, of light bodies, grow likewise, and stay below what the rows change by. Open is what grows
 * twofold to more than 10 m/s. */

/* the largest change of a body's velocities, turning included [m/s] */
static double largest_of(const nb_smoothed_step *s, const double *u) {
    double most = 0;
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body *body = &s->world->bodies[i];
        const double *v = u + 6 * (ptrdiff_t)i;
        const nb_vec3 linear = nb_vec3_of(v[0], v[1], v[2]), angular = nb_vec3_of(v[3], v[4], v[5]);
        if (body->kind != NB_BODY_DYNAMIC) continue;
        const double turning = nb_dot(nb_mat3_apply(&s->moments[i], angular), angular) / body->mass;
        nb_raise(&most, sqrt(nb_dot(linear, linear) + turning));
    }
    return most;
}

/* The answer to changes of the contacts' normal rows by up to 1 m/s, the same ones each time, at products `rho` with
 * the unknowns as they are [m/s]. */
static nb_status respond(nb_smoothed_step *s, double rho, double *fu, double *fz, double *su, double *sz,
                         double *answer) {
    const double precision = 1e-10; /* answers are held against each other by factors */
    nb_status status;
    uint64_t state = 1;
    s->rho = rho;
    nb_smoothed_step_evaluate(s);
    nb_smoothed_step_linearise(s, 0);
    memset(fu, 0, 6 * (size_t)s->bodies * sizeof *fu);
    memset(fz, 0, (size_t)s->rows * sizeof *fz);
    for (int32_t i = 0; i < s->contact_count; i++) {
        const nb_smoothed_contact *c = &s->contact[i];
        const double row = c->s / (c->mu > 0 ? c->mu : 1); /* y for a = 1 m/s */
        fz[s->block[s->joints + i].first] = row * nb_random_uniform(&state, -1, 1);
    }
    NB_TRY(nb_smoothed_step_solve(s, 0, fu, fz, precision, su, sz));
    *answer = largest_of(s, su);
out:
    return status;
}

/* Of a step on its central path, which it stays on; its factors are made anew at the next solution. fu, su [bodies][6]
 * and fz, sz [rows]: scratch. Costs two factorisations and two solutions. NB_ERROR_NUMERIC where those fail. */
static nb_status open_velocities(nb_smoothed_step *s, double *fu, double *fz, double *su, double *sz, int *open) {
    /* Open velocities answer in proportion to 1/rho, a hundred times more; others alike. Of contacts that smoothing
     * rules, of light bodies, answers grow likewise, and stay below what the rows change by. */
    const double less = 1e-2, growth = 2, least = 10;
    const double rho = s->rho;
    nb_status status;
    double at, below;
    *open = 0;
    if (s->contact_count == 0) return NB_OK;
    NB_TRY(respond(s, less * rho, fu, fz, su, sz, &below));
    NB_TRY(respond(s, rho, fu, fz, su, sz, &at));
    *open = below > growth * at && below > least;
out:
    if (status != NB_OK) { /* as it was */
        s->rho = rho;
        nb_smoothed_step_evaluate(s);
        nb_smoothed_step_linearise(s, 0);
    }
    return status;
}

typedef struct cone_gradient {
    nb_step_gradient base;
    nb_smoothed_step *step;
    double *fu, *fz; /* [bodies][6], [rows] change of the residual, or multipliers */
    double *su, *sz; /* the same, solved for */
    nb_arena arena;
} cone_gradient;

/* ---- how inputs change the residual ---- */

static nb_vec3 read_vector(const double *from) {
    return nb_vec3_of(from[0], from[1], from[2]);
}

static void write_vector(nb_vec3 from, double *to) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static nb_body_tangent tangent_of(const double *inputs) {
    return (nb_body_tangent){read_vector(inputs + NB_INPUT_POSITION), read_vector(inputs + NB_INPUT_POSITION + 3),
                             inputs[NB_INPUT_SIZE]};
}

static nb_body_inputs inputs_of(const nb_smoothed_step *s, int32_t i) {
    return (nb_body_inputs){&s->world->bodies[i],          &s->moments[i], s->world->gravity,
                            s->world->settings.gyroscopic, s->h,           s->u + 6 * (ptrdiff_t)i};
}

/* the derivative of a contact's `mu` by the friction of one of its bodies */
static double mu_by(const nb_smoothed_step *s, const nb_smoothed_block *block, int side, double mu) {
    return nb_world_friction_slope(s->world, mu, block->body[side], block->body[1 - side]);
}

/* -J^T z on a and b, and the rows of contact i */
static void change_of_contact(const nb_smoothed_step *s, int32_t i, const double *in_a, const double *in_b,
                              double wrench[12], double rows[3]) {
    const nb_smoothed_contact *c = &s->contact[i];
    const nb_smoothed_block *block = &s->block[s->joints + i];
    const nb_body_tangent a = tangent_of(in_a), b = tangent_of(in_b);
    double value[3];
    nb_contact_rows_by_geometry(&c->rows, &s->features[i], c->z, &a, &b, value, wrench);
    for (int k = 0; k < 12; k++) wrench[k] = -wrench[k];
    rows[0] = c->s * value[0];
    rows[1] = rows[2] = 0;
    if (!(c->mu > 0)) return;
    rows[0] = c->s * (value[0] / c->mu + c->slip[0] * value[1] + c->slip[1] * value[2]);
    for (int k = 1; k < 3; k++) rows[k] = c->s * value[k];
    /* x stays: z_n = s x_N/mu */
    const double change = in_a[NB_INPUT_FRICTION] * mu_by(s, block, 0, 1) +
                          in_b[NB_INPUT_FRICTION] * mu_by(s, block, 1, 1); /* of ln mu */
    double normal = c->rows.value[0] + s->soft * c->z[0];
    rows[0] -= c->s * (normal + s->soft * c->z[0]) / c->mu * change;
    for (int k = 0; k < 12; k++) wrench[k] += block->j[k] * c->z[0] * change;
}

/* by_inputs -= their share in the derivatives of a number by -J^T z (by_u) and by the rows of contact i */
static void contact_back(const nb_smoothed_step *s, int32_t i, const double *by_u, const double *by_rows,
                         double *by_inputs) {
    const nb_smoothed_contact *c = &s->contact[i];
    const nb_smoothed_block *block = &s->block[s->joints + i];
    double by_value[3] = {c->s * by_rows[0], 0, 0}, by_wrench[12], by_friction = 0;
    nb_body_tangent by[2];
    for (int k = 0; k < 12; k++) by_wrench[k] = -by_u[6 * (ptrdiff_t)block->body[k / 6] + k % 6];
    if (c->mu > 0) {
        const double normal = c->rows.value[0] + s->soft * c->z[0];
        by_value[0] /= c->mu;
        for (int k = 1; k < 3; k++) by_value[k] = c->s * (c->slip[k - 1] * by_rows[0] + by_rows[k]);
        by_friction = -c->s * (normal + s->soft * c->z[0]) / c->mu * by_rows[0];
        for (int k = 0; k < 12; k++) by_friction -= block->j[k] * c->z[0] * by_wrench[k];
    }
    nb_contact_rows_by_geometry_back(&c->rows, &s->features[i], c->z, by_value, by_wrench, by);
    for (int side = 0; side < 2; side++) {
        double *of = by_inputs + NB_INPUTS * (ptrdiff_t)block->body[side];
        const double place[6] = {by[side].move.x, by[side].move.y, by[side].move.z,
                                 by[side].turn.x, by[side].turn.y, by[side].turn.z};
        for (int k = 0; k < 6; k++) of[NB_INPUT_POSITION + k] -= place[k];
        of[NB_INPUT_SIZE] -= by[side].size;
        if (c->mu > 0) of[NB_INPUT_FRICTION] -= by_friction * mu_by(s, block, side, 1);
    }
}

static void add_row(nb_joint_row *to, const nb_joint_row *more) {
    to->value += more->value;
    to->linear_a = nb_add(to->linear_a, more->linear_a);
    to->angular_a = nb_add(to->angular_a, more->angular_a);
    to->linear_b = nb_add(to->linear_b, more->linear_b);
    to->angular_b = nb_add(to->angular_b, more->angular_b);
}

/* How what joint i was given at the start of the step changes with that, in the world's axes as body b is turned by
 * `end`: dampers take the anchor and the frame on b from the bodies, a damped motor what it holds. */
static void start_change(const nb_smoothed_step *s, int32_t i, const double *const in[2], nb_quat end, nb_vec3 *shift,
                         nb_vec3 *turned) {
    const nb_smoothed_joint *j = &s->joint[i];
    const int32_t *body = s->block[i].body;
    nb_vec3 x[2], move[2] = {{0}}, turn[2] = {{0}};
    nb_quat q[2];
    *shift = *turned = nb_vec3_of(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        nb_world_pose(s->world, body[side], &x[side], &q[side]);
        if (body[side] < 0) continue;
        move[side] = read_vector(in[side]);
        turn[side] = read_vector(in[side] + 3);
    }
    const nb_quat on = nb_quat_product(end, nb_quat_conjugate(q[1])); /* what b turns by in the step */
    if (j->joint->damping[0] > 0) {
        const nb_vec3 arm = nb_quat_rotate(q[0], j->joint->anchor_a), reach = nb_sub(nb_add(x[0], arm), x[1]);
        const nb_vec3 point = nb_add(move[0], nb_cross(turn[0], arm));
        *shift = nb_quat_rotate(on, nb_sub(point, nb_add(move[1], nb_cross(turn[1], reach))));
    }
    if (j->joint->damping[3] > 0) *turned = nb_quat_rotate(on, nb_sub(turn[0], turn[1]));
    if (j->by_start == 0) return;
    const double held = j->by_start * nb_coordinate_differentiate(&j->driven, x[0], q[0], x[1], q[1], move, turn).value;
    const nb_quat frame = nb_quat_product(end, j->driven.frame_b);
    *(j->driven.along ? shift : turned) = nb_quat_rotate(frame, nb_vec3_of(held, 0, 0));
}

/* what inputs change of joint i: -J^T z on a and b, and its rows */
static void change_of_joint(const nb_smoothed_step *s, int32_t i, const double *in_a, const double *in_b,
                            double wrench[12], double *rows) {
    const nb_smoothed_block *block = &s->block[i];
    const double *const in[2] = {in_a, in_b};
    nb_joint_row change[NB_JOINT_MAX_ROWS], given[NB_JOINT_MAX_ROWS];
    nb_joint_place place;
    nb_vec3 shift, turned, x[2], move[2] = {{0}}, turn[2] = {{0}};
    nb_quat q[2];
    for (int side = 0; side < 2; side++) {
        nb_smoothed_step_pose(s, block->body[side], &x[side], &q[side]);
        if (block->body[side] < 0) continue;
        move[side] = read_vector(in[side]);
        turn[side] = read_vector(in[side] + 3);
        if (!s->frozen) turn[side] = nb_body_turn_apply(&s->turn[block->body[side]], turn[side]);
    }
    nb_joint_place_at(s->joint[i].joint, x[0], q[0], x[1], q[1], &place);
    int count = nb_joint_place_move(&place, move[0], turn[0], move[1], turn[1], change);
    start_change(s, i, in, q[1], &shift, &turned);
    if (nb_dot(shift, shift) + nb_dot(turned, turned) > 0) {
        nb_joint_place_reframe(&place, shift, turned, given);
        for (int k = 0; k < count; k++) add_row(&change[k], &given[k]);
    }
    memset(wrench, 0, 12 * sizeof *wrench);
    for (int k = 0; k < count; k++) {
        double row[12];
        write_vector(change[k].linear_a, row);
        write_vector(change[k].angular_a, row + 3);
        write_vector(change[k].linear_b, row + 6);
        write_vector(change[k].angular_b, row + 9);
        rows[k] = change[k].value / s->h;
        for (int v = 0; v < 12; v++) {
            int32_t body = block->body[v / 6];
            wrench[v] -= s->zeta[block->first + k] * row[v];
            if (s->frozen && body >= 0) rows[k] += row[v] * s->u[6 * (ptrdiff_t)body + v % 6];
        }
    }
    double carried[NB_JOINT_MAX_ROWS] = {0};
    if (s->frozen) nb_carried_joint_change(s->world, s->joint[i].joint, s->joint[i].rows, change, s->h, move, carried);
    for (int k = 0; k < count; k++) rows[k] += carried[k];
}

/* of block i, joints first */
static void change_of_block(const nb_smoothed_step *s, int32_t i, const double *in_a, const double *in_b,
                            double wrench[12], double *rows) {
    if (i < s->joints)
        change_of_joint(s, i, in_a, in_b, wrench, rows);
    else
        change_of_contact(s, i - s->joints, in_a, in_b, wrench, rows);
}

/* ---- forward and back ---- */

/* what may be left of a right-hand side; the step itself is smoothed to ten times that */
static const double precision = 1e-13;

static nb_status forward(nb_step_gradient *self, const double *inputs, double *du) {
    static const double none[NB_INPUTS] = {0};
    cone_gradient *g = (cone_gradient *)self;
    nb_smoothed_step *s = g->step;
    nb_status status;
    for (int32_t i = 0; i < s->bodies; i++) {
        double own[6] = {0};
        const nb_body_inputs at = inputs_of(s, i);
        if (at.body->kind == NB_BODY_DYNAMIC) nb_body_inputs_change(&at, inputs + NB_INPUTS * (ptrdiff_t)i, own);
        for (int k = 0; k < 6; k++) g->fu[6 * (ptrdiff_t)i + k] = -own[k];
    }
    for (int32_t i = 0; i < s->joints + s->contact_count; i++) {
        const nb_smoothed_block *b = &s->block[i];
        const double *in[2];
        double wrench[12], rows[NB_JOINT_MAX_ROWS];
        for (int k = 0; k < 2; k++) in[k] = b->body[k] < 0 ? none : inputs + NB_INPUTS * (ptrdiff_t)b->body[k];
        change_of_block(s, i, in[0], in[1], wrench, rows);
        for (int32_t r = 0; r < b->rows; r++) g->fz[b->first + r] = -rows[r];
        for (int v = 0; v < 12; v++)
            if (b->body[v / 6] >= 0) g->fu[6 * (ptrdiff_t)b->body[v / 6] + v % 6] -= wrench[v];
    }
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_change(s, i, inputs, g->fu, g->fz);
    NB_TRY(nb_smoothed_step_solve(s, 0, g->fu, g->fz, precision, du, g->sz));
out:
    return status;
}

enum {
    JOINT_INPUTS = 6 /* of a body, the first ones */
};

static nb_status adjoint(nb_step_gradient *self, const double *by_u, double *by_inputs) {
    static const double none[NB_INPUTS] = {0};
    cone_gradient *g = (cone_gradient *)self;
    nb_smoothed_step *s = g->step;
    nb_status status;
    double in[NB_INPUTS] = {0}, own[12], rows[NB_JOINT_MAX_ROWS];
    memset(g->fz, 0, (size_t)s->rows * sizeof *g->fz);
    NB_TRY(nb_smoothed_step_solve(s, 1, by_u, g->fz, precision, g->su, g->sz));
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body_inputs at = inputs_of(s, i);
        if (at.body->kind != NB_BODY_DYNAMIC) continue;
        nb_body_inputs_back(&at, g->su + 6 * (ptrdiff_t)i, -1, by_inputs + NB_INPUTS * (ptrdiff_t)i);
    }
    for (int32_t i = 0; i < s->joints; i++) {
        const nb_smoothed_block *b = &s->block[i];
        for (int n = 0; n < 2 * JOINT_INPUTS; n++) {
            const int side = n % 2, k = n / 2;
            double sum = 0;
            if (b->body[side] < 0) continue;
            in[k] = 1;
            change_of_joint(s, i, side ? none : in, side ? in : none, own, rows);
            in[k] = 0;
            for (int v = 0; v < 12; v++)
                if (b->body[v / 6] >= 0) sum += own[v] * g->su[6 * (ptrdiff_t)b->body[v / 6] + v % 6];
            for (int32_t r = 0; r < b->rows; r++) sum += rows[r] * g->sz[b->first + r];
            by_inputs[NB_INPUTS * (ptrdiff_t)b->body[side] + k] -= sum;
        }
    }
    for (int32_t i = 0; i < s->contact_count; i++)
        contact_back(s, i, g->su, g->sz + s->block[s->joints + i].first, by_inputs);
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_back(s, i, g->su, g->sz, by_inputs);
out:
    return status;
}

static nb_status classify_contacts(nb_step_gradient *self, int *open) {
    cone_gradient *g = (cone_gradient *)self;
    return open_velocities(g->step, g->fu, g->fz, g->su, g->sz, open);
}

static void destroy(nb_step_gradient *self) {
    cone_gradient *g = (cone_gradient *)self;
    nb_smoothed_step_destroy(g->step);
    nb_arena_clear(&g->arena);
    nb_free(g);
}

static const nb_step_gradient_class class_of = {forward, adjoint, classify_contacts, destroy};

/* ---- from a method's solution ---- */

static void lay_out(nb_arena *a, cone_gradient *g) {
    NB_PLACE(a, 6 * (int64_t)g->step->bodies, &g->fu);
    NB_PLACE(a, 6 * (int64_t)g->step->bodies, &g->su);
    NB_PLACE(a, g->step->rows, &g->fz);
    NB_PLACE(a, g->step->rows, &g->sz);
}

/* of the smoothed velocities from the problem's */
static double distance_of(const nb_smoothed_step *s, const nb_problem *p) {
    double sum = 0, mass = 0;
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body *body = &s->world->bodies[i];
        double d[6];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        for (int k = 0; k < 6; k++) d[k] = s->u[6 * i + k] - (double)p->u[6 * (ptrdiff_t)i + k];
        nb_vec3 turning = nb_mat3_apply(&s->moments[i], read_vector(d + 3));
        mass += body->mass;
        sum += body->mass * nb_dot(read_vector(d), read_vector(d)) + nb_dot(turning, read_vector(d + 3));
    }
    return mass > 0 ? sqrt(sum / mass) : 0;
}

nb_status nb_cone_gradient(nb_method *self, nb_problem *problem, double smoothing, nb_step_gradient **gradient) {
    nb_status status;
    cone_gradient *g = NULL;
    nb_smoothed_matrix *kept = self->kept;
    *gradient = NULL;
    NB_TRY(NB_ALLOCATE(1, &g));
    g->base.type = &class_of;
    NB_TRY(nb_smoothed_step_create(&kept, problem, smoothing, &g->step));
    lay_out(&g->arena, g);
    NB_TRY(nb_arena_reserve(&g->arena));
    lay_out(&g->arena, g);
    NB_TRY(nb_smoothed_step_centre(g->step, &g->base.residual, &g->base.iterations));
    nb_smoothed_step_linearise(g->step, 1);
    g->base.bodies = g->step->bodies;
    g->base.h = g->step->h;
    g->base.u = g->step->u;
    g->base.smoothing = smoothing;
    g->base.distance = distance_of(g->step, problem);
    *gradient = &g->base;
out:
    self->kept = kept;
    if (status != NB_OK && g) destroy(&g->base);
    return status;
}

void nb_cone_gradient_clear(nb_method *self) {
    nb_smoothed_matrix_release(self->kept);
    self->kept = NULL;
}
