/* The contract of packs (operator/pack.h), clause by clause, of every pack over random nodes, with and without mass;
 * and for each clause a pack that breaks it. What a block is stands in its Jacobian, which test_sum.c and
 * test_tetrahedra.c hold against J in full. */
#include "contract.h"
#include "element/tetrahedron_pack.h"
#include "node_scene.h"

NB_PRECISIONS(f32, f64);

static const double rounding = 1000 * (double)NB_REAL_EPSILON; /* of sums of up to 24 terms of size one, a few times */

enum {
    GROUPS = 2, /* of tetrahedra, the last one not full */
    MOST_BLOCKS = NB_ELEMENT_LANES + 6,
    MOST_ROWS = MOST_BLOCKS * NB_BLOCK_ROWS,
    MARK = 77, /* of what is not to be written */
    TRIALS = 4
};

enum {
    JOINTS,
    CONTACTS,
    GENERAL,
    TETRAHEDRA,
    KINDS
};

/* a pack over nodes, and their mass */
typedef struct instance {
    node_scene scene;
    nb_tetrahedron_group *group; /* [GROUPS], aligned as memory.h does */
    nb_tetrahedron_pack tetrahedra;
    nb_pack *pack;
} instance;

/* any numbers: what is multiplied is linear in each of them; corners are particles that differ */
static void make_tetrahedra(instance *it, uint64_t *seed) {
    const int32_t particles = it->scene.nodes.count - it->scene.nodes.bodies;
    CHECK_OK(NB_ALLOCATE(GROUPS, &it->group));
    for (int i = 0; i < GROUPS * NB_ELEMENT_LANES; i++) {
        nb_tetrahedron_group *g = &it->group[i / NB_ELEMENT_LANES];
        const int lane = i % NB_ELEMENT_LANES;
        const int32_t first = (int32_t)(test_random_bits(seed) % (uint64_t)particles);
        for (int k = 0; k < 9; k++) {
            g->gradient[k][lane] = R(unit(seed));
            g->rotation[k][lane] = R(unit(seed));
        }
        for (int k = 0; k < 6; k++) {
            g->stretch[k][lane] = R(unit(seed));
            g->turn[k][lane] = R(unit(seed));
        }
        for (int k = 0; k < 4; k++) g->particle[k][lane] = (first + 3 * k) % particles;
    }
    it->tetrahedra = (nb_tetrahedron_pack){
        .base = {.type = &nb_tetrahedron_pack_class, .nodes = &it->scene.nodes, .blocks = MOST_BLOCKS, .rows_each = 6},
        .group = it->group,
        .kernels = nb_tetrahedron_kernels_best()};
}

/* the blocks of particles, made diagonal, which packs may have a way of their own for; zero without mass */
static void make_diagonal(node_scene *s) {
    for (int32_t i = 0; i < 9 * (s->nodes.count - s->nodes.bodies); i++) {
        const int own = s->moves[s->nodes.bodies + i / 9] && i % 9 % 4 == 0;
        s->block[i] = own ? s->block[i] : 0;
        s->block_inverse[i] = own ? 1 / s->block[i] : 0;
    }
    s->mass.diagonal_blocks = 1;
}

static instance *create(int kind, int trial, uint64_t *seed) {
    static const node_sizes sizes = {.bodies = 9, .particles = 13, .joints = 11, .contacts = 19, .general = 17};
    instance *it = calloc(1, sizeof *it);
    assert_non_null(it);
    make_node_scene(&it->scene, seed, &sizes);
    if (trial % 2) make_diagonal(&it->scene);
    make_tetrahedra(it, seed);
    nb_pack *const packs[] = {&it->scene.joints.base, &it->scene.contacts.base, &it->scene.generals[0].base,
                              &it->tetrahedra.base};
    it->pack = packs[kind];
    return it;
}

static void destroy(instance *it) {
    nb_free(it->group);
    free(it);
}

static int rows_of(const instance *it, int32_t begin, int32_t end) {
    return nb_pack_row(it->pack, end) - nb_pack_row(it->pack, begin);
}

/* random numbers for all nodes; zero for those without mass */
static void draw_velocity(const instance *it, uint64_t *seed, real velocity[NODE_NUMBERS]) {
    const node_scene *s = &it->scene;
    memset(velocity, 0, NODE_NUMBERS * sizeof *velocity);
    for (int32_t i = 0; i < s->nodes.count; i++)
        for (int32_t k = 0; s->moves[i] && k < nb_node_velocities(&s->nodes, i); k++)
            velocity[s->place[i] + k] = R(unit(seed));
}

