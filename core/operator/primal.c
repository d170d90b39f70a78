#include "operator/primal.h"

#include <string.h>

#include "base/memory.h"
#include "operator/block_inverse.h"
#include "operator/delassus_matrix.h"
#include "operator/low_rank_mass.h"

NB_PRECISIONS(f32, f64);

/* ---- the pattern ---- */

int nb_primal_fits(const nb_delassus *d) {
    return d->mass && d->type->block_jacobian;
}

void nb_primal_clear(nb_primal *p) {
    nb_node_pairs_clear(&p->pairs);
    nb_csr_destroy(p->mass);
    nb_free(p->force);
    nb_free(p->jacobian_place);
    nb_free(p->inverse_place);
    nb_free(p->jacobian);
    nb_free(p->inverse);
    nb_free(p->diagonal);
    *p = (nb_primal){0};
}

nb_status nb_primal_set_pattern(nb_primal *p, const nb_delassus *d, int all, const uint8_t *couples) {
    nb_status status;
    nb_primal_clear(p);
    p->delassus = d;
    if (nb_mass_couples(d->mass)) NB_TRY(d->mass->type->matrix(d->mass, &p->mass));
    NB_TRY(nb_node_pairs_make(&p->pairs, d, p->mass, all || p->mass, couples));
    NB_TRY(NB_ALLOCATE((int64_t)d->block_count + 1, &p->jacobian_place));
    NB_TRY(NB_ALLOCATE((int64_t)d->block_count + 1, &p->inverse_place));
    for (int32_t g = 0; g < d->group_count; g++) {
        int columns = nb_node_pairs_columns(&p->pairs, g);
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            int64_t n = d->block_start[i + 1] - d->block_start[i];
            p->jacobian_place[i + 1] = p->jacobian_place[i] + n * columns;
            p->inverse_place[i + 1] = p->inverse_place[i] + n * (2 * n + 1);
        }
    }
    NB_TRY(NB_ALLOCATE(p->jacobian_place[d->block_count], &p->jacobian));
    NB_TRY(NB_ALLOCATE(p->inverse_place[d->block_count], &p->inverse));
    NB_TRY(NB_ALLOCATE(d->rows, &p->diagonal));
    NB_TRY(NB_ALLOCATE(p->pairs.row[p->pairs.nodes], &p->force));
out:
    return status;
}

/* ---- the values ---- */

/* C + K + shift of block i, n x n */
static inline void load_block(const nb_primal *p, const nb_system *rows, int32_t i, int n, double shift, double *a) {
    int32_t first = p->delassus->block_start[i];
    const real *k = rows->k ? nb_system_diagonal_block(rows, i) : NULL;
    for (int r = 0; r < n; r++) {
        double s = (double)rows->s[first + r];
        double own = (double)rows->c[first + r] + shift * s * s * (double)p->diagonal[first + r];
        for (int e = r * n; e < (r + 1) * n; e++) a[e] = (k ? (double)k[e] : 0) + (e == r * n + r ? own : 0);
    }
}

static inline void load_jacobian(const nb_primal *p, const nb_system *rows, int32_t i, int n, int columns) {
    real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES];
    double *to = p->jacobian + p->jacobian_place[i];
    p->delassus->type->block_jacobian(p->delassus, i, node, block);
    for (int r = 0; r < n; r++) {
        double s = (double)rows->s[p->delassus->block_start[i] + r];
        for (int c = 0; c < columns; c++) to[columns * r + c] = s * (double)block[columns * r + c];
    }
}

/* sum += left^T right of one row */
static inline void add_row(int columns, const double *left, const double *right, double *sum) {
    for (int a = 0; a < columns; a++)
        for (int b = 0; b < columns; b++) sum[a * columns + b] += left[a] * right[b];
}

/* sum += J^T T J of one block: (x^T J)^T diag(d) (y J) */
static inline void add_products(int n, int columns, const double *j, const double *t, double *sum) {
    const double *x = t, *d = t + n * n, *y = d + n;
    double left[NB_BLOCK_COLUMNS], right[NB_BLOCK_COLUMNS];
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < columns; c++) left[c] = right[c] = 0;
        for (int k = 0; k < n; k++)
            for (int c = 0; c < columns; c++) {
                left[c] += x[k * n + r] * j[k * columns + c];
                right[c] += d[r] * y[r * n + k] * j[k * columns + c];
            }
        add_row(columns, left, right, sum);
    }
}

/* the same for T = diag(d) */
static inline void add_scaled_products(int n, int columns, const double *j, const double *d, double *sum) {
    double right[NB_BLOCK_COLUMNS];
    for (int r = 0; r < n; r++, j += columns) {
        for (int c = 0; c < columns; c++) right[c] = d[r] * j[c];
        add_row(columns, j, right, sum);
    }
}

