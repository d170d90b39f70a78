/* Random nodes of all kinds, with and without mass, and row blocks of all packs over them; with J and H in full, as a
 * reference that knows nothing of packs. */
#ifndef NB_NODE_SCENE_H
#define NB_NODE_SCENE_H

#include <lapacke.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "operator/contact_pack.h"
#include "operator/general_pack.h"
#include "operator/joint_pack.h"
#include "operator/sum.h"
#include "sparse_mass.h"

enum {
    NODE_MOST = 24,
    NODE_VELOCITIES = NB_NODE_WIDEST * NODE_MOST,
    NODE_NUMBERS = NB_BODY_STRIDE * NODE_MOST,
    NODE_BLOCKS = 24, /* of a pack */
    NODE_ROWS = NODE_BLOCKS * (1 + 3 + 2 * NB_BLOCK_ROWS),
    NODE_HALVES = 2 /* islands: nodes i and i + 2 are in one */
};

/* how many nodes, and blocks of each pack; two general packs */
typedef struct node_sizes {
    int bodies, particles, joints, contacts, general, more;
    int general_first; /* 1: the general packs come before the others */
    int coupled;       /* 1: H couples nodes */
} node_sizes;

typedef struct general_arrays {
    int32_t row_start[NODE_BLOCKS + 1], node_start[NODE_BLOCKS + 1], node[NODE_BLOCKS * NB_BLOCK_NODES];
    int64_t value_start[NODE_BLOCKS + 1];
    real value[NODE_BLOCKS * NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
} general_arrays;

typedef struct node_scene {
    nb_nodes nodes;
    uint8_t kind[NODE_MOST], moves[NODE_MOST];
    int32_t velocity_start[NODE_MOST + 1], place[NODE_MOST + 1];
    nb_block_mass mass;
    nb_inverse_mass inverse[NODE_MOST];
    real body_mass[NODE_MOST], inertia[6 * NODE_MOST], block[9 * NODE_MOST], block_inverse[9 * NODE_MOST];
    int32_t block_place[NODE_MOST];
    nb_jacobian_row joint[NODE_BLOCKS];
    nb_contact_rows contact[NODE_BLOCKS];
    general_arrays general[2];
    nb_joint_pack joints;
    nb_contact_pack contacts;
    nb_general_pack generals[2];
    nb_mass *coupled; /* H where nodes are coupled, else NULL */
    nb_sum sum;
    nb_sum_view whole, island[NODE_HALVES];
    real force[NODE_NUMBERS], velocity[NODE_NUMBERS], diagonal[NODE_ROWS];
    int32_t dynamic[1 + NODE_HALVES][NODE_MOST], block_start[1 + NODE_HALVES][4 * NODE_BLOCKS + 1],
        group_start[1 + NODE_HALVES][4 * NODE_BLOCKS + 1];
    int32_t middle[NB_SUM_PACKS]; /* blocks of the first island, of each pack */
    /* the reference, over all velocities: J of the whole, H and H^-1 (zero for nodes without mass) */
    double j[NODE_ROWS][NODE_VELOCITIES], h[NODE_VELOCITIES][NODE_VELOCITIES], hi[NODE_VELOCITIES][NODE_VELOCITIES];
} node_scene;

/* ---- nodes ---- */

/* m^-1 of a symmetric 3 x 3 matrix by rows */
static inline void invert_3(const double *m, double *out) {
    double minor[9], det = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int a = (r + 1) % 3, b = (r + 2) % 3, d = (c + 1) % 3, e = (c + 2) % 3;
            minor[3 * c + r] = m[3 * a + d] * m[3 * b + e] - m[3 * a + e] * m[3 * b + d];
        }
    for (int c = 0; c < 3; c++) det += m[c] * minor[3 * c];
    for (int k = 0; k < 9; k++) out[k] = minor[k] / det;
}

/* a symmetric matrix with values of one to five */
static inline void random_symmetric(uint64_t *seed, double *m) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c <= r; c++)
            m[3 * r + c] = m[3 * c + r] = r == c ? test_random(seed, 2, 4) : test_random(seed, -0.5, 0.5);
}

static inline void place_block(node_scene *s, int32_t first, const double *m, const double *inverse) {
    for (int k = 0; k < 9; k++) {
        s->h[first + k / 3][first + k % 3] = m[k];
        s->hi[first + k / 3][first + k % 3] = inverse[k];
    }
}

