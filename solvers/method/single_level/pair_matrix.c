#include "pair_matrix.h"

#include <lapacke.h>
#include <stdio.h>
#include <string.h>
#include <tgmath.h>

#include "base/block_pattern.h"
#include "base/largest.h"
#include "base/memory.h"
#include "operator/delassus_matrix.h"
#include "pair_joints.h"

NB_PRECISIONS(f32, f64);

void nb_pair_matrix_drop(nb_pair_problem *s) {
    nb_system_destroy(s->system);
    nb_delassus_matrix_destroy(s->delassus); /* with the matrix */
    s->system = NULL;
    s->delassus = NULL;
    s->matrix = NULL;
}

/* ---- the pattern ---- */

static int32_t row_of(const nb_pair_problem *s, int32_t i, int k) {
    return s->row[s->pairs[i].body[k]];
}

/* What is coupled: the rows of two bodies, and of the joint between them; -1: has none. Pairs come first. */
static void link_of(const nb_pair_problem *s, int32_t i, int32_t row[3]) {
    int32_t j = i - s->found.count;
    row[2] = j < 0 ? -1 : s->joints[j].row;
    for (int k = 0; k < 2; k++) {
        int32_t body = j < 0 ? s->pairs[i].body[k] : s->joints[j].body[k];
        row[k] = body < 0 ? -1 : s->row[body];
    }
}

static int32_t links(const nb_pair_problem *s) {
    return s->found.count + s->joint_count;
}

static int is_known(const nb_pair_problem *s) {
    if (!s->system || s->known_count != links(s) || s->matrix->rows != s->rows) return 0;
    for (int32_t i = 0; i < links(s); i++) {
        int32_t row[3];
        link_of(s, i, row);
        if (memcmp(row, s->known[i], sizeof row) != 0) return 0;
    }
    return 1;
}

/* The blocks of rows: those of bodies and then those of joints. */
typedef struct blocks {
    const nb_pair_problem *problem;
    int32_t count;
    int32_t *row;    /* [count + 1] the first */
    int32_t *of_row; /* [rows] the block that begins there */
    int64_t *start;  /* and the next: base/block_pattern.h */
    int32_t *others;
} blocks;

static void clear_blocks(blocks *b) {
    nb_free(b->row);
    nb_free(b->of_row);
    nb_free(b->start);
    nb_free(b->others);
}

static nb_status list_blocks(const nb_pair_problem *s, blocks *b) {
    nb_status status;
    b->problem = s;
    b->count = s->moving;
    for (int32_t j = 0; j < s->joint_count; j++) b->count += s->joints[j].row >= 0;
    NB_TRY(NB_ALLOCATE(b->count + 1, &b->row));
    NB_TRY(NB_ALLOCATE(s->rows, &b->of_row));
    b->count = 0;
    for (int32_t i = 0; i < s->moving; i++) b->row[b->count++] = 6 * i;
    for (int32_t j = 0; j < s->joint_count; j++)
        if (s->joints[j].row >= 0) b->row[b->count++] = s->joints[j].row;
    b->row[b->count] = s->rows;
    for (int32_t i = 0; i < b->count; i++) b->of_row[b->row[i]] = i;
out:
    return status;
}

static void list_couplings(const void *of, nb_block_links *couplings) {
    const blocks *b = of;
    for (int32_t i = 0; i < links(b->problem); i++) {
        int32_t row[3];
        link_of(b->problem, i, row);
        for (int k = 0; k < 9; k++)
            if (k / 3 != k % 3 && row[k / 3] >= 0 && row[k % 3] >= 0)
                nb_block_link(couplings, b->of_row[row[k / 3]], b->of_row[row[k % 3]]);
    }
}

static nb_status make_matrix(nb_pair_problem *s, const blocks *b) {
    nb_status status;
    const int64_t entries = nb_block_pattern_entries(b->count, b->row, b->start, b->others);
    NB_TRY(nb_csr_create(s->rows, s->rows, entries, &s->matrix));
    nb_block_pattern_expand(b->count, b->row, b->start, b->others, s->matrix->start, s->matrix->column);
    status = nb_delassus_matrix_create(s->matrix, b->count, b->row, 0, NULL, &s->delassus);
    if (status != NB_OK) s->matrix = NULL; /* taken over in every case */
    NB_TRY(status);
    NB_TRY(nb_system_create(s->delassus, &s->system));
    s->system->symmetric = 0;
    nb_solve_restart(s->solve);
out:
    if (status != NB_OK) nb_pair_matrix_drop(s);
    return status;
}

