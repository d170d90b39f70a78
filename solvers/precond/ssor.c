/* Symmetric successive over-relaxation as a preconditioner:
 *
 *     P = omega (2 - omega) (D + omega L^T)^-1 D (D + omega L)^-1,   A = L + D + L^T
 *
 * Axelsson 1972. Negative entries of D are taken positive, so that P is positive definite. A row whose diagonal is zero
 * is left alone. L holds the entries between a row and those before it, in natural order or in colours
 * (operator/colouring.h), the second one as devices make it.
 *
 * Over bodies no entries are needed: what a row makes of the rows of other blocks that come before it is S J v, with
 * the velocities v = H^-1 J^T S z of these, which are carried along. */
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "device.h"
#include "preconditioner.h"

NB_PRECISIONS(f32, f64);

/* what `order` may be; AUTO is NATURAL on this processor and COLOUR on a device */
enum {
    AUTO,
    NATURAL,
    COLOUR
};

static const char *const orders[] = {[AUTO] = "auto", [NATURAL] = "natural", [COLOUR] = "colour", NULL};

static const nb_option options[] = {
    {"omega", "1", 1, 1e-6, 1.999999, 0, NULL, "over-relaxation factor"},
    {"order", "1", AUTO, 0, 0, 0, orders,
     "row after row, or by colors of independent groups; auto: colour on a device"},
};

typedef struct ssor {
    real omega;
    int order;
    nb_colouring colouring; /* of the pattern, in colour order */
    /* over bodies */
    const nb_system *system;
    int32_t widest; /* rows of a block */
    real *block;    /* [blocks][widest^2] those on the diagonal of A, by rows */
    real *velocity;
    int64_t block_capacity, velocity_capacity;
    /* by entries */
    const nb_csr *matrix; /* NULL over bodies */
    int64_t *diagonal;    /* [rows] places */
    int32_t *row, *rank;  /* [rows] in colour order: the rows as they are swept, and where each of them comes */
    int64_t diagonal_capacity, row_capacity, rank_capacity;
} ssor;

static nb_status create(const double *values, void **state) {
    ssor *p;
    nb_status status = NB_ALLOCATE(1, &p);
    if (status == NB_OK) {
        p->omega = (real)values[0];
        p->order = (int)values[1];
    }
    *state = p;
    return status;
}

/* the rows as they are swept in colour order */
static nb_status order_rows(ssor *p, const nb_system *system) {
    nb_status status;
    const nb_delassus *d = system->delassus;
    int32_t count = 0;
    NB_TRY(NB_RESERVE(system->rows, &p->row_capacity, &p->row));
    NB_TRY(NB_RESERVE(system->rows, &p->rank_capacity, &p->rank));
    for (int32_t i = 0; i < d->block_count; i++)
        for (int32_t r = d->block_start[p->colouring.block[i]]; r < d->block_start[p->colouring.block[i] + 1]; r++) {
            p->rank[r] = count;
            p->row[count++] = r;
        }
out:
    return status;
}

static int32_t widest_of(const nb_delassus *d) {
    int32_t widest = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t rows = d->block_start[i + 1] - d->block_start[i];
        if (rows > widest) widest = rows;
    }
    return widest;
}

static real *block_of(const ssor *p, int32_t block) {
    return p->block + block * (int64_t)p->widest * p->widest;
}