static inline void make_nodes(node_scene *s, uint64_t *seed, const node_sizes *sizes) {
    static const int symmetric[6] = {0, 4, 8, 1, 2, 5}; /* xx yy zz xy xz yz */
    int32_t count = sizes->bodies + sizes->particles;
    assert_true(count <= NODE_MOST);
    for (int32_t i = 0; i < count; i++) s->kind[i] = i < sizes->bodies ? NB_NODE_BODY : NB_NODE_PARTICLE;
    nb_nodes_number(count, nb_node_kinds, s->kind, s->velocity_start, s->place, &s->nodes);
    for (int32_t i = 0; i < count; i++) {
        double m[9], inverse[9], mass = test_random(seed, 0.5, 3);
        int32_t first = s->velocity_start[i], after = i - sizes->bodies;
        s->moves[i] = i % 7 != 5 && i % 7 != 3;
        if (after >= 0) s->block_place[after] = 9 * after;
        random_symmetric(seed, m);
        invert_3(m, inverse);
        for (int k = 0; after >= 0 && k < 9; k++) /* which nothing reads without mass */
            s->block[9 * after + k] = s->block_inverse[9 * after + k] = (real)NAN;
        if (!s->moves[i]) continue;
        if (after >= 0) {
            place_block(s, first, m, inverse);
            for (int k = 0; k < 9; k++) {
                s->block[9 * after + k] = (real)m[k];
                s->block_inverse[9 * after + k] = (real)inverse[k];
            }
            continue;
        }
        place_block(s, first + 3, m, inverse);
        for (int k = 0; k < 3; k++) {
            s->h[first + k][first + k] = mass;
            s->hi[first + k][first + k] = 1 / mass;
        }
        s->body_mass[i] = (real)mass;
        s->inverse[i].mass = (real)(1 / mass);
        for (int k = 0; k < 6; k++) {
            s->inertia[6 * i + k] = (real)m[symmetric[k]];
            s->inverse[i].inertia[k] = (real)inverse[symmetric[k]];
        }
    }
    s->mass = (nb_block_mass){.base = {&nb_block_mass_class, &s->nodes, s->moves},
                              .inverse = s->inverse,
                              .mass = s->body_mass,
                              .inertia = s->inertia,
                              .block_place = s->block_place,
                              .block = s->block,
                              .block_inverse = s->block_inverse};
}

/* ---- nodes that H couples ---- */

/* Adds to H between the linear velocities of nodes i and i + 2, most of them, and makes H^-1 again. */
static inline void couple_nodes(node_scene *s, uint64_t *seed) {
    int32_t velocities = s->nodes.velocity[s->nodes.count], n = 0, list[NODE_VELOCITIES];
    for (int32_t i = 0; i + NODE_HALVES < s->nodes.count; i++)
        for (int e = 0; s->moves[i] && s->moves[i + NODE_HALVES] && i % 6 < 4 && e < 9; e++) {
            int32_t r = s->velocity_start[i] + e / 3, c = s->velocity_start[i + NODE_HALVES] + e % 3;
            s->h[r][c] = s->h[c][r] =
                test_random(seed, -0.05, 0.05); /* less than the diagonal, which is 0.5 at least */
        }
    for (int32_t i = 0; i < s->nodes.count; i++)
        for (int32_t r = s->velocity_start[i]; s->moves[i] && r < s->velocity_start[i + 1]; r++) list[n++] = r;
    static double inverse[NODE_VELOCITIES * NODE_VELOCITIES];
    lapack_int pivot[NODE_VELOCITIES];
    for (int e = 0; e < n * n; e++) inverse[e] = s->h[list[e / n]][list[e % n]];
    assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, inverse, n, pivot), 0);
    assert_int_equal(LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, inverse, n, pivot), 0);
    for (int e = 0; e < n * n; e++) s->hi[list[e / n]][list[e % n]] = inverse[e];
    nb_csr_f64 *h; /* all of it, with entries for nodes without mass, which are left out */
    CHECK_OK(nb_csr_create_f64(velocities, velocities, (int64_t)velocities * velocities, &h));
    int64_t used = 0;
    for (int32_t r = 0; r < velocities; r++) {
        for (int32_t c = 0; c < velocities; c++) {
            if (s->h[r][c] == 0 && s->h[r][r] > 0 && s->h[c][c] > 0) continue;
            h->column[used] = c;
            h->value[used++] = s->h[r][r] > 0 && s->h[c][c] > 0 ? s->h[r][c] : test_random(seed, -9, 9);
        }
        h->start[r + 1] = used;
    }
    CHECK_OK(nb_sparse_mass_create(&s->nodes, s->moves, h, &s->coupled));
    nb_csr_destroy_f64(h);
}

/* ---- blocks ---- */

/* a node of an island below `limit`, other than those in `taken`; -1 where all are */
static inline int32_t random_node(uint64_t *seed, int island, int32_t limit, int count, const int32_t *taken) {
    int32_t among = (limit - island + NODE_HALVES - 1) / NODE_HALVES,
            at = among > 0 ? (int32_t)(test_random_bits(seed) % (uint64_t)among) : 0;
    for (int32_t tries = 0; tries < among; tries++) {
        int32_t node = NODE_HALVES * ((at + tries) % among) + island;
        int known = 0;
        for (int n = 0; n < count; n++) known = known || taken[n] == node;
        if (!known) return node;
    }
    return -1;
}

