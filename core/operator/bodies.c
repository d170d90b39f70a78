#include "operator/bodies.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "operator/contact_kernels.h"

NB_PRECISIONS(f32, f64);

static inline void cross(const real *restrict a, const real *restrict b, real *restrict c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void add_bilateral_force(const nb_bilateral_row *row, real x, real *force) {
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? row->b : row->a;
        if (body < 0) continue;
        real *f = force + (ptrdiff_t)body * NB_BODY_STRIDE;
        for (int k = 0; k < 6; k++) f[k] += x * row->j[6 * side + k];
    }
}

static inline real bilateral_velocity(const nb_bilateral_row *row, const real *velocity) {
    real sum = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? row->b : row->a;
        if (body < 0) continue;
        const real *v = velocity + (ptrdiff_t)body * NB_BODY_STRIDE;
        for (int k = 0; k < 6; k++) sum += row->j[6 * side + k] * v[k];
    }
    return sum;
}

static inline void symmetric_apply(const real m[6], const real *x, real *y) {
    y[0] = m[0] * x[0] + m[3] * x[1] + m[4] * x[2];
    y[1] = m[3] * x[0] + m[1] * x[1] + m[5] * x[2];
    y[2] = m[4] * x[0] + m[5] * x[1] + m[2] * x[2];
}

void nb_bodies_add_forces(const nb_bodies_view *view, const real *s, const real *x, real *force) {
    int32_t r = 0;
    for (int32_t i = view->bilateral_begin; i < view->bilateral_end; i++, r++)
        add_bilateral_force(&view->bodies->bilaterals[i], s ? s[r] * x[r] : x[r], force);
    view->bodies->kernels->add_forces(view->bodies->contacts + view->contact_begin, 0,
                                      view->contact_end - view->contact_begin, s ? s + r : NULL, x + r, force);
}

void nb_bodies_apply_inverse_mass(const nb_bodies_view *view, const real *force, real *velocity) {
    for (int32_t i = 0; i < view->dynamic_count; i++) {
        int32_t body = view->dynamic[i];
        const nb_inverse_mass *inverse = &view->bodies->inverse_mass[body];
        const real *f = force + (ptrdiff_t)body * NB_BODY_STRIDE;
        real *v = velocity + (ptrdiff_t)body * NB_BODY_STRIDE;
        for (int k = 0; k < 3; k++) v[k] = inverse->mass * f[k];
        symmetric_apply(inverse->inertia, f + 3, v + 3);
    }
}

void nb_bodies_row_velocities(const nb_bodies_view *view, const real *velocity, real *y) {
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin, count = view->contact_end - view->contact_begin;
    const nb_contact_rows *contacts = view->bodies->contacts + view->contact_begin;
    for (int32_t r = 0; r < bilaterals; r++)
        y[r] = bilateral_velocity(&view->bodies->bilaterals[view->bilateral_begin + r], velocity);
    int parts = nb_threads_for(count, NB_PART_CONTACTS);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int i = 0; i < parts; i++)
        view->bodies->kernels->row_velocities(contacts, nb_part_begin(i, parts, count, NB_PART_STEP),
                                              nb_part_begin(i + 1, parts, count, NB_PART_STEP), velocity,
                                              y + bilaterals);
}

static void bodies_apply(const nb_delassus *d, const real *s, const real *c, const real *x, real *y) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    real *force = view->bodies->force, *velocity = view->bodies->velocity;
    for (int32_t i = 0; i < view->dynamic_count; i++)
        memset(force + (ptrdiff_t)view->dynamic[i] * NB_BODY_STRIDE, 0, NB_BODY_STRIDE * sizeof *force);
    nb_bodies_add_forces(view, s, x, force);
    nb_bodies_apply_inverse_mass(view, force, velocity);
    nb_bodies_row_velocities(view, velocity, y);
    for (int32_t r = 0; r < d->rows; r++) y[r] = s[r] * y[r] + c[r] * x[r];
}

/* the 12 numbers of a row of J, and those of H^-1 J^T */
typedef struct block_row {
    int32_t body[2];
    real j[12], hj[12];
} block_row;