/* a block of J, spread over padded velocities */
static void spread(const instance *it, int32_t i, double j[NB_BLOCK_ROWS][NODE_NUMBERS]) {
    int32_t node[NB_BLOCK_NODES];
    real block[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS], *at = block;
    const int count = it->pack->type->block_nodes(it->pack, i, node);
    memset(j, 0, NB_BLOCK_ROWS * sizeof *j);
    it->pack->type->block_jacobian(it->pack, i, block);
    for (int r = 0; r < rows_of(it, i, i + 1); r++)
        for (int n = 0; n < count; n++)
            for (int k = 0; k < nb_node_velocities(&it->scene.nodes, node[n]); k++)
                j[r][it->scene.place[node[n]] + k] += (double)*at++;
}

static double dot(const double *j, const real *velocity) {
    double sum = 0;
    for (int k = 0; k < NODE_NUMBERS; k++) sum += j[k] * (double)velocity[k];
    return sum;
}

/* out += H^-1 J_i^T z, for one z of a block */
static void push(const instance *it, double j[NB_BLOCK_ROWS][NODE_NUMBERS], int rows, const real *z, double *out) {
    const node_scene *s = &it->scene;
    for (int32_t i = 0; i < s->nodes.count; i++) {
        const int n = nb_node_velocities(&s->nodes, i);
        real force[NB_NODE_WIDEST], moved[NB_NODE_WIDEST];
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int r = 0; r < rows; r++) sum += j[r][s->place[i] + k] * (double)z[r];
            force[k] = (real)sum;
        }
        if (!s->moves[i]) continue;
        s->mass.base.type->solve_node(&s->mass.base, i, force, moved);
        for (int k = 0; k < n; k++) out[s->place[i] + k] += (double)moved[k];
    }
}

/* ---- the clauses ---- */

static const char *has_a_name(const instance *it, uint64_t *seed) {
    (void)seed;
    const char *name = it->pack->type->name; /* stands in messages: it may be of several words */
    return !name || strlen(name) < 2 || strchr(name, '\n') ? broken("the name '%s'", name ? name : "") : NULL;
}

static const char *names_its_nodes_once(const instance *it, uint64_t *seed) {
    const char *fault = NULL;
    (void)seed;
    for (int32_t i = 0; i < it->pack->blocks; i++) {
        int32_t node[NB_BLOCK_NODES];
        const int count = it->pack->type->block_nodes(it->pack, i, node);
        if (count < 1 || count > NB_BLOCK_NODES) return broken("%d nodes", count);
        for (int n = 0; n < count; n++) {
            if (node[n] < 0 || node[n] >= it->scene.nodes.count)
                fault = broken("node %d of block %d", (int)node[n], (int)i);
            for (int k = 0; k < n; k++)
                if (node[k] == node[n]) fault = broken("block %d names node %d twice", (int)i, (int)node[n]);
        }
    }
    return fault;
}

/* y = J v of some blocks, and of each by itself */
static const char *has_the_velocities_of_its_jacobian(const instance *it, uint64_t *seed) {
    static real velocity[NODE_NUMBERS];
    const int32_t begin = 3, end = it->pack->blocks - 1;
    real y[MOST_ROWS + 1];
    const char *fault = NULL;
    draw_velocity(it, seed, velocity);
    for (int r = 0; r <= MOST_ROWS; r++) y[r] = r < rows_of(it, begin, end) ? (real)NAN : MARK;
    it->pack->type->velocities(it->pack, begin, end, velocity, y);
    if (y[rows_of(it, begin, end)] != MARK) fault = broken("what follows the last row is written");
    for (int32_t i = begin; i < end; i++) {
        static double j[NB_BLOCK_ROWS][NODE_NUMBERS];
        real own[NB_BLOCK_ROWS];
        spread(it, i, j);
        it->pack->type->block_velocity(it->pack, i, velocity, own);
        for (int r = 0; r < rows_of(it, i, i + 1); r++) {
            const double is = dot(j[r], velocity), all = (double)y[rows_of(it, begin, i) + r];
            if (!(fabs(all - is) <= rounding))
                fault = broken("row %d of block %d is %g and not %g", r, (int)i, all, is);
            if (!(fabs((double)own[r] - is) <= rounding)) fault = broken("block %d by itself", (int)i);
        }
    }
    return fault;
}

