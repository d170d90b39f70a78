#include "operator/mass.h"

#include <string.h>

NB_PRECISIONS(f32, f64);

/* ---- a body ---- */

/* v = H^-1 f or f = H v: a mass, and a symmetric matrix for the angular part */
static inline void apply_body(real mass, const real inertia[6], const real *x, real *y) {
    for (int k = 0; k < 3; k++) y[k] = mass * x[k];
    nb_symmetric_apply(inertia, x + 3, y + 3);
}

static void body_block(real mass, const real inertia[6], real *out) {
    static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    memset(out, 0, 36 * sizeof *out);
    for (int a = 0; a < 3; a++) {
        out[7 * a] = mass;
        for (int b = 0; b < 3; b++) out[6 * (3 + a) + 3 + b] = inertia[place[a][b]];
    }
}

/* ---- any other node ---- */

static inline void apply_sized(int n, const real *block, const real *x, real *y) {
    for (int r = 0; r < n; r++) {
        real sum = 0;
        for (int c = 0; c < n; c++) sum += block[r * n + c] * x[c];
        y[r] = sum;
    }
}

static inline void apply_block(int n, const real *block, const real *x, real *y) {
    if (n == 3) /* a constant: loops unrolled */
        apply_sized(3, block, x, y);
    else
        apply_sized(n, block, x, y);
}

/* ---- the class ---- */

static void solve_node(const nb_mass *base, int32_t node, const real *f, real *v) {
    const nb_block_mass *m = (const nb_block_mass *)base;
    if (node < base->nodes->bodies)
        apply_body(m->inverse[node].mass, m->inverse[node].inertia, f, v);
    else
        apply_block(nb_node_velocities(base->nodes, node),
                    m->block_inverse + m->block_place[node - base->nodes->bodies], f, v);
}

static void solve(const nb_mass *base, int32_t count, const int32_t *node, const real *force, real *velocity) {
    const int32_t *place = base->nodes->place;
    for (int32_t i = 0; i < count; i++) solve_node(base, node[i], force + place[node[i]], velocity + place[node[i]]);
}

static void apply(const nb_mass *base, int32_t count, const int32_t *node, const real *velocity, real *force) {
    const nb_block_mass *m = (const nb_block_mass *)base;
    const nb_nodes *nodes = base->nodes;
    for (int32_t i = 0; i < count; i++) {
        int32_t at = node[i];
        const real *v = velocity + nodes->place[at];
        real *f = force + nodes->place[at];
        if (at < nodes->bodies)
            apply_body(m->mass[at], m->inertia + 6 * (ptrdiff_t)at, v, f);
        else
            apply_block(nb_node_velocities(nodes, at), m->block + m->block_place[at - nodes->bodies], v, f);
    }
}

static void block_of(const nb_mass *base, int32_t node, real *out) {
    const nb_block_mass *m = (const nb_block_mass *)base;
    int n = nb_node_velocities(base->nodes, node);
    if (node < base->nodes->bodies)
        body_block(m->mass[node], m->inertia + 6 * (ptrdiff_t)node, out);
    else
        memcpy(out, m->block + m->block_place[node - base->nodes->bodies], (size_t)(n * n) * sizeof *out);
}

static void inverse_block_of(const nb_mass *base, int32_t node, real *out) {
    const nb_block_mass *m = (const nb_block_mass *)base;
    int n = nb_node_velocities(base->nodes, node);
    if (node < base->nodes->bodies)
        body_block(m->inverse[node].mass, m->inverse[node].inertia, out);
    else
        memcpy(out, m->block_inverse + m->block_place[node - base->nodes->bodies], (size_t)(n * n) * sizeof *out);
}

static nb_status matrix_of(const nb_mass *base, nb_csr **matrix) {
    const nb_nodes *nodes = base->nodes;
    int64_t nonzeros = 0, used = 0;
    for (int32_t i = 0; i < nodes->count; i++) {
        int64_t n = nb_node_velocities(nodes, i);
        if (base->moves[i]) nonzeros += n * n;
    }
    nb_status status = nb_csr_create(nodes->velocity[nodes->count], nodes->velocity[nodes->count], nonzeros, matrix);
    for (int32_t i = 0; status == NB_OK && i < nodes->count; i++) {
        int n = nb_node_velocities(nodes, i);
        int32_t first = nodes->velocity[i];
        real block[NB_NODE_WIDEST * NB_NODE_WIDEST] = {0};
        if (base->moves[i]) block_of(base, i, block);
        for (int r = 0; r < n; r++) {
            for (int c = 0; base->moves[i] && c < n; c++) {
                (*matrix)->column[used] = first + c;
                (*matrix)->value[used++] = block[r * n + c];
            }
            (*matrix)->start[first + r + 1] = used;
        }
    }
    return status;
}

const nb_mass_class nb_block_mass_class = {
    .solve = solve,
    .apply = apply,
    .matrix = matrix_of,
    .block = block_of,
    .inverse_block = inverse_block_of,
    .solve_node = solve_node,
};