/* row k of a block, without H^-1 J^T */
static void fill_row(const nb_bodies_view *view, int32_t block, int k, block_row *row) {
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin;
    if (block < bilaterals) {
        const nb_bilateral_row *source = &view->bodies->bilaterals[view->bilateral_begin + block];
        row->body[0] = source->a;
        row->body[1] = source->b;
        memcpy(row->j, source->j, sizeof row->j);
    } else {
        const nb_contact_rows *contact = &view->bodies->contacts[view->contact_begin + block - bilaterals];
        row->body[0] = contact->a;
        row->body[1] = contact->b;
        memcpy(row->j, contact->direction[k], 3 * sizeof(real));
        cross(contact->arm_a, contact->direction[k], row->j + 3);
        cross(contact->arm_b, contact->direction[k], row->j + 9);
        for (int i = 0; i < 3; i++) {
            row->j[6 + i] = -contact->direction[k][i];
            row->j[9 + i] = -row->j[9 + i];
        }
    }
}

static void fill_block_row(const nb_bodies_view *view, int32_t block, int k, block_row *row) {
    fill_row(view, block, k, row);
    for (int side = 0; side < 2; side++) {
        const nb_inverse_mass *inverse = row->body[side] < 0 ? NULL : &view->bodies->inverse_mass[row->body[side]];
        real *hj = row->hj + 6 * side;
        const real *j = row->j + 6 * side;
        memset(hj, 0, 6 * sizeof *hj);
        if (!inverse) continue;
        for (int i = 0; i < 3; i++) hj[i] = inverse->mass * j[i];
        symmetric_apply(inverse->inertia, j + 3, hj + 3);
    }
}

/* the entry of D between two rows */
static real row_product(const block_row *row, const block_row *column) {
    real sum = 0;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            if (row->body[p] < 0 || row->body[p] != column->body[q]) continue;
            for (int k = 0; k < 6; k++) sum += row->hj[6 * p + k] * column->j[6 * q + k];
        }
    return sum;
}

void nb_bodies_bilateral_diagonal(const nb_bodies_view *view, real *diagonal) {
    for (int32_t r = 0; r < view->bilateral_end - view->bilateral_begin; r++) {
        block_row row;
        fill_block_row(view, r, 0, &row);
        diagonal[r] = row_product(&row, &row);
    }
}

static void bodies_diagonal(const nb_delassus *d, real *diagonal) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin;
    const real *known = view->bodies->diagonal;
    memcpy(diagonal, known + view->bilateral_begin, (size_t)bilaterals * sizeof *diagonal);
    memcpy(diagonal + bilaterals, known + view->bodies->bilateral_count + 3 * (ptrdiff_t)view->contact_begin,
           3 * (size_t)(view->contact_end - view->contact_begin) * sizeof *diagonal);
}

static int has_mass(const nb_bodies_view *view, int32_t body) {
    return body >= 0 && view->bodies->inverse_mass[body].mass > 0;
}

static void block_bodies(const nb_bodies_view *view, int32_t block, int32_t body[2]) {
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin;
    if (block < bilaterals) {
        const nb_bilateral_row *row = &view->bodies->bilaterals[view->bilateral_begin + block];
        body[0] = row->a;
        body[1] = row->b;
    } else {
        const nb_contact_rows *contact = &view->bodies->contacts[view->contact_begin + block - bilaterals];
        body[0] = contact->a;
        body[1] = contact->b;
    }
    for (int side = 0; side < 2; side++)
        if (!has_mass(view, body[side])) body[side] = -1;
}

/* the blocks that act on each body, ascending: list[start[body]] .. list[start[body + 1] - 1] */
static nb_status list_blocks_of_bodies(const nb_bodies_view *view, int64_t **start, int32_t **list) {
    nb_status status;
    int32_t n = view->bodies->body_count, body[2];
    *start = NULL;
    *list = NULL;
    NB_TRY(NB_ALLOCATE(n + 2, start));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)view->base.block_count, list));
    for (int32_t block = 0; block < view->base.block_count; block++) {
        block_bodies(view, block, body);
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0) (*start)[body[side] + 2]++;
    }
    for (int32_t i = 0; i < n; i++) (*start)[i + 2] += (*start)[i + 1];
    for (int32_t block = 0; block < view->base.block_count; block++) {
        block_bodies(view, block, body);
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0) (*list)[(*start)[body[side] + 1]++] = block;
    }
out:
    return status;
}

