#include "pair_gradient.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "constraint/step.h"
#include "derivative/contact_rows.h"
#include "linear/lu.h"
#include "method/gradient/body_inputs.h"
#include "method/gradient/differentiable.h"
#include "model/carried.h"
#include "model/pair.h"
#include "pair_joints.h"
#include "pair_problem.h"

NB_PRECISIONS(f32, f64);

/* The central path of a step as pairs of convex sets. */
static const double centre_least = 1e-6; /* residual of a point that is on the path */

/* how far a point is off */
typedef struct distance {
    double equality, cone; /* of an equation; of a product, over its target */
} distance;

static double part_of(const nb_contact_pair *pair, int32_t k) {
    return k < pair->gamma ? 1 : k == pair->gamma ? pair->part[0] : pair->part[1];
}

static int is_product(const nb_contact_pair *pair, int32_t k) {
    return (k >= pair->lambda && k < pair->s) || k == pair->gamma || (k >= pair->psi && k < pair->psi + 4);
}

/* evaluates */
static distance measure(nb_pair_problem *s, double target) {
    distance d = {0};
    double equality, cone;
    nb_pair_problem_evaluate(s, target, &equality, &cone);
    for (int32_t i = 0; s->r && i < s->body_count; i++)
        for (int k = 0; s->body[i].moves && k < 6; k++) nb_raise(&d.equality, fabs(s->r[6 * (int64_t)i + k]));
    for (int32_t j = 0; j < s->joint_count; j++)
        for (int k = 0; s->joints[j].row >= 0 && k < s->joints[j].count; k++)
            nb_raise(&d.equality, fabs(s->joint_residual[s->joints[j].first + k]));
    for (int32_t i = 0; i < s->found.count; i++) {
        const nb_contact_pair *pair = &s->pairs[i];
        for (int32_t k = 0; k < pair->size; k++)
            if (is_product(pair, k))
                nb_raise(&d.cone, fabs(pair->r[k]) / (part_of(pair, k) * target));
            else
                nb_raise(&d.equality, fabs(pair->r[k]));
    }
    return d;
}

/* Goes along the step, to the boundary at most, halved until one of the two falls. */
static distance move(nb_pair_problem *s, double target, distance before) {
    const int most = 30;
    const double fraction = 0.99;
    distance now = before;
    double t = fmin(1, fraction * nb_pair_problem_reach(s, 1 / fraction));
    for (int halved = 0; halved < most; halved++, t /= 2) {
        nb_pair_problem_move(s, t);
        now = measure(s, target);
        if (now.equality < before.equality || now.cone < before.cone) break;
    }
    return now;
}

static double larger(distance d) {
    return d.equality <= d.cone ? d.cone : d.equality; /* not a number if the equations are none */
}

/* Round-off is where neither falls any more. Where friction and a joint hold the same, what regularises the joint lets
 * equations fall by a third in an iteration, and products stand still meanwhile. */
static int is_enough(distance d, distance before) {
    const double equality = 1e-13, cone = 1e-8;
    if (d.equality <= equality && d.cone <= cone) return 1;
    return larger(d) <= centre_least && d.equality >= 0.8 * before.equality && d.cone >= 0.5 * before.cone;
}

/* Newton's method from the present point to where all equations hold and all products are their targets: `target`,
 * times the parts of each pair. *residual: what is left, of equations as they are and of products over their targets;
 * *iterations that led there. */
static nb_status pair_centre(nb_pair_problem *s, const nb_method_settings *settings, double target, double *residual,
                             int32_t *iterations) {
    const double less = 0.1, near = 0.5; /* what targets come down by, and how near to them; far products come along */
    const int32_t most = 60;
    nb_status status = NB_OK;
    nb_pair_problem_scale(s, 0); /* derivatives are of the equations as written */
    nb_pair_problem_relax(s, 0);
    s->monotone = 0;
    const distance nothing = {INFINITY, INFINITY};
    double above = 1 + measure(s, target).cone;
    distance d = measure(s, above * target), before = nothing;
    *iterations = 0;
    for (;;) {
        double heard_s = 0;
        int solved;
        while (above > 1 && d.cone < near) {
            above = fmax(1, less * above);
            d = measure(s, above * target);
        }
        if ((above == 1 && is_enough(d, before)) || *iterations == most) break;
        before = above == 1 ? d : nothing;
        nb_pair_problem_eliminate(s, &solved);
        if (solved) NB_TRY(nb_pair_problem_direction(s, settings, NULL, -1, NULL, &heard_s, &solved));
        if (!solved) break;
        d = move(s, above * target, d);
        ++*iterations;
    }
    *residual = above > 1 ? (double)INFINITY : larger(d);
out:
    return status;
}

