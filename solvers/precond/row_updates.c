#include "precond/row_updates.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_row_updates_clear(nb_row_updates *u) {
    void *owned[] = {u->first, u->place, u->start, u->at, u->value, u->now, u->column, u->in, u->entry, u->row};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    *u = (nb_row_updates){0};
}

/* the rows that A was made of; NULL where they are not known */
static const nb_system *rows_of(const nb_system *system) {
    const nb_system *rows = system->origin;
    const int known =
        rows && !rows->k && system->symmetric && rows->delassus->mass && rows->delassus->type->block_jacobian;
    return known ? rows : NULL;
}

/* The places of block i's columns in the order of elimination, which its rows share; how they are sorted in `order`.
 * Returns their number. */
static int columns_of(const nb_row_updates *u, const nb_delassus *d, int32_t i, SuiteSparse_long *place, int *order,
                      real *jacobian) {
    int32_t node[NB_BLOCK_NODES];
    int columns = 0;
    const int nodes = d->type->block_jacobian(d, i, node, jacobian);
    for (int k = 0; k < nodes; k++)
        for (int c = 0; c < nb_node_velocities(d->mass->nodes, node[k]); c++) {
            const SuiteSparse_long at = u->place[u->first[node[k]] + c];
            int to = columns;
            for (; to > 0 && place[to - 1] > at; to--) {
                place[to] = place[to - 1];
                order[to] = order[to - 1];
            }
            place[to] = at;
            order[to] = columns++;
        }
    return columns;
}

static int32_t number_nodes(nb_row_updates *u, const nb_mass *mass) {
    int32_t next = 0;
    for (int32_t i = 0; i < mass->nodes->count; i++) {
        u->first[i] = mass->moves[i] ? next : -1;
        if (mass->moves[i]) next += nb_node_velocities(mass->nodes, i);
    }
    return next;
}

nb_status nb_row_updates_set_pattern(nb_row_updates *u, const nb_system *system, const nb_cholmod_factor *factor) {
    nb_status status = NB_OK;
    const nb_system *rows = rows_of(system);
    SuiteSparse_long place[NB_BLOCK_COLUMNS];
    int order[NB_BLOCK_COLUMNS];
    real jacobian[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    u->fits = 0;
    if (!rows) return NB_OK;
    const nb_delassus *d = rows->delassus;
    NB_TRY(NB_RESERVE(d->mass->nodes->count, &u->first_capacity, &u->first));
    if (number_nodes(u, d->mass) != system->rows) return NB_OK; /* another form */
    NB_TRY(NB_RESERVE(system->rows, &u->place_capacity, &u->place));
    NB_TRY(NB_RESERVE(d->rows + 1, &u->start_capacity, &u->start));
    NB_TRY(NB_RESERVE(d->rows + 1, &u->column_capacity, &u->column));
    NB_TRY(NB_RESERVE(d->rows, &u->row_capacity, &u->row));
    for (int32_t k = 0; k < system->rows; k++) u->place[nb_cholmod_factor_row(factor, k)] = k;
    u->start[0] = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        const int columns = columns_of(u, d, i, place, order, jacobian);
        for (int32_t r = d->block_start[i]; r < d->block_start[i + 1]; r++) u->start[r + 1] = u->start[r] + columns;
    }
    const int64_t entries = u->start[d->rows];
    NB_TRY(NB_RESERVE(entries, &u->at_capacity, &u->at));
    NB_TRY(NB_RESERVE(entries, &u->value_capacity, &u->value));
    NB_TRY(NB_RESERVE(entries, &u->now_capacity, &u->now));
    NB_TRY(NB_RESERVE(entries, &u->in_capacity, &u->in));
    NB_TRY(NB_RESERVE(entries, &u->entry_capacity, &u->entry));
    u->fits = 1;
out:
    return status;
}

