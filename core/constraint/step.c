#include "constraint/step.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "base/threads.h"
#include "constraint/step_state.h"
#include "model/joint.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

#define NB_LANE real
#include "operator/contact_formulas.h"

/* ---- memory ---- */

static void place(nb_arena *a, nb_step *s, int32_t n, int32_t bilaterals, int32_t contacts) {
    int32_t rows = bilaterals + 3 * contacts, blocks = bilaterals + contacts;
    NB_PLACE(a, n, &s->kind);
    NB_PLACE(a, n, &s->moves);
    NB_PLACE(a, n + 1, &s->velocity_start);
    NB_PLACE(a, n + 1, &s->place);
    NB_PLACE(a, n, &s->inverse_mass);
    NB_PLACE(a, n, &s->mass);
    NB_PLACE(a, 6 * (int64_t)n, &s->inertia);
    NB_PLACE(a, 6 * (int64_t)n, &s->u_free);
    NB_PLACE(a, NB_BODY_STRIDE * (int64_t)n, &s->force);
    NB_PLACE(a, NB_BODY_STRIDE * (int64_t)n, &s->velocity);
    NB_PLACE(a, NB_BODY_STRIDE * (int64_t)n, &s->motion);
    NB_PLACE(a, n, &s->dynamic);
    NB_PLACE(a, n, &s->body_island);
    NB_PLACE(a, contacts, &s->order);
    NB_PLACE(a, contacts, &s->contacts);
    NB_PLACE(a, NB_ARM_STRIDE * (int64_t)contacts, &s->start);
    NB_PLACE(a, bilaterals, &s->bilaterals);
    NB_PLACE(a, bilaterals, &s->joint_of_row);
    NB_PLACE(a, bilaterals, &s->bilateral_order);
    NB_PLACE(a, bilaterals, &s->bilateral_rate);
    NB_PLACE(a, bilaterals, &s->compliance);
    NB_PLACE(a, contacts, &s->mu);
    NB_PLACE(a, 6 * (int64_t)n, &s->u);
    NB_PLACE(a, rows, &s->z);
    NB_PLACE(a, rows, &s->value);
    NB_PLACE(a, 6 * (int64_t)n, &s->momentum);
    NB_PLACE(a, rows, &s->w);
    NB_PLACE(a, rows, &s->diagonal);
    NB_PLACE(a, blocks + 1, &s->block_start);
    NB_PLACE(a, blocks + 1, &s->group_start);
    NB_PLACE(a, 2 * (int64_t)blocks + 1, &s->island_block_start);
    NB_PLACE(a, 2 * (int64_t)blocks + 1, &s->island_group_start);
    NB_PLACE(a, n, &s->islands);
}

static nb_status make_room(nb_step *s, int32_t n, int32_t bilaterals, int32_t contacts) {
    nb_arena_measure(&s->arena);
    place(&s->arena, s, n, bilaterals, contacts);
    nb_status status = nb_arena_reserve(&s->arena);
    if (status == NB_OK) place(&s->arena, s, n, bilaterals, contacts);
    return status;
}

/* ---- the start of a step ---- */

static void narrow(nb_vec3 from, real *to) {
    to[0] = (real)from.x;
    to[1] = (real)from.y;
    to[2] = (real)from.z;
}

static void narrow_symmetric(const nb_mat3 *from, real *to) {
    to[0] = (real)from->m[0][0];
    to[1] = (real)from->m[1][1];
    to[2] = (real)from->m[2][2];
    to[3] = (real)from->m[0][1];
    to[4] = (real)from->m[0][2];
    to[5] = (real)from->m[1][2];
}

