#include "operator/sum.h"

#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/union_find.h"
#include "operator/contact_block.h"
#include "operator/contact_pack.h"
#include "operator/joint_pack.h"
#include "operator/low_rank_mass.h"

NB_PRECISIONS(f32, f64);

/* ---- products ---- */

/* rows of the view in pack k */
static int32_t rows_in(const nb_sum_view *view, int32_t k) {
    const nb_pack *pack = view->sum->pack[k];
    return nb_pack_row(pack, view->end[k]) - nb_pack_row(pack, view->begin[k]);
}

void nb_sum_add_forces(const nb_sum_view *view, const real *s, const real *x, real *force) {
    for (int32_t k = 0, r = 0; k < view->sum->packs; r += rows_in(view, k++)) {
        const nb_pack *pack = view->sum->pack[k];
        pack->type->forces(pack, view->begin[k], view->end[k], s ? s + r : NULL, x + r, force);
    }
}

void nb_sum_row_velocities(const nb_sum_view *view, const real *velocity, real *y) {
    for (int32_t k = 0, r = 0; k < view->sum->packs; r += rows_in(view, k++)) {
        const nb_pack *pack = view->sum->pack[k];
        pack->type->velocities(pack, view->begin[k], view->end[k], velocity, y + r);
    }
}

static void clear_forces(const nb_sum_view *view) {
    const nb_sum *sum = view->sum;
    const int32_t *place = sum->mass->nodes->place;
    for (int32_t i = 0, next; i < view->dynamic_count; i = next) { /* nodes that follow each other at once */
        const int32_t first = view->dynamic[i];
        for (next = i + 1; next < view->dynamic_count && view->dynamic[next] == first + next - i;) next++;
        memset(sum->force + place[first], 0, (size_t)(place[first + next - i] - place[first]) * sizeof *sum->force);
    }
}

/* sum->velocity = H^-1 sum->force */
static void solve_forces(const nb_sum_view *view) {
    const nb_sum *sum = view->sum;
    sum->mass->type->solve(sum->mass, view->dynamic_count, view->dynamic, sum->force, sum->velocity);
}

static void apply(const nb_delassus *d, const real *s, const real *c, const real *x, real *y) {
    const nb_sum_view *view = (const nb_sum_view *)d;
    if (d->rows == 0) return; /* a solve with H may be expensive */
    clear_forces(view);
    nb_sum_add_forces(view, s, x, view->sum->force);
    solve_forces(view);
    nb_sum_row_velocities(view, view->sum->velocity, y);
    for (int32_t r = 0; (s || c) && r < d->rows; r++) y[r] = (s ? s[r] : 1) * y[r] + (c ? c[r] * x[r] : 0);
}

static void diagonal(const nb_delassus *d, real *out) {
    const nb_sum_view *view = (const nb_sum_view *)d;
    const nb_sum *sum = view->sum;
    for (int32_t k = 0; k < sum->packs; k++) {
        int32_t first = sum->first_row[k] + nb_pack_row(sum->pack[k], view->begin[k]), rows = rows_in(view, k);
        memcpy(out, sum->diagonal + first, (size_t)rows * sizeof *out);
        out += rows;
    }
}

/* ---- blocks ---- */

/* a block in its pack */
typedef struct place {
    const nb_pack *pack;
    int32_t i;
} place;

static inline place place_of(const nb_sum_view *view, int32_t block) {
    int32_t k = view->sum->packs - 1; /* where most are */
    while (block < view->first[k]) k--;
    return (place){view->sum->pack[k], view->begin[k] + (block - view->first[k])};
}

/* J of a block over its nodes with mass, and H^-1 J^T where that is asked for */
typedef struct block_rows {
    int nodes, rows, columns;
    int32_t node[NB_BLOCK_NODES];
    int width[NB_BLOCK_NODES], begin[NB_BLOCK_NODES]; /* columns of each node */
    real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS], hj[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
} block_rows;

static int rows_of(const nb_delassus *d, int32_t block) {
    return (int)(d->block_start[block + 1] - d->block_start[block]);
}

/* Keeps of the block's nodes those with mass: their number; `kept` [nodes]: which of them. */
static int keep_moving(const nb_mass *mass, int nodes, int32_t node[NB_BLOCK_NODES], int kept[NB_BLOCK_NODES]) {
    int count = 0;
    for (int n = 0; n < nodes; n++) {
        kept[n] = mass->moves[node[n]];
        if (kept[n]) node[count++] = node[n];
    }
    return count;
}

