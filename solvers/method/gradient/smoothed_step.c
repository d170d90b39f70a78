#include "smoothed_step.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "constraint/step.h"
#include "differentiable.h"
#include "model/carried.h"
#include "model/free_turn.h"

NB_PRECISIONS(f32, f64);

/* ---- memory ---- */

static void lay_out_blocks(nb_arena *a, nb_smoothed_step *s, nb_smoothed_block *blocks) {
    for (int32_t i = 0; i < s->joints + s->contact_count; i++) {
        nb_smoothed_block none = {0}, *b = blocks ? &blocks[i] : &none;
        int64_t n = i < s->joints ? NB_JOINT_MAX_ROWS : 3;
        double **square[] = {&b->t, &b->c, &b->e, &b->inverse};
        NB_PLACE(a, 24 * n + 4 * n * n, &b->j); /* in one piece: they are gone through together */
        b->q = b->j ? b->j + 12 * n : NULL;
        for (int k = 0; k < 4; k++) *square[k] = b->j ? b->j + 24 * n + k * n * n : NULL;
        b->k = NULL;
        if (i < s->joints && !s->frozen) NB_PLACE(a, 144, &b->k);
    }
}

static void lay_out(nb_arena *a, nb_smoothed_step *s) {
    double **by_body[] = {&s->u, &s->free, &s->ru, &s->du, &s->change, &s->force, &s->try_u, &s->best_u};
    double **by_row[] = {&s->zeta, &s->weight, &s->rz, &s->dz, &s->try_z, &s->best_z};
    NB_PLACE(a, s->bodies, &s->copy.bodies);
    NB_PLACE(a, s->joints, &s->copy.joints);
    NB_PLACE(a, s->joints + s->contact_count, &s->block);
    NB_PLACE(a, s->contact_count, &s->contact);
    NB_PLACE(a, s->contact_count, &s->features);
    NB_PLACE(a, s->joints, &s->joint);
    NB_PLACE(a, s->coordinates, &s->coordinate);
    NB_PLACE(a, s->terms, &s->term);
    NB_PLACE(a, s->bodies, &s->turn);
    NB_PLACE(a, s->bodies, &s->moments);
    NB_PLACE(a, 36 * (int64_t)s->bodies, &s->inertia);
    for (int k = 0; k < 8; k++) NB_PLACE(a, 6 * (int64_t)s->bodies, by_body[k]);
    for (int k = 0; k < 6; k++) NB_PLACE(a, s->rows, by_row[k]);
    NB_PLACE(a, 6 * (int64_t)s->bodies, &s->x);
    lay_out_blocks(a, s, s->block);
}

void nb_smoothed_step_destroy(nb_smoothed_step *s) {
    if (!s) return;
    if (s->matrix) {
        if (s->matrix->owner == s) s->matrix->owner = NULL;
        nb_arena_clear(&s->matrix->spare);
        s->matrix->spare = s->arena;
    } else {
        nb_arena_clear(&s->arena);
    }
    nb_smoothed_matrix_release(s->matrix);
    nb_free(s);
}

/* ---- from a step ---- */

static void copy_world(nb_smoothed_step *s, const nb_world *world) {
    nb_body *bodies = s->copy.bodies;
    nb_joint *joints = s->copy.joints;
    for (int32_t i = 0; i < s->bodies; i++) bodies[i] = world->bodies[i];
    for (int32_t i = 0; i < s->joints; i++) joints[i] = world->joints[i];
    s->copy = *world;
    s->copy.bodies = bodies;
    s->copy.joints = joints;
}

