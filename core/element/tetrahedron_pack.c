#include "element/tetrahedron_pack.h"

#include <string.h>

#include "base/threads.h"
#include "element/scalar_lane.h"
#include "element/stretch_formulas.h"

NB_PRECISIONS(f32, f64);

enum {
    PART_ELEMENTS = 1000 /* least elements of a thread's part */
};

/* ---- one element ---- */

/* where its numbers are */
typedef struct element {
    const nb_tetrahedron_group *group;
    int lane;
} element;

static inline element element_of(const nb_pack *p, int32_t i) {
    return (element){&((const nb_tetrahedron_pack *)p)->group[i / NB_ELEMENT_LANES], i % NB_ELEMENT_LANES};
}

static inline int32_t place_of(const nb_pack *p, element e, int corner) {
    return p->nodes->place[p->nodes->bodies + e.group->particle[corner][e.lane]];
}

static void load(element e, nb_lane_stretch *at, real gradient[9]) {
    for (int k = 0; k < 9; k++) {
        at->r[k] = e.group->rotation[k][e.lane];
        gradient[k] = e.group->gradient[k][e.lane];
    }
    for (int k = 0; k < 6; k++) {
        at->s[k] = e.group->stretch[k][e.lane];
        at->turn[k] = e.group->turn[k][e.lane];
    }
}

static void corner_forces(element e, const real *x, real force[4][3]) {
    nb_lane_stretch at;
    real p[9], b[9];
    load(e, &at, b);
    nb_lane_stretch_backward(at.r, at.s, at.turn, x, p);
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++)
            force[1 + a][i] = p[3 * i] * b[3 * a] + p[3 * i + 1] * b[3 * a + 1] + p[3 * i + 2] * b[3 * a + 2];
        force[0][i] = -(force[1][i] + force[2][i] + force[3][i]);
    }
}

/* ---- the class ---- */

static const real *of_particles(const nb_pack *p, const real *padded) {
    return padded + p->nodes->place[p->nodes->bodies];
}

static void forces(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    const nb_tetrahedron_pack *pack = (const nb_tetrahedron_pack *)p;
    pack->kernels->forces(pack->group, begin, end, s, x, force + p->nodes->place[p->nodes->bodies]);
}

static void velocities(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    const nb_tetrahedron_pack *pack = (const nb_tetrahedron_pack *)p;
    const int32_t count = end - begin;
    int parts = nb_threads_for(count, PART_ELEMENTS);
    NB_EACH_PART(i, parts, {
        const int32_t first = nb_part_begin(i, parts, count, NB_ELEMENT_LANES);
        const int32_t last = nb_part_begin(i + 1, parts, count, NB_ELEMENT_LANES);
        pack->kernels->velocities(pack->group, begin + first, begin + last, of_particles(p, velocity),
                                  y + 6 * (ptrdiff_t)first);
    });
}

static int block_nodes(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    element e = element_of(p, i);
    for (int a = 0; a < 4; a++) node[a] = p->nodes->bodies + e.group->particle[a][e.lane];
    return 4;
}

static void block_jacobian(const nb_pack *p, int32_t i, real *out) {
    for (int r = 0; r < 6; r++, out += 12) {
        real unit[6] = {0}, force[4][3];
        unit[r] = 1;
        corner_forces(element_of(p, i), unit, force);
        memcpy(out, force, sizeof force);
    }
}

static void block_velocity(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    element e = element_of(p, i);
    nb_lane_stretch at;
    real b[9], df[9];
    const real *corner[4];
    for (int a = 0; a < 4; a++) corner[a] = velocity + place_of(p, e, a);
    load(e, &at, b);
    for (int k = 0; k < 3; k++) {
        real x = corner[1][k] - corner[0][k], y = corner[2][k] - corner[0][k], z = corner[3][k] - corner[0][k];
        for (int j = 0; j < 3; j++) df[3 * k + j] = x * b[j] + y * b[3 + j] + z * b[6 + j];
    }
    nb_lane_stretch_forward(at.r, at.s, at.turn, df, out);
}

static void push_block(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity) {
    element e = element_of(p, i);
    real force[4][3], moved[NB_NODE_WIDEST];
    corner_forces(e, z, force);
    for (int a = 0; a < 4; a++) {
        int32_t node = p->nodes->bodies + e.group->particle[a][e.lane];
        if (!mass->moves[node]) continue;
        mass->type->solve_node(mass, node, force[a], moved);
        for (int k = 0; k < 3; k++) velocity[p->nodes->place[node] + k] += moved[k];
    }
}

static int diagonal(const nb_pack *p, const nb_mass *mass, int32_t begin, int32_t end, real *out) {
    const nb_tetrahedron_pack *pack = (const nb_tetrahedron_pack *)p;
    const nb_block_mass *blocks = (const nb_block_mass *)mass;
    const int32_t particles = mass->nodes->count - mass->nodes->bodies;
    if (mass->type != &nb_block_mass_class || !blocks->diagonal_blocks || particles == 0) return 0;
    pack->kernels->diagonal(pack->group, begin, end, blocks->block_inverse, out);
    return 1;
}

const nb_pack_class nb_tetrahedron_pack_class = {
    .name = "tetrahedra",
    .forces = forces,
    .velocities = velocities,
    .block_nodes = block_nodes,
    .block_jacobian = block_jacobian,
    .block_velocity = block_velocity,
    .push_block = push_block,
    .diagonal = diagonal,
};