static int block_nodes(const nb_delassus *d, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    place at = place_of((const nb_sum_view *)d, i);
    int kept[NB_BLOCK_NODES], nodes = at.pack->type->block_nodes(at.pack, at.i, node);
    return keep_moving(d->mass, nodes, node, kept);
}

/* J over the nodes kept, from that over all */
static void keep_columns(const nb_nodes *nodes, int rows, int count, const int32_t *all, const int *kept,
                         const real *full, real *out) {
    for (int r = 0; r < rows; r++)
        for (int n = 0; n < count; n++) {
            int width = nb_node_velocities(nodes, all[n]);
            for (int k = 0; kept[n] && k < width; k++) *out++ = full[k];
            full += width;
        }
}

static int block_jacobian(const nb_delassus *d, int32_t i, int32_t node[NB_BLOCK_NODES], real *out) {
    place at = place_of((const nb_sum_view *)d, i);
    int32_t all[NB_BLOCK_NODES];
    int kept[NB_BLOCK_NODES], nodes = at.pack->type->block_nodes(at.pack, at.i, all);
    for (int n = 0; n < nodes; n++) node[n] = all[n];
    int count = keep_moving(d->mass, nodes, node, kept);
    if (count == nodes) {
        at.pack->type->block_jacobian(at.pack, at.i, out);
    } else if (count > 0) {
        real full[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
        at.pack->type->block_jacobian(at.pack, at.i, full);
        keep_columns(d->mass->nodes, rows_of(d, i), nodes, all, kept, full, out);
    }
    return count;
}

int nb_sum_whole_jacobian(const nb_sum_view *view, int32_t i, int32_t node[NB_BLOCK_NODES], real *out) {
    place at = place_of(view, i);
    at.pack->type->block_jacobian(at.pack, at.i, out);
    return at.pack->type->block_nodes(at.pack, at.i, node);
}

static void load_rows(const nb_delassus *d, int32_t block, block_rows *b) {
    b->nodes = block_jacobian(d, block, b->node, b->j);
    b->rows = rows_of(d, block);
    b->columns = 0;
    for (int n = 0; n < b->nodes; n++) {
        b->begin[n] = b->columns;
        b->width[n] = nb_node_velocities(d->mass->nodes, b->node[n]);
        b->columns += b->width[n];
    }
}

static void load_rows_and_responses(const nb_delassus *d, int32_t block, block_rows *b) {
    load_rows(d, block, b);
    for (int r = 0; r < b->rows; r++)
        for (int n = 0; n < b->nodes; n++) {
            int at = r * b->columns + b->begin[n];
            d->mass->type->solve_node(d->mass, b->node[n], b->j + at, b->hj + at);
        }
}

/* out = the entries of D between two blocks of these sizes, out's rows `stride` apart; `width`: velocities of every
 * node, or 0 where they differ */
static inline void multiply_sized(int rows, int columns, int width, const block_rows *left, const block_rows *right,
                                  int64_t stride, real *out) {
    real sum[NB_BLOCK_ROWS * NB_BLOCK_ROWS] = {0};
    for (int p = 0; p < left->nodes; p++)
        for (int q = 0; q < right->nodes; q++) {
            if (left->node[p] != right->node[q]) continue;
            const real *hj = left->hj + left->begin[p], *j = right->j + right->begin[q];
            int n = width ? width : left->width[p];
            for (int r = 0; r < rows; r++)
                for (int c = 0; c < columns; c++)
                    for (int k = 0; k < n; k++)
                        sum[r * columns + c] += hj[r * left->columns + k] * j[c * right->columns + k];
        }
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) out[r * stride + c] = sum[r * columns + c];
}

static void multiply_rows(const block_rows *left, const block_rows *right, int64_t stride, real *out) {
    if (left->rows == 3 && right->rows == 3 && left->columns == 6 * left->nodes) /* constants: loops unrolled */
        multiply_sized(3, 3, 6, left, right, stride, out);
    else
        multiply_sized(left->rows, right->rows, 0, left, right, stride, out);
}

static void block(const nb_delassus *d, int32_t i, int32_t k, real *out) {
    block_rows left, right;
    load_rows_and_responses(d, i, &left);
    load_rows(d, k, &right);
    multiply_rows(&left, &right, right.rows, out);
}