/* The smoothing [J] is impulse times gap over h of every contact, and impulse times slip of its friction. Products of
 * collision have no unit: their target is rho = smoothing h/(m c L), with the mean mass m of what moves, which changes
 * with masses and sizes. By the step's own smoothing all products are those of the step (pair_state.h), and stay where
 * masses and sizes change.
 *
 * All unknowns of a pair are eliminated; of what its inputs do, the changes of its two bodies' equations are left. Rows
 * of joints stay in the reduced system behind the bodies', with what regularises them (pair_joints.c), which refinement
 * takes back. */

/* where the inputs of a pair are: of both bodies, then what they share */
enum {
    MOVE = 0, /* 3, of the centre of mass at the start of the step [m] */
    TURN = 3, /* 3, there [rad] */
    SIZE = 6,
    OF_BODY = 7,
    FRICTION = 2 * OF_BODY,
    TARGET, /* d ln(rho) */
    PAIR_INPUTS
};

typedef struct pair_part {
    int32_t body[2];
    double by_friction[2];                  /* d mu/d(coefficient) */
    double by[NB_PAIR_MOTION][PAIR_INPUTS]; /* of the reduced system's right-hand side; 0 of what does not move */
} pair_part;

enum {
    JOINT_INPUTS = 2 * SIZE, /* how both bodies move and turn */
    JOINT_EQUATIONS = NB_PAIR_MOTION + NB_JOINT_MAX_ROWS
};

typedef struct joint_part {
    int32_t body[2];              /* -1: the world */
    int32_t row[JOINT_EQUATIONS]; /* of the reduced system: of the two bodies, then the joint's own; -1: none */
    double by[JOINT_EQUATIONS][JOINT_INPUTS]; /* of its right-hand side */
} joint_part;

typedef struct body_part {
    nb_body body; /* at the start of the step */
    nb_mat3 moments;
    int32_t row;                           /* its first of the reduced system; -1: it does not move */
    double momentum[6], velocity[6];       /* units of its rows and columns there */
    double target_by_mass, target_by_size; /* d ln(rho) */
} body_part;

/* A number to twice the digits, the sum of the two: stiff contacts cancel, along normals that are no axes, and forward
 * and back are to agree. */
typedef struct twofold {
    double high, low;
} twofold;

typedef struct pair_gradient {
    nb_step_gradient base;
    nb_vec3 gravity;
    nb_gyroscopic_torque gyroscopic;
    int32_t pairs, joints, rows, velocities; /* of the rows, those of velocities come first */
    body_part *body;                         /* [bodies] */
    pair_part *pair;                         /* [pairs] */
    joint_part *joint;                       /* [joints] */
    double *u;                               /* [bodies][6] */
    /* the reduced system, A du = b: its pattern is symmetric, and `matrix` has the values of what is factorised */
    double *value;          /* [entries] */
    double *excess;         /* [rows] what regularises its diagonal, and is none of A's */
    twofold *x, *b;         /* [rows] */
    double *r;              /* [rows] */
    SuiteSparse_long *next; /* [rows] */
    nb_lu_matrix matrix;
    void *library;
    int transposed; /* of the factors; -1: there are none */
    nb_arena arena;
} pair_gradient;

/* ---- the reduced system ---- */