static inline double unit(uint64_t *seed) {
    return test_random(seed, -1, 1);
}

/* rows of two bodies, or of a body and the world; every third one between those of the row before */
static inline void make_joint(node_scene *s, uint64_t *seed, int i, int island, int32_t bodies, int again) {
    nb_jacobian_row *row = &s->joint[i];
    *row = (nb_jacobian_row){.a = again ? row[-1].a : random_node(seed, island, bodies, 0, NULL)};
    row->b = again ? row[-1].b : i % 4 == 3 ? -1 : random_node(seed, island, bodies, 1, &row->a);
    for (int k = 0; k < (row->b < 0 ? 6 : 12); k++) row->j[k] = R(unit(seed));
}

/* frames that are not orthonormal as well: nothing may rely on it */
static inline void make_contact(node_scene *s, uint64_t *seed, int i, int island, int32_t bodies, int again) {
    nb_contact_rows *c = &s->contact[i];
    c->a = again ? c[-1].a : random_node(seed, island, bodies, 0, NULL);
    c->b = again ? c[-1].b : random_node(seed, island, bodies, 1, &c->a);
    for (int k = 0; k < 9; k++) c->direction[k / 3][k % 3] = R(unit(seed));
    for (int k = 0; k < 3; k++) {
        c->arm_a[k] = R(unit(seed));
        c->arm_b[k] = R(unit(seed));
    }
}

static inline void make_general(node_scene *s, uint64_t *seed, general_arrays *g, int i, int island, int again) {
    int32_t *node = g->node + g->node_start[i];
    int count = 0, wanted = 1 + (int)(test_random_bits(seed) % NB_BLOCK_NODES);
    g->row_start[i + 1] = g->row_start[i] + 1 + (int32_t)(test_random_bits(seed) % NB_BLOCK_ROWS);
    if (again) {
        count = (int)(g->node_start[i] - g->node_start[i - 1]);
        memcpy(node, node - count, (size_t)count * sizeof *node);
    }
    while (!again && count < wanted && (node[count] = random_node(seed, island, s->nodes.count, count, node)) >= 0)
        count++;
    g->node_start[i + 1] = g->node_start[i] + count;
}

static inline void make_packs(node_scene *s, uint64_t *seed, const node_sizes *sizes) {
    int first = sizes->general_first ? 2 : 0, counts[NB_SUM_PACKS];
    const nb_pack *order[] = {&s->joints.base, &s->contacts.base, &s->generals[0].base, &s->generals[1].base};
    const int blocks[] = {sizes->joints, sizes->contacts, sizes->general, sizes->more};
    s->sum = (nb_sum){.mass = s->coupled ? s->coupled : &s->mass.base,
                      .packs = 4,
                      .force = s->force,
                      .velocity = s->velocity,
                      .diagonal = s->diagonal};
    for (int k = 0; k < 4; k++) {
        int of = (k + first) % 4;
        s->sum.pack[k] = order[of];
        counts[k] = blocks[of];
        s->middle[k] = counts[k] / 2;
        for (int i = 0; i < counts[k]; i++) {
            int island = i >= s->middle[k], again = i % 3 == 2 && i != s->middle[k];
            if (of == 0) make_joint(s, seed, i, island, sizes->bodies, again);
            if (of == 1) make_contact(s, seed, i, island, sizes->bodies, again);
            if (of > 1) make_general(s, seed, &s->general[of - 2], i, island, again);
        }
    }
    s->joints = nb_joint_pack_of(&s->nodes, sizes->joints, s->joint);
    s->contacts = nb_contact_pack_of(&s->nodes, sizes->contacts, s->contact);
    for (int k = 0; k < 2; k++) {
        general_arrays *g = &s->general[k];
        int32_t count = k ? sizes->more : sizes->general;
        int64_t length = nb_general_pack_number(&s->nodes, count, g->row_start, g->node_start, g->node, g->value_start);
        for (int64_t e = 0; e < length; e++) g->value[e] = R(unit(seed));
        s->generals[k] = nb_general_pack_of(
            &s->nodes, count, (nb_general_blocks){g->row_start, g->node_start, g->node, g->value_start, g->value});
    }
    for (int k = 0; k + 1 < 4; k++)
        s->sum.first_row[k + 1] = s->sum.first_row[k] + nb_pack_row(s->sum.pack[k], s->sum.pack[k]->blocks);
}

/* ---- the reference ---- */

/* a row of a block over its nodes, into J's row r */
static inline void spread_row(node_scene *s, int32_t r, int count, const int32_t *node, const real *row) {
    for (int n = 0; n < count; n++)
        for (int32_t c = s->velocity_start[node[n]]; c < s->velocity_start[node[n] + 1]; c++)
            s->j[r][c] += (double)*row++;
}