static void block_velocity(const nb_delassus *d, int32_t i, const real *velocity, real *out) {
    place at = place_of((const nb_sum_view *)d, i);
    if (at.pack->type == &nb_contact_pack_class) /* the fast path */
        nb_contact_velocity(&((const nb_contact_pack *)at.pack)->contacts[at.i], velocity, out);
    else
        at.pack->type->block_velocity(at.pack, at.i, velocity, out);
}

static void push_block(const nb_delassus *d, int32_t i, const real *z, real *velocity) {
    place at = place_of((const nb_sum_view *)d, i);
    if (at.pack->type == &nb_contact_pack_class && d->mass->type == &nb_block_mass_class) /* the fast path */
        nb_contact_push(&((const nb_contact_pack *)at.pack)->contacts[at.i], ((const nb_block_mass *)d->mass)->inverse,
                        z, velocity);
    else
        at.pack->type->push_block(at.pack, d->mass, at.i, z, velocity);
}

/* ---- by solves, where H couples nodes ---- */

/* sum->force += J^T of row r of block i */
static void push_row(const nb_sum_view *view, int32_t i, int r) {
    place at = place_of(view, i);
    real unit[NB_BLOCK_ROWS] = {0};
    unit[r] = 1;
    at.pack->type->forces(at.pack, at.i, at.i + 1, NULL, unit, view->sum->force);
}

/* sum->velocity = H^-1 J^T of it */
static void answer_row(const nb_sum_view *view, int32_t i, int r) {
    clear_forces(view);
    push_row(view, i, r);
    solve_forces(view);
}

static void diagonal_by_solves(const nb_sum_view *view, int32_t begin, int32_t end, real *out) {
    for (int32_t i = begin; i < end; i++)
        for (int r = 0; r < rows_of(&view->base, i); r++) {
            real own[NB_BLOCK_ROWS] = {0};
            answer_row(view, i, r);
            block_velocity(&view->base, i, view->sum->velocity, own);
            *out++ = own[r];
        }
}

/* ---- entries ---- */

/* The diagonal of the blocks from i on that are in one pack, up to `end`, where the pack has a way of its own; returns
 * their number, or 0. */
static int32_t diagonal_by_pack(const nb_sum_view *view, int32_t i, int32_t end, real *out) {
    int32_t k = view->sum->packs - 1;
    while (i < view->first[k]) k--;
    const nb_pack *pack = view->sum->pack[k];
    int32_t at = view->begin[k] + i - view->first[k], there = view->end[k] - at;
    if (!pack->type->diagonal) return 0;
    int32_t count = there < end - i ? there : end - i;
    return pack->type->diagonal(pack, view->sum->mass, at, at + count, out) ? count : 0;
}

void nb_sum_block_diagonal(const nb_sum_view *view, int32_t begin, int32_t end, real *out) {
    if (nb_mass_couples(view->sum->mass)) {
        diagonal_by_solves(view, begin, end, out);
        return;
    }
    for (int32_t i = begin; i < end; i++) {
        int32_t together = diagonal_by_pack(view, i, end, out);
        if (together > 0) {
            out += view->base.block_start[i + together] - view->base.block_start[i];
            i += together - 1;
            continue;
        }
        block_rows rows;
        real own[NB_BLOCK_ROWS * NB_BLOCK_ROWS];
        load_rows_and_responses(&view->base, i, &rows);
        multiply_rows(&rows, &rows, rows.rows, own);
        for (int r = 0; r < rows.rows; r++) *out++ = own[r * rows.rows + r];
    }
}

/* unites the nodes that a mass of a matrix of its own couples */
static nb_status unite_by_matrix(const nb_mass *mass, int32_t *lead) {
    nb_status status;
    const nb_nodes *nodes = mass->nodes;
    nb_csr *h = NULL;
    int32_t *node = NULL; /* of each velocity */
    NB_TRY(mass->type->matrix(mass, &h));
    NB_TRY(NB_ALLOCATE(h->rows, &node));
    for (int32_t i = 0; i < nodes->count; i++)
        for (int32_t r = nodes->velocity[i]; r < nodes->velocity[i + 1]; r++) node[r] = i;
    for (int32_t r = 0; r < h->rows; r++)
        for (int64_t e = h->start[r]; e < h->start[r + 1]; e++) nb_unite(lead, node[r], node[h->column[e]]);
out:
    nb_csr_destroy(h);
    nb_free(node);
    return status;
}