static nb_status factorise(pair_gradient *g, int transposed) {
    nb_lu_factors factors = {.failed_row = -1, .replaced_row = -1};
    nb_lu_matrix *a = &g->matrix;
    if (g->rows == 0 || g->transposed == transposed) return NB_OK;
    g->transposed = -1;
    if (transposed) {
        memcpy(g->next, a->start, (size_t)g->rows * sizeof *g->next);
        for (SuiteSparse_long r = 0; r < g->rows; r++)
            for (SuiteSparse_long e = a->start[r]; e < a->start[r + 1]; e++)
                a->value[g->next[a->column[e]]++] = g->value[e];
    } else {
        memcpy(a->value, g->value, (size_t)a->start[g->rows] * sizeof *g->value);
    }
    nb_status status = nb_lu_multifrontal.factorise(g->library, a, 1, &factors);
    if (status == NB_OK && factors.failed_row >= 0)
        status = nb_fail(NB_ERROR_NUMERIC,
                         "the derivative of a step is singular at row %d of %d velocities and %d joint rows",
                         (int)factors.failed_row, (int)g->velocities, (int)(g->rows - g->velocities));
    if (status == NB_OK) g->transposed = transposed;
    return status;
}

static void add(double y, twofold *sum) {
    double now = sum->high + y, part = now - sum->high;
    sum->low += (sum->high - (now - part)) + (y - part);
    sum->high = now;
}

static void add_product(double a, twofold x, twofold *sum) {
    double product = a * x.high;
    sum->low += fma(a, x.high, -product) + a * x.low;
    add(product, sum);
}

static double value_of(twofold x) {
    return x.high + x.low;
}

/* x from b, by the factors and what refinement adds */
static nb_status solve(pair_gradient *g) {
    const int refinements = g->rows > g->velocities ? 5 : 2; /* the excess of joints goes by the power */
    const nb_lu_matrix *a = &g->matrix;
    nb_status status = NB_OK;
    if (g->rows == 0) return NB_OK;
    memset(g->x, 0, (size_t)g->rows * sizeof *g->x);
    for (int32_t r = 0; r < g->rows; r++) g->r[r] = g->b[r].high;
    for (int k = 0; k <= refinements && status == NB_OK; k++) {
        status = nb_lu_multifrontal.solve(g->library, a, 0, g->r);
        for (int32_t r = 0; r < g->rows; r++) add(g->r[r], &g->x[r]);
        for (int32_t r = 0; k < refinements && r < g->rows; r++) {
            twofold sum = g->b[r];
            for (SuiteSparse_long e = a->start[r]; e < a->start[r + 1]; e++)
                add_product(-a->value[e], g->x[a->column[e]], &sum);
            add_product(g->excess[r], g->x[r], &sum);
            g->r[r] = value_of(sum);
        }
    }
    return status;
}

/* ---- forward and back ---- */

static nb_body_inputs inputs_of(const pair_gradient *g, int32_t i) {
    const body_part *part = &g->body[i];
    return (nb_body_inputs){&part->body, &part->moments, g->gravity, g->gyroscopic, g->base.h, g->u + 6 * (ptrdiff_t)i};
}

static void add_joint(pair_gradient *g, const joint_part *joint, const double *inputs) {
    for (int c = 0; c < JOINT_INPUTS; c++) {
        int32_t body = joint->body[c / SIZE];
        if (body < 0) continue;
        const twofold of = {inputs[NB_INPUTS * (ptrdiff_t)body + NB_INPUT_POSITION + c % SIZE], 0};
        for (int v = 0; v < JOINT_EQUATIONS; v++)
            if (joint->row[v] >= 0) add_product(joint->by[v][c], of, &g->b[joint->row[v]]);
    }
}

static void add_joint_back(const pair_gradient *g, const joint_part *joint, double *by_inputs) {
    for (int c = 0; c < JOINT_INPUTS; c++) {
        int32_t body = joint->body[c / SIZE];
        twofold sum = {0};
        if (body < 0) continue;
        for (int v = 0; v < JOINT_EQUATIONS; v++)
            if (joint->row[v] >= 0) add_product(joint->by[v][c], g->x[joint->row[v]], &sum);
        by_inputs[NB_INPUTS * (ptrdiff_t)body + NB_INPUT_POSITION + c % SIZE] += value_of(sum);
    }
}

