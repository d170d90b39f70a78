/* The linear systems of a smoothed step (smoothed_step.h): K, its elimination and its factors. */
#include <math.h>
#include <string.h>

#include "smoothed_step.h"

NB_PRECISIONS(f32, f64);

/* of a rigid joint's inverse mass: by this it is eliminated as if it gave way; refinement takes it back */
static const double ease = 1e-10;

/* ---- small matrices ---- */

/* out [n][m] = a [n][n] b [n][m] */
static inline void multiply(int n, int m, const double *a, const double *b, double *restrict out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[n * i + k] * b[m * k + j];
            out[m * i + j] = sum;
        }
}

/* in four parts, side by side */
static inline double dot(int n, const double *a, const double *x) {
    double sum[4] = {0};
    int k = 0;
    for (; k + 4 <= n; k += 4)
        for (int i = 0; i < 4; i++) sum[i] += a[k + i] * x[k + i];
    for (; k < n; k++) sum[0] += a[k] * x[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* y [n] += sign a x, a [n][m]; y [m] += sign a^T x */
static inline void add_product(int n, int m, const double *a, const double *x, double sign, double *restrict y) {
    for (int i = 0; i < n; i++) y[i] += sign * dot(m, a + (ptrdiff_t)m * i, x);
}

static inline void add_transposed(int n, int m, const double *a, const double *x, double sign, double *restrict y) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) y[k] += sign * a[m * i + k] * x[i];
}

/* ---- K ---- */

static void set_row(nb_vec3 linear, nb_vec3 angular, double *to) {
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(to, all, sizeof all);
}

/* b->k = -d(J^T z)/du of a joint that moves */
static void stiffness_of_joint(nb_smoothed_step *s, int32_t i) {
    const nb_smoothed_block *b = &s->block[i];
    const double *z = s->zeta + b->first;
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_smoothed_step_pose(s, b->body[0], &xa, &qa);
    nb_smoothed_step_pose(s, b->body[1], &xb, &qb);
    for (int v = 0; v < 12; v++) {
        nb_joint_row change[NB_JOINT_MAX_ROWS];
        nb_vec3 move[2] = {{0}}, turn[2] = {{0}};
        double row[12];
        nb_smoothed_step_motion(s, b->body[v / 6], v % 6, &move[v / 6], &turn[v / 6]);
        int count =
            nb_joint_differentiate(s->joint[i].joint, xa, qa, xb, qb, move[0], turn[0], move[1], turn[1], change);
        for (int k = 0; k < 12; k++) b->k[12 * k + v] = 0;
        for (int r = 0; r < count; r++) {
            set_row(change[r].linear_a, change[r].angular_a, row);
            set_row(change[r].linear_b, change[r].angular_b, row + 6);
            for (int k = 0; k < 12; k++) b->k[12 * k + v] -= z[r] * row[k];
        }
    }
}

static void linearise_joint(nb_smoothed_step *s, int32_t i) {
    nb_smoothed_block *b = &s->block[i];
    const int n = b->rows;
    memset(b->t, 0, (size_t)(n * n) * sizeof(double));
    memset(b->c, 0, (size_t)(n * n) * sizeof(double));
    memset(b->inverse, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n; k++) {
        const nb_joint_row *row = &s->joint[i].rows[k];
        double soft = row->compliance / (s->h * s->h);
        set_row(row->linear_a, row->angular_a, b->j + 12 * k);
        set_row(row->linear_b, row->angular_b, b->j + 12 * k + 6);
        memcpy(b->q + 12 * k, b->j + 12 * k, 12 * sizeof(double));
        b->t[(n + 1) * k] = 1;
        b->c[(n + 1) * k] = soft;
        b->inverse[(n + 1) * k] = 1 / (soft + ease * s->weight[b->first + k]);
        for (int side = 0; !s->frozen && side < 2; side++) {
            if (b->body[side] < 0) continue;
            nb_vec3 angular = nb_scale(1 / s->h, side ? row->angular_b : row->angular_a);
            angular = nb_body_turn_change_back(&s->turn[b->body[side]], s->h, angular);
            set_row(side ? row->linear_b : row->linear_a, angular, b->q + 12 * k + 6 * side);
        }
    }
    memcpy(b->e, b->inverse, (size_t)(n * n) * sizeof(double));
    if (b->k) stiffness_of_joint(s, i);
}

/* the inverse of a 3 x 3 matrix */
static void invert(const double a[9], double inverse[9]) {
    nb_mat3 m;
    memcpy(m.m, a, sizeof m.m);
    m = nb_mat3_inverse(&m);
    memcpy(inverse, m.m, sizeof m.m);
}