static void begin_bodies(nb_smoothed_step *s, const nb_problem *p) {
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body *body = &s->world->bodies[i];
        for (int k = 0; k < 6; k++) s->u[6 * i + k] = (double)p->u[6 * (ptrdiff_t)i + k];
        if (body->kind != NB_BODY_DYNAMIC) continue;
        nb_free_spin turning;
        nb_free_spin_of(body, s->world->settings.gyroscopic, s->h, &turning);
        const nb_vec3 faster = nb_add_scaled(s->world->gravity, 1 / body->mass, body->force),
                      linear = nb_add_scaled(body->linear_velocity, s->h, faster);
        const double free[6] = {linear.x, linear.y, linear.z, turning.spin.x, turning.spin.y, turning.spin.z};
        memcpy(s->free + 6 * (ptrdiff_t)i, free, sizeof free);
        s->moments[i] = nb_inertia_at(body, body->orientation);
    }
}

static void begin_block(nb_smoothed_step *s, nb_smoothed_block *block, int32_t a, int32_t b, int32_t rows,
                        int32_t *first) {
    block->body[0] = a;
    block->body[1] = b;
    block->rows = rows;
    block->first = *first;
    *first += rows;
    for (int k = 0; k < 2; k++) block->slot[k] = block->body[k] >= 0 ? s->matrix->pairs.slot[block->body[k]] : -1;
}

static void begin_joints(nb_smoothed_step *s, nb_problem *p, int32_t *first) {
    const int32_t *order = nb_step_bilateral_order(nb_step_of(p));
    for (int32_t i = 0; i < s->joints; i++) {
        const nb_joint *joint = &s->world->joints[i];
        const int32_t motor = joint->kind == NB_JOINT_FIXED ? nb_motor_of(s->world, i) : -1;
        s->joint[i] = (nb_smoothed_joint){.joint = joint};
        if (motor >= 0) {
            double compliance;
            nb_coordinate_of_motor(s->world, motor, &s->joint[i].driven);
            nb_motor_held(&s->world->motors[motor], 0, s->h, &compliance, &s->joint[i].by_start);
        }
        begin_block(s, &s->block[i], joint->body_a, joint->body_b, nb_joint_rows(joint->kind), first);
    }
    for (int32_t r = 0; r < p->bilaterals; r++) {
        s->zeta[order[r]] = (double)p->z[r];
        s->weight[order[r]] = (double)p->w[r];
    }
}

static nb_status begin_contacts(nb_smoothed_step *s, nb_problem *p, int32_t *first) {
    nb_status status = NB_OK;
    const int32_t *order = nb_step_contact_order(nb_step_of(p));
    const nb_contacts *contacts = nb_step_contacts(nb_step_of(p));
    for (int32_t i = 0; i < s->contact_count; i++) {
        nb_smoothed_contact *c = &s->contact[i];
        nb_smoothed_block *block = &s->block[s->joints + i];
        c->contact = contacts->items[order[i]];
        c->mu = c->contact.friction;
        NB_TRY(nb_contact_features_of(s->world, &c->contact, &s->features[i]));
        begin_block(s, block, c->contact.body_a, c->contact.body_b, 3, first);
        ptrdiff_t r = p->bilaterals + 3 * (ptrdiff_t)i;
        double w = (double)(p->w[r] + p->w[r + 1] + p->w[r + 2]) / 3;
        c->s = w > 0 ? 1 / sqrt(w) : 1;
        for (int k = 0; k < 3; k++) {
            c->z[k] = (double)p->z[r + k];
            s->weight[block->first + k] = w;
        }
    }
out:
    return status;
}

static void evaluate_bodies(nb_smoothed_step *s) {
    for (int32_t i = 0; i < s->bodies; i++) {
        const double *u = s->u + 6 * (ptrdiff_t)i;
        s->turn[i] = nb_body_turn_of(s->h, nb_vec3_of(u[3], u[4], u[5]));
    }
}

static void evaluate_contact(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_contact *c = &s->contact[i];
    const int32_t *body = s->block[s->joints + i].body;
    const int linear = s->contacts_linear || !nb_contact_turns(s->world, body[0], body[1]);
    nb_contact_rows_evaluate(s->world, &c->contact, s->h, linear, s->u + 6 * (ptrdiff_t)body[0],
                             s->u + 6 * (ptrdiff_t)body[1], &c->rows);
}

