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

/* f += J^T (s * x) of the node whose columns these are */
static inline void add_force(const block *b, int first, int width, const real *s, const real *x, real *f) {
    const real *j = b->j + first;
    for (int r = 0; r < b->rows; r++, j += b->columns) {
        real weighted = s ? s[r] * x[r] : x[r];
        for (int k = 0; k < width; k++) f[k] += weighted * j[k];
    }
}

/* y += J v of that node */
static inline void add_velocity(const block *b, int first, int width, const real *v, real *y) {
    const real *j = b->j + first;
    for (int r = 0; r < b->rows; r++, j += b->columns)
        for (int k = 0; k < width; k++) y[r] += j[k] * v[k];
}

/* ---- the class ---- */

static void forces(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    const int32_t first = nb_pack_row(p, begin);
    for (int32_t i = begin; i < end; i++) {
        block b = block_of(p, i);
        int32_t row = nb_pack_row(p, i) - first;
        for (int n = 0, column = 0; n < b.nodes; n++) {
            int width = nb_node_velocities(p->nodes, b.node[n]);
            add_force(&b, column, width, s ? s + row : NULL, x + row, force + p->nodes->place[b.node[n]]);
            column += width;
        }
    }
}

static void block_velocity(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    block b = block_of(p, i);
    for (int r = 0; r < b.rows; r++) out[r] = 0;
    for (int n = 0, column = 0; n < b.nodes; n++) {
        int width = nb_node_velocities(p->nodes, b.node[n]);
        add_velocity(&b, column, width, velocity + p->nodes->place[b.node[n]], out);
        column += width;
    }
}

static void velocities(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    const int32_t first = nb_pack_row(p, begin), count = end - begin;
    int parts = nb_threads_for(count, PART_BLOCKS);
    NB_EACH_PART(part, parts, {
        for (int32_t i = nb_part_begin(part, parts, count, 1); i < nb_part_begin(part + 1, parts, count, 1); i++)
            block_velocity(p, begin + i, velocity, y + (nb_pack_row(p, begin + i) - first));
    });
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
    for (int n = 0, column = 0; n < b.nodes; n++) {
        int width = nb_node_velocities(p->nodes, b.node[n]);
        real force[NB_NODE_WIDEST] = {0}, moved[NB_NODE_WIDEST] = {0}, *to = velocity + p->nodes->place[b.node[n]];
        add_force(&b, column, width, NULL, z, force);
        if (mass->moves[b.node[n]]) mass->type->solve_node(mass, b.node[n], force, moved);
        for (int k = 0; k < width; k++) to[k] += moved[k];
        column += width;
    }
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
