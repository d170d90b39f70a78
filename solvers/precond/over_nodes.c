#include "precond/over_nodes.h"

#include <string.h>

NB_PRECISIONS(f32, f64);

void nb_over_nodes_clear(nb_over_nodes *o) {
    nb_lu_matrix_clear(&o->matrix);
    nb_primal_clear(&o->primal);
}

nb_status nb_over_nodes_set_pattern(nb_over_nodes *o, const nb_system *system) {
    nb_status status;
    const nb_node_pairs *pairs = &o->primal.pairs;
    int64_t used = 0;
    NB_TRY(nb_primal_set_pattern(&o->primal, system->delassus, 0, NULL));
    NB_TRY(nb_lu_matrix_reserve(&o->matrix, pairs->row[pairs->nodes], pairs->entry[pairs->nodes]));
    for (int32_t i = 0; i < pairs->nodes; i++)
        for (int32_t r = pairs->row[i]; r < pairs->row[i + 1]; r++) {
            o->matrix.start[r] = used;
            for (int64_t e = pairs->start[i]; e < pairs->start[i + 1]; e++)
                for (int32_t c = pairs->row[pairs->neighbour[e]]; c < pairs->row[pairs->neighbour[e] + 1]; c++)
                    o->matrix.column[used++] = c;
            o->matrix.triple[r] = (r - pairs->row[i]) % 3 == 0 && r + 3 <= pairs->row[i + 1]; /* a node's are alike */
        }
    o->matrix.start[o->matrix.rows] = used;
out:
    return status;
}

void nb_over_nodes_set_values(nb_over_nodes *o, const nb_system *system, double shift) {
    nb_primal_set_values(&o->primal, system, shift, o->matrix.value);
}