static nb_mat3 diagonal_matrix(double x, double y, double z) {
    return (nb_mat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}

/* masses, and u~ = u- + h M^-1 (m g + f, torque - omega x I omega) */
static void begin_body(nb_step *s, int32_t i, double h) {
    const nb_body *body = &s->world->bodies[i];
    real *u = s->u + 6 * (ptrdiff_t)i, *u_free = s->u_free + 6 * (ptrdiff_t)i;
    if (body->kind != NB_BODY_DYNAMIC) {
        if (body->kind == NB_BODY_KINEMATIC) {
            narrow(body->linear_velocity, u);
            narrow(body->angular_velocity, u + 3);
        }
        memcpy(u_free, u, 6 * sizeof *u);
        return;
    }
    nb_vec3 i0 = body->inertia;
    nb_mat3 principal = diagonal_matrix(i0.x, i0.y, i0.z), reciprocal = diagonal_matrix(1 / i0.x, 1 / i0.y, 1 / i0.z);
    nb_mat3 inertia = nb_mat3_rotated(body->orientation, &principal);
    nb_mat3 inverse = nb_mat3_rotated(body->orientation, &reciprocal);
    nb_vec3 spin = nb_mat3_apply(&inertia, body->angular_velocity);
    nb_vec3 torque = nb_sub(body->torque, nb_cross(body->angular_velocity, spin));
    nb_vec3 linear =
        nb_add_scaled(body->linear_velocity, h, nb_add_scaled(s->world->gravity, 1 / body->mass, body->force));
    nb_vec3 angular = nb_add_scaled(body->angular_velocity, h, nb_mat3_apply(&inverse, torque));
    s->moves[i] = 1;
    s->mass[i] = (real)body->mass;
    s->inverse_mass[i].mass = (real)(1 / body->mass);
    narrow_symmetric(&inertia, s->inertia + 6 * (ptrdiff_t)i);
    narrow_symmetric(&inverse, s->inverse_mass[i].inertia);
    narrow(linear, u_free);
    narrow(angular, u_free + 3);
}

/* Where friction depends on the direction the first tangent is that direction, laid into the contact's plane. */
static void tangents_of(const nb_world *world, nb_vec3 n, nb_vec3 *t1, nb_vec3 *t2) {
    const double least = 1e-6; /* shorter than that, it has no direction */
    nb_vec3 along = world->friction_direction, laid = nb_add_scaled(along, -nb_dot(along, n), n);
    nb_tangents(n, t1, t2);
    if (world->friction_ratio == 1) return;
    if (nb_norm(laid) < least) laid = nb_add_scaled(nb_vec3_of(0, 0, 1), -n.z, n);
    if (nb_norm(laid) < least) return;
    *t1 = nb_normalized(laid);
    *t2 = nb_cross(n, *t1);
}

static void begin_contact(nb_step *s, int32_t i, const nb_contact *contact, double h) {
    nb_contact_rows *rows = &s->contacts[i];
    nb_vec3 t1, t2;
    tangents_of(s->world, contact->normal, &t1, &t2);
    narrow(contact->normal, rows->direction[0]);
    narrow(t1, rows->direction[1]);
    narrow(t2, rows->direction[2]);
    real *start = s->start + NB_ARM_STRIDE * (ptrdiff_t)i;
    narrow(nb_sub(contact->point_a, s->world->bodies[rows->a].position), start);
    narrow(nb_sub(contact->point_b, s->world->bodies[rows->b].position), start + 3);
    start[6] = (real)(contact->gap / h);
    s->mu[i] = (real)contact->friction;
}

/* position and orientation of a body after moving with u for h; the world where i is -1 */
static void moved(const nb_step *s, int32_t i, double h, nb_vec3 *x, nb_quat *q) {
    *x = nb_vec3_of(0, 0, 0);
    *q = nb_quat_identity();
    if (i < 0) return;
    const real *u = s->u + 6 * (ptrdiff_t)i;
    const nb_body *body = &s->world->bodies[i];
    *x = nb_add_scaled(body->position, h, nb_vec3_of((double)u[0], (double)u[1], (double)u[2]));
    *q = nb_quat_advance(body->orientation, h, nb_vec3_of((double)u[3], (double)u[4], (double)u[5]));
}

/* The rows of a joint at the positions after `h`, into bilaterals from `first` on, their values over the step's length
 * into `rate`. Returns their number. */
static int evaluate_joint(nb_step *s, int32_t j, int32_t first, double h, real *rate) {
    const nb_joint *joint = &s->world->joints[j];
    nb_joint_row rows[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    moved(s, joint->body_a, h, &xa, &qa);
    moved(s, joint->body_b, h, &xb, &qb);
    int count = nb_joint_evaluate(joint, xa, qa, xb, qb, rows);
    for (int k = 0; k < count; k++) {
        nb_bilateral_row *row = &s->bilaterals[first + k];
        row->a = joint->body_a;
        row->b = joint->body_b;
        narrow(rows[k].linear_a, row->j);
        narrow(rows[k].angular_a, row->j + 3);
        narrow(rows[k].linear_b, row->j + 6);
        narrow(rows[k].angular_b, row->j + 9);
        rate[first + k] = (real)(rows[k].value / (double)s->problem.h);
        s->compliance[first + k] = (real)(rows[k].compliance / ((double)s->problem.h * (double)s->problem.h));
    }
    return count;
}

/* ---- evaluation ---- */

/* Arms, values and the diagonal of D for all contacts, with the bodies moved as s->motion says. */
static void evaluate_contacts(nb_step *s) {
    ptrdiff_t first = s->bilateral_count; /* row */
    int32_t count = s->contact_count;
    const nb_contact_pass pass = {s->contacts,  s->start,         s->motion,           s->inverse_mass,
                                  s->problem.h, s->value + first, s->diagonal + first, s->w + first};
    int parts = nb_threads_for(count, NB_PART_CONTACTS);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int i = 0; i < parts; i++)
        s->contact_pack.kernels->evaluate(&pass, nb_part_begin(i, parts, count, NB_PART_STEP),
                                          nb_part_begin(i + 1, parts, count, NB_PART_STEP));
    nb_sum_block_diagonal(&s->whole, 0, s->bilateral_count, s->diagonal);
    memcpy(s->w, s->diagonal, (size_t)first * sizeof *s->w);
}

static void set_motion(nb_step *s) {
    for (int32_t i = 0; i < s->nodes.bodies; i++) {
        real *motion = s->motion + (ptrdiff_t)i * NB_BODY_STRIDE;
        memcpy(motion, s->u + 6 * (ptrdiff_t)i, 6 * sizeof(real));
        motion[NB_MOTION_SCALE] = nb_lane_motion_scale(s->problem.h, motion + 3);
    }
}

static void evaluate_values(nb_step *s) {
    nb_problem *p = &s->problem;
    int32_t nb = p->bilaterals;
    set_motion(s);
    if (p->frozen) {
        nb_sum_row_velocities(&s->whole, s->motion, p->value);
        for (int32_t i = 0; i < nb; i++) p->value[i] += s->bilateral_rate[i];
        for (int32_t i = 0; i < p->contacts; i++) p->value[nb + 3 * i] += s->start[NB_ARM_STRIDE * (ptrdiff_t)i + 6];
        return;
    }
    for (int32_t row = 0; row < nb;) row += evaluate_joint(s, s->joint_of_row[row], row, (double)p->h, p->value);
    evaluate_contacts(s);
    p->value_epoch++;
}

static void evaluate_momentum(nb_step *s, const real *force_weight) {
    nb_problem *p = &s->problem;
    memset(s->force, 0, (size_t)s->nodes.bodies * NB_BODY_STRIDE * sizeof(real));
    nb_sum_add_forces(&s->whole, force_weight, p->z, s->force);
    for (int32_t k = 0; k < s->whole.dynamic_count; k++) {
        int32_t i = s->dynamic[k];
        const real *force = s->force + (ptrdiff_t)i * NB_BODY_STRIDE, *inertia = s->inertia + 6 * (ptrdiff_t)i;
        real *g = p->momentum + 6 * (ptrdiff_t)i, d[6];
        for (int j = 0; j < 6; j++) d[j] = s->u[6 * (ptrdiff_t)i + j] - s->u_free[6 * (ptrdiff_t)i + j];
        for (int j = 0; j < 3; j++) g[j] = s->mass[i] * d[j] - force[j];
        g[3] = inertia[0] * d[3] + inertia[3] * d[4] + inertia[4] * d[5] - force[3];
        g[4] = inertia[3] * d[3] + inertia[1] * d[4] + inertia[5] * d[5] - force[4];
        g[5] = inertia[4] * d[3] + inertia[5] * d[4] + inertia[2] * d[5] - force[5];
    }
}

static void step_evaluate(nb_problem *problem, const real *force_weight) {
    nb_step *s = (nb_step *)problem;
    evaluate_values(s);
    evaluate_momentum(s, force_weight);
}

/* velocity scratch = H^-1 force scratch, where force = sign g + (J^T y where y is given) */
static void velocities_from(nb_step *s, real sign, const real *y) {
    for (int32_t k = 0; k < s->whole.dynamic_count; k++) {
        int32_t i = s->dynamic[k];
        for (int j = 0; j < 6; j++)
            s->force[(ptrdiff_t)i * NB_BODY_STRIDE + j] = sign * s->problem.momentum[6 * (ptrdiff_t)i + j];
    }
    if (y) nb_sum_add_forces(&s->whole, NULL, y, s->force);
    s->sum.mass->type->solve(s->sum.mass, s->whole.dynamic_count, s->whole.dynamic, s->force, s->velocity);
}

static void step_momentum_rows(const nb_problem *problem, real *out) {
    nb_step *s = (nb_step *)problem;
    velocities_from(s, 1, NULL);
    nb_sum_row_velocities(&s->whole, s->velocity, out);
}

static void step_velocity_step(const nb_problem *problem, const real *y, real *du) {
    nb_step *s = (nb_step *)problem;
    velocities_from(s, -1, y);
    for (int32_t i = 0; i < s->nodes.bodies; i++)
        for (int j = 0; j < 6; j++) du[6 * (ptrdiff_t)i + j] = s->velocity[(ptrdiff_t)i * NB_BODY_STRIDE + j];
}

static void step_rows_of_velocity(const nb_problem *problem, const real *du, real *out) {
    nb_step *s = (nb_step *)problem;
    for (int32_t k = 0; k < s->whole.dynamic_count; k++) {
        int32_t i = s->dynamic[k];
        memcpy(s->velocity + (ptrdiff_t)i * NB_BODY_STRIDE, du + 6 * (ptrdiff_t)i, 6 * sizeof *du);
    }
    nb_sum_row_velocities(&s->whole, s->velocity, out);
}

static double step_momentum_error(const nb_problem *problem) {
    nb_step *s = (nb_step *)problem;
    double largest = 0;
    velocities_from(s, 1, NULL);
    for (int32_t k = 0; k < s->whole.dynamic_count; k++)
        for (int j = 0; j < 6; j++)
            nb_raise(&largest, (double)fabs(s->velocity[(ptrdiff_t)s->dynamic[k] * NB_BODY_STRIDE + j]));
    return largest;
}

static const nb_delassus *step_island(const nb_problem *problem, int32_t island, nb_law_range *ranges) {
    const nb_sum_view *view = &((const nb_step *)problem)->islands[island];
    for (int32_t i = 0; ranges && i < problem->range_count; i++) {
        int contacts = problem->ranges[i].law->type == &nb_cone_class;
        int pack = contacts ? NB_STEP_CONTACTS : NB_STEP_JOINTS;
        int32_t begin = view->begin[pack], end = view->end[pack];
        ranges[i] = problem->ranges[i];
        ranges[i].blocks = end - begin;
        ranges[i].first += begin;
        ranges[i].first_block += begin;
        ranges[i].first_row += begin * ranges[i].law->type->rows;
    }
    return &view->base;
}

static const nb_problem_class step_class = {step_evaluate,         step_momentum_rows,  step_velocity_step,
                                            step_rows_of_velocity, step_momentum_error, step_island};

/* ---- public ---- */

nb_status nb_step_create(nb_step **step) {
    nb_status status = NB_ALLOCATE(1, step);
    if (status == NB_OK) (*step)->problem.type = &step_class;
    return status;
}

void nb_step_destroy(nb_step *step) {
    if (!step) return;
    nb_arena_clear(&step->arena);
    nb_free(step);
}

static void publish(nb_step *s, double h, int frozen) {
    nb_problem *p = &s->problem;
    p->delassus = p->exact = &s->whole.base;
    p->bilaterals = s->bilateral_count;
    p->contacts = s->contact_count;
    p->rows = s->whole.base.rows;
    p->velocities = 6 * s->world->body_count;
    p->h = (real)h;
    p->frozen = frozen;
    p->pattern_epoch++;
    p->value_epoch++;
    p->u = s->u;
    p->z = s->z;
    p->value = s->value;
    p->momentum = s->momentum;
    p->w = s->w;
    s->laws.bilateral.compliance = s->compliance;
    s->laws.cone.mu = s->mu;
    s->laws.cone.ratio = (real)s->world->friction_ratio;
    s->laws.cone.soft = (real)(s->world->contact_compliance / (h * h));
    nb_cone_laws_publish(&s->laws, p);
}

/* the sum of joints and contacts over the nodes' mass */
static void make_operator(nb_step *s) {
    memset(s->kind, NB_NODE_BODY, (size_t)s->world->body_count);
    nb_nodes_number(s->world->body_count, s->kind, s->velocity_start, s->place, &s->nodes);
    s->mass_of_nodes = (nb_block_mass){.base = {&nb_block_mass_class, &s->nodes, s->moves},
                                       .inverse = s->inverse_mass,
                                       .mass = s->mass,
                                       .inertia = s->inertia};
    s->joint_pack = nb_joint_pack_of(&s->nodes, s->bilateral_count, s->bilaterals);
    s->contact_pack = nb_contact_pack_of(&s->nodes, s->contact_count, s->contacts);
    s->sum = (nb_sum){.mass = &s->mass_of_nodes.base,
                      .packs = NB_STEP_PACKS,
                      .pack = {&s->joint_pack.base, &s->contact_pack.base},
                      .first_row = {0, s->bilateral_count},
                      .force = s->force,
                      .velocity = s->velocity,
                      .diagonal = s->diagonal};
}

nb_status nb_step_begin(nb_step *step, const nb_world *world, const nb_contacts *contacts, double h, int frozen) {
    nb_status status;
    int32_t bilaterals = 0, n = world->body_count;
    for (int32_t j = 0; j < world->joint_count; j++) bilaterals += nb_joint_rows(world->joints[j].kind);
    NB_TRY(make_room(step, n, bilaterals, contacts->count));
    step->world = world;
    step->contact_count = contacts->count;
    step->bilateral_count = bilaterals;
    step->problem.h = (real)h;
    make_operator(step);
    for (int32_t i = 0; i < n; i++) begin_body(step, i, h);
    nb_step_find_islands(step, contacts);
    NB_TRY(nb_step_order(step, contacts));
    for (int32_t i = 0; i < contacts->count; i++) begin_contact(step, i, &contacts->items[step->order[i]], h);
    for (int32_t row = 0; row < bilaterals;)
        row += evaluate_joint(step, step->joint_of_row[row], row, 0, step->bilateral_rate);
    evaluate_contacts(step); /* nothing has moved */
    publish(step, h, frozen);
out:
    return status;
}

nb_problem *nb_step_problem(nb_step *step) {
    return &step->problem;
}

const int32_t *nb_step_contact_order(const nb_step *step) {
    return step->order;
}

const int32_t *nb_step_bilateral_order(const nb_step *step) {
    return step->bilateral_order;
}

void nb_step_contact_directions(const nb_step *step, int32_t i, double directions[3][3]) {
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) directions[k][j] = (double)step->contacts[i].direction[k][j];
}