/* n . (v_a + w_a x r_a - v_b - w_b x r_b), row by row */
static inline void spread_contact(node_scene *s, int32_t first, const nb_contact_rows *c) {
    for (int r = 0; r < 3; r++)
        for (int side = 0; side < 2; side++) {
            const real *d = c->direction[r], *arm = side ? c->arm_b : c->arm_a;
            double *to = s->j[first + r] + s->velocity_start[side ? c->b : c->a], sign = side ? -1 : 1;
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, m = (k + 2) % 3;
                to[k] += sign * (double)d[k];
                to[3 + k] += sign * ((double)arm[l] * (double)d[m] - (double)arm[m] * (double)d[l]);
            }
        }
}

static inline void make_reference(node_scene *s) {
    for (int k = 0; k < s->sum.packs; k++) {
        const nb_pack *pack = s->sum.pack[k];
        for (int32_t i = 0; i < pack->blocks; i++) {
            int32_t row = s->sum.first_row[k] + nb_pack_row(pack, i);
            if (pack == &s->joints.base) {
                const int32_t node[] = {s->joint[i].a, s->joint[i].b};
                spread_row(s, row, node[1] < 0 ? 1 : 2, node, s->joint[i].j);
            } else if (pack == &s->contacts.base) {
                spread_contact(s, row, &s->contact[i]);
            } else {
                const general_arrays *g = &s->general[pack == &s->generals[1].base];
                int rows = (int)(g->row_start[i + 1] - g->row_start[i]),
                    columns = (int)(g->value_start[i + 1] - g->value_start[i]) / rows;
                for (int r = 0; r < rows; r++)
                    spread_row(s, row + r, (int)(g->node_start[i + 1] - g->node_start[i]), g->node + g->node_start[i],
                               g->value + g->value_start[i] + (ptrdiff_t)r * columns);
            }
        }
    }
}

/* ---- views ---- */

static inline int same_nodes(const nb_pack *pack, int32_t i) {
    int32_t one[NB_BLOCK_NODES], other[NB_BLOCK_NODES];
    int count = pack->type->block_nodes(pack, i, one);
    return count == pack->type->block_nodes(pack, i - 1, other) && memcmp(one, other, (size_t)count * sizeof *one) == 0;
}

/* the view number n: 0 the whole, then the islands */
static inline void make_view(node_scene *s, int n, nb_sum_view *view) {
    int32_t row = 0, block = 0, group = 0;
    *view = (nb_sum_view){.sum = &s->sum, .dynamic = s->dynamic[n]};
    for (int32_t i = 0; i < s->nodes.count; i++)
        if (s->moves[i] && (n == 0 || i % NODE_HALVES == n - 1)) s->dynamic[n][view->dynamic_count++] = i;
    for (int k = 0; k < s->sum.packs; k++) {
        const nb_pack *pack = s->sum.pack[k];
        view->begin[k] = n == 2 ? s->middle[k] : 0;
        view->end[k] = n == 1 ? s->middle[k] : pack->blocks;
        for (int32_t i = view->begin[k]; i < view->end[k]; i++) {
            if (i == view->begin[k] || !same_nodes(pack, i)) s->group_start[n][group++] = block;
            s->block_start[n][block++] = row;
            row += nb_pack_row(pack, i + 1) - nb_pack_row(pack, i);
        }
    }
    s->block_start[n][block] = row;
    s->group_start[n][group] = block;
    view->base = (nb_delassus){
        nb_sum_class_for(s->sum.mass), row, block, s->block_start[n], group, s->group_start[n], s->sum.mass};
    assert_int_equal(nb_sum_count_blocks(view), block);
}

/* makes all of *s, which is zero; `seed` goes on */
static inline void make_node_scene(node_scene *s, uint64_t *seed, const node_sizes *sizes) {
    make_nodes(s, seed, sizes);
    if (sizes->coupled) couple_nodes(s, seed);
    make_packs(s, seed, sizes);
    make_reference(s);
    make_view(s, 0, &s->whole);
    for (int n = 0; n < NODE_HALVES; n++) make_view(s, 1 + n, &s->island[n]);
    nb_sum_block_diagonal(&s->whole, 0, s->whole.base.block_count, s->diagonal);
}

/* the row of J that row r of a view is */
static inline int32_t row_in_whole(const nb_sum_view *view, int32_t r) {
    for (int k = 0; k < view->sum->packs; k++) {
        const nb_pack *pack = view->sum->pack[k];
        int32_t begin = nb_pack_row(pack, view->begin[k]), rows = nb_pack_row(pack, view->end[k]) - begin;
        if (r < rows) return view->sum->first_row[k] + begin + r;
        r -= rows;
    }
    return -1;
}

#endif
