#include "balance.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

/* f . H^-1 f of a node's force: the square of the velocity that it makes */
static double energy(const nb_delassus *d, int32_t node, const double *f) {
    real inverse[NB_NODE_WIDEST * NB_NODE_WIDEST];
    int n = nb_node_velocities(d->mass->nodes, node);
    double sum = 0;
    d->mass->type->inverse_block(d->mass, node, inverse);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) sum += f[i] * (double)inverse[n * i + k] * f[k];
    return fmax(sum, 0);
}

/* adds the forces S J^T p/size of block i to those of its nodes */
static void add_forces(const nb_delassus *d, int32_t i, const real *s, const double *p, double size, double *sums,
                       double *terms) {
    const nb_nodes *nodes = d->mass->nodes;
    int32_t node[NB_BLOCK_NODES], first = d->block_start[i], rows = d->block_start[i + 1] - first;
    real jacobian[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
    int count = d->type->block_jacobian(d, i, node, jacobian), columns = 0, begin = 0;
    for (int k = 0; k < count; k++) columns += nb_node_velocities(nodes, node[k]);
    for (int k = 0; k < count; begin += nb_node_velocities(nodes, node[k++])) {
        double force[NB_NODE_WIDEST] = {0};
        int width = nb_node_velocities(nodes, node[k]);
        for (int32_t r = 0; r < rows; r++)
            for (int l = 0; l < width; l++)
                force[l] +=
                    (double)jacobian[columns * r + begin + l] * (s ? (double)s[first + r] : 1) * (p[first + r] / size);
        for (int l = 0; l < width; l++) sums[nodes->velocity[node[k]] + l] += force[l];
        terms[node[k]] += sqrt(energy(d, node[k], force));
    }
}

int nb_balanced_on_nodes(const nb_delassus *d, const real *s, const double *p, double *sums, double *terms) {
    const nb_nodes *nodes = d->mass->nodes;
    double size = 0; /* squares of what is divided by it are in range */
    for (int32_t r = 0; r < d->rows; r++) nb_raise(&size, fabs(p[r]));
    if (!(size > 0)) return 1;
    memset(sums, 0, (size_t)nodes->velocity[nodes->count] * sizeof *sums);
    memset(terms, 0, (size_t)nodes->count * sizeof *terms);
    for (int32_t i = 0; i < d->block_count; i++) add_forces(d, i, s, p, size, sums, terms);
    for (int32_t i = 0; i < nodes->count; i++)
        if (terms[i] > 0 && sqrt(energy(d, i, sums + nodes->velocity[i])) > NB_BALANCE_NOTHING * terms[i]) return 0;
    return 1;
}

int nb_balanced_in_rows(const nb_csr *d, const real *s, const double *p) {
    for (int32_t i = 0; i < d->rows; i++) {
        double sum = 0, terms = 0;
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++) {
            double term = (double)d->value[k] * (double)s[d->column[k]] * p[d->column[k]];
            sum += term;
            terms += fabs(term);
        }
        if (fabs(sum) > NB_BALANCE_NOTHING * terms) return 0;
    }
    return 1;
}