static double target_of(const pair_gradient *g, const double *inputs) {
    double sum = 0;
    for (int32_t i = 0; i < g->base.bodies; i++, inputs += NB_INPUTS)
        sum += g->body[i].target_by_mass * inputs[NB_INPUT_MASS] + g->body[i].target_by_size * inputs[NB_INPUT_SIZE];
    return sum;
}

static nb_status forward(nb_step_gradient *self, const double *inputs, double *du) {
    pair_gradient *g = (pair_gradient *)self;
    nb_status status = factorise(g, 0);
    if (status != NB_OK) return status;
    double target = target_of(g, inputs);
    memset(g->b, 0, (size_t)g->rows * sizeof *g->b);
    for (int32_t i = 0; i < self->bodies; i++) {
        const body_part *part = &g->body[i];
        const nb_body_inputs at = inputs_of(g, i);
        double own[6];
        if (part->row < 0) continue;
        nb_body_inputs_change(&at, inputs + NB_INPUTS * (ptrdiff_t)i, own);
        for (int k = 0; k < 6; k++) g->b[part->row + k] = (twofold){-own[k] / part->momentum[k], 0};
    }
    for (int32_t n = 0; n < g->pairs; n++) {
        const pair_part *pair = &g->pair[n];
        double in[PAIR_INPUTS] = {[TARGET] = target};
        for (int side = 0; side < 2; side++) {
            const double *of = inputs + NB_INPUTS * (ptrdiff_t)pair->body[side];
            memcpy(in + OF_BODY * side, of + NB_INPUT_POSITION, 6 * sizeof *in);
            in[OF_BODY * side + SIZE] = of[NB_INPUT_SIZE];
            in[FRICTION] += pair->by_friction[side] * of[NB_INPUT_FRICTION];
        }
        for (int k = 0; k < NB_PAIR_MOTION; k++) {
            int32_t row = g->body[pair->body[k / 6]].row;
            for (int c = 0; row >= 0 && c < PAIR_INPUTS; c++) {
                const twofold of = {in[c], 0};
                add_product(pair->by[k][c], of, &g->b[row + k % 6]);
            }
        }
    }
    for (int32_t j = 0; j < g->joints; j++) add_joint(g, &g->joint[j], inputs);
    status = solve(g);
    memset(du, 0, 6 * (size_t)self->bodies * sizeof *du);
    for (int32_t i = 0; i < self->bodies; i++) {
        const body_part *part = &g->body[i];
        for (int k = 0; part->row >= 0 && k < 6; k++) du[6 * i + k] = part->velocity[k] * value_of(g->x[part->row + k]);
    }
    return status;
}

static nb_status adjoint(nb_step_gradient *self, const double *by_u, double *by_inputs) {
    pair_gradient *g = (pair_gradient *)self;
    nb_status status = factorise(g, 1);
    double target = 0;
    if (status != NB_OK) return status;
    memset(g->b, 0, (size_t)g->rows * sizeof *g->b);
    for (int32_t i = 0; i < self->bodies; i++) {
        const body_part *part = &g->body[i];
        for (int k = 0; part->row >= 0 && k < 6; k++)
            g->b[part->row + k] = (twofold){part->velocity[k] * by_u[6 * i + k], 0};
    }
    status = solve(g);
    for (int32_t n = 0; n < g->pairs; n++) {
        const pair_part *pair = &g->pair[n];
        double in[PAIR_INPUTS];
        for (int c = 0; c < PAIR_INPUTS; c++) {
            twofold sum = {0};
            for (int k = 0; k < NB_PAIR_MOTION; k++) {
                int32_t row = g->body[pair->body[k / 6]].row;
                if (row >= 0) add_product(pair->by[k][c], g->x[row + k % 6], &sum);
            }
            in[c] = value_of(sum);
        }
        for (int side = 0; side < 2; side++) {
            double *of = by_inputs + NB_INPUTS * (ptrdiff_t)pair->body[side];
            for (int k = 0; k < 6; k++) of[NB_INPUT_POSITION + k] += in[OF_BODY * side + k];
            of[NB_INPUT_SIZE] += in[OF_BODY * side + SIZE];
            of[NB_INPUT_FRICTION] += pair->by_friction[side] * in[FRICTION];
        }
        target += in[TARGET];
    }
    for (int32_t j = 0; j < g->joints; j++) add_joint_back(g, &g->joint[j], by_inputs);
    for (int32_t i = 0; i < self->bodies; i++) {
        const body_part *part = &g->body[i];
        const nb_body_inputs at = inputs_of(g, i);
        double by[6], *of = by_inputs + NB_INPUTS * (ptrdiff_t)i;
        of[NB_INPUT_MASS] += part->target_by_mass * target;
        of[NB_INPUT_SIZE] += part->target_by_size * target;
        if (part->row < 0) continue;
        for (int k = 0; k < 6; k++) by[k] = value_of(g->x[part->row + k]) / part->momentum[k];
        nb_body_inputs_back(&at, by, -1, of);
    }
    return status;
}

