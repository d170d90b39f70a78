#include "operator/system_size.h"

#include <math.h>

#include "base/memory.h"
#include "operator/delassus_matrix.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

/* entries of J, of nodes with mass */
static double jacobian_entries(const nb_delassus *d) {
    int32_t node[NB_BLOCK_NODES];
    double count = 0;
    for (int32_t i = 0; i < d->block_count; i++) {
        int columns = 0, nodes = d->type->block_nodes(d, i, node);
        for (int n = 0; n < nodes; n++) columns += nb_node_velocities(d->mass->nodes, node[n]);
        count += (double)(d->block_start[i + 1] - d->block_start[i]) * columns;
    }
    return count;
}

double nb_system_entries_flops(const nb_system *system) {
    const nb_delassus *d = system->delassus;
    int32_t node[NB_BLOCK_NODES];
    double *rows = NULL, flops = 0; /* of J that act on each node */
    if (nb_delassus_matrix_of(d)) return 0;
    if (!d->mass || !d->type->block_nodes || nb_mass_couples(d->mass)) return NAN;
    if (NB_ALLOCATE(d->mass->nodes->count, &rows) != NB_OK) return NAN;
    for (int32_t i = 0; i < d->block_count; i++)
        for (int n = d->type->block_nodes(d, i, node) - 1; n >= 0; n--)
            rows[node[n]] += d->block_start[i + 1] - d->block_start[i];
    for (int32_t i = 0; i < d->mass->nodes->count; i++) {
        const double width = nb_node_velocities(d->mass->nodes, i);
        flops += 2 * width * rows[i] * (width + rows[i]);
    }
    nb_free(rows);
    return flops;
}

/* entries of H^-1, of the nodes with mass that the rows touch */
static double mass_entries(const nb_delassus *d) {
    const nb_sum_view *view = nb_sum_view_of(d);
    const nb_mass *mass = d->mass;
    double count = 0;
    for (int32_t k = 0; k < (view ? view->dynamic_count : mass->nodes->count); k++) {
        int32_t i = view ? view->dynamic[k] : k;
        double width = nb_node_velocities(mass->nodes, i);
        if (mass->moves[i]) count += width * width;
    }
    return count;
}

nb_system_size nb_system_size_of(const nb_system *system) {
    const nb_delassus *d = system->delassus;
    const nb_csr *matrix = nb_delassus_matrix_of(d);
    const double added = system->k ? (double)system->k_place[d->block_count] : 0, rows = system->rows;
    nb_system_size size = {.unknowns = rows, .nonzeros = NAN, .product_flops = NAN};
    if (matrix) {
        size.nonzeros = (double)nb_csr_nonzeros(matrix) + added;
        for (int32_t i = 0; system->filled && i < system->rows; i++) size.nonzeros -= system->filled[i];
        size.product_flops = 2 * size.nonzeros;
    } else if (d->mass && d->type->block_nodes && !nb_mass_couples(d->mass)) {
        const double j = jacobian_entries(d), others = mass_entries(d) + rows + added;
        size.nonzeros = j + others;
        size.product_flops = 4 * j + 2 * others;
    }
    return size;
}
