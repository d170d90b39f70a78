#include "operator/joint_pack.h"

#include <string.h>

NB_PRECISIONS(f32, f64);

static inline void add_force(const nb_jacobian_row *row, real x, real *force) {
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? row->b : row->a;
        if (body < 0) continue;
        real *f = force + (ptrdiff_t)body * NB_BODY_STRIDE;
        for (int k = 0; k < 6; k++) f[k] += x * row->j[6 * side + k];
    }
}

static inline real row_velocity(const nb_jacobian_row *row, const real *velocity) {
    real sum = 0;
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? row->b : row->a;
        if (body < 0) continue;
        const real *v = velocity + (ptrdiff_t)body * NB_BODY_STRIDE;
        for (int k = 0; k < 6; k++) sum += row->j[6 * side + k] * v[k];
    }
    return sum;
}

static const nb_jacobian_row *row_of(const nb_pack *p, int32_t i) {
    return &((const nb_joint_pack *)p)->rows[i];
}

static void forces(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    for (int32_t i = begin, r = 0; i < end; i++, r++) add_force(row_of(p, i), s ? s[r] * x[r] : x[r], force);
}

static void velocities(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    for (int32_t i = begin; i < end; i++) y[i - begin] = row_velocity(row_of(p, i), velocity);
}

static int block_nodes(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    const nb_jacobian_row *row = row_of(p, i);
    int count = 0;
    if (row->a >= 0) node[count++] = row->a;
    if (row->b >= 0) node[count++] = row->b;
    return count;
}

static void block_jacobian(const nb_pack *p, int32_t i, real *out) {
    const nb_jacobian_row *row = row_of(p, i);
    if (row->a >= 0) memcpy(out, row->j, 6 * sizeof *out), out += 6;
    if (row->b >= 0) memcpy(out, row->j + 6, 6 * sizeof *out);
}

static void block_velocity(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    out[0] = row_velocity(row_of(p, i), velocity);
}

static void push_block(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity) {
    const nb_jacobian_row *row = row_of(p, i);
    for (int side = 0; side < 2; side++) {
        int32_t body = side ? row->b : row->a;
        real moved[6]; /* by an impulse of 1 */
        if (body < 0 || !mass->moves[body]) continue;
        mass->type->solve_node(mass, body, row->j + 6 * side, moved);
        for (int k = 0; k < 6; k++) velocity[(ptrdiff_t)body * NB_BODY_STRIDE + k] += z[0] * moved[k];
    }
}

const nb_pack_class nb_joint_pack_class = {
    .name = "joints",
    .forces = forces,
    .velocities = velocities,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
    .block_velocity = block_velocity,
    .push_block = push_block,
};

nb_joint_pack nb_joint_pack_of(const nb_nodes *nodes, int32_t count, const nb_jacobian_row *rows) {
    return (nb_joint_pack){
        .base = {.type = &nb_joint_pack_class, .nodes = nodes, .blocks = count, .rows_each = 1},
        .rows = rows,
    };
}
