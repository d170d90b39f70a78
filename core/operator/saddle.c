#include "operator/saddle.h"

#include <string.h>

#include "base/memory.h"
#include "operator/low_rank_mass.h"

NB_PRECISIONS(f32, f64);

typedef struct saddle {
    nb_form base;     /* first */
    int32_t *unknown; /* [velocities] of each velocity; -1 for nodes without mass */
    int32_t moving;   /* unknowns that are velocities: the rows' come after them */
    int64_t *behind;  /* [moving] the entry behind those of H, in each row */
    int64_t *next;    /* [moving] scratch: where the next entry of -J^T S goes */
    double jacobian_entries;
} saddle;

static void form_clear(nb_form *form) {
    saddle *f = (saddle *)form;
    nb_free(f->unknown);
    nb_free(f->behind);
    nb_free(f->next);
}

/* ---- the pattern ---- */

/* a block of J with its nodes by ascending unknowns */
typedef struct block_rows {
    int nodes, rows, columns;
    int32_t first_row;
    int32_t unknown[NB_BLOCK_NODES];                  /* first one of each node */
    int width[NB_BLOCK_NODES], begin[NB_BLOCK_NODES]; /* its columns in j */
    real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
} block_rows;

static void load_block(const saddle *f, const nb_delassus *d, int32_t i, block_rows *b) {
    int32_t node[NB_BLOCK_NODES];
    b->nodes = d->type->block_jacobian(d, i, node, b->j);
    b->first_row = d->block_start[i];
    b->rows = (int)(d->block_start[i + 1] - b->first_row);
    b->columns = 0;
    for (int n = 0; n < b->nodes; n++) {
        int32_t unknown = f->unknown[d->mass->nodes->velocity[node[n]]];
        int at = n;
        for (; at > 0 && b->unknown[at - 1] > unknown; at--) {
            b->unknown[at] = b->unknown[at - 1];
            b->width[at] = b->width[at - 1];
            b->begin[at] = b->begin[at - 1];
        }
        b->unknown[at] = unknown;
        b->width[at] = nb_node_velocities(d->mass->nodes, node[n]);
        b->begin[at] = b->columns;
        b->columns += b->width[at];
    }
}

static nb_status number_unknowns(saddle *f, const nb_mass *mass) {
    nb_status status;
    const nb_nodes *nodes = mass->nodes;
    NB_TRY(NB_ALLOCATE(nodes->velocity[nodes->count], &f->unknown));
    for (int32_t i = 0; i < nodes->count; i++)
        for (int32_t r = nodes->velocity[i]; r < nodes->velocity[i + 1]; r++)
            f->unknown[r] = mass->moves[i] ? f->moving++ : -1;
    NB_TRY(NB_ALLOCATE(f->moving, &f->behind));
    NB_TRY(NB_ALLOCATE(f->moving, &f->next));
out:
    return status;
}

/* entries of every row of the matrix, in start[row + 1], of which start[0 .. moving] come back summed up; H's are
 * counted in `behind` */
static void count_entries(saddle *f, const nb_system *rows, const nb_csr *mass, int64_t *start) {
    const nb_delassus *d = rows->delassus;
    block_rows b;
    for (int32_t r = 0; r < mass->rows; r++)
        for (int64_t e = mass->start[r]; e < mass->start[r + 1]; e++)
            start[f->unknown[r] + 1]++, f->behind[f->unknown[r]]++;
    for (int32_t i = 0; i < d->block_count; i++) {
        load_block(f, d, i, &b);
        f->jacobian_entries += (double)b.rows * b.columns;
        for (int n = 0; n < b.nodes; n++)
            for (int c = 0; c < b.width[n]; c++) start[b.unknown[n] + c + 1] += b.rows;
        for (int r = 0; r < b.rows; r++) start[f->moving + b.first_row + r + 1] = b.columns + (rows->k ? b.rows : 1);
    }
    for (int32_t u = 0; u < f->moving + rows->rows; u++) start[u + 1] += start[u];
    for (int32_t u = 0; u < f->moving; u++) f->behind[u] += start[u];
}

/* ---- the values ---- */

static void fill_mass(const saddle *f, const nb_csr *mass, nb_csr *matrix) {
    for (int32_t r = 0; r < mass->rows; r++) {
        if (f->unknown[r] < 0) continue;
        int64_t used = matrix->start[f->unknown[r]];
        for (int64_t e = mass->start[r]; e < mass->start[r + 1]; e++) {
            matrix->column[used] = f->unknown[mass->column[e]];
            matrix->value[used++] = mass->value[e];
        }
    }
}

/* row r of a block: S J, and C + K */
static void fill_row(const saddle *f, const nb_system *rows, int32_t i, const block_rows *b, int r, nb_csr *matrix) {
    int32_t row = b->first_row + r;
    int64_t used = matrix->start[f->moving + row];
    for (int n = 0; n < b->nodes; n++)
        for (int c = 0; c < b->width[n]; c++) {
            matrix->column[used] = b->unknown[n] + c;
            matrix->value[used++] = rows->s[row] * b->j[r * b->columns + b->begin[n] + c];
        }
    for (int c = 0; c < b->rows; c++) {
        if (!rows->k && c != r) continue;
        matrix->column[used] = f->moving + b->first_row + c;
        matrix->value[used++] =
            (c == r ? rows->c[row] : 0) + (rows->k ? nb_system_diagonal_block(rows, i)[r * b->rows + c] : 0);
    }
}