/* A frictionless contact has one row; the others keep w = 0. */
static void linearise_number(const nb_smoothed_step *s, const nb_smoothed_contact *c, const nb_smoothed_block *b,
                             double by_velocity[3][12]) {
    double one = c->pair.slope.low, rest = c->pair.low, soft = s->soft * c->s * c->s;
    memset(b->q, 0, 36 * sizeof(double));
    memset(b->t, 0, 9 * sizeof(double));
    memset(b->c, 0, 9 * sizeof(double));
    memset(b->e, 0, 9 * sizeof(double));
    memset(b->inverse, 0, 9 * sizeof(double));
    for (int v = 0; v < 12; v++) b->q[v] = c->s * by_velocity[0][v];
    b->t[0] = c->s * one;
    b->c[0] = rest + soft * one;
    b->c[4] = b->c[8] = b->inverse[4] = b->inverse[8] = 1;
    b->inverse[0] = 1 / b->c[0];
    b->e[0] = b->t[0] * b->inverse[0];
}

static void linearise_contact(nb_smoothed_step *s, int32_t i) {
    const nb_smoothed_contact *c = &s->contact[i];
    const nb_smoothed_block *b = &s->block[s->joints + i];
    double by_velocity[3][12], stiffness[2][3][3], slope[9];
    nb_contact_rows_by_velocity(&c->rows, by_velocity);
    nb_contact_rows_stiffness(&c->rows, c->z, stiffness);
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) s->inertia[36 * b->body[side] + 6 * (3 + j) + 3 + k] -= stiffness[side][j][k];
    if (!(c->mu > 0)) {
        linearise_number(s, c, b, by_velocity);
        return;
    }
    for (int v = 0; v < 12; v++) {
        const double *t = c->slip;
        b->q[v] = c->s * (by_velocity[0][v] / c->mu + t[0] * by_velocity[1][v] + t[1] * by_velocity[2][v]);
        for (int k = 1; k < 3; k++) b->q[12 * k + v] = c->s * by_velocity[k][v];
    }
    nb_smoothed_cone_slope(&c->pair, slope);
    nb_smoothed_cone_rest(&c->pair, b->c);
    nb_smoothed_cone_stiffness(&c->pair, b->e);
    for (int k = 0; k < 9; k++) b->t[k] = (k < 3 ? c->s / c->mu : c->s) * slope[k];
    for (int k = 0; k < 9; k++) b->e[k] *= k < 3 ? c->s / c->mu : c->s;
    double soft = s->soft * c->s / c->mu;
    for (int k = 0; k < 3; k++) b->c[k] += soft * b->t[k];
    invert(b->c, b->inverse);
    if (s->soft > 0) multiply(3, 3, b->t, b->inverse, b->e);
}

static void drop_factors(nb_smoothed_step *s) {
    if (s->matrix->owner == s) s->matrix->owner = NULL;
    s->near = 0;
}

void nb_smoothed_step_linearise(nb_smoothed_step *s, int near) {
    if (!near) drop_factors(s);
    s->near = near;
    for (int32_t i = 0; i < s->bodies; i++) {
        double *a = s->inertia + 36 * (ptrdiff_t)i;
        memset(a, 0, 36 * sizeof *a);
        for (int k = 0; k < 3; k++) a[7 * k] = s->world->bodies[i].mass;
        for (int k = 0; k < 9; k++) a[6 * (3 + k / 3) + 3 + k % 3] = s->moments[i].m[k / 3][k % 3];
    }
    for (int32_t i = 0; i < s->joints; i++) linearise_joint(s, i);
    for (int32_t i = 0; i < s->contact_count; i++) linearise_contact(s, i);
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_linearise(s, i);
}

/* ---- factors ---- */

/* a 12 x 12 block over two bodies += J^T T C^-1 Q of `rows` rows, where both move */
static inline void add_rows(const nb_smoothed_block *b, int rows, double *restrict block) {
    double eliminated[12 * NB_JOINT_MAX_ROWS];
    multiply(rows, 12, b->e, b->q, eliminated);
    for (int part = 0; part < 4; part++) {
        const int side = 6 * (part / 2), other = 6 * (part % 2);
        if (b->slot[part / 2] < 0 || b->slot[part % 2] < 0) continue;
        for (int i = side; i < side + 6; i++) {
            double sum[6], *to = block + 12 * i + other;
            memcpy(sum, to, sizeof sum);
            for (int r = 0; r < rows; r++)
                for (int j = 0; j < 6; j++) sum[j] += b->j[12 * r + i] * eliminated[12 * r + other + j];
            memcpy(to, sum, sizeof sum);
        }
    }
}

static int same_bodies(const nb_smoothed_block *a, const nb_smoothed_block *b) {
    return a->body[0] == b->body[0] && a->body[1] == b->body[1];
}