static void destroy(nb_step_gradient *self) {
    pair_gradient *g = (pair_gradient *)self;
    nb_lu_multifrontal.destroy(g->library);
    nb_lu_matrix_clear(&g->matrix);
    nb_arena_clear(&g->arena);
    nb_free(g);
}

static const nb_step_gradient_class class_of = {forward, adjoint, NULL, destroy};

/* ---- from the central path ---- */

static void lay_out(nb_arena *a, pair_gradient *g, int64_t entries) {
    NB_PLACE(a, g->base.bodies, &g->body);
    NB_PLACE(a, g->pairs, &g->pair);
    NB_PLACE(a, g->joints, &g->joint);
    NB_PLACE(a, 6 * (int64_t)g->base.bodies, &g->u);
    NB_PLACE(a, entries, &g->value);
    NB_PLACE(a, g->rows, &g->excess);
    NB_PLACE(a, g->rows, &g->x);
    NB_PLACE(a, g->rows, &g->b);
    NB_PLACE(a, g->rows, &g->r);
    NB_PLACE(a, g->rows, &g->next);
}

static void linearise_body(pair_gradient *g, const nb_pair_problem *s, int32_t i) {
    body_part *part = &g->body[i];
    const nb_body *body = &s->world->bodies[i];
    nb_mat3 principal = {{{body->inertia.x, 0, 0}, {0, body->inertia.y, 0}, {0, 0, body->inertia.z}}};
    part->body = *body;
    part->moments = nb_mat3_rotated(body->orientation, &principal);
    part->row = s->row[i];
    for (int k = 0; k < 6; k++) {
        part->velocity[k] = k < 3 ? s->speed : s->speed / s->length;
        part->momentum[k] = body->mass * s->speed * (k < 3 ? 1 : s->length);
        g->u[6 * i + k] = part->velocity[k] * s->u[6 * (ptrdiff_t)i + k];
    }
}

/* how a body has turned at the end of the step that turns by this at its start */
static nb_vec3 turned(const pair_gradient *g, int32_t body, nb_vec3 turn) {
    const double *u = g->u + 6 * (ptrdiff_t)body;
    const nb_body_turn of = nb_body_turn_of(g->base.h, nb_vec3_of(u[3], u[4], u[5]));
    return nb_body_turn_apply(&of, turn);
}

/* column `k` of what a pair's inputs do, in SI */
static nb_pair_inputs input_of(const pair_gradient *g, const nb_pair_problem *s, const nb_contact_pair *pair, int k,
                               double target) {
    nb_pair_inputs in = {.mu = k == FRICTION, .target = k == TARGET ? target : 0};
    if (k >= FRICTION) return in;
    const int side = k / OF_BODY, own = k % OF_BODY;
    const nb_vec3 unit = nb_vec3_of(own % 3 == 0, own % 3 == 1, own % 3 == 2);
    if (own < TURN) {
        /* what is carried is linear in the way from one centre to the other */
        const nb_vec3 along = nb_add(s->world->bodies[pair->body[1]].position, nb_scale(side ? -1 : 1, unit));
        in.way[side] = nb_scale(1 / s->length, unit);
        in.carried = nb_scale(1 / s->speed, nb_carried_excess(s->world, pair->body[1], along, g->base.h, 1));
    } else if (own < SIZE)
        in.turn[side] = turned(g, pair->body[side], unit);
    else
        in.size[side] = 1;
    return in;
}

