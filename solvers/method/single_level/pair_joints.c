#include "pair_joints.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "constraint/step.h"
#include "model/joint.h"

NB_PRECISIONS(f32, f64);

/* Beside the compliance in the matrix alone, and not in the equations, this part of a row's inverse mass: joints that
 * say something twice leave impulses open, which then stay what they are. What it costs is a part as small of a row's
 * residual in each iteration. */
static const double REGULARIZATION = 1e-8;

void nb_pair_joints_lay_out(nb_arena *a, nb_pair_problem *s) {
    const nb_world *world = s->world;
    int32_t rows = 0;
    for (int32_t j = 0; j < world->joint_count; j++) rows += nb_joint_rows(world->joints[j].kind);
    s->joint_rows = rows;
    s->joint_count = world->joint_count;
    NB_PLACE(a, s->joint_count, &s->joints);
    NB_PLACE(a, rows, &s->z);
    NB_PLACE(a, rows, &s->z_kept);
    NB_PLACE(a, rows, &s->dz);
    NB_PLACE(a, rows, &s->joint_residual);
    NB_PLACE(a, rows, &s->joint_compliance);
    NB_PLACE(a, rows, &s->joint_diagonal);
    NB_PLACE(a, rows, &s->joint_unit);
    NB_PLACE(a, rows, &s->joint_impulse);
    NB_PLACE(a, rows, &s->joint_gradient);
}

/* [s] */
static double step_of(const nb_pair_problem *s) {
    return s->h * s->length / s->speed;
}

/* where a body is at u; the world where it is -1 */
static void pose_of(const nb_pair_problem *s, int32_t body, nb_vec3 *x, nb_quat *q) {
    *x = nb_vec3_of(0, 0, 0);
    *q = nb_quat_identity();
    if (body < 0) return;
    const nb_body *start = &s->world->bodies[body];
    const double *u = s->u + 6 * (int64_t)body, h = step_of(s), v = s->speed, w = v / s->length;
    *x = nb_add_scaled(start->position, h * v, nb_vec3_of(u[0], u[1], u[2]));
    *q = nb_quat_advance(start->orientation, h, nb_vec3_of(w * u[3], w * u[4], w * u[5]));
}

static int evaluate(const nb_pair_problem *s, int32_t j, nb_joint_row rows[NB_JOINT_MAX_ROWS]) {
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    pose_of(s, s->joints[j].body[0], &xa, &qa);
    pose_of(s, s->joints[j].body[1], &xb, &qb);
    return nb_joint_evaluate(&s->world->joints[j], xa, qa, xb, qb, rows);
}

/* a row's gradients by lengths and turns, the impulse's forces in the unit of one */
static void scale_gradient(const nb_pair_problem *s, const nb_joint_row *row, double unit, double gradient[12]) {
    const nb_vec3 from[4] = {row->linear_a, row->angular_a, row->linear_b, row->angular_b};
    for (int k = 0; k < 4; k++) {
        double factor = k % 2 == 0 ? unit : unit / s->length;
        gradient[3 * k] = factor * from[k].x;
        gradient[3 * k + 1] = factor * from[k].y;
        gradient[3 * k + 2] = factor * from[k].z;
    }
}

static double mass_of(const nb_pair_problem *s, const nb_pair_joint *joint) {
    double least = INFINITY;
    for (int k = 0; k < 2; k++)
        if (joint->body[k] >= 0 && s->body[joint->body[k]].moves)
            least = fmin(least, s->world->bodies[joint->body[k]].mass);
    return least;
}

