#include "penalty_gradient.h"

#include <string.h>
#include <tgmath.h>

#include "base/arena.h"
#include "base/largest.h"
#include "base/memory.h"
#include "constraint/bilateral.h"
#include "constraint/cone_law.h"
#include "constraint/step.h"
#include "method/gradient/body_inputs.h"
#include "method/gradient/differentiable.h"
#include "method/gradient/smoothed_matrix.h"
#include "penalty_change.h"
#include "smoothed_newton.h"

NB_PRECISIONS(f32, f64);

typedef struct penalty_gradient {
    nb_step_gradient base;
    nb_vec3 gravity;
    nb_gyroscopic_torque gyroscopic;
    double damping; /* 1 + alpha h */
    int32_t bodies, count, joints;
    nb_body *start, *end;      /* [bodies] at the step's start; moved by u */
    nb_body_turn *turn;        /* [bodies] */
    nb_mat3 *moments;          /* [bodies] of inertia at the start, in the world */
    nb_penalty_change *change; /* [count] of joints, and of contacts that push */
    double *u, *damped;        /* [bodies][6] velocities, and these times `damping` */
    double *force;             /* [bodies][6] scratch */
    double *x;                 /* [velocities of what has mass] scratch */
    double *z, *e, *d;         /* [rows of joints] by joint: impulses, compliances [1/kg], dampings [1] */
    nb_smoothed_matrix *matrix;
    nb_arena arena;
} penalty_gradient;

/* ---- the matrix ---- */

/* `block` [12][12] of two bodies is taken off the matrix, where both move */
static void subtract_block(nb_smoothed_matrix *m, const int32_t body[2], const double block[144]) {
    const nb_node_pairs *pairs = &m->pairs;
    for (int part = 0; part < 4; part++) {
        const int32_t a = body[part / 2], b = body[part % 2];
        const int32_t i = a < 0 ? -1 : pairs->slot[a], j = b < 0 ? -1 : pairs->slot[b];
        if (i < 0 || j < 0) continue;
        const double *from = block + 72 * (part / 2) + 6 * (part % 2);
        double *to = m->lu.value + pairs->entry[i] + nb_node_pairs_find(pairs, i, j);
        for (int r = 0; r < 6; r++, from += 12, to += pairs->length[i])
            for (int c = 0; c < 6; c++) to[c] -= from[c];
    }
}

static void assemble(penalty_gradient *g) {
    nb_smoothed_matrix *m = g->matrix;
    const nb_node_pairs *pairs = &m->pairs;
    memset(m->lu.value, 0, (size_t)m->lu.start[m->velocities] * sizeof(double));
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const int32_t body = pairs->node[i];
        double *to = m->lu.value + pairs->entry[i] + nb_node_pairs_find(pairs, i, i);
        for (int r = 0; r < 6; r++, to += pairs->length[i])
            for (int c = 3 * (r / 3); c < 3 * (r / 3) + 3; c++)
                to[c] = g->damping * (r >= 3 ? g->moments[body].m[r - 3][c - 3] : r == c ? g->start[body].mass : 0);
    }
    for (int32_t i = 0; i < g->count; i++) subtract_block(m, g->change[i].body, g->change[i].by_velocity);
}

/* x = K^-1 of g->force, or K^-T, in the rows of the matrix */
static nb_status solve(penalty_gradient *g, int transposed) {
    nb_smoothed_matrix *m = g->matrix;
    nb_lu_factors factors = {.failed_row = -1, .replaced_row = -1};
    nb_status status = NB_OK;
    if (m->velocities == 0) return NB_OK;
    if (m->owner != g) {
        m->owner = NULL;
        assemble(g);
        NB_TRY(nb_lu_multifrontal.factorise(m->library, &m->lu, 1, &factors));
        if (factors.failed_row >= 0)
            NB_TRY(nb_fail(NB_ERROR_NUMERIC, "the derivative of a step is singular at velocity %d of those with mass",
                           (int)factors.failed_row));
        m->owner = g;
    }
    for (int32_t i = 0; i < m->pairs.nodes; i++)
        memcpy(g->x + m->pairs.row[i], g->force + 6 * (ptrdiff_t)m->pairs.node[i], 6 * sizeof *g->x);
    NB_TRY(nb_lu_multifrontal.solve(m->library, &m->lu, transposed, g->x));
out:
    return status;
}