/* y of the velocities and the normal's impulse; notes the direction of the slip */
static void dual_of(const nb_smoothed_step *s, nb_smoothed_contact *c, double y[3]) {
    const double *v = c->rows.value, slip = hypot(v[1], v[2]), normal = v[0] + s->soft * c->z[0];
    c->slip[0] = c->slip[1] = 0;
    y[0] = c->s * (c->mu > 0 ? normal / c->mu : normal);
    y[1] = y[2] = 0;
    if (!(c->mu > 0)) return;
    for (int k = 1; k < 3; k++) y[k] = c->s * v[k];
    if (s->relaxed) return;
    y[0] += c->s * slip;
    /* where friction is not called upon the slip is round-off, and has no direction */
    if (slip * c->s > 1e-8 * fabs(y[0]))
        for (int k = 0; k < 2; k++) c->slip[k] = v[1 + k] / slip;
}

/* Friction at its bound where nothing slips, as of impulses that cancel, is brought inside: the central path has it
 * there, and from the bound each iteration of Newton's method would only double its distance. */
static void start_inside(const nb_smoothed_step *s, const double y[3], double w[3]) {
    const double inside = 0.7, still = 0.1 * sqrt(s->rho);
    double friction = hypot(w[1], w[2]);
    if (!(w[0] > 0) || friction <= inside * w[0] || fabs(y[0]) + hypot(y[1], y[2]) > still) return;
    for (int k = 1; k < 3; k++) w[k] *= inside * w[0] / friction;
}

/* the unknowns of contacts and coordinates: w = x - y of the iterate, each brought into its cone by the smoothing */
static void start_pairs(nb_smoothed_step *s) {
    evaluate_bodies(s);
    for (int32_t i = 0; i < s->contact_count; i++) {
        nb_smoothed_contact *c = &s->contact[i];
        double y[3], *w = s->zeta + s->block[s->joints + i].first;
        evaluate_contact(s, i);
        dual_of(s, c, y);
        w[0] = (c->mu > 0 ? c->mu * c->z[0] : c->z[0]) / c->s - y[0];
        for (int k = 1; k < 3; k++) w[k] = c->mu > 0 ? c->z[k] / c->s - y[k] : 0;
        start_inside(s, y, w);
    }
    for (int32_t i = 0; i < s->coordinates; i++) {
        nb_smoothed_coordinate_evaluate(s, i);
        nb_smoothed_coordinate_start(s, i);
    }
}

nb_status nb_smoothed_step_create(nb_smoothed_matrix **kept, nb_problem *p, double rho, nb_smoothed_step **step) {
    nb_status status;
    nb_smoothed_step *s = NULL;
    int32_t first = 0;
    *step = NULL;
    if (!nb_step_of(p))
        return nb_fail(NB_ERROR_UNSUPPORTED, "a gradient does not support problem files; use a scenario");
    NB_TRY(NB_ALLOCATE(1, &s));
    const nb_world *world = nb_step_world(nb_step_of(p), &s->h);
    NB_TRY(nb_check_differentiable(world));
    s->world = &s->copy;
    s->rho = rho;
    s->frozen = p->frozen;
    s->contacts_linear = p->contacts_linear;
    s->relaxed = world->settings.friction_law == NB_FRICTION_RELAXED;
    s->soft = world->settings.contact_compliance / (s->h * s->h);
    s->bodies = world->body_count;
    s->joints = world->joint_count;
    s->contact_count = p->contacts;
    s->coordinates = nb_coordinate_rows(world, NULL);
    s->terms = s->coordinates + (NB_COUPLED - 1) * world->coupling_count;
    s->joint_rows = p->bilaterals;
    s->rows = p->rows;
    NB_TRY(nb_smoothed_matrix_hold(kept, p, &s->matrix));
    s->arena = s->matrix->spare;
    s->matrix->spare = (nb_arena){0};
    nb_arena_measure(&s->arena);
    lay_out(&s->arena, s);
    NB_TRY(nb_arena_reuse(&s->arena));
    lay_out(&s->arena, s);
    copy_world(s, world);
    begin_bodies(s, p);
    begin_joints(s, p, &first);
    NB_TRY(begin_contacts(s, p, &first));
    nb_smoothed_coordinate_begin(s, p, first);
    start_pairs(s);
    *step = s;
out:
    if (status != NB_OK) nb_smoothed_step_destroy(s);
    return status;
}