static void linearise_pair(pair_gradient *g, const nb_pair_problem *s, int32_t n, double target) {
    nb_contact_pair *pair = &s->pairs[n];
    pair_part *part = &g->pair[n];
    for (int side = 0; side < 2; side++) {
        part->body[side] = pair->body[side];
        part->by_friction[side] =
            pair->mu > 0 ? nb_world_friction_slope(s->world, pair->mu, pair->body[side], pair->body[1 - side]) : 0;
    }
    for (int k = 0; k < PAIR_INPUTS; k++) {
        double wrench[NB_PAIR_MOTION], left[NB_PAIR_MOTION];
        const nb_pair_inputs in = input_of(g, s, pair, k, target);
        if (k == FRICTION && !(pair->mu > 0)) continue;
        nb_contact_pair_change(pair, &s->body[pair->body[0]], &s->body[pair->body[1]], &in, wrench);
        nb_contact_pair_reduce(pair, &s->body[pair->body[0]], &s->body[pair->body[1]], s->scratch, left);
        for (int v = 0; v < NB_PAIR_MOTION; v++) {
            const int32_t first = pair->first[v / 6];
            if (first < 0) continue;
            double weight = s->mass[n] / g->body[pair->body[v / 6]].body.mass;
            part->by[v][k] = weight * (left[first + v % 6] + wrench[v]);
        }
    }
}

/* Joints know places alone: their inputs are motions of the step's end, which the matrix has derivatives by. */
static void linearise_joint(pair_gradient *g, const nb_pair_problem *s, int32_t j) {
    const nb_pair_joint *joint = &s->joints[j];
    joint_part *part = &g->joint[j];
    double stiffness[NB_PAIR_MOTION][NB_PAIR_MOTION];
    for (int v = 0; v < JOINT_EQUATIONS; v++) part->row[v] = -1;
    for (int side = 0; side < 2; side++) {
        int32_t body = part->body[side] = joint->row < 0 ? -1 : joint->body[side];
        for (int k = 0; body >= 0 && s->row[body] >= 0 && k < 6; k++) part->row[6 * side + k] = s->row[body] + k;
    }
    if (joint->row < 0) return;
    for (int k = 0; k < joint->count; k++) {
        part->row[NB_PAIR_MOTION + k] = joint->row + k;
        g->excess[joint->row + k] = s->joint_diagonal[joint->first + k] - s->joint_compliance[joint->first + k];
    }
    nb_pair_joints_stiffness(s, j, stiffness);
    for (int c = 0; c < JOINT_INPUTS; c++) {
        const int side = c / SIZE, own = c % SIZE;
        double motion[NB_PAIR_MOTION] = {0};
        if (part->body[side] < 0) continue;
        const nb_vec3 unit = nb_vec3_of(own % 3 == 0, own % 3 == 1, own % 3 == 2);
        const nb_vec3 moved = own < TURN ? nb_scale(1 / s->length, unit) : turned(g, part->body[side], unit);
        double *to = motion + 6 * side + (own < TURN ? 0 : 3);
        to[0] = moved.x;
        to[1] = moved.y;
        to[2] = moved.z;
        for (int v = 0; v < JOINT_EQUATIONS; v++) {
            const int row = v - NB_PAIR_MOTION;
            if (part->row[v] < 0) continue;
            const double *by = row < 0 ? stiffness[v] : s->joint_gradient[joint->first + row];
            const double factor = row < 0 ? joint->mass / s->world->bodies[joint->body[v / 6]].mass : -1 / s->h;
            for (int k = 0; k < NB_PAIR_MOTION; k++) part->by[v][c] += factor * by[k] * motion[k];
        }
    }
}