static void spread(const penalty_gradient *g, double *out) {
    const nb_node_pairs *pairs = &g->matrix->pairs;
    memset(out, 0, 6 * (size_t)g->bodies * sizeof *out);
    for (int32_t i = 0; i < pairs->nodes; i++)
        memcpy(out + 6 * (ptrdiff_t)pairs->node[i], g->x + pairs->row[i], 6 * sizeof *out);
}

/* ---- forward and back ---- */

/* where the inputs of a change are among a body's */
static int input_of(int k) {
    return k < NB_CHANGE_SIZE ? NB_INPUT_POSITION + k : k == NB_CHANGE_SIZE ? NB_INPUT_SIZE : NB_INPUT_FRICTION;
}

static nb_body_inputs inputs_of(const penalty_gradient *g, int32_t i) {
    return (nb_body_inputs){&g->start[i],  &g->moments[i], g->gravity,
                            g->gyroscopic, g->base.h,      g->damped + 6 * (ptrdiff_t)i};
}

static nb_status forward(nb_step_gradient *self, const double *inputs, double *du) {
    penalty_gradient *g = (penalty_gradient *)self;
    nb_status status;
    for (int32_t i = 0; i < g->bodies; i++) {
        double own[6] = {0};
        const nb_body_inputs at = inputs_of(g, i);
        if (at.body->kind == NB_BODY_DYNAMIC) nb_body_inputs_change(&at, inputs + NB_INPUTS * (ptrdiff_t)i, own);
        for (int k = 0; k < 6; k++) g->force[6 * (ptrdiff_t)i + k] = -own[k];
    }
    for (int32_t i = 0; i < g->count; i++) {
        const nb_penalty_change *c = &g->change[i];
        double in[2 * NB_CHANGE_INPUTS] = {0};
        for (int k = 0; k < 2 * NB_CHANGE_INPUTS; k++)
            if (c->body[k / NB_CHANGE_INPUTS] >= 0)
                in[k] = inputs[NB_INPUTS * (ptrdiff_t)c->body[k / NB_CHANGE_INPUTS] + input_of(k % NB_CHANGE_INPUTS)];
        for (int r = 0; r < 12; r++)
            for (int k = 0; c->body[r / 6] >= 0 && k < 2 * NB_CHANGE_INPUTS; k++)
                g->force[6 * (ptrdiff_t)c->body[r / 6] + r % 6] += c->by_input[2 * NB_CHANGE_INPUTS * r + k] * in[k];
    }
    NB_TRY(solve(g, 0));
    spread(g, du);
out:
    return status;
}

static nb_status adjoint(nb_step_gradient *self, const double *by_u, double *by_inputs) {
    penalty_gradient *g = (penalty_gradient *)self;
    nb_status status;
    memcpy(g->force, by_u, 6 * (size_t)g->bodies * sizeof *by_u);
    NB_TRY(solve(g, 1));
    spread(g, g->force);
    for (int32_t i = 0; i < g->bodies; i++) {
        const nb_body_inputs at = inputs_of(g, i);
        if (at.body->kind == NB_BODY_DYNAMIC)
            nb_body_inputs_back(&at, g->force + 6 * (ptrdiff_t)i, -1, by_inputs + NB_INPUTS * (ptrdiff_t)i);
    }
    for (int32_t i = 0; i < g->count; i++) {
        const nb_penalty_change *c = &g->change[i];
        for (int k = 0; k < 2 * NB_CHANGE_INPUTS; k++) {
            const int32_t body = c->body[k / NB_CHANGE_INPUTS];
            double sum = 0;
            for (int r = 0; r < 12; r++)
                if (c->body[r / 6] >= 0)
                    sum += c->by_input[2 * NB_CHANGE_INPUTS * r + k] * g->force[6 * (ptrdiff_t)c->body[r / 6] + r % 6];
            if (body >= 0) by_inputs[NB_INPUTS * (ptrdiff_t)body + input_of(k % NB_CHANGE_INPUTS)] += sum;
        }
    }
out:
    return status;
}

