#include "operator/general_pack.h"

#include <string.h>

#include "base/threads.h"

NB_PRECISIONS(f32, f64);

enum {
    PART_BLOCKS = 1000 /* least blocks of a thread's part */
};

int64_t nb_general_pack_number(const nb_nodes *nodes, int32_t blocks, const int32_t *row_start,
                               const int32_t *node_start, const int32_t *node, int64_t *value_start) {
    value_start[0] = 0;
    for (int32_t i = 0; i < blocks; i++) {
        int64_t columns = 0;
        for (int32_t n = node_start[i]; n < node_start[i + 1]; n++) columns += nb_node_velocities(nodes, node[n]);
        value_start[i + 1] = value_start[i] + (row_start[i + 1] - row_start[i]) * columns;
    }
    return value_start[blocks];
}

/* ---- one block ---- */

/* a block's Jacobian, and its nodes */
typedef struct block {
    int rows, columns, nodes;
    const int32_t *node;
    const real *j;
} block;

static inline block block_of(const nb_pack *p, int32_t i) {
    const nb_general_blocks *of = &((const nb_general_pack *)p)->of;
    block b = {.rows = (int)(of->row_start[i + 1] - of->row_start[i]),
               .nodes = (int)(of->node_start[i + 1] - of->node_start[i]),
               .node = of->node + of->node_start[i],
               .j = of->value + of->value_start[i]};
    b.columns = (int)(of->value_start[i + 1] - of->value_start[i]) / b.rows;
    return b;
}

/* v = the velocities of its nodes, one after the other */
static inline void gather(const nb_nodes *nodes, const block *b, const real *velocity, real *v) {
    for (int n = 0; n < b->nodes; n++) {
        const real *from = velocity + nodes->place[b->node[n]];
        int width = nb_node_velocities(nodes, b->node[n]);
        for (int k = 0; k < width; k++) *v++ = from[k];
    }
}

/* velocity += v, the other way; forces as well */
static inline void scatter(const nb_nodes *nodes, const block *b, const real *v, real *velocity) {
    for (int n = 0; n < b->nodes; n++) {
        real *to = velocity + nodes->place[b->node[n]];
        int width = nb_node_velocities(nodes, b->node[n]);
        for (int k = 0; k < width; k++) to[k] += *v++;
    }
}

/* f = J^T (s * x) over its nodes */
static inline void force_of(const block *b, const real *s, const real *x, real *f) {
    const real *j = b->j;
    for (int c = 0; c < b->columns; c++) f[c] = 0;
    for (int r = 0; r < b->rows; r++, j += b->columns) {
        real weighted = s ? s[r] * x[r] : x[r];
        for (int c = 0; c < b->columns; c++) f[c] += weighted * j[c];
    }
}

/* ---- the class ---- */

static void forces(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    const int32_t first = nb_pack_row(p, begin);
    for (int32_t i = begin; i < end; i++) {
        block b = block_of(p, i);
        int32_t row = nb_pack_row(p, i) - first;
        real f[NB_BLOCK_COLUMNS];
        force_of(&b, s ? s + row : NULL, x + row, f);
        scatter(p->nodes, &b, f, force);
    }
}

static void block_velocity(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    block b = block_of(p, i);
    real v[NB_BLOCK_COLUMNS];
    gather(p->nodes, &b, velocity, v);
    for (int r = 0; r < b.rows; r++) {
        real sum = 0;
        for (int c = 0; c < b.columns; c++) sum += b.j[r * b.columns + c] * v[c];
        out[r] = sum;
    }
}

static void velocities(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    const int32_t first = nb_pack_row(p, begin);
    int parts = nb_threads_for(end - begin, PART_BLOCKS);
#pragma omp parallel for num_threads(parts) schedule(static)
    for (int32_t i = begin; i < end; i++) block_velocity(p, i, velocity, y + (nb_pack_row(p, i) - first));
}

static int block_nodes(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    block b = block_of(p, i);
    memcpy(node, b.node, (size_t)b.nodes * sizeof *node);
    return b.nodes;
}

static void block_jacobian(const nb_pack *p, int32_t i, real *out) {
    block b = block_of(p, i);
    memcpy(out, b.j, (size_t)(b.rows * b.columns) * sizeof *out);
}

static void push_block(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity) {
    block b = block_of(p, i);
    real f[NB_BLOCK_COLUMNS], v[NB_BLOCK_COLUMNS] = {0};
    force_of(&b, NULL, z, f);
    for (int n = 0, at = 0; n < b.nodes; at += nb_node_velocities(p->nodes, b.node[n++]))
        if (mass->moves[b.node[n]]) mass->type->solve_node(mass, b.node[n], f + at, v + at);
    scatter(p->nodes, &b, v, velocity);
}

const nb_pack_class nb_general_pack_class = {
    .name = "general",
    .forces = forces,
    .velocities = velocities,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
    .block_velocity = block_velocity,
    .push_block = push_block,
};

nb_general_pack nb_general_pack_of(const nb_nodes *nodes, int32_t blocks, nb_general_blocks of) {
    return (nb_general_pack){
        .base = {.type = &nb_general_pack_class, .nodes = nodes, .blocks = blocks, .row_start = of.row_start},
        .of = of,
    };
}