void nb_step_arrays_of(const nb_step *step, nb_step_arrays *arrays) {
    *arrays = (nb_step_arrays){step->nodes.bodies, step->inverse_mass, step->u_free,        step->contacts,
                               step->start,        step->bilaterals,   step->bilateral_rate};
}

int nb_step_joint_starts(const nb_step *s, int32_t row, int32_t *motion, real *start) {
    const nb_joint *joint = &s->world->joints[s->joint_of_row[row]];
    nb_joint_start starts[NB_JOINT_MAX_ROWS];
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    moved(s, joint->body_a, 0, &xa, &qa);
    moved(s, joint->body_b, 0, &xb, &qb);
    int count = nb_joint_begin(joint, xa, qa, xb, qb, starts);
    for (int i = 0; i < count; i++) {
        motion[i] = (int32_t)starts[i].motion;
        for (int k = 0; k < NB_JOINT_WORDS; k++) start[i * NB_JOINT_WORDS + k] = (real)starts[i].words[k];
    }
    return count;
}

void nb_step_range_of(const nb_step *step, int32_t island, nb_step_range *range) {
    const nb_sum_view *view = island < 0 ? &step->whole : &step->islands[island];
    *range = (nb_step_range){view->begin[NB_STEP_JOINTS],
                             view->end[NB_STEP_JOINTS],
                             view->begin[NB_STEP_CONTACTS],
                             view->end[NB_STEP_CONTACTS],
                             view->dynamic,
                             view->dynamic_count};
}
