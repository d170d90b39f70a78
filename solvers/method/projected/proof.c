#include "proof.h"

#include <math.h>
#include <string.h>

#include "base/largest.h"
#include "base/memory.h"

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

/* whether the impulses S p come to nothing on every node */
static int balances_on_nodes(const nb_proof *proof, const double *p) {
    const nb_delassus *d = proof->delassus;
    const nb_nodes *nodes = d->mass->nodes;
    double size = 0, *sums = proof->sums, *terms = proof->terms; /* squares of what is divided by size are in range */
    for (int32_t r = 0; r < d->rows; r++) nb_raise(&size, fabs(p[r]));
    if (!(size > 0)) return 1;
    memset(sums, 0, (size_t)nodes->velocity[nodes->count] * sizeof *sums);
    memset(terms, 0, (size_t)nodes->count * sizeof *terms);
    for (int32_t i = 0; i < d->block_count; i++) add_forces(d, i, proof->s, p, size, sums, terms);
    for (int32_t i = 0; i < nodes->count; i++)
        if (terms[i] > 0 && sqrt(energy(d, i, sums + nodes->velocity[i])) > NB_PROOF_NOTHING * terms[i]) return 0;
    return 1;
}

/* the same of the velocities D S p */
static int balances_in_rows(const nb_proof *proof, const double *p) {
    const nb_csr *d = proof->matrix;
    for (int32_t i = 0; i < d->rows; i++) {
        double sum = 0, terms = 0;
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++) {
            double term = (double)d->value[k] * (double)proof->s[d->column[k]] * p[d->column[k]];
            sum += term;
            terms += fabs(term);
        }
        if (fabs(sum) > NB_PROOF_NOTHING * terms) return 0;
    }
    return 1;
}

nb_status nb_proof_begin(nb_proof *proof) {
    nb_status status = NB_OK;
    if (proof->matrix) return NB_OK;
    const nb_nodes *nodes = proof->delassus->mass->nodes;
    NB_TRY(NB_ALLOCATE(nodes->velocity[nodes->count], &proof->sums));
    NB_TRY(NB_ALLOCATE(nodes->count, &proof->terms));
out:
    return status;
}

void nb_proof_end(nb_proof *proof) {
    nb_free(proof->sums);
    nb_free(proof->terms);
    proof->sums = proof->terms = NULL;
}

int nb_proof_holds(const nb_proof *proof, const double *q, const double *p) {
    double work = 0, sizes = 0, largest = 0, given = 0;
    for (int32_t r = 0; r < proof->delassus->rows; r++) {
        const double own = p[r] * q[r];
        work += own;
        sizes += fabs(own);
        nb_raise(&largest, fabs(p[r]));
        if (proof->c) nb_raise(&given, (double)proof->c[r] * fabs(p[r])); /* what gives way bears anything */
    }
    if (!(largest > 0 && -work > NB_PROOF_NOTHING * sizes && given <= proof->gives * largest)) return 0;
    return proof->matrix ? balances_in_rows(proof, p) : balances_on_nodes(proof, p);
}