static nb_status remember(nb_pair_problem *s) {
    nb_status status = NB_RESERVE(links(s), &s->known_capacity, &s->known);
    if (status != NB_OK) return status;
    s->known_count = links(s);
    for (int32_t i = 0; i < links(s); i++) link_of(s, i, s->known[i]);
    return NB_OK;
}

/* for those who read the system elsewhere */
static void describe(nb_pair_problem *s) {
    snprintf(s->unknowns, sizeof s->unknowns,
             "changes of the velocities of each body that moves, in units of c = %.6g m/s and c/L, L = %.6g m, then of "
             "joints' impulses, in c times a mass; a body's rows are over its mass",
             s->speed, s->length);
    s->system->unknowns = s->unknowns;
}

nb_status nb_pair_matrix_make(nb_pair_problem *s) {
    nb_status status = NB_OK;
    blocks b = {0};
    if (s->moving == 0) {
        nb_pair_matrix_drop(s);
        return NB_OK;
    }
    if (!is_known(s)) {
        nb_pair_matrix_drop(s);
        NB_TRY(list_blocks(s, &b));
        NB_TRY(nb_block_pattern_make(b.count, list_couplings, &b, &b.start, &b.others));
        NB_TRY(make_matrix(s, &b));
        NB_TRY(remember(s));
    }
    describe(s);
    for (int32_t i = 0; i < s->found.count; i++)
        for (int k = 0; k < 4; k++) {
            int32_t row = row_of(s, i, k / 2), column = row_of(s, i, k % 2);
            s->place[4 * (int64_t)i + k] = row < 0 || column < 0 ? -1 : nb_csr_find(s->matrix, row, column);
        }
out:
    clear_blocks(&b);
    return status;
}

/* ---- values ---- */

static double weight_of(const nb_pair_problem *s, int32_t i, int k) {
    return s->mass[i] / s->world->bodies[s->pairs[i].body[k]].mass;
}

/* Takes the negative eigenvalues out of the symmetric part of a block of n rows: out [n][n], without gaps. With what
 * bodies' masses add, a matrix of such blocks is not singular. Returns 0 where there is hardly anything in the block.
 */
static int make_monotone(int32_t n, const double *block, int32_t stride, double *out) {
    const double least = 1e-3; /* of masses, which are 1: too little to make the sum singular */
    double symmetric[NB_PAIR_MOTION * NB_PAIR_MOTION], value[NB_PAIR_MOTION], work[34 * NB_PAIR_MOTION], largest = 0;
    for (int32_t r = 0; r < n; r++)
        for (int32_t c = 0; c < n; c++) {
            out[r * n + c] = block[r * stride + c];
            symmetric[r * n + c] = 0.5 * (block[r * stride + c] + block[c * stride + r]);
            nb_raise(&largest, fabs(out[r * n + c]));
        }
    if (!(largest > least) || isinf(largest)) return 0;
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, symmetric, n, value, work, 34 * NB_PAIR_MOTION) != 0)
        return 0;
    for (int32_t k = 0; k < n && value[k] < 0; k++) { /* in ascending order, vectors one after the other */
        const double *vector = symmetric + k * n;
        for (int32_t r = 0; r < n; r++)
            for (int32_t c = 0; c < n; c++) out[r * n + c] -= value[k] * vector[r] * vector[c];
    }
    return 1;
}

void nb_pair_matrix_add(nb_pair_problem *s, int32_t i) {
    const nb_contact_pair *pair = &s->pairs[i];
    int32_t stride;
    double monotone[NB_PAIR_MOTION * NB_PAIR_MOTION];
    const double *block = nb_contact_pair_block(pair, s->scratch, &stride);
    if (s->monotone && make_monotone(pair->motion, block, stride, monotone)) {
        block = monotone;
        stride = pair->motion;
    }
    for (int k = 0; k < 4; k++) {
        int64_t place = s->place[4 * (int64_t)i + k];
        if (place < 0) continue;
        int32_t row = row_of(s, i, k / 2);
        int64_t length = s->matrix->start[row + 1] - s->matrix->start[row]; /* of each of the six rows */
        const double *from = block + (int64_t)pair->first[k / 2] * stride + pair->first[k % 2];
        double weight = weight_of(s, i, k / 2);
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                s->matrix->value[place + r * length + c] += (real)(weight * from[r * stride + c]);
    }
}

/* what six velocities of a body move a length and a turn by, as rows by these are by velocities */
static void by_velocities(const nb_pair_body *body, const double *row, double *out) {
    const double(*turn)[3] = body->by_spin.m;
    for (int k = 0; k < 3; k++) {
        out[k] = body->h * row[k];
        out[3 + k] = row[3] * turn[0][k] + row[4] * turn[1][k] + row[5] * turn[2][k];
    }
}

