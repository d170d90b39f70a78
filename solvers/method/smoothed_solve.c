/* The linear systems of a smoothed step (smoothed_step.h): K, its elimination and its factors. */
#include <math.h>
#include <string.h>

#include "smoothed_step.h"

NB_PRECISIONS(f32, f64);

/* of a rigid joint's inverse mass: by this it is eliminated as if it gave way; refinement takes it back */
static const double ease = 1e-10;

/* ---- small matrices ---- */

/* out [n][m] = a [n][n] b [n][m] */
static void multiply(int n, int m, const double *a, const double *b, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[n * i + k] * b[m * k + j];
            out[m * i + j] = sum;
        }
}

/* y [n] += sign a x, a [n][m]; y [m] += sign a^T x */
static void add_product(int n, int m, const double *a, const double *x, double sign, double *y) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) y[i] += sign * a[m * i + k] * x[k];
}

static void add_transposed(int n, int m, const double *a, const double *x, double sign, double *y) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) y[k] += sign * a[m * i + k] * x[i];
}

/* ---- K ---- */

static void set_row(nb_vec3 linear, nb_vec3 angular, double *to) {
    const double all[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(to, all, sizeof all);
}

/* the small motion of the end of the step that velocity k of a body makes */
static void motion_of(const nb_smoothed_step *s, int32_t body, int k, nb_vec3 *move, nb_vec3 *turn) {
    nb_vec3 unit = nb_vec3_of(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    *move = *turn = nb_vec3_of(0, 0, 0);
    if (body < 0) return;
    if (k < 3)
        *move = nb_scale(s->h, unit);
    else
        *turn = nb_body_turn_change(&s->turn[body], s->h, unit);
}

/* b->k = -d(J^T z)/du of a joint that moves */
static void stiffness_of_joint(nb_smoothed_step *s, int32_t i) {
    const nb_smoothed_block *b = &s->block[i];
    const double *z = s->zeta + b->first;
    nb_vec3 xa, xb;
    nb_quat qa, qb;
    nb_smoothed_step_place(s, b->body[0], &xa, &qa);
    nb_smoothed_step_place(s, b->body[1], &xb, &qb);
    for (int v = 0; v < 12; v++) {
        nb_joint_row change[NB_JOINT_MAX_ROWS];
        nb_vec3 move[2] = {{0}}, turn[2] = {{0}};
        double row[12];
        motion_of(s, b->body[v / 6], v % 6, &move[v / 6], &turn[v / 6]);
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
    nb_contact_rows_jacobian(&c->rows, (double(*)[12])b->j);
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

void nb_smoothed_step_linearise(nb_smoothed_step *s) {
    for (int32_t i = 0; i < s->bodies; i++) {
        double *a = s->inertia + 36 * (ptrdiff_t)i;
        memset(a, 0, 36 * sizeof *a);
        for (int k = 0; k < 3; k++) a[7 * k] = s->world->bodies[i].mass;
        for (int k = 0; k < 9; k++) a[6 * (3 + k / 3) + 3 + k % 3] = s->moments[i].m[k / 3][k % 3];
    }
    for (int32_t i = 0; i < s->joints; i++) linearise_joint(s, i);
    for (int32_t i = 0; i < s->contact_count; i++) linearise_contact(s, i);
}

/* ---- factors ---- */

/* matrix += the 6 x 6 part (side, other) of a block over two bodies, where both move */
static void add_part(nb_smoothed_step *s, const nb_smoothed_block *b, const double block[144], int side, int other) {
    const nb_node_pairs *pairs = &s->pairs;
    int32_t i = b->slot[side], j = b->slot[other];
    if (i < 0 || j < 0) return;
    double *to = s->matrix.value + pairs->entry[i] + nb_node_pairs_place(pairs, i, j);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            to[(ptrdiff_t)r * pairs->length[i] + c] +=
                s->transposed ? block[12 * (6 * other + c) + 6 * side + r] : block[12 * (6 * side + r) + 6 * other + c];
}

static void add_block(nb_smoothed_step *s, const nb_smoothed_block *b) {
    double eliminated[12 * NB_JOINT_MAX_ROWS], block[144] = {0};
    multiply(b->rows, 12, b->e, b->q, eliminated);
    for (int r = 0; r < b->rows; r++)
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) block[12 * i + j] += b->j[12 * r + i] * eliminated[12 * r + j];
    for (int i = 0; b->k && i < 144; i++) block[i] += b->k[i];
    for (int part = 0; part < 4; part++) add_part(s, b, block, part / 2, part % 2);
}

nb_status nb_smoothed_step_factorise(nb_smoothed_step *s, int transposed) {
    const nb_node_pairs *pairs = &s->pairs;
    nb_lu_factors factors = {.failed_row = -1, .replaced_row = -1};
    s->transposed = transposed;
    if (s->velocities == 0) return NB_OK;
    memset(s->matrix.value, 0, (size_t)s->matrix.start[s->velocities] * sizeof(double));
    for (int32_t i = 0; i < pairs->nodes; i++) {
        nb_smoothed_block own = {.slot = {i, -1}};
        double block[144] = {0};
        const double *a = s->inertia + 36 * (ptrdiff_t)pairs->node[i];
        for (int r = 0; r < 6; r++) memcpy(block + 12 * r, a + 6 * r, 6 * sizeof *a);
        add_part(s, &own, block, 0, 0);
    }
    for (int32_t i = 0; i < s->joints + s->contact_count; i++) add_block(s, &s->block[i]);
    nb_status status = nb_lu_multifrontal.factorise(s->library, &s->matrix, 1, &factors);
    if (status == NB_OK && factors.failed_row >= 0)
        status = nb_fail(NB_ERROR_NUMERIC, "the derivative of a step is singular at velocity %d of those with mass",
                         (int)factors.failed_row);
    return status;
}

/* ---- solves ---- */

static void gather(const nb_smoothed_block *b, const double *u, double own[12]) {
    memset(own, 0, 12 * sizeof *own);
    for (int side = 0; side < 2; side++)
        if (b->slot[side] >= 0) memcpy(own + 6 * side, u + 6 * (ptrdiff_t)b->body[side], 6 * sizeof *own);
}

static void scatter(const nb_smoothed_block *b, const double own[12], double *u) {
    for (int side = 0; side < 2; side++)
        for (int k = 0; b->slot[side] >= 0 && k < 6; k++) u[6 * (ptrdiff_t)b->body[side] + k] += own[6 * side + k];
}

/* (ru, rz) -= K (du, dz), or its transpose */
static void subtract_product(const nb_smoothed_step *s, const double *du, const double *dz, double *ru, double *rz) {
    for (int32_t i = 0; i < s->pairs.nodes; i++) {
        int32_t body = s->pairs.node[i];
        const double *a = s->inertia + 36 * (ptrdiff_t)body;
        (s->transposed ? add_transposed : add_product)(6, 6, a, du + 6 * (ptrdiff_t)body, -1, ru + 6 * (ptrdiff_t)body);
    }
    for (int32_t i = 0; i < s->joints + s->contact_count; i++) {
        const nb_smoothed_block *b = &s->block[i];
        const int n = b->rows;
        double own[12], out[12] = {0}, rows[NB_JOINT_MAX_ROWS] = {0};
        gather(b, du, own);
        if (b->k) (s->transposed ? add_transposed : add_product)(12, 12, b->k, own, -1, out);
        if (s->transposed) {
            add_transposed(n, 12, b->q, dz + b->first, -1, out);
            add_product(n, 12, b->j, own, 1, rows);
            add_transposed(n, n, b->t, rows, 1, rz + b->first);
            add_transposed(n, n, b->c, dz + b->first, -1, rz + b->first);
        } else {
            add_product(n, n, b->t, dz + b->first, 1, rows);
            add_transposed(n, 12, b->j, rows, 1, out);
            add_product(n, 12, b->q, own, -1, rz + b->first);
            add_product(n, n, b->c, dz + b->first, -1, rz + b->first);
        }
        scatter(b, out, ru);
    }
}

/* the force that rows leave where they are eliminated, into ru */
static void eliminate(const nb_smoothed_step *s, const double *rz, double *ru) {
    for (int32_t i = 0; i < s->joints + s->contact_count; i++) {
        const nb_smoothed_block *b = &s->block[i];
        const int n = b->rows;
        double own[12] = {0}, rows[NB_JOINT_MAX_ROWS] = {0};
        if (s->transposed) {
            add_transposed(n, n, b->inverse, rz + b->first, -1, rows);
            add_transposed(n, 12, b->q, rows, 1, own);
        } else {
            add_product(n, n, b->e, rz + b->first, 1, rows);
            add_transposed(n, 12, b->j, rows, 1, own);
        }
        scatter(b, own, ru);
    }
}

/* dz of the rows from du */
static void recover(const nb_smoothed_step *s, const double *du, const double *rz, double *dz) {
    for (int32_t i = 0; i < s->joints + s->contact_count; i++) {
        const nb_smoothed_block *b = &s->block[i];
        const int n = b->rows;
        double own[12], rows[NB_JOINT_MAX_ROWS], driven[NB_JOINT_MAX_ROWS] = {0}, *to = dz + b->first;
        gather(b, du, own);
        memcpy(rows, rz + b->first, (size_t)n * sizeof *rows);
        memset(to, 0, (size_t)n * sizeof *to);
        if (s->transposed) {
            add_product(n, 12, b->j, own, 1, driven);
            add_transposed(n, n, b->t, driven, 1, rows);
            add_transposed(n, n, b->inverse, rows, 1, to);
        } else {
            add_product(n, 12, b->q, own, -1, rows);
            add_product(n, n, b->inverse, rows, 1, to);
        }
    }
}

/* adds to (du, dz) what the factors make of the residual (ru, rz) */
static nb_status correct(nb_smoothed_step *s, double *ru, const double *rz, double *du, double *dz) {
    nb_status status = NB_OK;
    double *own = s->some_u, *rows = s->some_z;
    eliminate(s, rz, ru);
    for (int32_t i = 0; i < s->pairs.nodes; i++)
        memcpy(s->x + s->pairs.row[i], ru + 6 * (ptrdiff_t)s->pairs.node[i], 6 * sizeof *s->x);
    if (s->velocities > 0) status = nb_lu_multifrontal.solve(s->library, &s->matrix, s->x);
    memset(own, 0, 6 * (size_t)s->bodies * sizeof *own);
    for (int32_t i = 0; i < s->pairs.nodes; i++)
        memcpy(own + 6 * (ptrdiff_t)s->pairs.node[i], s->x + s->pairs.row[i], 6 * sizeof *s->x);
    recover(s, own, rz, rows);
    for (ptrdiff_t i = 0; i < 6 * (ptrdiff_t)s->bodies; i++) du[i] += own[i];
    for (int32_t r = 0; r < s->rows; r++) dz[r] += rows[r];
    return status;
}

/* only what has mass moves: forces on the rest are held by whatever holds it */
static void leave_out_prescribed(const nb_smoothed_step *s, double *ru) {
    for (int32_t i = 0; i < s->bodies; i++)
        if (s->pairs.slot[i] < 0) memset(ru + 6 * (ptrdiff_t)i, 0, 6 * sizeof *ru);
}

static double size_of(const nb_smoothed_step *s, const double *ru, const double *rz) {
    double sum = 0;
    for (int32_t i = 0; i < s->pairs.nodes; i++) {
        const double *r = ru + 6 * (ptrdiff_t)s->pairs.node[i], *a = s->inertia + 36 * (ptrdiff_t)s->pairs.node[i];
        for (int k = 0; k < 6; k++) sum += r[k] * r[k] / fabs(a[7 * k]);
    }
    for (int32_t r = 0; r < s->rows; r++) sum += rz[r] * rz[r];
    return sqrt(sum);
}

nb_status nb_smoothed_step_solve(nb_smoothed_step *s, const double *ru, const double *rz, double enough, double *du,
                                 double *dz) {
    const int most = 6;
    nb_status status = NB_OK;
    double norm, before = INFINITY;
    memset(du, 0, 6 * (size_t)s->bodies * sizeof *du);
    memset(dz, 0, (size_t)s->rows * sizeof *dz);
    memcpy(s->ru, ru, 6 * (size_t)s->bodies * sizeof *ru);
    memcpy(s->rz, rz, (size_t)s->rows * sizeof *rz);
    leave_out_prescribed(s, s->ru);
    double start = norm = size_of(s, s->ru, s->rz);
    for (int k = 0; k < most && norm > fmax(enough, 1e-15) * start && norm < 0.5 * before; k++) {
        before = norm;
        NB_TRY(correct(s, s->ru, s->rz, du, dz));
        memcpy(s->ru, ru, 6 * (size_t)s->bodies * sizeof *ru);
        memcpy(s->rz, rz, (size_t)s->rows * sizeof *rz);
        leave_out_prescribed(s, s->ru);
        subtract_product(s, du, dz, s->ru, s->rz);
        norm = size_of(s, s->ru, s->rz);
    }
out:
    return status;
}