/* everything but H, with its columns */
static void fill_rows(saddle *f, const nb_system *rows, nb_csr *matrix) {
    const nb_delassus *d = rows->delassus;
    block_rows b;
    memcpy(f->next, f->behind, (size_t)f->moving * sizeof *f->next);
    for (int32_t i = 0; i < d->block_count; i++) {
        load_block(f, d, i, &b);
        for (int n = 0; n < b.nodes; n++)
            for (int c = 0; c < b.width[n]; c++)
                for (int r = 0; r < b.rows; r++) {
                    int64_t at = f->next[b.unknown[n] + c]++;
                    matrix->column[at] = f->moving + b.first_row + r;
                    matrix->value[at] = -rows->s[b.first_row + r] * b.j[r * b.columns + b.begin[n] + c];
                }
        for (int r = 0; r < b.rows; r++) fill_row(f, rows, i, &b, r, matrix);
    }
}

/* ---- the form ---- */

/* a block for each node with mass, then those of the rows */
static nb_status take_matrix(saddle *f, const nb_delassus *d, nb_csr *matrix) {
    nb_status status;
    const nb_nodes *nodes = d->mass->nodes;
    int32_t *block_start = NULL, blocks = 0;
    nb_csr *given = matrix;
    NB_TRY(NB_ALLOCATE((int64_t)nodes->count + d->block_count + 1, &block_start));
    for (int32_t i = 0; i < nodes->count; i++)
        if (d->mass->moves[i]) block_start[blocks++] = f->unknown[nodes->velocity[i]];
    for (int32_t i = 0; i < d->block_count; i++) block_start[blocks++] = f->moving + d->block_start[i];
    block_start[blocks] = f->moving + d->rows;
    given = NULL;
    NB_TRY(nb_form_set_matrix(&f->base, matrix, blocks, block_start));
out:
    nb_csr_destroy(given);
    nb_free(block_start);
    return status;
}

static nb_status form_create(nb_form *form, const nb_system *rows) {
    saddle *f = (saddle *)form;
    nb_status status;
    const nb_mass *mass = rows->delassus->mass;
    nb_csr *h = NULL, *matrix = NULL;
    int64_t *start = NULL;
    NB_TRY(nb_low_rank_mass_refuse(mass, form->type->name));
    NB_TRY(mass->type->matrix(mass, &h)); /* H holds as long as the pattern */
    NB_TRY(number_unknowns(f, mass));
    int32_t unknowns = f->moving + rows->rows;
    NB_TRY(NB_ALLOCATE((int64_t)unknowns + 1, &start));
    count_entries(f, rows, h, start);
    NB_TRY(nb_csr_create(unknowns, unknowns, start[unknowns], &matrix));
    memcpy(matrix->start, start, ((size_t)unknowns + 1) * sizeof *start);
    fill_mass(f, h, matrix);
    fill_rows(f, rows, matrix);
    NB_TRY(take_matrix(f, rows->delassus, matrix));
out:
    nb_csr_destroy(h);
    nb_free(start);
    return status;
}

static nb_status form_set_values(nb_form *form, const nb_system *rows) {
    saddle *f = (saddle *)form;
    fill_rows(f, rows, form->matrix);
    form->system->assembly_flops = 2 * f->jacobian_entries; /* S J, twice */
    form->system->mirrored = rows->symmetric ? f->moving : 0;
    return NB_OK;
}

static void form_set_right_hand_side(nb_form *form, const nb_system *rows, const real *momentum) {
    saddle *f = (saddle *)form;
    const nb_nodes *nodes = rows->delassus->mass->nodes;
    for (int32_t r = 0; r < nodes->velocity[nodes->count]; r++)
        if (f->unknown[r] >= 0) form->system->b[f->unknown[r]] = -momentum[r];
    memcpy(form->system->b + f->moving, rows->b, (size_t)rows->rows * sizeof *rows->b);
}

static void form_recover(nb_form *form, const nb_system *rows, real *du, real *y) {
    saddle *f = (saddle *)form;
    const nb_nodes *nodes = rows->delassus->mass->nodes;
    for (int32_t r = 0; r < nodes->velocity[nodes->count]; r++) du[r] = f->unknown[r] < 0 ? 0 : form->x[f->unknown[r]];
    memcpy(y, form->x + f->moving, (size_t)rows->rows * sizeof *y);
}

const nb_form_class nb_saddle_form = {
    .name = "saddle",
    .unknowns =
        "velocity changes du, 6 a body that moves (m/s, rad/s), then 3 a particle (m/s), then the rows' y (N s, N m s)",
    .size = sizeof(saddle),
    .symmetric = 0,
    .create = form_create,
    .set_values = form_set_values,
    .set_right_hand_side = form_set_right_hand_side,
    .recover = form_recover,
    .clear = form_clear,
};