/* the rows as they are */
static void load(nb_row_updates *u, const nb_system *rows, const double *scale) {
    const nb_delassus *d = rows->delassus;
    SuiteSparse_long place[NB_BLOCK_COLUMNS];
    int order[NB_BLOCK_COLUMNS];
    real jacobian[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    double scaled[NB_BLOCK_COLUMNS] = {0};
    for (int32_t i = 0; i < d->block_count; i++) {
        int32_t node[NB_BLOCK_NODES];
        const int columns = columns_of(u, d, i, place, order, jacobian);
        const int nodes = d->type->block_nodes(d, i, node);
        for (int k = 0, at = 0; k < nodes; k++)
            for (int c = 0; c < nb_node_velocities(d->mass->nodes, node[k]); c++)
                scaled[at++] = scale[u->first[node[k]] + c];
        for (int32_t r = d->block_start[i], b = 0; r < d->block_start[i + 1]; r++, b++) {
            const double weight = (double)rows->s[r] / sqrt((double)rows->c[r]);
            for (int c = 0; c < columns; c++) {
                u->at[u->start[r] + c] = place[c];
                u->now[u->start[r] + c] = weight * (double)jacobian[b * columns + order[c]] * scaled[order[c]];
            }
        }
    }
}

void nb_row_updates_take(nb_row_updates *u, const nb_system *system, const double *scale) {
    if (!u->fits) return;
    load(u, rows_of(system), scale);
    memcpy(u->value, u->now, (size_t)u->start[system->origin->rows] * sizeof *u->value);
}

/* whether a row's share of the matrix, whose diagonal is about 1, has changed by more than rho */
static int is_off(const nb_row_updates *u, int32_t r, double rho) {
    double before = 0, after = 0;
    for (int64_t e = u->start[r]; e < u->start[r + 1]; e++) {
        before += u->value[e] * u->value[e];
        after += u->now[e] * u->now[e];
    }
    return fmax(before, after) > 1e-14 && !(before <= rho * after && after <= rho * before);
}

/* the changed rows, as they stand in `from`: into the factor, or out of it */
static int modify(nb_row_updates *u, const double *from, int update, nb_cholmod_factor *f) {
    SuiteSparse_long used = 0;
    for (int32_t k = 0; k < u->changed; k++) {
        u->column[k] = used;
        for (int64_t e = u->start[u->row[k]]; e < u->start[u->row[k] + 1]; e++) {
            u->in[used] = u->at[e];
            u->entry[used++] = from[e];
        }
    }
    u->column[u->changed] = used;
    cholmod_sparse c = {.nrow = f->matrix->nrow,
                        .ncol = (size_t)u->changed,
                        .nzmax = (size_t)used,
                        .p = u->column,
                        .i = u->in,
                        .x = u->entry,
                        .itype = CHOLMOD_LONG,
                        .xtype = CHOLMOD_REAL,
                        .dtype = CHOLMOD_DOUBLE,
                        .sorted = 1,
                        .packed = 1};
    const int made = cholmod_l_updown(update, &c, f->factor, &f->common);
    u->flops += f->common.modfl;
    return made;
}

/* whether all of D is positive in the L D L^T that updates leave */
static int is_positive(const nb_cholmod_factor *f) {
    const SuiteSparse_long *start = f->factor->p;
    const double *value = f->factor->x;
    for (size_t j = 0; j < f->factor->n; j++)
        if (!(value[start[j]] > 0) || !isfinite(value[start[j]])) return 0;
    return 1;
}

nb_status nb_row_updates_make(nb_row_updates *u, const nb_system *system, const double *scale, double rho,
                              nb_cholmod_factor *f, int *done) {
    const nb_system *rows = rows_of(system);
    u->changed = 0;
    u->flops = 0;
    *done = 1;
    load(u, rows, scale);
    for (int32_t r = 0; r < rows->rows; r++)
        if (is_off(u, r, rho)) u->row[u->changed++] = r;
    if (u->changed == 0) return NB_OK;
    /* in first: the matrix stays positive */
    *done = modify(u, u->now, 1, f) && modify(u, u->value, 0, f);
    if (f->common.status == CHOLMOD_OUT_OF_MEMORY)
        return nb_fail(NB_ERROR_MEMORY, "out of memory in an update of the Cholesky factor of %d rows",
                       (int)system->rows);
    *done = *done && is_positive(f);
    for (int32_t k = 0; k < u->changed; k++) {
        const int64_t first = u->start[u->row[k]], end = u->start[u->row[k] + 1];
        memcpy(u->value + first, u->now + first, (size_t)(end - first) * sizeof *u->value);
    }
    return NB_OK;
}