/* unites the nodes of a dense row */
static void unite_by_row(const nb_nodes *nodes, const double *row, int32_t *lead) {
    int32_t first = -1;
    for (int32_t i = 0; i < nodes->count; i++) {
        int acts = 0;
        for (int32_t r = nodes->velocity[i]; r < nodes->velocity[i + 1]; r++) acts |= row[r] != 0;
        if (acts && first >= 0) nb_unite(lead, first, i);
        if (acts && first < 0) first = i;
    }
}

nb_status nb_sum_find_leads(const nb_mass *mass, int32_t **lead) {
    nb_status status = NB_OK;
    const nb_nodes *nodes = mass->nodes;
    const nb_mass *sparse = nb_low_rank_mass_base(mass);
    *lead = NULL;
    if (!nb_mass_couples(mass)) return NB_OK;
    NB_TRY(NB_ALLOCATE(nodes->count, lead));
    for (int32_t i = 0; i < nodes->count; i++) (*lead)[i] = i;
    if (nb_mass_couples(sparse)) NB_TRY(unite_by_matrix(sparse, *lead));
    for (int32_t k = 0; k < nb_low_rank_mass_rank(mass); k++) unite_by_row(nodes, nb_low_rank_mass_row(mass, k), *lead);
    for (int32_t i = 0; i < nodes->count; i++) (*lead)[i] = nb_root(*lead, i);
out:
    return status;
}

/* the nodes that block i is coupled with others through: its own, or their leads, each once */
static int nodes_that_couple(const nb_delassus *d, const int32_t *lead, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    int count = block_nodes(d, i, node), kept = 0;
    if (!lead) return count;
    for (int n = 0; n < count; n++) {
        int known = 0;
        for (int k = 0; k < kept; k++) known = known || node[k] == lead[node[n]];
        if (!known) node[kept++] = lead[node[n]];
    }
    return kept;
}

/* which blocks act on a node, or on one coupled with it */
typedef struct acting {
    int32_t *lead;  /* [nodes] or NULL */
    int64_t *start; /* [nodes + 2] */
    int32_t *block; /* those of each node, ascending: from block[start[node]] on */
} acting;

static void clear_acting(acting *a) {
    nb_free(a->lead);
    nb_free(a->start);
    nb_free(a->block);
}

/* *a is zero; the caller clears it, on a fault too */
static nb_status list_acting(const nb_delassus *d, acting *a) {
    nb_status status;
    int32_t n = d->mass->nodes->count, node[NB_BLOCK_NODES];
    NB_TRY(nb_sum_find_leads(d->mass, &a->lead));
    NB_TRY(NB_ALLOCATE((int64_t)n + 2, &a->start));
    for (int32_t i = 0; i < d->block_count; i++)
        for (int k = nodes_that_couple(d, a->lead, i, node) - 1; k >= 0; k--) a->start[node[k] + 2]++;
    for (int32_t i = 0; i < n; i++) a->start[i + 2] += a->start[i + 1];
    NB_TRY(NB_ALLOCATE(a->start[n + 1], &a->block));
    for (int32_t i = 0; i < d->block_count; i++)
        for (int k = nodes_that_couple(d, a->lead, i, node) - 1; k >= 0; k--) a->block[a->start[node[k] + 1]++] = i;
out:
    return status;
}

/* The blocks coupled with block i, ascending: the union of its nodes' lists (itself, where none has mass). Writes them
 * to `out`; returns their number. */
static int32_t coupled_blocks(const nb_delassus *d, const acting *a, int32_t i, int32_t *out) {
    int32_t node[NB_BLOCK_NODES], count = 0;
    int64_t at[NB_BLOCK_NODES];
    int nodes = nodes_that_couple(d, a->lead, i, node);
    for (int k = 0; k < nodes; k++) at[k] = a->start[node[k]];
    for (;;) {
        int32_t next = INT32_MAX;
        for (int k = 0; k < nodes; k++)
            if (at[k] < a->start[node[k] + 1] && a->block[at[k]] < next) next = a->block[at[k]];
        if (next == INT32_MAX) break;
        for (int k = 0; k < nodes; k++) at[k] += at[k] < a->start[node[k] + 1] && a->block[at[k]] == next;
        out[count++] = next;
    }
    if (count == 0) out[count++] = i;
    return count;
}