static void add_to(nb_csr *a, int32_t row, int32_t column, int32_t count, double factor, const double *values) {
    int64_t place = nb_csr_find(a, row, column);
    for (int32_t k = 0; k < count; k++) a->value[place + k] += (real)(factor * values[k]);
}

/* its rows, less its forces, and less how these turn */
static void add_joint(nb_pair_problem *s, int32_t j) {
    const nb_pair_joint *joint = &s->joints[j];
    nb_csr *a = s->matrix;
    double stiffness[12][12], values[6];
    nb_pair_joints_stiffness(s, j, stiffness);
    for (int k = 0; k < joint->count; k++)
        add_to(a, joint->row + k, joint->row + k, 1, 1, &s->joint_diagonal[joint->first + k]);
    for (int i = 0; i < 2; i++) {
        int32_t body = joint->body[i], row = body < 0 ? -1 : s->row[body];
        if (row < 0) continue;
        double weight = joint->mass / s->world->bodies[body].mass;
        for (int k = 0; k < joint->count; k++) {
            const double *gradient = s->joint_gradient[joint->first + k] + 6 * i;
            by_velocities(&s->body[body], gradient, values);
            add_to(a, joint->row + k, row, 6, 1 / s->h, values);
            for (int c = 0; c < 6; c++) add_to(a, row + c, joint->row + k, 1, -weight, &gradient[c]);
        }
        for (int other = 0; other < 2; other++) {
            int32_t column = joint->body[other] < 0 ? -1 : s->row[joint->body[other]];
            for (int c = 0; column >= 0 && c < 6; c++) {
                by_velocities(&s->body[joint->body[other]], stiffness[6 * i + c] + 6 * other, values);
                add_to(a, row + c, column, 6, -weight, values);
            }
        }
    }
}

void nb_pair_matrix_begin(nb_pair_problem *s) {
    nb_csr *a = s->matrix;
    memset(a->value, 0, (size_t)nb_csr_nonzeros(a) * sizeof *a->value);
    for (int32_t i = 0; i < s->body_count; i++) {
        if (s->row[i] < 0) continue;
        int64_t place = nb_csr_find(a, s->row[i], s->row[i]), length = a->start[s->row[i] + 1] - a->start[s->row[i]];
        const double *inertia = s->inertia + 9 * (int64_t)i;
        for (int k = 0; k < 3; k++) {
            a->value[place + k * length + k] = 1;
            for (int j = 0; j < 3; j++) a->value[place + (3 + k) * length + 3 + j] = (real)inertia[3 * k + j];
        }
    }
}

void nb_pair_matrix_end(nb_pair_problem *s) {
    for (int32_t j = 0; j < s->joint_count; j++)
        if (s->joints[j].row >= 0) add_joint(s, j);
    nb_system_values_changed(s->system);
}

void nb_pair_matrix_begin_side(nb_pair_problem *s) {
    real *b = s->system->b;
    for (int32_t j = 0; j < s->joint_count; j++)
        for (int k = 0; s->joints[j].row >= 0 && k < s->joints[j].count; k++)
            b[s->joints[j].row + k] = (real)-s->joint_residual[s->joints[j].first + k];
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->row[i] >= 0 && k < 6; k++) b[s->row[i] + k] = (real)-s->r[6 * (int64_t)i + k];
}

void nb_pair_matrix_add_side(nb_pair_problem *s, int32_t i, const double *left) {
    const nb_contact_pair *pair = &s->pairs[i];
    real *b = s->system->b;
    for (int k = 0; k < 2; k++) {
        if (pair->first[k] < 0) continue;
        const double *own = left + pair->first[k];
        double weight = weight_of(s, i, k);
        for (int j = 0; j < 6; j++) b[row_of(s, i, k) + j] += (real)(weight * own[j]);
    }
}

nb_status nb_pair_matrix_solve(nb_pair_problem *s, const nb_method_settings *settings, const nb_observer *observer,
                               int *solved) {
    nb_status status;
    real *x = s->x;
    NB_TRY(nb_solve_run(s->solve, s->system, &settings->linear, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, x, &s->report));
    nb_reason reason = s->report.reason;
    *solved = reason != NB_REASON_NAN && reason != NB_REASON_DIVERGED && reason != NB_REASON_SINGULAR &&
              reason != NB_REASON_BREAKDOWN;
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->row[i] >= 0 && k < 6; k++) s->du[6 * (int64_t)i + k] = (double)x[s->row[i] + k];
    for (int32_t j = 0; j < s->joint_count; j++)
        for (int k = 0; s->joints[j].row >= 0 && k < s->joints[j].count; k++)
            s->dz[s->joints[j].first + k] = (double)x[s->joints[j].row + k];
out:
    return status;
}
