#include "penalty_matrix.h"

#include <string.h>

#include "base/memory.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

/* ---- the pattern ---- */

void nb_penalty_matrix_clear(nb_penalty_matrix *m) {
    nb_system_destroy(m->system);
    nb_delassus_matrix_destroy(m->delassus);
    nb_node_pairs_clear(&m->pairs);
    nb_csr_destroy(m->mass);
    nb_free(m->x);
    nb_free(m->place);
    nb_free(m->t);
    nb_free(m->value);
    *m = (nb_penalty_matrix){0};
}

nb_status nb_penalty_matrix_make(nb_penalty_matrix *m, const nb_problem *p, int symmetric) {
    const nb_delassus *d = p->delassus;
    nb_status status;
    nb_penalty_matrix_clear(m);
    if (nb_mass_couples(d->mass)) NB_TRY(d->mass->type->matrix(d->mass, &m->mass));
    NB_TRY(nb_node_pairs_make(&m->pairs, d, m->mass, 1));
    NB_TRY(NB_ALLOCATE((int64_t)d->block_count + 1, &m->place));
    for (int32_t i = 0; i < d->block_count; i++) {
        const int64_t n = d->block_start[i + 1] - d->block_start[i];
        m->place[i + 1] = m->place[i] + n * n;
    }
    NB_TRY(NB_ALLOCATE(m->place[d->block_count], &m->t));
    if (m->pairs.nodes == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(m->pairs.entry[m->pairs.nodes], &m->value));
    NB_TRY(nb_node_pairs_csr(&m->pairs, &m->matrix));
    NB_TRY(nb_delassus_matrix_create(m->matrix, m->pairs.nodes, m->pairs.row, 0, NULL, &m->delassus));
    NB_TRY(nb_system_create(m->delassus, &m->system));
    NB_TRY(NB_ALLOCATE(m->matrix->rows, &m->x));
    m->system->symmetric = symmetric;
    m->system->unknowns = "velocity changes du, 6 a body that moves (m/s, rad/s), then 3 a particle (m/s)";
out:
    return status;
}

/* ---- the values ---- */

/* sum += J^T T J of a block of n rows */
static void add_block(int n, int columns, const real *j, const double *t, double *sum) {
    for (int r = 0; r < n; r++) {
        double right[NB_BLOCK_COLUMNS] = {0};
        for (int k = 0; k < n; k++)
            for (int c = 0; t[r * n + k] != 0 && c < columns; c++)
                right[c] += t[r * n + k] * (double)j[k * columns + c];
        for (int a = 0; a < columns; a++)
            for (int b = 0; b < columns; b++) sum[a * columns + b] += (double)j[r * columns + a] * right[b];
    }
}

static void add_rows(nb_penalty_matrix *m, const nb_delassus *d) {
    double sum[NB_BLOCK_COLUMNS * NB_BLOCK_COLUMNS];
    real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int32_t node[NB_BLOCK_NODES];
    for (int32_t g = 0; g < d->group_count; g++) {
        const int columns = nb_node_pairs_columns(&m->pairs, g);
        memset(sum, 0, (size_t)(columns * columns) * sizeof *sum);
        for (int32_t i = d->group_start[g]; i < d->group_start[g + 1]; i++) {
            d->type->block_jacobian(d, i, node, j);
            add_block((int)(d->block_start[i + 1] - d->block_start[i]), columns, j, m->t + m->place[i], sum);
        }
        nb_node_pairs_add(&m->pairs, g, sum, m->value);
    }
}

void nb_penalty_matrix_assemble(nb_penalty_matrix *m, const nb_problem *p) {
    const nb_delassus *d = p->delassus;
    const nb_node_pairs *pairs = &m->pairs;
    if (!m->system) return;
    memset(m->value, 0, (size_t)pairs->entry[pairs->nodes] * sizeof *m->value);
    nb_node_pairs_add_mass(pairs, d->mass, m->mass, m->value);
    add_rows(m, d);
    for (int64_t e = 0; e < pairs->entry[pairs->nodes]; e++) m->matrix->value[e] = (real)m->value[e];
    for (int32_t i = 0; i < pairs->nodes; i++) {
        const real *g = p->momentum + p->nodes->velocity[pairs->node[i]];
        for (int32_t r = pairs->row[i]; r < pairs->row[i + 1]; r++) m->system->b[r] = -*g++;
    }
    nb_system_values_changed(m->system);
}

void nb_penalty_matrix_spread(const nb_penalty_matrix *m, const nb_problem *p, real *du) {
    memset(du, 0, (size_t)p->velocities * sizeof *du);
    for (int32_t i = 0; i < m->pairs.nodes; i++)
        memcpy(du + p->nodes->velocity[m->pairs.node[i]], m->x + m->pairs.row[i],
               (size_t)nb_node_pairs_width(&m->pairs, i) * sizeof *du);
}