/* T and S J of block i, and sum += J^T T J where that is not NULL; 0 where T^-1 is singular */
static inline int add_block(nb_primal *p, const nb_system *rows, int32_t i, int n, int columns, double shift,
                            double *sum) {
    double a[NB_BLOCK_ROWS * NB_BLOCK_ROWS], *t = p->inverse + p->inverse_place[i], *x = t, *d = t + n * n, *y = d + n;
    const double *j = p->jacobian + p->jacobian_place[i];
    int regular = 1;
    if (!rows->inverted) load_block(p, rows, i, n, shift, a);
    load_jacobian(p, rows, i, n, columns);
    if (rows->inverted) {
        const real *k = nb_system_diagonal_block(rows, i);
        for (int e = 0; e < n * n; e++) {
            x[e] = e % (n + 1) == 0;
            y[e] = (double)k[e];
        }
        for (int r = 0; r < n; r++) d[r] = 1;
        if (sum) add_products(n, columns, j, t, sum);
        return 1;
    }
    if (rows->k) {
        regular = nb_block_invert(n, a, x, d, y);
        if (sum) add_products(n, columns, j, t, sum);
        return regular;
    }
    for (int e = 0; e < n * n; e++) x[e] = y[e] = e % (n + 1) == 0;
    for (int r = 0; r < n; r++) {
        d[r] = a[r * n + r] != 0 ? 1 / a[r * n + r] : 0;
        regular = regular && a[r * n + r] != 0;
    }
    if (sum) add_scaled_products(n, columns, j, d, sum);
    return regular;
}

/* T J and the upper half of J^T T J of a block; T of a full block has three factors (block_inverse.h) */
static double block_flops(double n, double columns, int full) {
    return n * columns * (columns + 2) + (full ? 2 * n * n * n + 4 * n * n * columns : 0);
}

/* whether some row of a group has a weight */
static int carries(const nb_system *rows, int32_t group) {
    const nb_delassus *d = rows->delassus;
    const int32_t end = d->block_start[d->group_start[group + 1]];
    for (int32_t r = d->block_start[d->group_start[group]]; r < end; r++)
        if (rows->s[r] != 0) return 1;
    return 0;
}

int32_t nb_primal_set_values(nb_primal *p, const nb_system *rows, double shift, double *value) {
    const nb_delassus *d = p->delassus;
    int32_t singular = -1;
    double sum[NB_BLOCK_COLUMNS * NB_BLOCK_COLUMNS];
    if (shift > 0) d->type->diagonal(d, p->diagonal);
    memset(value, 0, (size_t)p->pairs.entry[p->pairs.nodes] * sizeof *value);
    p->flops = 0;
    nb_node_pairs_add_mass(&p->pairs, d->mass, p->mass, value);
    for (int32_t g = 0; g < d->group_count; g++) {
        int columns = nb_node_pairs_columns(&p->pairs, g);
        double *own = carries(rows, g) ? sum : NULL;
        memset(sum, 0, (size_t)(columns * columns) * sizeof *sum);
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            int n = (int)(d->block_start[i + 1] - d->block_start[i]);
            int regular = n == 3 && columns == 12 ? add_block(p, rows, i, 3, 12, shift, own) /* loops unrolled */
                                                  : add_block(p, rows, i, n, columns, shift, own);
            if (!regular && singular < 0) singular = d->block_start[i];
            if (own) p->flops += block_flops(n, columns, rows->k != NULL);
        }
        if (own) nb_node_pairs_add(&p->pairs, g, sum, value);
    }
    return singular;
}

/* ---- right-hand side and recovery ---- */

/* w = T w of one block */
static inline void apply_inverse(int n, const double *t, double *w) {
    const double *x = t, *d = t + n * n, *y = d + n;
    double middle[NB_BLOCK_ROWS];
    for (int r = 0; r < n; r++) {
        middle[r] = 0;
        for (int k = 0; k < n; k++) middle[r] += y[r * n + k] * w[k];
        middle[r] *= d[r];
    }
    for (int r = 0; r < n; r++) {
        w[r] = 0;
        for (int k = 0; k < n; k++) w[r] += x[r * n + k] * middle[k];
    }
}

/* f += w^T J for the columns of one node */
static inline void add_force(int n, int width, int columns, const double *j, const double *w, double *f) {
    for (int k = 0; k < n; k++)
        for (int c = 0; c < width; c++) f[c] += w[k] * j[k * columns + c];
}

/* w -= J v for these columns */
static inline void subtract_velocity(int n, int width, int columns, const double *j, const double *v, double *w) {
    for (int k = 0; k < n; k++)
        for (int c = 0; c < width; c++) w[k] -= j[k * columns + c] * v[c];
}