static nb_status set_up_pattern(void *state, nb_system *system) {
    ssor *p = state;
    nb_status status = NB_OK;
    const nb_delassus *d = system->delassus;
    p->colouring.colours = 0;
    p->system = system;
    p->matrix = NULL;
    if (system->device && p->order == NATURAL)
        return nb_fail(NB_ERROR_UNSUPPORTED, "ssor order=natural does not support device %s; use order=colour",
                       system->device->name);
    if (system->device || p->order == COLOUR) NB_TRY(nb_colouring_make(system, &p->colouring));
    if (nb_system_has_blocks(system)) {
        p->widest = widest_of(d);
        NB_TRY(NB_RESERVE(d->block_count * (int64_t)p->widest * p->widest, &p->block_capacity, &p->block));
        return NB_RESERVE(nb_nodes_length(d->mass->nodes), &p->velocity_capacity, &p->velocity);
    }
    if (p->colouring.colours > 0) NB_TRY(order_rows(p, system));
    NB_TRY(nb_system_matrix(system, &p->matrix));
    NB_TRY(NB_RESERVE(system->rows, &p->diagonal_capacity, &p->diagonal));
    nb_csr_diagonal(p->matrix, p->diagonal);
out:
    return status;
}

static nb_status set_up_values(void *state, nb_system *system, nb_reason *reason) {
    ssor *p = state;
    (void)reason;
    if (p->matrix) return nb_system_matrix(system, &p->matrix);
    for (int32_t i = 0; i < system->delassus->block_count; i++) nb_system_block(system, i, i, block_of(p, i));
    return NB_OK;
}

/* ---- over bodies ---- */

/* One block's turn, forward or backward. */
static void sweep_block(const ssor *p, int32_t block, int backward, const real *r, real *z) {
    const nb_delassus *d = p->system->delassus;
    int32_t first = d->block_start[block], n = d->block_start[block + 1] - first;
    const real *own = block_of(p, block), *s = p->system->s + first;
    real sum[NB_BLOCK_ROWS], pushed[NB_BLOCK_ROWS];
    d->type->block_velocity(d, block, p->velocity, sum);
    for (int32_t k = 0; k < n; k++) {
        int32_t i = backward ? n - 1 - k : k;
        real size = fabs(own[i * n + i]);
        sum[i] *= s[i];
        for (int32_t l = backward ? i + 1 : 0; l < (backward ? n : i); l++) sum[i] += own[i * n + l] * z[first + l];
        if (!backward)
            z[first + i] = size > 0 ? (r[first + i] - p->omega * sum[i]) / size : 0;
        else if (size > 0)
            z[first + i] -= p->omega * sum[i] / size;
        pushed[i] = s[i] * z[first + i];
    }
    d->type->push_block(d, block, pushed, p->velocity);
}

static void apply_over_bodies(const ssor *p, const real *r, real *z) {
    const nb_delassus *d = p->system->delassus;
    const int32_t *order = p->colouring.colours > 0 ? p->colouring.block : NULL;
    for (int backward = 0; backward < 2; backward++) {
        memset(p->velocity, 0, (size_t)nb_nodes_length(d->mass->nodes) * sizeof(real));
        for (int32_t k = 0; k < d->block_count; k++) {
            int32_t at = backward ? d->block_count - 1 - k : k;
            sweep_block(p, order ? order[at] : at, backward, r, z);
        }
    }
}

/* ---- by entries ---- */

static void apply_in_natural_order(const ssor *p, const real *r, real *z) {
    const nb_csr *a = p->matrix;
    for (int32_t i = 0; i < a->rows; i++) {
        real sum = r[i], d = fabs(a->value[p->diagonal[i]]);
        for (int64_t k = a->start[i]; k < p->diagonal[i]; k++) sum -= p->omega * a->value[k] * z[a->column[k]];
        z[i] = d > 0 ? sum / d : 0;
    }
    for (int32_t i = a->rows - 1; i >= 0; i--) {
        real sum = 0, d = fabs(a->value[p->diagonal[i]]);
        for (int64_t k = p->diagonal[i] + 1; k < a->start[i + 1]; k++) sum += a->value[k] * z[a->column[k]];
        if (d > 0) z[i] -= p->omega * sum / d;
    }
}

/* the product of row i with those entries of z that come before it, or after it */
static real product_with(const ssor *p, int32_t i, int after, const real *z) {
    const nb_csr *a = p->matrix;
    int32_t own = p->rank[i];
    real sum = 0;
    for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
        int32_t other = p->rank[a->column[k]];
        if (after ? other > own : other < own) sum += a->value[k] * z[a->column[k]];
    }
    return sum;
}