static void destroy(nb_step_gradient *self) {
    penalty_gradient *g = (penalty_gradient *)self;
    if (g->matrix && g->matrix->owner == g) g->matrix->owner = NULL;
    nb_smoothed_matrix_release(g->matrix);
    nb_arena_clear(&g->arena);
    nb_free(g);
}

static const nb_step_gradient_class class_of = {forward, adjoint, NULL, destroy};

/* ---- from a solved step ---- */

static void differentiate_bodies(penalty_gradient *g, const nb_world *world, const nb_problem *p) {
    nb_penalty_move_bodies(world, p, g->base.h, g->end, g->turn, g->u);
    for (int32_t i = 0; i < 6 * g->bodies; i++) g->damped[i] = g->damping * g->u[i];
    for (int32_t i = 0; i < g->bodies; i++) {
        const nb_body *body = &world->bodies[i];
        const nb_mat3 principal = {{{body->inertia.x, 0, 0}, {0, body->inertia.y, 0}, {0, 0, body->inertia.z}}};
        g->start[i] = *body;
        g->moments[i] = nb_mat3_rotated(body->orientation, &principal);
    }
}

static const nb_law_range *range_of(const nb_problem *p, const nb_law_class *type) {
    for (int32_t k = 0; k < p->range_count; k++)
        if (p->ranges[k].law->type == type) return &p->ranges[k];
    return NULL;
}

static void differentiate_joints(penalty_gradient *g, const nb_penalty_place *at) {
    const nb_problem *p = at->problem;
    const nb_law_range *range = range_of(p, &nb_bilateral_class);
    const int32_t *order = nb_step_bilateral_order(nb_step_of((nb_problem *)p));
    for (int32_t r = 0; r < p->bilaterals; r++) {
        g->z[order[r]] = (double)p->z[range->first_row + r];
        const real own = ((const nb_bilateral_law *)range->law)->compliance[range->first + r];
        g->d[order[r]] = own > 0 ? (double)at->rows->damping : 0;
        g->e[order[r]] = (double)nb_penalty_rows_compliance(at->rows, p, range, r);
    }
    for (int32_t i = 0, first = 0; i < g->joints; i++) {
        const nb_joint *joint = &at->start->joints[i];
        nb_penalty_change_of_joint(at, joint, g->z + first, g->e + first, g->d + first, &g->change[g->count++]);
        first += nb_joint_rows(joint->kind);
    }
}

/* `t` of all blocks, from place[block] on */
static nb_status differentiate_contacts(penalty_gradient *g, const nb_penalty_place *at, const int64_t *place,
                                        const double *t) {
    nb_status status = NB_OK;
    const nb_problem *p = at->problem;
    const nb_law_range *range = range_of(p, &nb_cone_class);
    const nb_step *step = nb_step_of((nb_problem *)p);
    const nb_contacts *contacts = nb_step_contacts(step);
    const int32_t *order = nb_step_contact_order(step);
    for (int32_t i = 0; i < p->contacts; i++) {
        const ptrdiff_t r = range->first_row + 3 * (ptrdiff_t)i;
        const double carried = (double)(p->z[r] * p->value[r]); /* J, of the gap */
        if (!(p->z[r] > 0)) continue;
        NB_TRY(nb_penalty_change_of_contact(at, &contacts->items[order[i]], p->value + r, p->z + r,
                                            t + place[range->first_block + i], &g->change[g->count]));
        g->count++;
        nb_raise(&g->base.own, carried);
    }
out:
    return status;
}