/* f += J^T T r of block i of a group */
static inline void push_block(nb_primal *p, int32_t group, int32_t i, int n, int columns, const real *r) {
    const nb_node_pairs *pairs = &p->pairs;
    const double *j = p->jacobian + p->jacobian_place[i];
    double w[NB_BLOCK_ROWS];
    for (int k = 0; k < n; k++) w[k] = (double)r[k];
    apply_inverse(n, p->inverse + p->inverse_place[i], w);
    for (int64_t e = pairs->group_node[group]; e < pairs->group_node[group + 1]; e++) {
        int32_t slot = pairs->group_slot[e];
        int width = nb_node_pairs_width(pairs, slot);
        double *f = p->force + pairs->row[slot];
        if (width == 6) /* a constant */
            add_force(n, 6, columns, j, w, f);
        else
            add_force(n, width, columns, j, w, f);
        j += width;
    }
}

double *nb_primal_begin(nb_primal *p, const real *r) {
    const nb_delassus *d = p->delassus;
    memset(p->force, 0, (size_t)p->pairs.row[p->pairs.nodes] * sizeof *p->force);
    for (int32_t g = 0; g < d->group_count; g++) {
        int columns = nb_node_pairs_columns(&p->pairs, g);
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            int n = (int)(d->block_start[i + 1] - d->block_start[i]);
            if (n == 3)
                push_block(p, g, i, 3, columns, r + d->block_start[i]);
            else
                push_block(p, g, i, n, columns, r + d->block_start[i]);
        }
    }
    return p->force;
}

/* z = T (r - J v) of block i of a group */
static inline void recover_block(const nb_primal *p, int32_t group, int32_t i, int n, int columns, const real *r,
                                 const double *v, real *z) {
    const nb_node_pairs *pairs = &p->pairs;
    const double *j = p->jacobian + p->jacobian_place[i];
    double w[NB_BLOCK_ROWS];
    for (int k = 0; k < n; k++) w[k] = (double)r[k];
    for (int64_t e = pairs->group_node[group]; e < pairs->group_node[group + 1]; e++) {
        int32_t slot = pairs->group_slot[e];
        int width = nb_node_pairs_width(pairs, slot);
        if (width == 6)
            subtract_velocity(n, 6, columns, j, v + pairs->row[slot], w);
        else
            subtract_velocity(n, width, columns, j, v + pairs->row[slot], w);
        j += width;
    }
    apply_inverse(n, p->inverse + p->inverse_place[i], w);
    for (int k = 0; k < n; k++) z[k] = (real)w[k];
}

void nb_primal_finish(const nb_primal *p, const real *r, const double *v, real *z) {
    const nb_delassus *d = p->delassus;
    for (int32_t g = 0; g < d->group_count; g++) {
        int columns = nb_node_pairs_columns(&p->pairs, g);
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            int32_t first = d->block_start[i];
            int n = (int)(d->block_start[i + 1] - first);
            if (n == 3)
                recover_block(p, g, i, 3, columns, r + first, v, z + first);
            else
                recover_block(p, g, i, n, columns, r + first, v, z + first);
        }
    }
}

void nb_primal_add_work(const nb_primal *p, nb_preconditioner_work *work) {
    const nb_delassus *d = p->delassus;
    work->setup_flops += p->flops;
    for (int32_t g = 0; g < d->group_count; g++) {
        const double columns = nb_node_pairs_columns(&p->pairs, g);
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            const double n = d->block_start[i + 1] - d->block_start[i];
            work->apply_flops += 4 * n * columns + 2 * (4 * n * n + n);
            work->nonzeros += n * columns + n * (2 * n + 1);
        }
    }
}

/* ---- the form ---- */

typedef struct primal_form {
    nb_form base; /* first */
    nb_primal primal;
    double *value;    /* entries of B */
    uint8_t *couples; /* [groups] 1: it carried, so that the pattern has its pairs */
} primal_form;

static nb_status form_create(nb_form *form, const nb_system *rows) {
    primal_form *f = (primal_form *)form;
    nb_status status;
    nb_csr *matrix;
    NB_TRY(nb_low_rank_mass_refuse(rows->delassus->mass, form->type->name));
    NB_TRY(NB_ALLOCATE(rows->delassus->group_count, &f->couples));
    NB_TRY(nb_primal_set_pattern(&f->primal, rows->delassus, 1, f->couples)); /* no pairs before S is known */
    NB_TRY(NB_ALLOCATE(f->primal.pairs.entry[f->primal.pairs.nodes], &f->value));
    NB_TRY(nb_node_pairs_csr(&f->primal.pairs, &matrix));
    NB_TRY(nb_form_set_matrix(form, matrix, f->primal.pairs.nodes, f->primal.pairs.row));
    form->system->node = f->primal.pairs.node;
out:
    return status;
}