static void apply_in_colours(const ssor *p, const real *r, real *z) {
    const nb_csr *a = p->matrix;
    for (int32_t k = 0; k < a->rows; k++) {
        int32_t i = p->row[k];
        real d = fabs(a->value[p->diagonal[i]]);
        z[i] = d > 0 ? (r[i] - p->omega * product_with(p, i, 0, z)) / d : 0;
    }
    for (int32_t k = a->rows - 1; k >= 0; k--) {
        int32_t i = p->row[k];
        real d = fabs(a->value[p->diagonal[i]]);
        if (d > 0) z[i] -= p->omega * product_with(p, i, 1, z) / d;
    }
}

static void apply(void *state, const real *r, real *z) {
    const ssor *p = state;
    if (!p->matrix)
        apply_over_bodies(p, r, z);
    else if (p->colouring.colours > 0)
        apply_in_colours(p, r, z);
    else
        apply_in_natural_order(p, r, z);
    for (int32_t i = 0; i < p->system->rows; i++) z[i] *= p->omega * (2 - p->omega);
}

/* ---- */

static void parts(const void *state, nb_preconditioner_parts *parts) {
    const ssor *p = state;
    const int in_colours = p->system->device || p->order == COLOUR;
    parts->sweeps = (nb_sweeps){.colouring = in_colours ? &p->colouring : NULL, .omega = p->omega, .by_rows = 1};
}

static void apply_by(void *state, const nb_vector_operations *o, const void *r, void *z) {
    (void)state;
    for (int backward = 0; backward < 2; backward++) o->triangle(o->state, backward, r, z);
}

static int32_t colours(const void *state) {
    return ((const ssor *)state)->colouring.colours;
}

/* A block's turn over bodies reads its J twice, H^-1 of its nodes, and its own block. */
static void work_over_bodies(const ssor *p, nb_preconditioner_work *work) {
    const nb_delassus *d = p->system->delassus;
    int32_t node[NB_BLOCK_NODES];
    double turns = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        const double n = d->block_start[i + 1] - d->block_start[i];
        const int nodes = d->type->block_nodes(d, i, node);
        turns += n * n + 4 * n;
        for (int k = 0; k < nodes; k++) {
            const double width = nb_node_velocities(d->mass->nodes, node[k]);
            turns += 4 * n * width + 2 * width * width;
        }
        work->nonzeros += n * n;
    }
    work->apply_flops = 2 * turns + p->system->rows;
    work->apply_bytes = NAN; /* as the source keeps J */
}

static void work(const void *state, nb_preconditioner_work *work) {
    const ssor *p = state;
    *work = (nb_preconditioner_work){0};
    if (!p->matrix) {
        work_over_bodies(p, work);
        return;
    }
    const double entries = (double)nb_csr_nonzeros(p->matrix), rows = p->system->rows, own = sizeof(real);
    work->apply_flops = 2 * entries + 5 * rows;
    work->apply_bytes = entries * (own + sizeof(int32_t)) + 2 * rows * own;
}

static void destroy(void *state) {
    ssor *p = state;
    if (!p) return;
    nb_colouring_clear(&p->colouring);
    nb_free(p->block);
    nb_free(p->velocity);
    nb_free(p->diagonal);
    nb_free(p->row);
    nb_free(p->rank);
    nb_free(p);
}

const nb_preconditioner_class NB_REAL_NAME(nb_precond_ssor) = {
    .name = "ssor",
    .summary = "symmetric successive over-relaxation",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .create = create,
    .set_up_pattern = set_up_pattern,
    .set_up_values = set_up_values,
    .apply = apply,
    .parts = parts,
    .apply_by = apply_by,
    .colours = colours,
    .work = work,
    .destroy = destroy,
};