/* The blocks coupled with `block`, ascending: the union of its bodies' lists (itself, where no body has mass). Writes
 * them to `out` where that is not NULL; returns their number. */
static int32_t coupled_blocks(const nb_bodies_view *view, const int64_t *start, const int32_t *list, int32_t block,
                              int32_t *out) {
    int32_t body[2], count = 0;
    block_bodies(view, block, body);
    int64_t i = 0, i_end = 0, j = 0, j_end = 0;
    if (body[0] >= 0) i = start[body[0]], i_end = start[body[0] + 1];
    if (body[1] >= 0) j = start[body[1]], j_end = start[body[1] + 1];
    if (i == i_end && j == j_end) {
        if (out) out[0] = block;
        return 1;
    }
    while (i < i_end || j < j_end) {
        int32_t left = i < i_end ? list[i] : INT32_MAX, right = j < j_end ? list[j] : INT32_MAX;
        int32_t next = left < right ? left : right;
        i += left == next;
        j += right == next;
        if (out) out[count] = next;
        count++;
    }
    return count;
}

static int64_t rows_of_block(const nb_delassus *d, int32_t block) {
    return d->block_start[block + 1] - d->block_start[block];
}

static nb_status bodies_pattern(const nb_delassus *d, nb_csr **matrix) {
    nb_status status;
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    int64_t *start = NULL, nonzeros = 0, place = 0;
    int32_t *list = NULL, *coupled = NULL;
    *matrix = NULL;
    NB_TRY(list_blocks_of_bodies(view, &start, &list));
    NB_TRY(NB_ALLOCATE(d->block_count + 1, &coupled));
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        for (int32_t block = 0; block < d->block_count; block++) {
            int32_t count = coupled_blocks(view, start, list, block, coupled);
            for (int32_t r = d->block_start[block]; r < d->block_start[block + 1]; r++) {
                if (pass == 1) (*matrix)->start[r] = place;
                for (int32_t k = 0; k < count; k++) {
                    if (pass == 0) nonzeros += rows_of_block(d, coupled[k]);
                    for (int32_t c = d->block_start[coupled[k]]; pass == 1 && c < d->block_start[coupled[k] + 1]; c++)
                        (*matrix)->column[place++] = c;
                }
            }
        }
        if (pass == 0) NB_TRY(nb_csr_create(d->rows, d->rows, nonzeros, matrix));
    }
    (*matrix)->start[d->rows] = place;
out:
    nb_free(start);
    nb_free(list);
    nb_free(coupled);
    return status;
}

/* the block a row belongs to: bilaterals have one row each, contacts three */
static int32_t block_of_row(const nb_bodies_view *view, int32_t row) {
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin;
    return row < bilaterals ? row : bilaterals + (row - bilaterals) / 3;
}

static void bodies_values(const nb_delassus *d, nb_csr *matrix) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    block_row row[3], column;
    for (int32_t block = 0; block < d->block_count; block++) {
        int32_t first = d->block_start[block], size = d->block_start[block + 1] - first;
        for (int k = 0; k < size; k++) fill_block_row(view, block, k, &row[k]);
        int64_t length = matrix->start[first + 1] - matrix->start[first];
        for (int64_t e = 0; e < length; e++) {
            int32_t c = matrix->column[matrix->start[first] + e], other = block_of_row(view, c);
            fill_row(view, other, c - d->block_start[other], &column);
            for (int32_t k = 0; k < size; k++)
                matrix->value[matrix->start[first + k] + e] = row_product(&row[k], &column);
        }
    }
}

/* ---- block by block ---- */

static int64_t bodies_velocity_words(const nb_delassus *d) {
    return NB_BODY_STRIDE * (int64_t)((const nb_bodies_view *)d)->bodies->body_count;
}

static void bodies_block(const nb_delassus *d, int32_t i, int32_t k, real *out) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    int columns = (int)rows_of_block(d, k);
    block_row row, column[3];
    for (int c = 0; c < columns; c++) fill_row(view, k, c, &column[c]);
    for (int r = 0; r < rows_of_block(d, i); r++) {
        fill_block_row(view, i, r, &row);
        for (int c = 0; c < columns; c++) out[r * columns + c] = row_product(&row, &column[c]);
    }
}