static void form_clear(nb_form *form) {
    primal_form *f = (primal_form *)form;
    nb_primal_clear(&f->primal);
    nb_free(f->value);
    nb_free(f->couples);
}

/* Adds the groups that carry to `couples`. Whether the pattern is without pairs of theirs. */
static int find_pairs(primal_form *f, const nb_system *rows) {
    int missing = 0;
    for (int32_t g = 0; g < rows->delassus->group_count; g++) {
        if (f->couples[g] || !carries(rows, g)) continue;
        f->couples[g] = 1;
        missing = missing || !nb_node_pairs_has(&f->primal.pairs, g);
    }
    return missing;
}

/* a pattern for the rows' S */
static nb_status couple(primal_form *f, const nb_system *rows) {
    nb_status status = NB_OK;
    nb_primal *p = &f->primal;
    nb_csr *matrix;
    if (!find_pairs(f, rows)) return NB_OK;
    NB_TRY(nb_node_pairs_couple(&p->pairs, rows->delassus, p->mass, f->couples));
    nb_free(f->value);
    f->value = NULL;
    NB_TRY(NB_ALLOCATE(p->pairs.entry[p->pairs.nodes], &f->value));
    NB_TRY(nb_node_pairs_csr(&p->pairs, &matrix));
    NB_TRY(nb_delassus_matrix_replace(f->base.delassus, matrix));
    f->base.matrix = matrix;
    nb_system_pattern_changed(f->base.system);
out:
    return status;
}

static nb_status form_set_values(nb_form *form, const nb_system *rows) {
    primal_form *f = (primal_form *)form;
    for (int32_t r = 0; !rows->k && r < rows->rows; r++)
        if (!(rows->c[r] > 0))
            return nb_fail(NB_ERROR_NUMERIC,
                           "the stiffness form requires a positive compliance in every row; row %d has %g", (int)r,
                           (double)rows->c[r]);
    nb_status status = couple(f, rows);
    if (status != NB_OK) return status;
    int32_t singular = nb_primal_set_values(&f->primal, rows, 0, f->value);
    form->system->assembly_flops = f->primal.flops;
    if (singular >= 0)
        return nb_fail(NB_ERROR_NUMERIC,
                       "the stiffness form requires an invertible compliance in every block of rows; that of row "
                       "%d cannot",
                       (int)singular);
    for (int64_t e = 0; e < form->matrix->start[form->matrix->rows]; e++) form->matrix->value[e] = (real)f->value[e];
    return NB_OK;
}

static void form_set_right_hand_side(nb_form *form, const nb_system *rows, const real *momentum) {
    primal_form *f = (primal_form *)form;
    const nb_node_pairs *pairs = &f->primal.pairs;
    const int32_t *velocity = rows->delassus->mass->nodes->velocity;
    const double *force = nb_primal_begin(&f->primal, rows->b);
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const real *g = momentum + velocity[pairs->node[i]];
        for (int32_t r = pairs->row[i]; r < pairs->row[i + 1]; r++)
            form->system->b[r] = (real)(force[r] - (double)*g++);
    }
}

static void form_recover(nb_form *form, const nb_system *rows, real *du, real *y) {
    primal_form *f = (primal_form *)form;
    const nb_node_pairs *pairs = &f->primal.pairs;
    const nb_nodes *nodes = rows->delassus->mass->nodes;
    memset(du, 0, (size_t)nodes->velocity[nodes->count] * sizeof *du);
    for (int32_t i = 0; i < pairs->nodes; i++)
        memcpy(du + nodes->velocity[pairs->node[i]], form->x + pairs->row[i],
               (size_t)nb_node_pairs_width(pairs, i) * sizeof *du);
    for (int32_t r = 0; r < form->system->rows; r++) f->primal.force[r] = (double)form->x[r];
    nb_primal_finish(&f->primal, rows->b, f->primal.force, y);
}

const nb_form_class nb_primal_form = {
    .name = "stiffness",
    .unknowns =
        "velocity changes du, 6 a body that moves (m/s, rad/s), then 3 a particle (m/s); A = H + J^T S (C + K)^-1 S J",
    .units = {"kg, kg m, kg m^2", "N s, N m s"},
    .size = sizeof(primal_form),
    .symmetric = 1,
    .create = form_create,
    .set_values = form_set_values,
    .set_right_hand_side = form_set_right_hand_side,
    .recover = form_recover,
    .clear = form_clear,
};