/* ---- the residual ---- */

void nb_smoothed_step_pose(const nb_smoothed_step *s, int32_t i, nb_vec3 *x, nb_quat *q) {
    *x = nb_vec3_of(0, 0, 0);
    *q = nb_quat_identity();
    if (i < 0) return;
    const double *u = s->u + 6 * (ptrdiff_t)i, h = s->frozen ? 0 : s->h;
    *x = nb_add_scaled(s->world->bodies[i].position, h, nb_vec3_of(u[0], u[1], u[2]));
    *q = nb_quat_advance(s->world->bodies[i].orientation, h, nb_vec3_of(u[3], u[4], u[5]));
}

void nb_smoothed_step_motion(const nb_smoothed_step *s, int32_t body, int k, nb_vec3 *move, nb_vec3 *turn) {
    nb_vec3 unit = nb_vec3_of(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    *move = *turn = nb_vec3_of(0, 0, 0);
    if (body < 0) return;
    if (k < 3)
        *move = nb_scale(s->h, unit);
    else
        *turn = nb_body_turn_change(&s->turn[body], s->h, unit);
}

static double along(const nb_joint_row *row, int side, const double *u) {
    nb_vec3 linear = side ? row->linear_b : row->linear_a, angular = side ? row->angular_b : row->angular_a;
    return linear.x * u[0] + linear.y * u[1] + linear.z * u[2] + angular.x * u[3] + angular.y * u[4] + angular.z * u[5];
}

static void evaluate_joint(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_joint *j = &s->joint[i];
    const int32_t *body = s->block[i].body;
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_smoothed_step_pose(s, body[0], &xa, &qa);
    nb_smoothed_step_pose(s, body[1], &xb, &qb);
    int count = nb_joint_evaluate(j->joint, xa, qa, xb, qb, j->rows);
    for (int k = 0; k < count; k++) {
        j->value[k] = j->rows[k].value / s->h;
        for (int side = 0; s->frozen && side < 2; side++)
            if (body[side] >= 0) j->value[k] += along(&j->rows[k], side, s->u + 6 * (ptrdiff_t)body[side]);
    }
    double excess[NB_JOINT_MAX_ROWS];
    count = s->frozen ? nb_carried_joint(s->world, j->joint, j->rows, s->h, excess) : 0;
    for (int k = 0; k < count; k++) j->value[k] += excess[k];
}

/* M (u - u~) of bodies with mass */
static void momentum_of(nb_smoothed_step *s, int32_t i) {
    const nb_body *body = &s->world->bodies[i];
    const double *u = s->u + 6 * (ptrdiff_t)i, *free = s->free + 6 * (ptrdiff_t)i;
    double *r = s->ru + 6 * (ptrdiff_t)i;
    memset(r, 0, 6 * sizeof *r);
    if (body->kind != NB_BODY_DYNAMIC) return;
    const nb_vec3 turning = nb_vec3_of(u[3] - free[3], u[4] - free[4], u[5] - free[5]),
                  angular = nb_mat3_apply(&s->moments[i], turning);
    const double all[6] = {body->mass * (u[0] - free[0]),
                           body->mass * (u[1] - free[1]),
                           body->mass * (u[2] - free[2]),
                           angular.x,
                           angular.y,
                           angular.z};
    memcpy(r, all, sizeof all);
}

static void add_joint_residual(nb_smoothed_step *s, int32_t i) {
    const nb_smoothed_joint *j = &s->joint[i];
    const nb_smoothed_block *b = &s->block[i];
    for (int32_t k = 0; k < b->rows; k++) {
        const nb_joint_row *row = &j->rows[k];
        double z = s->zeta[b->first + k];
        const nb_vec3 pull[4] = {row->linear_a, row->angular_a, row->linear_b, row->angular_b};
        s->rz[b->first + k] = j->value[k] + row->compliance / (s->h * s->h) * z;
        for (int side = 0; side < 2; side++) {
            if (b->slot[side] < 0) continue;
            double *r = s->ru + 6 * (ptrdiff_t)b->body[side];
            for (int part = 0; part < 2; part++) {
                nb_vec3 d = pull[2 * side + part];
                r[3 * part] -= z * d.x;
                r[3 * part + 1] -= z * d.y;
                r[3 * part + 2] -= z * d.z;
            }
        }
    }
}

static void add_contact_residual(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_contact *c = &s->contact[i];
    const nb_smoothed_block *b = &s->block[s->joints + i];
    double y[3];
    nb_smoothed_cone_at(s->rho, s->zeta + b->first, &c->pair);
    if (!(c->mu > 0)) { /* a number alone */
        const double w[3] = {s->zeta[b->first], 0, 0};
        nb_smoothed_cone_at(s->rho, w, &c->pair);
    }
    c->z[0] = c->s * c->pair.x[0] / (c->mu > 0 ? c->mu : 1);
    for (int k = 1; k < 3; k++) c->z[k] = c->mu > 0 ? c->s * c->pair.x[k] : 0;
    dual_of(s, c, y);
    for (int k = 0; k < 3; k++) s->rz[b->first + k] = c->mu > 0 || k == 0 ? y[k] - c->pair.y[k] : s->zeta[b->first + k];
    nb_contact_rows_jacobian(&c->rows, (double(*)[12])b->j);
    for (int side = 0; side < 2; side++)
        for (int v = 0; v < 6 && b->slot[side] >= 0; v++)
            for (int k = 0; k < 3; k++) s->ru[6 * b->body[side] + v] -= b->j[12 * k + 6 * side + v] * c->z[k];
}

/* in joules: momentum over masses, y as it is, joints over their inverse masses */
static double norm_of(const nb_smoothed_step *s) {
    double sum = 0;
    for (int32_t i = 0; i < s->bodies; i++) {
        const nb_body *body = &s->world->bodies[i];
        const double *r = s->ru + 6 * (ptrdiff_t)i;
        if (body->kind != NB_BODY_DYNAMIC) continue;
        double moment = (body->inertia.x + body->inertia.y + body->inertia.z) / 3;
        sum += (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / body->mass;
        sum += (r[3] * r[3] + r[4] * r[4] + r[5] * r[5]) / moment;
    }
    for (int32_t r = 0; r < s->rows; r++) sum += s->rz[r] * s->rz[r] / (r < s->joint_rows ? s->weight[r] : 1);
    return sqrt(sum);
}

double nb_smoothed_step_evaluate_again(nb_smoothed_step *s) {
    for (int32_t i = 0; i < s->bodies; i++) momentum_of(s, i);
    for (int32_t i = 0; i < s->joints; i++) {
        evaluate_joint(s, i);
        add_joint_residual(s, i);
    }
    for (int32_t i = 0; i < s->contact_count; i++) add_contact_residual(s, i);
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_add_residual(s, i);
    return norm_of(s);
}

double nb_smoothed_step_evaluate(nb_smoothed_step *s) {
    evaluate_bodies(s);
    for (int32_t i = 0; i < s->contact_count; i++) evaluate_contact(s, i);
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_evaluate(s, i);
    return nb_smoothed_step_evaluate_again(s);
}