/* J^T (s x) on top of what is there, with s and without */
static const char *adds_the_forces_of_its_jacobian(const instance *it, uint64_t *seed) {
    static real force[NODE_NUMBERS], before[NODE_NUMBERS];
    static double j[NB_BLOCK_ROWS][NODE_NUMBERS];
    const int32_t begin = 1, end = it->pack->blocks - 2;
    const char *fault = NULL;
    for (int weighted = 0; weighted < 2; weighted++) {
        real s[MOST_ROWS], x[MOST_ROWS];
        double sum[NODE_NUMBERS];
        draw_velocity(it, seed, before);
        memcpy(force, before, sizeof force);
        for (int r = 0; r < MOST_ROWS; r++) {
            s[r] = R(test_random(seed, 0, 1));
            x[r] = R(unit(seed));
        }
        it->pack->type->forces(it->pack, begin, end, weighted ? s : NULL, x, force);
        for (int k = 0; k < NODE_NUMBERS; k++) sum[k] = (double)before[k];
        for (int32_t i = begin; i < end; i++) {
            spread(it, i, j);
            for (int r = 0; r < rows_of(it, i, i + 1); r++) {
                const int at = rows_of(it, begin, i) + r;
                const double own = (weighted ? (double)s[at] : 1) * (double)x[at];
                for (int k = 0; k < NODE_NUMBERS; k++) sum[k] += j[r][k] * own;
            }
        }
        for (int32_t n = 0; n < it->scene.nodes.count; n++) /* of nodes without mass it is never read */
            for (int k = it->scene.place[n]; it->scene.moves[n] && k < it->scene.place[n + 1]; k++)
                if (!(fabs((double)force[k] - sum[k]) <= rounding))
                    fault = broken("number %d of node %d is %g and not %g", k, (int)n, (double)force[k], sum[k]);
    }
    return fault;
}

/* velocity += H^-1 J_i^T z, and nothing for nodes without mass */
static const char *pushes_by_its_jacobian(const instance *it, uint64_t *seed) {
    static real velocity[NODE_NUMBERS];
    static double j[NB_BLOCK_ROWS][NODE_NUMBERS], expected[NODE_NUMBERS];
    const char *fault = NULL;
    draw_velocity(it, seed, velocity);
    for (int k = 0; k < NODE_NUMBERS; k++) expected[k] = (double)velocity[k];
    for (int32_t i = 0; i < it->pack->blocks; i++) {
        real z[NB_BLOCK_ROWS];
        for (int r = 0; r < NB_BLOCK_ROWS; r++) z[r] = R(unit(seed));
        spread(it, i, j);
        push(it, j, rows_of(it, i, i + 1), z, expected);
        it->pack->type->push_block(it->pack, &it->scene.mass.base, i, z, velocity);
    }
    for (int k = 0; k < NODE_NUMBERS; k++)
        if (!(fabs((double)velocity[k] - expected[k]) <= 10 * rounding))
            fault = broken("number %d is %g and not %g", k, (double)velocity[k], expected[k]);
    return fault;
}

/* where it has a way of its own: that of J H^-1 J^T */
static const char *has_the_diagonal_of_its_jacobian(const instance *it, uint64_t *seed) {
    static double j[NB_BLOCK_ROWS][NODE_NUMBERS];
    const int32_t begin = 1, end = it->pack->blocks;
    real out[MOST_ROWS];
    const char *fault = NULL;
    (void)seed;
    if (!it->pack->type->diagonal || !it->pack->type->diagonal(it->pack, &it->scene.mass.base, begin, end, out))
        return NULL;
    for (int32_t i = begin; i < end; i++) {
        spread(it, i, j);
        for (int r = 0; r < rows_of(it, i, i + 1); r++) {
            double pushed[NODE_NUMBERS] = {0}, sum = 0;
            real one[NB_BLOCK_ROWS] = {0};
            one[r] = 1;
            push(it, j, rows_of(it, i, i + 1), one, pushed);
            for (int k = 0; k < NODE_NUMBERS; k++) sum += j[r][k] * pushed[k];
            const double own = (double)out[rows_of(it, begin, i) + r];
            if (!(fabs(own - sum) <= rounding * (1 + sum)))
                fault = broken("row %d of block %d: %g, %g", r, (int)i, own, sum);
        }
    }
    return fault;
}

/* the same bits again, and no memory taken */
static const char *repeats_bits(const instance *it, uint64_t *seed) {
    static real velocity[NODE_NUMBERS], force[2][NODE_NUMBERS];
    const int32_t end = it->pack->blocks;
    real x[MOST_ROWS], y[2][MOST_ROWS] = {{0}};
    draw_velocity(it, seed, velocity);
    for (int r = 0; r < MOST_ROWS; r++) x[r] = R(unit(seed));
    int64_t before = nb_allocation_count();
    for (int k = 0; k < 2; k++) {
        memset(force[k], 0, sizeof force[k]);
        it->pack->type->velocities(it->pack, 0, end, velocity, y[k]);
        it->pack->type->forces(it->pack, 0, end, NULL, x, force[k]);
    }
    if (nb_allocation_count() != before) return broken("it allocates");
    return memcmp(y[0], y[1], sizeof y[0]) != 0 || memcmp(force[0], force[1], sizeof force[0]) != 0
               ? broken("other bits")
               : NULL;
}