static void assemble(nb_smoothed_step *s) {
    nb_smoothed_matrix *m = s->matrix;
    const nb_node_pairs *pairs = &m->pairs;
    const int32_t count = s->joints + s->contact_count;
    double block[144] = {0};
    memset(m->lu.value, 0, (size_t)m->lu.start[m->velocities] * sizeof(double));
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const double *a = s->inertia + 36 * (ptrdiff_t)pairs->node[i];
        double *to = m->lu.value + pairs->entry[i] + nb_node_pairs_find(pairs, i, i);
        for (int r = 0; r < 6; r++) memcpy(to + (ptrdiff_t)r * pairs->length[i], a + 6 * r, 6 * sizeof *a);
    }
    for (int32_t i = 0; i < count; i++) {
        const nb_smoothed_block *b = &s->block[i];
        if (i < s->joints)
            add_rows(b, b->rows, block);
        else
            add_rows(b, 3, block);
        for (int k = 0; b->k && k < 144; k++) block[k] += b->k[k];
        if (i + 1 < count && same_bodies(b, b + 1)) continue;
        nb_smoothed_matrix_add(m, b->slot, b->slot, block);
        memset(block, 0, sizeof block);
    }
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_assemble(s, i);
}

static nb_status factorise(nb_smoothed_step *s) {
    nb_smoothed_matrix *m = s->matrix;
    nb_lu_factors factors = {.failed_row = -1, .replaced_row = -1};
    if (m->velocities == 0 || m->owner == s) return NB_OK;
    m->owner = NULL;
    assemble(s);
    nb_status status = nb_lu_multifrontal.factorise(m->library, &m->lu, 1, &factors);
    if (status == NB_OK && factors.failed_row >= 0)
        status = nb_fail(NB_ERROR_NUMERIC, "the derivative of a step is singular at velocity %d of those with mass",
                         (int)factors.failed_row);
    if (status == NB_OK) m->owner = s;
    return status;
}

/* ---- solves ---- */

static inline void gather(const nb_smoothed_block *b, const double *u, double own[12]) {
    memset(own, 0, 12 * sizeof *own);
    for (int side = 0; side < 2; side++)
        if (b->slot[side] >= 0) memcpy(own + 6 * side, u + 6 * (ptrdiff_t)b->body[side], 6 * sizeof *own);
}

static inline void scatter(const nb_smoothed_block *b, const double own[12], double *u) {
    for (int side = 0; side < 2; side++)
        for (int k = 0; b->slot[side] >= 0 && k < 6; k++) u[6 * (ptrdiff_t)b->body[side] + k] += own[6 * side + k];
}

/* force += what n rows leave where they are eliminated */
static inline void eliminate_rows(const nb_smoothed_block *b, int n, const nb_smoothed_solution *x, double *force) {
    double own[12] = {0}, rows[NB_JOINT_MAX_ROWS] = {0};
    const double *rz = x->rz + b->first;
    if (x->transposed) {
        add_transposed(n, n, b->inverse, rz, -1, rows);
        add_transposed(n, 12, b->q, rows, 1, own);
    } else {
        add_product(n, n, b->e, rz, 1, rows);
        add_transposed(n, 12, b->j, rows, 1, own);
    }
    scatter(b, own, force);
}

/* dz of n rows, where velocities change by du, into z, and (ru, rz) -= K (du, dz) */
static inline void recover_rows(const nb_smoothed_block *b, int n, const double *du, const nb_smoothed_solution *x) {
    double own[12], out[12] = {0}, dz[NB_JOINT_MAX_ROWS] = {0}, driven[NB_JOINT_MAX_ROWS] = {0};
    double *z = x->z + b->first, *rz = x->rz + b->first;
    gather(b, du, own);
    if (b->k && x->transposed) add_transposed(12, 12, b->k, own, -1, out);
    if (b->k && !x->transposed) add_product(12, 12, b->k, own, -1, out);
    if (x->transposed) {
        add_product(n, 12, b->j, own, 1, driven);
        add_transposed(n, n, b->t, driven, 1, rz);
        add_transposed(n, n, b->inverse, rz, 1, dz);
        add_transposed(n, n, b->c, dz, -1, rz);
        add_transposed(n, 12, b->q, dz, -1, out);
    } else {
        add_product(n, 12, b->q, own, -1, rz);
        add_product(n, n, b->inverse, rz, 1, dz);
        add_product(n, n, b->c, dz, -1, rz);
        add_product(n, n, b->t, dz, 1, driven);
        add_transposed(n, 12, b->j, driven, 1, out);
    }
    for (int k = 0; k < n; k++) z[k] += dz[k];
    scatter(b, out, x->ru);
}