static nb_status pattern(const nb_delassus *d, nb_csr **matrix) {
    nb_status status;
    acting a = {0};
    int64_t nonzeros = 0, used = 0;
    int32_t *coupled = NULL;
    *matrix = NULL;
    NB_TRY(list_acting(d, &a));
    NB_TRY(NB_ALLOCATE(d->block_count + 1, &coupled));
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        for (int32_t i = 0; i < d->block_count; i++) {
            NB_TRY(nb_interrupt_check());
            int32_t count = coupled_blocks(d, &a, i, coupled);
            for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) {
                if (pass == 1) (*matrix)->start[r] = used;
                for (int32_t k = 0; k < count; k++) {
                    if (pass == 0) nonzeros += rows_of(d, coupled[k]);
                    for (int32_t c = d->block_start[coupled[k]]; pass == 1 && c < d->block_start[coupled[k] + 1]; c++)
                        (*matrix)->column[used++] = c;
                }
            }
        }
        if (pass == 0) NB_TRY(nb_csr_create(d->rows, d->rows, nonzeros, matrix));
    }
    (*matrix)->start[d->rows] = used;
out:
    clear_acting(&a);
    nb_free(coupled);
    return status;
}

/* the block that begins with this row */
static inline int32_t block_at_row(const nb_sum_view *view, int32_t row) {
    int32_t block = 0, k = 0;
    for (; row >= rows_in(view, k); k++) {
        row -= rows_in(view, k);
        block += view->end[k] - view->begin[k];
    }
    const nb_pack *pack = view->sum->pack[k];
    if (pack->rows_each) return block + (pack->rows_each == 3 ? row / 3 : row / pack->rows_each);
    int32_t low = view->begin[k], high = view->end[k], first = nb_pack_row(pack, low);
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (nb_pack_row(pack, middle) - first <= row)
            low = middle;
        else
            high = middle;
    }
    return block + low - view->begin[k];
}

static void values(const nb_delassus *d, nb_csr *matrix) {
    block_rows row, column;
    for (int32_t i = 0; i < d->block_count && !nb_interrupt_requested(); i++) {
        int64_t begin = matrix->start[d->block_start[i]], length = matrix->start[d->block_start[i] + 1] - begin;
        load_rows_and_responses(d, i, &row);
        for (int64_t e = 0; e < length; e += column.rows) { /* columns come in whole blocks */
            load_rows(d, block_at_row((const nb_sum_view *)d, matrix->column[begin + e]), &column);
            multiply_rows(&row, &column, length, matrix->value + begin + e);
        }
    }
}

/* the entries of a row from H^-1 J^T of it: what that makes in the blocks of its columns */
static void values_of_row(const nb_sum_view *view, int32_t row, nb_csr *matrix) {
    for (int64_t e = matrix->start[row]; e < matrix->start[row + 1];) {
        int32_t k = block_at_row(view, matrix->column[e]);
        block_velocity(&view->base, k, view->sum->velocity, matrix->value + e);
        e += rows_of(&view->base, k);
    }
}

static nb_status pattern_by_solves(const nb_delassus *d, nb_csr **matrix) {
    nb_status status = NB_OK;
    const nb_mass *mass = d->mass;
    *matrix = NULL;
    if (mass->type->reserve_together) NB_TRY(mass->type->reserve_together(mass));
    NB_TRY(pattern(d, matrix));
out:
    return status;
}

static void values_by_solves(const nb_delassus *d, nb_csr *matrix) {
    const nb_sum_view *view = (const nb_sum_view *)d;
    for (int32_t i = 0; i < d->block_count; i++)
        for (int32_t row = d->block_start[i]; row < d->block_start[i + 1] && !nb_interrupt_requested(); row++) {
            answer_row(view, i, row - d->block_start[i]);
            values_of_row(view, row, matrix);
        }
}

/* the k-th row of an island, or -1 */
static int32_t row_of_island(const nb_sum_view *view, int32_t island, int32_t k) {
    const nb_island_rows *rows = view->island_rows;
    if (!rows) return k < view->base.rows ? k : -1;
    return rows->begin[island] + k < rows->begin[island + 1] ? rows->row[rows->begin[island] + k] : -1;
}

/* sum->force = J^T of the k-th row of every island; returns whether there are any */
static int push_rows(const nb_sum_view *view, int32_t islands, int32_t k) {
    int any = 0;
    clear_forces(view);
    for (int32_t i = 0; i < islands; i++) {
        int32_t row = row_of_island(view, i, k);
        if (row < 0) continue;
        int32_t block = block_at_row(view, row);
        push_row(view, block, row - view->base.block_start[block]);
        any = 1;
    }
    return any;
}