/* radii of a body's sets, as the unit of length takes them */
static double radii_of(const nb_world *world, const nb_body *body) {
    const nb_shape *shape = body->shape >= 0 ? world->shapes[body->shape] : NULL;
    double sum = 0;
    for (int32_t k = 0; shape && k < shape->set_count; k++)
        if (shape->sets[k].radius < INFINITY) sum += shape->sets[k].radius;
    return sum;
}

/* rho, and how it depends on the bodies */
static double choose_target(pair_gradient *g, const nb_pair_problem *s, double smoothing) {
    const nb_world *world = s->world;
    const double fall = sqrt(nb_norm(world->gravity) * s->length);
    const double power = s->speed == fall ? 1.5 : 2; /* L c goes with this power of L */
    double mass = 0, radii = 0;
    for (int32_t i = 0; i < s->body_count; i++) {
        if (s->row[i] < 0) continue;
        mass += world->bodies[i].mass;
        radii += radii_of(world, &world->bodies[i]);
    }
    for (int32_t i = 0; i < s->body_count; i++) {
        if (s->row[i] < 0) continue;
        g->body[i].target_by_mass = -1 / mass;
        if (radii > 0) g->body[i].target_by_size = -power * radii_of(world, &world->bodies[i]) / radii;
    }
    return s->moving > 0 ? smoothing * g->base.h * s->moving / (mass * s->length * s->speed) : smoothing;
}

/* the largest impulse times gap over h of the step itself [J] */
static double own_smoothing(const nb_pair_problem *s, double rho) {
    double most = 0;
    for (int32_t i = 0; i < s->found.count; i++) nb_raise(&most, s->mass[i]);
    return most * s->speed * s->speed * rho * s->part[0] / s->h;
}

/* the same product [J] for each pair, whatever its unit of impulses */
static void choose_parts(nb_pair_problem *s, double target, double smoothing) {
    for (int32_t i = 0; i < s->found.count; i++) {
        const double unit = s->mass[i] * s->speed * s->speed; /* [J] */
        s->pairs[i].part[0] = smoothing * s->h / (unit * target);
        s->pairs[i].part[1] = smoothing / (unit * target);
    }
}

/* of the smoothed velocities from the problem's */
static double distance_of(const pair_gradient *g, const nb_problem *p) {
    double sum = 0, mass = 0;
    for (int32_t i = 0; i < g->base.bodies; i++) {
        const body_part *part = &g->body[i];
        double d[6];
        if (part->row < 0) continue;
        for (int k = 0; k < 6; k++) d[k] = g->u[6 * i + k] - (double)p->u[6 * (ptrdiff_t)i + k];
        const nb_vec3 moving = nb_vec3_of(d[0], d[1], d[2]), turning = nb_vec3_of(d[3], d[4], d[5]);
        mass += part->body.mass;
        sum += part->body.mass * nb_dot(moving, moving) + nb_dot(nb_mat3_apply(&part->moments, turning), turning);
    }
    return mass > 0 ? sqrt(sum / mass) : 0;
}

/* Contacts that stick beside rigid joints give way by about rho, less than what regularises joints does at a small rho:
 * refinement would not get there. Of factors that are refined a thousandth is enough. */
static void harden_joints(pair_gradient *g) {
    const double part = 1e-3;
    nb_lu_matrix *a = &g->matrix;
    for (SuiteSparse_long r = g->velocities; r < g->rows; r++) {
        for (SuiteSparse_long e = a->start[r]; e < a->start[r + 1]; e++)
            if (a->column[e] == r) a->value[e] -= (1 - part) * g->excess[r];
        g->excess[r] *= part;
    }
}