void nb_pair_joints_begin(nb_pair_problem *s, nb_problem *p) {
    const double h = step_of(s);
    int32_t first = 0, next = 6 * s->moving;
    for (int32_t j = 0; j < s->joint_count; j++) {
        const nb_joint *from = &s->world->joints[j];
        nb_pair_joint *joint = &s->joints[j];
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        *joint = (nb_pair_joint){.body = {from->body_a, from->body_b}, .first = first};
        joint->count = evaluate(s, j, rows);
        joint->mass = mass_of(s, joint);
        joint->row = joint->mass < INFINITY ? next : -1;
        if (joint->row >= 0) next += joint->count;
        for (int k = 0; k < joint->count; k++) {
            double unit = nb_norm(rows[k].linear_a) > 0 ? 1 : s->length; /* of rotation, it has none */
            s->joint_unit[first + k] = unit;
            s->joint_impulse[first + k] = joint->row < 0 ? 0 : joint->mass * s->speed * unit;
            s->joint_compliance[first + k] =
                joint->row < 0 ? 0 : rows[k].compliance / (h * h) * joint->mass * unit * unit;
        }
        first += joint->count;
    }
    s->rows = next;
    const int32_t *order = nb_step_bilateral_order(nb_step_of(p));
    for (int32_t r = 0; r < p->bilaterals; r++) {
        int32_t row = order[r];
        double impulse = s->joint_impulse[row];
        s->z[row] = impulse > 0 ? (double)p->z[r] / impulse : 0;
        s->joint_diagonal[row] =
            s->joint_compliance[row] + REGULARIZATION * (double)p->w[r] * impulse * s->joint_unit[row] / s->speed;
    }
}

static double weight_of(const nb_pair_problem *s, const nb_pair_joint *joint, int k) {
    return joint->mass / s->world->bodies[joint->body[k]].mass;
}

void nb_pair_joints_evaluate(nb_pair_problem *s, double *equality) {
    const double h = step_of(s);
    for (int32_t j = 0; j < s->joint_count; j++) {
        const nb_pair_joint *joint = &s->joints[j];
        nb_joint_row rows[NB_JOINT_MAX_ROWS];
        if (joint->row < 0) continue;
        evaluate(s, j, rows);
        for (int k = 0; k < joint->count; k++) {
            int32_t row = joint->first + k;
            double unit = s->joint_unit[row], *gradient = s->joint_gradient[row];
            scale_gradient(s, &rows[k], unit, gradient);
            s->joint_residual[row] = unit / (h * s->speed) * rows[k].value + s->joint_compliance[row] * s->z[row];
            nb_raise(equality, fabs(s->joint_residual[row]));
            for (int i = 0; i < 2; i++) {
                if (joint->body[i] < 0 || !s->body[joint->body[i]].moves) continue;
                double *r = s->r + 6 * (int64_t)joint->body[i], factor = weight_of(s, joint, i) * s->z[row];
                for (int c = 0; c < 6; c++) r[c] -= factor * gradient[6 * i + c];
            }
        }
    }
}

void nb_pair_joints_stiffness(const nb_pair_problem *s, int32_t j, double stiffness[12][12]) {
    const nb_pair_joint *joint = &s->joints[j];
    nb_joint_place place;
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    memset(stiffness, 0, 144 * sizeof(double));
    pose_of(s, joint->body[0], &xa, &qa);
    pose_of(s, joint->body[1], &xb, &qb);
    nb_joint_place_at(&s->world->joints[j], xa, qa, xb, qb, &place);
    for (int c = 0; c < 12; c++) {
        nb_joint_row change[NB_JOINT_MAX_ROWS];
        nb_vec3 motion[4] = {0};
        double size = c % 6 < 3 ? s->length : 1, gradient[12];
        if (joint->body[c / 6] < 0) continue;
        motion[c / 3] = nb_vec3_of(c % 3 == 0 ? size : 0, c % 3 == 1 ? size : 0, c % 3 == 2 ? size : 0);
        nb_joint_place_move(&place, motion[0], motion[1], motion[2], motion[3], change);
        for (int k = 0; k < joint->count; k++) {
            scale_gradient(s, &change[k], s->joint_unit[joint->first + k], gradient);
            for (int r = 0; r < 12; r++) stiffness[r][c] += s->z[joint->first + k] * gradient[r];
        }
    }
}

void nb_pair_joints_write_impulses(const nb_pair_problem *s, nb_problem *p) {
    const int32_t *order = nb_step_bilateral_order(nb_step_of(p));
    for (int32_t r = 0; r < p->bilaterals; r++) p->z[r] = (real)(s->z[order[r]] * s->joint_impulse[order[r]]);
}
