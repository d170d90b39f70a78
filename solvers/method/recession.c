/* Whether impulses that grow without bound show that the relaxed law has no solution (projected.h): p in the cones with
 * N p = 0 and q.p < 0. Any solution has v = N z + q in the dual cones, v.p >= 0, but v.p = q.p. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "projected.h"

NB_PRECISIONS(f32, f64);

/* a sum that is this small against its terms is round-off, as in certificate.c */
#define NOTHING (256 * (double)NB_REAL_EPSILON)

/* f . H^-1 f of a node's force */
static double energy(const nb_delassus *d, int32_t node, const double *f) {
    real inverse[NB_NODE_WIDEST * NB_NODE_WIDEST];
    int n = nb_node_velocities(d->mass->nodes, node);
    double sum = 0;
    d->mass->type->inverse_block(d->mass, node, inverse);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) sum += f[i] * (double)inverse[n * i + k] * f[k];
    return fmax(sum, 0);
}

/* adds the forces of block i to those of its nodes, and their sizes */
static void add_forces(const nb_projected *s, int32_t i, const real *p, double *sums, double *terms) {
    const nb_delassus *d = s->p->exact;
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
                force[l] += (double)jacobian[columns * r + begin + l] * (double)s->s[first + r] * (double)p[first + r];
        for (int l = 0; l < width; l++) sums[nodes->velocity[node[k]] + l] += force[l];
        terms[node[k]] += sqrt(energy(d, node[k], force));
    }
}

/* Whether the impulses p balance each other on every node: what is left is round-off of their forces. */
static nb_status look_at_nodes(const nb_projected *s, const real *p, int *balanced) {
    nb_status status;
    const nb_delassus *d = s->p->exact;
    const nb_nodes *nodes = d->mass->nodes;
    double *sums = NULL, *terms = NULL;
    NB_TRY(NB_ALLOCATE(nodes->velocity[nodes->count], &sums));
    NB_TRY(NB_ALLOCATE(nodes->count, &terms));
    for (int32_t i = 0; i < d->block_count; i++) add_forces(s, i, p, sums, terms);
    *balanced = 1;
    for (int32_t i = 0; i < nodes->count && *balanced; i++)
        *balanced = !(terms[i] > 0 && sqrt(energy(d, i, sums + nodes->velocity[i])) > NOTHING * terms[i]);
out:
    nb_free(sums);
    nb_free(terms);
    return status;
}

/* the same of the velocities N p, where N is known by its entries alone */
static int is_balanced_in_rows(const nb_projected *s, const real *p) {
    const nb_csr *d = s->matrix;
    for (int32_t i = 0; i < s->rows; i++) {
        double sum = 0, terms = 0;
        for (int64_t k = d->start[i]; k < d->start[i + 1]; k++) {
            double term = (double)d->value[k] * (double)s->s[d->column[k]] * (double)p[d->column[k]];
            sum += term;
            terms += fabs(term);
        }
        if (fabs(sum) > NOTHING * terms) return 0;
    }
    return 1;
}

nb_status nb_projected_certify(nb_projected *s, const real *before, const real *now, int *found) {
    double work = 0, sizes = 0, largest = 0, given = 0;
    real *p = s->v;
    *found = 0;
    if (s->coulomb || s->contacts == 0) return NB_OK;
    for (int32_t r = 0; r < s->rows; r++) p[r] = now[r] - before[r];
    for (int32_t i = 0; i < s->contacts; i++)
        nb_project_contact(s->laws.cone->mu[i], p + s->bilaterals + 3 * (ptrdiff_t)i);
    for (int32_t r = 0; r < s->rows; r++) {
        work += (double)p[r] * (double)s->q[r];
        sizes += fabs((double)p[r] * (double)s->q[r]);
        largest = fmax(largest, fabs((double)p[r]));
        given = fmax(given, (double)s->c[r] * fabs((double)p[r]));
    }
    if (!(largest > 0) || !(-work > NOTHING * sizes) || given > 0) return NB_OK; /* what gives way bears anything */
    if (!s->matrix) return look_at_nodes(s, p, found);
    *found = is_balanced_in_rows(s, p);
    return NB_OK;
}