static void bodies_block_velocity(const nb_delassus *d, int32_t i, const real *v, real *out) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin;
    if (i < bilaterals) {
        out[0] = bilateral_velocity(&view->bodies->bilaterals[view->bilateral_begin + i], v);
        return;
    }
    const nb_contact_rows *contact = &view->bodies->contacts[view->contact_begin + i - bilaterals];
    const real *a = v + (ptrdiff_t)contact->a * NB_BODY_STRIDE, *b = v + (ptrdiff_t)contact->b * NB_BODY_STRIDE;
    real turn_a[3], turn_b[3], relative[3];
    cross(a + 3, contact->arm_a, turn_a);
    cross(b + 3, contact->arm_b, turn_b);
    for (int k = 0; k < 3; k++) relative[k] = (a[k] + turn_a[k]) - (b[k] + turn_b[k]);
    for (int k = 0; k < 3; k++) {
        const real *direction = contact->direction[k];
        out[k] = direction[0] * relative[0] + direction[1] * relative[1] + direction[2] * relative[2];
    }
}

/* v += sign H^-1 (p, arm x p) */
static inline void push_body(const nb_inverse_mass *inverse, real sign, const real *p, const real *arm, real *v) {
    real torque[3], turn[3];
    cross(arm, p, torque);
    symmetric_apply(inverse->inertia, torque, turn);
    for (int k = 0; k < 3; k++) {
        v[k] += sign * inverse->mass * p[k];
        v[3 + k] += sign * turn[k];
    }
}

static void bodies_push_block(const nb_delassus *d, int32_t i, const real *z, real *v) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    int32_t bilaterals = view->bilateral_end - view->bilateral_begin;
    if (i < bilaterals) {
        block_row row;
        fill_block_row(view, i, 0, &row);
        for (int side = 0; side < 2; side++)
            for (int k = 0; row.body[side] >= 0 && k < 6; k++)
                v[(ptrdiff_t)row.body[side] * NB_BODY_STRIDE + k] += z[0] * row.hj[6 * side + k];
        return;
    }
    const nb_contact_rows *contact = &view->bodies->contacts[view->contact_begin + i - bilaterals];
    real p[3];
    for (int k = 0; k < 3; k++)
        p[k] = z[0] * contact->direction[0][k] + z[1] * contact->direction[1][k] + z[2] * contact->direction[2][k];
    push_body(&view->bodies->inverse_mass[contact->a], 1, p, contact->arm_a,
              v + (ptrdiff_t)contact->a * NB_BODY_STRIDE);
    push_body(&view->bodies->inverse_mass[contact->b], -1, p, contact->arm_b,
              v + (ptrdiff_t)contact->b * NB_BODY_STRIDE);
}

/* ---- over bodies ---- */

static int32_t bodies_body_count(const nb_delassus *d) {
    return ((const nb_bodies_view *)d)->bodies->body_count;
}

static void bodies_block_jacobian(const nb_delassus *d, int32_t i, int32_t body[2], real *out) {
    const nb_bodies_view *view = (const nb_bodies_view *)d;
    block_bodies(view, i, body);
    for (int32_t r = 0; r < rows_of_block(d, i); r++) {
        block_row row;
        fill_row(view, i, r, &row);
        for (int k = 0; k < 12; k++) out[12 * r + k] = body[k / 6] >= 0 ? row.j[k] : 0;
    }
}

static void bodies_body_inverse_mass(const nb_delassus *d, int32_t body, real *out) {
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const nb_inverse_mass *inverse = &((const nb_bodies_view *)d)->bodies->inverse_mass[body];
    memset(out, 0, 36 * sizeof *out);
    for (int a = 0; a < 3; a++) {
        out[7 * a] = inverse->mass;
        for (int b = 0; b < 3; b++) out[6 * (3 + a) + 3 + b] = inverse->inertia[place[a][b]];
    }
}

const nb_delassus_class nb_bodies_class = {
    .apply = bodies_apply,
    .diagonal = bodies_diagonal,
    .pattern = bodies_pattern,
    .values = bodies_values,
    .velocity_words = bodies_velocity_words,
    .block = bodies_block,
    .block_velocity = bodies_block_velocity,
    .push_block = bodies_push_block,
    .body_count = bodies_body_count,
    .block_jacobian = bodies_block_jacobian,
    .body_inverse_mass = bodies_body_inverse_mass,
};