/* Adds to (u, z) what the factors make of the residual (ru, rz), which becomes that of the sum. */
static nb_status correct(nb_smoothed_step *s, const nb_smoothed_solution *x) {
    const nb_smoothed_matrix *m = s->matrix;
    const nb_node_pairs *pairs = &m->pairs;
    nb_status status = NB_OK;
    double *du = s->change, *force = s->force;
    memcpy(force, x->ru, 6 * (size_t)s->bodies * sizeof *force);
    for (int32_t i = 0; i < s->joints; i++) eliminate_rows(&s->block[i], s->block[i].rows, x, force);
    for (int32_t i = 0; i < s->contact_count; i++) eliminate_rows(&s->block[s->joints + i], 3, x, force);
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_eliminate(s, i, x, force);
    for (int32_t i = 0; i < pairs->nodes; i++)
        memcpy(s->x + pairs->row[i], force + 6 * (ptrdiff_t)pairs->node[i], 6 * sizeof *s->x);
    if (m->velocities > 0) status = nb_lu_multifrontal.solve(m->library, &m->lu, x->transposed, s->x);
    memset(du, 0, 6 * (size_t)s->bodies * sizeof *du);
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const ptrdiff_t body = pairs->node[i];
        const double *a = s->inertia + 36 * body;
        double *own = du + 6 * body;
        memcpy(own, s->x + pairs->row[i], 6 * sizeof *own);
        if (x->transposed)
            add_transposed(6, 6, a, own, -1, x->ru + 6 * body);
        else
            add_product(6, 6, a, own, -1, x->ru + 6 * body);
    }
    for (int32_t i = 0; i < s->joints; i++) recover_rows(&s->block[i], s->block[i].rows, du, x);
    for (int32_t i = 0; i < s->contact_count; i++) recover_rows(&s->block[s->joints + i], 3, du, x);
    for (int32_t i = 0; i < s->coordinates; i++) nb_smoothed_coordinate_recover(s, i, du, x);
    for (ptrdiff_t i = 0; i < 6 * (ptrdiff_t)s->bodies; i++) x->u[i] += du[i];
    return status;
}

/* only what has mass moves: forces on the rest are held by whatever holds it */
static void leave_out_prescribed(const nb_smoothed_step *s, double *ru) {
    for (int32_t i = 0; i < s->bodies; i++)
        if (s->matrix->pairs.slot[i] < 0) memset(ru + 6 * (ptrdiff_t)i, 0, 6 * sizeof *ru);
}

static double size_of(const nb_smoothed_step *s, const double *ru, const double *rz) {
    const nb_node_pairs *pairs = &s->matrix->pairs;
    double sum = 0;
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const double *r = ru + 6 * (ptrdiff_t)pairs->node[i], *a = s->inertia + 36 * (ptrdiff_t)pairs->node[i];
        for (int k = 0; k < 6; k++) sum += r[k] * r[k] / fabs(a[7 * k]);
    }
    for (int32_t r = 0; r < s->rows; r++) sum += rz[r] * rz[r];
    return sqrt(sum);
}

/* (u, z) from nothing, as far as refinement gets; *norm: what is left of the right-hand side. Ends where a correction
 * leaves more than `slow` of what was left, and that is more than `least`. */
static nb_status refine(nb_smoothed_step *s, const double *ru, const double *rz, double enough,
                        const nb_smoothed_solution *x, double slow, int *done) {
    const int most = 6;
    const double attained = 1e-12;
    nb_status status = NB_OK;
    double before = INFINITY;
    memset(x->u, 0, 6 * (size_t)s->bodies * sizeof *x->u);
    memset(x->z, 0, (size_t)s->rows * sizeof *x->z);
    memcpy(x->ru, ru, 6 * (size_t)s->bodies * sizeof *ru);
    memcpy(x->rz, rz, (size_t)s->rows * sizeof *rz);
    leave_out_prescribed(s, x->ru);
    const double start = size_of(s, x->ru, x->rz);
    double norm = start;
    *done = 1;
    for (int k = 0; k < most && norm > enough * start && norm < 0.5 * before; k++) {
        before = norm;
        NB_TRY(correct(s, x));
        norm = size_of(s, x->ru, x->rz);
        *done = norm <= fmax(slow * before, attained * start);
        if (!*done) return NB_OK;
    }
out:
    return status;
}

nb_status nb_smoothed_step_solve(nb_smoothed_step *s, int transposed, const double *ru, const double *rz, double enough,
                                 double *du, double *dz) {
    const double worth = 1e-3; /* a factorisation takes as long as five corrections */
    const nb_smoothed_solution x = {transposed, du, dz, s->ru, s->rz};
    nb_status status = NB_OK;
    int done = 0;
    if (s->near && s->matrix->owner == s) NB_TRY(refine(s, ru, rz, enough, &x, worth, &done));
    if (s->near) drop_factors(s);
    if (done) return NB_OK;
    NB_TRY(factorise(s));
    NB_TRY(refine(s, ru, rz, enough, &x, INFINITY, &done));
out:
    return status;
}