/* for as many k at a time as the mass solves with at once, where it does */
static void values_together(const nb_delassus *d, nb_csr *matrix) {
    const nb_sum_view *view = (const nb_sum_view *)d;
    const nb_sum *sum = view->sum;
    const nb_mass_class *type = sum->mass->type;
    const int32_t islands = view->island_rows ? view->island_rows->islands : 1;
    if (!type->put) {
        values_by_solves(d, matrix);
        return;
    }
    for (int32_t first = 0, count = NB_MASS_TOGETHER; count == NB_MASS_TOGETHER && !nb_interrupt_requested();
         first += count) {
        for (count = 0; count < NB_MASS_TOGETHER && push_rows(view, islands, first + count); count++)
            type->put(sum->mass, count, view->dynamic_count, view->dynamic, sum->force);
        if (count > 0) type->solve_together(sum->mass, count);
        for (int32_t k = 0; k < count; k++) {
            type->take(sum->mass, k, view->dynamic_count, view->dynamic, sum->velocity);
            for (int32_t i = 0; i < islands; i++) {
                int32_t row = row_of_island(view, i, first + k);
                if (row >= 0) values_of_row(view, row, matrix);
            }
        }
    }
}

static const nb_delassus_class coupled_sum_class = {
    .apply = apply,
    .diagonal = diagonal,
    .pattern = pattern_by_solves,
    .values = values_together,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
};

const nb_delassus_class nb_sum_class = {
    .apply = apply,
    .diagonal = diagonal,
    .pattern = pattern,
    .values = values,
    .block = block,
    .block_velocity = block_velocity,
    .push_block = push_block,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
};

const nb_delassus_class *nb_sum_class_for(const nb_mass *mass) {
    return nb_mass_couples(mass) ? &coupled_sum_class : &nb_sum_class;
}

const nb_sum_view *nb_sum_view_of(const nb_delassus *d) {
    return d->type == &nb_sum_class || d->type == &coupled_sum_class ? (const nb_sum_view *)d : NULL;
}

/* ---- layouts of their own ---- */

/* bodies and particles: velocities in threes */
static int knows_nodes(const nb_nodes *nodes) {
    for (int32_t i = nodes->bodies; i < nodes->count; i++)
        if (nb_node_velocities(nodes, i) != 3) return 0;
    return 1;
}

int nb_sum_rows_of(const nb_delassus *delassus, nb_sum_rows *rows) {
    const nb_sum_view *view = (const nb_sum_view *)delassus;
    if (delassus->type != &nb_sum_class || delassus->mass->type != &nb_block_mass_class) return 0;
    const nb_mass *mass = view->sum->mass;
    if (!knows_nodes(mass->nodes)) return 0;
    nb_rigid_rows *rigid = &rows->rigid;
    *rows = (nb_sum_rows){.view = view,
                          .rigid = {.bodies = mass->nodes->bodies,
                                    .inverse = ((const nb_block_mass *)mass)->inverse,
                                    .dynamic = view->dynamic,
                                    .dynamic_count = view->dynamic_count}};
    for (int32_t k = 0, r = 0; k < view->sum->packs; r += rows_in(view, k++)) {
        const nb_pack *pack = view->sum->pack[k];
        int32_t count = view->end[k] - view->begin[k];
        if (count == 0) continue;
        if (pack->type == &nb_joint_pack_class && r == 0) {
            rigid->joint_rows = ((const nb_joint_pack *)pack)->rows + view->begin[k];
            rigid->joint_row_count = count;
        } else if (pack->type == &nb_contact_pack_class && r == rigid->joint_row_count) {
            rigid->contacts = ((const nb_contact_pack *)pack)->contacts + view->begin[k];
            rigid->contact_count = count;
        } else {
            rows->pack[rows->packs] = k;
            rows->first_row[rows->packs++] = r;
        }
    }
    return 1;
}

int nb_rigid_rows_of(const nb_delassus *delassus, nb_rigid_rows *rigid) {
    nb_sum_rows rows;
    if (!nb_sum_rows_of(delassus, &rows) || rows.packs > 0) return 0;
    if (delassus->mass->nodes->bodies != delassus->mass->nodes->count) return 0;
    *rigid = rows.rigid;
    return 1;
}
