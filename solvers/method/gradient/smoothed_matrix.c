#include "smoothed_matrix.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_smoothed_matrix_release(nb_smoothed_matrix *m) {
    if (!m || --m->holders > 0) return;
    nb_lu_multifrontal.destroy(m->library);
    nb_lu_matrix_clear(&m->lu);
    nb_node_pairs_clear(&m->pairs);
    nb_arena_clear(&m->spare);
    nb_free(m->known);
    nb_free(m);
}

/* What makes a pattern: which nodes move, and which of them each group of blocks is between. Returns how many numbers
 * that takes; NULL: these alone. */
static int64_t describe(const nb_delassus *d, int32_t *to) {
    int64_t count = 0;
    int32_t node[NB_BLOCK_NODES];
    for (int32_t i = 0; i < d->mass->nodes->count; i++, count++)
        if (to) to[count] = d->mass->moves[i];
    for (int32_t g = 0; g < d->group_count; g++) {
        int32_t nodes = d->type->block_nodes(d, d->group_start[g], node);
        if (to) {
            to[count] = nodes;
            memcpy(to + count + 1, node, (size_t)nodes * sizeof *to);
        }
        count += 1 + nodes;
    }
    return count;
}

static nb_status make_pattern(nb_smoothed_matrix *m, const nb_delassus *d) {
    nb_status status;
    nb_csr *matrix = NULL;
    NB_TRY(nb_node_pairs_make(&m->pairs, d, NULL, 1, NULL));
    m->velocities = m->pairs.row[m->pairs.nodes];
    if (m->velocities == 0) return NB_OK;
    NB_TRY(nb_node_pairs_csr(&m->pairs, &matrix));
    NB_TRY(nb_csr_find_triples(matrix));
    NB_TRY(nb_lu_matrix_copy(&m->lu, matrix, NULL));
    NB_TRY(nb_lu_multifrontal.create(&m->library));
    NB_TRY(nb_lu_multifrontal.analyse(m->library, &m->lu));
out:
    nb_csr_destroy(matrix);
    return status;
}

void nb_smoothed_matrix_add(nb_smoothed_matrix *m, const int32_t rows[2], const int32_t columns[2],
                            const double block[144]) {
    const nb_node_pairs *pairs = &m->pairs;
    for (int part = 0; part < 4; part++) {
        const int32_t i = rows[part / 2], j = columns[part % 2];
        if (i < 0 || j < 0) continue;
        const double *from = block + 72 * (part / 2) + 6 * (part % 2);
        double *to = m->lu.value + pairs->entry[i] + nb_node_pairs_find(pairs, i, j);
        for (int r = 0; r < 6; r++, from += 12, to += pairs->length[i])
            for (int c = 0; c < 6; c++) to[c] += from[c];
    }
}

nb_status nb_smoothed_matrix_hold(nb_smoothed_matrix **kept, const nb_problem *p, nb_smoothed_matrix **matrix) {
    nb_status status;
    const nb_delassus *d = p->exact;
    nb_smoothed_matrix *m = NULL, *old = *kept;
    int32_t *known = NULL;
    const int64_t count = describe(d, NULL);
    *matrix = NULL;
    NB_TRY(NB_ALLOCATE(count, &known));
    describe(d, known);
    if (!old || old->known_count != count || memcmp(old->known, known, (size_t)count * sizeof *known) != 0) {
        NB_TRY(NB_ALLOCATE(1, &m));
        m->holders = 1;
        m->known = known;
        m->known_count = count;
        known = NULL;
        NB_TRY(make_pattern(m, d));
        if (old) {
            m->spare = old->spare;
            old->spare = (nb_arena){0};
        }
        nb_smoothed_matrix_release(old);
        *kept = m;
        m = NULL;
    }
    *matrix = *kept;
    (*matrix)->holders++;
out:
    nb_smoothed_matrix_release(m);
    nb_free(known);
    return status;
}