static void lay_out(nb_arena *a, penalty_gradient *g, const nb_problem *p) {
    double **by_body[] = {&g->u, &g->damped, &g->force, &g->x};
    NB_PLACE(a, g->bodies, &g->start);
    NB_PLACE(a, g->bodies, &g->end);
    NB_PLACE(a, g->bodies, &g->turn);
    NB_PLACE(a, g->bodies, &g->moments);
    NB_PLACE(a, g->joints + p->contacts, &g->change);
    for (int k = 0; k < 4; k++) NB_PLACE(a, 6 * (int64_t)g->bodies, by_body[k]);
    NB_PLACE(a, p->bilaterals, &g->z);
    NB_PLACE(a, p->bilaterals, &g->e);
    NB_PLACE(a, p->bilaterals, &g->d);
}

static nb_status check(const nb_smoothed *m, const nb_world *world, double smoothing) {
    if (smoothing != NB_SMOOTHING_OWN)
        return nb_fail(NB_ERROR_USAGE,
                       "--smoothing %g J: the steps of method smoothed are smooth by --friction-tolerance and "
                       "--contact-tolerance, and are differentiated as they are",
                       smoothing);
    if (m->values[NB_PENALTY_COUPLING] != NB_PENALTY_IMPLICIT)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "a gradient of method smoothed requires --friction-coupling implicit: lagged normal forces are "
                       "of gaps that the step does not keep");
    const nb_status status = nb_check_undamped(world, "smoothed");
    return status == NB_OK ? nb_check_differentiable(world) : status;
}

static nb_status differentiate_step(penalty_gradient *g, nb_smoothed *m, nb_problem *p, const nb_world *world) {
    nb_status status;
    const nb_world start = *world; /* nothing of it moves meanwhile */
    nb_world end = *world;
    nb_arena_measure(&g->arena);
    lay_out(&g->arena, g, p);
    NB_TRY(nb_arena_reserve(&g->arena));
    lay_out(&g->arena, g, p);
    differentiate_bodies(g, world, p);
    end.bodies = g->end;
    const nb_penalty_place at = {.start = &start,
                                 .end = &end,
                                 .h = g->base.h,
                                 .u = g->u,
                                 .turn = g->turn,
                                 .rows = &m->rows,
                                 .problem = p,
                                 .of_iterate = m->values[NB_PENALTY_GEOMETRY] == NB_PENALTY_OF_ITERATE};
    nb_penalty_rows_slopes(&m->rows, p, m->matrix.place, m->matrix.t);
    differentiate_joints(g, &at);
    NB_TRY(differentiate_contacts(g, &at, m->matrix.place, m->matrix.t));
out:
    return status;
}

nb_status nb_penalty_gradient(nb_method *self, nb_problem *p, double smoothing, nb_step_gradient **gradient) {
    nb_smoothed *m = (nb_smoothed *)self;
    nb_smoothed_matrix *kept = self->kept;
    penalty_gradient *g = NULL;
    nb_status status;
    double h;
    const nb_world *world = nb_step_world(nb_step_of(p), &h);
    *gradient = NULL;
    NB_TRY(check(m, world, smoothing));
    NB_TRY(NB_ALLOCATE(1, &g));
    g->base = (nb_step_gradient){.type = &class_of, .bodies = world->body_count, .h = h};
    g->gravity = world->gravity;
    g->gyroscopic = world->settings.gyroscopic;
    g->damping = 1 + m->damping;
    g->bodies = world->body_count;
    g->joints = world->joint_count;
    NB_TRY(nb_smoothed_matrix_hold(&kept, p, &g->matrix));
    NB_TRY(differentiate_step(g, m, p, world));
    g->base.u = g->u;
    g->base.smoothing = g->base.own;
    g->base.residual = m->residual / nb_problem_velocity_scale(p);
    *gradient = &g->base;
out:
    self->kept = kept;
    if (status != NB_OK && g) destroy(&g->base);
    return status;
}

void nb_penalty_gradient_clear(nb_method *self) {
    nb_smoothed_matrix_release(self->kept);
    self->kept = NULL;
}