/* The derivatives at the present point. */
static nb_status linearise(pair_gradient *g, nb_pair_problem *s, double target) {
    nb_status status = NB_OK;
    int regular;
    nb_pair_problem_eliminate(s, &regular);
    if (!regular) return nb_fail(NB_ERROR_NUMERIC, "the derivative of a step is singular at a contact");
    for (int32_t i = 0; i < s->body_count; i++) linearise_body(g, s, i);
    for (int32_t i = 0; i < s->found.count; i++) linearise_pair(g, s, i, target);
    for (int32_t j = 0; j < s->joint_count; j++) linearise_joint(g, s, j);
    if (g->rows == 0) return NB_OK;
    NB_TRY(nb_lu_matrix_copy(&g->matrix, s->matrix, NULL));
    harden_joints(g);
    memcpy(g->value, g->matrix.value, (size_t)g->matrix.start[g->rows] * sizeof *g->value);
    NB_TRY(nb_lu_multifrontal.create(&g->library));
    NB_TRY(nb_lu_multifrontal.analyse(g->library, &g->matrix));
out:
    return status;
}

/* Where the step itself was not solved, as of a motion that is smoothed and goes where none would, from collisions. */
static nb_status centre_anew(pair_gradient *g, nb_pair_problem *s, const nb_method_settings *settings, double target) {
    const nb_pair_memory none = {0};
    int32_t iterations = g->base.iterations;
    nb_pair_problem_go_on(s, 1);
    memset(s->z, 0, (size_t)s->joint_rows * sizeof *s->z);
    nb_pair_problem_start(s, &none, 0);
    nb_status status = pair_centre(s, settings, target, &g->base.residual, &g->base.iterations);
    g->base.iterations += iterations;
    return status;
}

static nb_status make(pair_gradient *g, nb_pair_problem *s, const nb_method_settings *settings, nb_problem *p,
                      double rho, double smoothing) {
    nb_status status;
    const int64_t entries = s->system ? nb_csr_nonzeros(s->matrix) : 0;
    g->base.type = &class_of;
    g->base.bodies = s->body_count;
    g->base.own = own_smoothing(s, rho);
    g->base.smoothing = smoothing > 0 ? smoothing : g->base.own;
    g->gravity = s->world->gravity;
    g->gyroscopic = s->world->settings.gyroscopic;
    g->pairs = s->found.count;
    g->joints = s->joint_count;
    g->velocities = 6 * s->moving;
    g->rows = s->rows;
    g->transposed = -1;
    nb_step_world(nb_step_of(p), &g->base.h);
    lay_out(&g->arena, g, entries);
    NB_TRY(nb_arena_reserve(&g->arena));
    lay_out(&g->arena, g, entries);
    g->base.u = g->u;
    const double target = smoothing > 0 ? choose_target(g, s, smoothing) : rho;
    if (smoothing > 0) choose_parts(s, target, smoothing);
    NB_TRY(pair_centre(s, settings, target, &g->base.residual, &g->base.iterations));
    if (!(g->base.residual <= centre_least)) NB_TRY(centre_anew(g, s, settings, target));
    if (!(g->base.residual <= centre_least))
        NB_TRY(nb_fail(NB_ERROR_NUMERIC,
                       "the central path at rho = %g J was not reached (residual %.1e after %d iterations); another "
                       "--smoothing may help",
                       g->base.smoothing, g->base.residual, (int)g->base.iterations));
    NB_TRY(linearise(g, s, target));
    g->base.distance = distance_of(g, p);
out:
    return status;
}

nb_status nb_pair_gradient(nb_pair_problem *s, const nb_method_settings *settings, nb_problem *problem, double rho,
                           double smoothing, nb_step_gradient **gradient) {
    nb_status status;
    double *before = NULL;
    pair_gradient *g = NULL;
    *gradient = NULL;
    NB_TRY(nb_check_differentiable(s->world));
    NB_TRY(nb_check_undamped(s->world, "single-level"));
    NB_TRY(NB_ALLOCATE(nb_pair_problem_numbers(s), &before));
    NB_TRY(NB_ALLOCATE(1, &g));
    nb_pair_problem_store(s, before);
    status = make(g, s, settings, problem, rho, smoothing);
    nb_pair_problem_restore(s, before);
    for (int32_t i = 0; i < s->found.count; i++) memcpy(s->pairs[i].part, s->part, sizeof s->part);
    if (status == NB_OK) *gradient = &g->base;
out:
    if (status != NB_OK && g) destroy(&g->base);
    nb_free(before);
    return status;
}