/* ---- packs that break them: general blocks, or tetrahedra, put wrong ---- */

static const nb_pack_class *right;
static int calls;

static int twice_the_same(const nb_pack *p, int32_t i, int32_t node[NB_BLOCK_NODES]) {
    int count = right->block_nodes(p, i, node);
    if (count > 1) node[1] = node[0];
    return count;
}

static void from_the_start(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    right->velocities(p, 0, end - begin, velocity, y);
}

static void in_turn(const nb_pack *p, int32_t begin, int32_t end, const real *velocity, real *y) {
    right->velocities(p, begin, end, velocity, y);
    y[0] += R(calls++ % 2);
}

static void weightless(const nb_pack *p, int32_t begin, int32_t end, const real *s, const real *x, real *force) {
    (void)s;
    right->forces(p, begin, end, NULL, x, force);
}

static void first_row_alone(const nb_pack *p, int32_t i, const real *velocity, real *out) {
    right->block_velocity(p, i, velocity, out);
    for (int r = 1; r < nb_pack_row(p, i + 1) - nb_pack_row(p, i); r++) out[r] = 0;
}

static void push_twice(const nb_pack *p, const nb_mass *mass, int32_t i, const real *z, real *velocity) {
    right->push_block(p, mass, i, z, velocity);
    right->push_block(p, mass, i, z, velocity);
}

static int all_ones(const nb_pack *p, const nb_mass *mass, int32_t begin, int32_t end, real *out) {
    (void)mass;
    for (int r = 0; r < nb_pack_row(p, end) - nb_pack_row(p, begin); r++) out[r] = 1;
    return 1;
}

/* ---- both tests ---- */

typedef const char *clause(const instance *it, uint64_t *seed);

static const struct {
    const char *name;
    clause *holds;
    nb_pack_class wrong; /* what differs of the pack that breaks it */
} clauses[] = {
    {"has a name", has_a_name, {.name = "a\nb"}},
    {"names its nodes once", names_its_nodes_once, {.block_nodes = twice_the_same}},
    {"has the velocities of its Jacobian", has_the_velocities_of_its_jacobian, {.velocities = from_the_start}},
    {"has them by blocks", has_the_velocities_of_its_jacobian, {.block_velocity = first_row_alone}},
    {"adds the forces of its Jacobian", adds_the_forces_of_its_jacobian, {.forces = weightless}},
    {"pushes by its Jacobian", pushes_by_its_jacobian, {.push_block = push_twice}},
    {"has the diagonal of its Jacobian", has_the_diagonal_of_its_jacobian, {.diagonal = all_ones}},
    {"repeats its bits", repeats_bits, {.velocities = in_turn}},
};
enum {
    CLAUSES = sizeof clauses / sizeof *clauses
};

static const nb_pack_class *const types[KINDS] = {&nb_joint_pack_class, &nb_contact_pack_class, &nb_general_pack_class,
                                                  &nb_tetrahedron_pack_class};

TEST(every_pack_keeps_every_clause) {
    uint64_t seed = test_seed();
    for (int i = 0; i < KINDS; i++)
        for (int trial = 0; trial < TRIALS; trial++) {
            instance *it = create(i, trial, &seed);
            print_message("  %s\n", types[i]->name);
            for (int k = 0; k < CLAUSES; k++)
                contract_expect(clauses[k].name, types[i]->name, clauses[k].holds(it, &seed), 1);
            destroy(it);
        }
}

TEST(every_clause_can_fail) {
    uint64_t seed = test_seed();
    right = types[GENERAL];
    for (int k = 0; k < CLAUSES; k++) {
        const nb_pack_class *w = &clauses[k].wrong;
        nb_pack_class type = *right;
        if (w->name) type.name = w->name;
        if (w->forces) type.forces = w->forces;
        if (w->velocities) type.velocities = w->velocities;
        if (w->block_nodes) type.block_nodes = w->block_nodes;
        if (w->block_velocity) type.block_velocity = w->block_velocity;
        if (w->push_block) type.push_block = w->push_block;
        if (w->diagonal) type.diagonal = w->diagonal;
        instance *it = create(GENERAL, 0, &seed);
        it->pack->type = &type;
        contract_expect(clauses[k].name, clauses[k].name, clauses[k].holds(it, &seed), 0);
        destroy(it);
    }
}

RUN_TESTS(every_pack_keeps_every_clause, every_clause_can_fail)
