/* The contract of masses (operator/mass.h), clause by clause, of every class over random nodes, with and without mass;
 * and for each clause a mass that breaks it. */
#include "contract.h"
#include "node_scene.h"
#include "operator/low_rank_mass.h"

NB_PRECISIONS(f32, f64);

static const double rounding = 200 * (double)NB_REAL_EPSILON; /* of a dozen terms up to ten; conditions are below ten */

/* a mass over nodes, and what it is to be: s->h, s->hi */
typedef struct instance {
    node_scene *scene;
    nb_mass *mass;
    nb_mass *low_rank; /* or NULL */
} instance;

/* number 0: blocks of bodies and particles; 1: coupled; 2: a sparse one that couples nothing; 3 and 4: the first two
 * with dense rows added */
enum {
    KINDS = 5,
    RANK = 3
};
static const char *const kinds[KINDS] = {"blocks", "sparse", "uncoupled", "blocks and rows", "sparse and rows"};

static nb_csr_f64 *matrix_of(const node_scene *s) {
    const int32_t n = s->nodes.velocity[s->nodes.count];
    int64_t used = 0;
    nb_csr_f64 *h;
    CHECK_OK(nb_csr_create_f64(n, n, (int64_t)n * n, &h));
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < n; c++) {
            if (s->h[r][c] == 0) continue;
            h->column[used] = c;
            h->value[used++] = s->h[r][c];
        }
        h->start[r + 1] = used;
    }
    return h;
}

/* Adds rows to H, each over an island, and makes H^-1 again, by dense elimination. */
static void add_rows(uint64_t *seed, instance *it) {
    static double row[RANK][NODE_VELOCITIES], inverse[NODE_VELOCITIES * NODE_VELOCITIES];
    const double weight[RANK] = {1, 0.3, 0}; /* conditions stay below a hundred */
    node_scene *s = it->scene;
    int32_t velocities = s->nodes.velocity[s->nodes.count], list[NODE_VELOCITIES], n = 0;
    double *flat = calloc((size_t)(RANK * velocities), sizeof *flat);
    lapack_int pivot[NODE_VELOCITIES];
    assert_non_null(flat);
    memset(row, 0, sizeof row);
    for (int k = 0; k < RANK; k++)
        for (int32_t i = k % NODE_HALVES; i < s->nodes.count; i += NODE_HALVES)
            for (int32_t r = s->velocity_start[i]; r < s->velocity_start[i + 1]; r++)
                flat[k * velocities + r] = row[k][r] = s->moves[i] ? test_random(seed, -0.5, 0.5) : NAN;
    for (int32_t i = 0; i < s->nodes.count; i++)
        for (int32_t r = s->velocity_start[i]; s->moves[i] && r < s->velocity_start[i + 1]; r++) list[n++] = r;
    for (int e = 0; e < n * n; e++) {
        const int32_t r = list[e / n], c = list[e % n];
        for (int k = 0; k < RANK; k++) s->h[r][c] += weight[k] * row[k][r] * row[k][c];
        inverse[e] = s->h[r][c];
    }
    assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, inverse, n, pivot), 0);
    assert_int_equal(LAPACKE_dgetri(LAPACK_ROW_MAJOR, n, inverse, n, pivot), 0);
    for (int e = 0; e < n * n; e++) s->hi[list[e / n]][list[e % n]] = inverse[e];
    CHECK_OK(nb_low_rank_mass_create(it->mass, RANK, &it->low_rank));
    CHECK_OK(nb_low_rank_mass_set_values(it->low_rank, weight, flat));
    it->mass = it->low_rank;
    free(flat);
}

static void create(int kind, uint64_t *seed, instance *it) {
    const node_sizes sizes = {.bodies = 7, .particles = 9, .coupled = kind == 1 || kind == 4};
    it->low_rank = NULL;
    it->scene = calloc(1, sizeof *it->scene);
    assert_non_null(it->scene);
    make_node_scene(it->scene, seed, &sizes);
    if (kind == 2) {
        nb_csr_f64 *h = matrix_of(it->scene);
        CHECK_OK(nb_sparse_mass_create(&it->scene->nodes, it->scene->moves, h, &it->scene->coupled));
        nb_csr_destroy_f64(h);
    }
    it->mass = kind % 3 ? it->scene->coupled : &it->scene->mass.base;
    if (kind > 2) add_rows(seed, it);
}

static void destroy(instance *it) {
    nb_low_rank_mass_destroy(it->low_rank);
    nb_sparse_mass_destroy(it->scene->coupled);
    free(it->scene);
}

static void draw(uint64_t *seed, real x[NODE_NUMBERS]) {
    for (int k = 0; k < NODE_NUMBERS; k++) x[k] = R(test_random(seed, -1, 1));
}

/* row r of H, or of H^-1, times padded numbers */
static double row_times(const node_scene *s, double m[NODE_VELOCITIES][NODE_VELOCITIES], int32_t r, const real *x) {
    double sum = 0;
    for (int32_t i = 0; i < s->nodes.count; i++)
        for (int32_t c = s->velocity_start[i]; c < s->velocity_start[i + 1]; c++)
            sum += m[r][c] * (double)x[s->place[i] + c - s->velocity_start[i]];
    return sum;
}

/* ---- the clauses ---- */

/* H x or H^-1 x of the nodes of a view, and nothing written elsewhere; other nodes' numbers are not of it */
static const char *is(const instance *it, int inverse, uint64_t *seed) {
    static real x[NODE_NUMBERS], y[NODE_NUMBERS], before[NODE_NUMBERS];
    node_scene *s = it->scene;
    const char *fault = NULL;
    for (int of = 0; of <= NODE_HALVES; of++) {
        const nb_sum_view *view = of ? &s->island[of - 1] : &s->whole;
        uint8_t listed[NODE_MOST] = {0};
        for (int32_t i = 0; i < view->dynamic_count; i++) listed[view->dynamic[i]] = 1;
        draw(seed, x);
        draw(seed, before);
        memcpy(y, before, sizeof y);
        (inverse ? it->mass->type->solve : it->mass->type->apply)(it->mass, view->dynamic_count, view->dynamic, x, y);
        for (int32_t i = 0; i < s->nodes.count; i++)
            for (int32_t r = s->velocity_start[i], k = s->place[i]; r < s->velocity_start[i + 1]; r++, k++) {
                const double own = listed[i] ? row_times(s, inverse ? s->hi : s->h, r, x) : (double)before[k];
                if (!(fabs((double)y[k] - own) <= (listed[i] ? rounding : 0)))
                    fault = broken("velocity %d of node %d is %g and not %g", (int)r, (int)i, (double)y[k], own);
            }
    }
    return fault;
}

static const char *applies(const instance *it, uint64_t *seed) {
    return is(it, 0, seed);
}

static const char *solves(const instance *it, uint64_t *seed) {
    return is(it, 1, seed);
}

/* H in full: columns ascend, rows of nodes without mass are empty, and it is symmetric and positive definite */
static const char *has_its_matrix(const instance *it, uint64_t *seed) {
    static double full[NODE_VELOCITIES][NODE_VELOCITIES];
    const node_scene *s = it->scene;
    const char *fault = NULL;
    nb_csr *h;
    memset(full, 0, sizeof full);
    CHECK_OK(it->mass->type->matrix(it->mass, &h));
    for (int32_t r = 0; r < h->rows; r++)
        for (int64_t e = h->start[r]; e < h->start[r + 1]; e++) {
            if (e > h->start[r] && h->column[e] <= h->column[e - 1]) fault = broken("columns of row %d", (int)r);
            full[r][h->column[e]] = (double)h->value[e];
            if (s->h[r][r] == 0) fault = broken("row %d is not empty", (int)r);
        }
    for (int32_t r = 0; r < h->rows; r++)
        for (int32_t c = 0; c < h->rows; c++) {
            if (!(fabs(full[r][c] - s->h[r][c]) <= rounding)) fault = broken("H[%d][%d] = %g", r, c, full[r][c]);
            if (full[r][c] != full[c][r]) fault = broken("H[%d][%d] is not H[%d][%d]", r, c, c, r);
        }
    for (int n = 0; n < 10; n++) {
        double product = 0, x[NODE_VELOCITIES];
        for (int32_t r = 0; r < h->rows; r++) x[r] = test_random(seed, -1, 1);
        for (int32_t r = 0; r < h->rows; r++)
            for (int32_t c = 0; c < h->rows; c++) product += x[r] * full[r][c] * x[c];
        if (!(product > 0)) fault = broken("x . H x = %g", product);
    }
    nb_csr_destroy(h);
    return fault;
}

/* of each node: its part of H and of H^-1, and velocities of forces; or none of the three */
static const char *has_its_blocks(const instance *it, uint64_t *seed) {
    const node_scene *s = it->scene;
    const nb_mass_class *c = it->mass->type;
    const char *fault = NULL;
    if (!c->block != !c->inverse_block || !c->block != !c->solve_node) return broken("some of the blocks' functions");
    for (int32_t i = 0; c->block && i < s->nodes.count; i++) {
        const int32_t first = s->velocity_start[i], n = nb_node_velocities(&s->nodes, i);
        real block[NB_NODE_WIDEST * NB_NODE_WIDEST], inverse[NB_NODE_WIDEST * NB_NODE_WIDEST], f[NB_NODE_WIDEST],
            v[NB_NODE_WIDEST];
        if (!s->moves[i]) continue;
        for (int k = 0; k < n; k++) f[k] = R(test_random(seed, -1, 1));
        c->block(it->mass, i, block);
        c->inverse_block(it->mass, i, inverse);
        c->solve_node(it->mass, i, f, v);
        for (int r = 0; r < n; r++) {
            double sum = 0;
            for (int k = 0; k < n; k++) {
                sum += s->hi[first + r][first + k] * (double)f[k];
                if (!(fabs((double)block[r * n + k] - s->h[first + r][first + k]) <= rounding))
                    fault = broken("the block of node %d", (int)i);
                if (!(fabs((double)inverse[r * n + k] - s->hi[first + r][first + k]) <= rounding))
                    fault = broken("the inverse block of node %d", (int)i);
            }
            if (!(fabs((double)v[r] - sum) <= rounding)) fault = broken("the velocity of node %d", (int)i);
        }
    }
    return fault;
}

/* several at once are those one by one, as many or as few; or it has none of the four functions */
static const char *solves_together(const instance *it, uint64_t *seed) {
    static real force[NB_MASS_TOGETHER][NODE_NUMBERS], alone[NODE_NUMBERS], velocity[NODE_NUMBERS];
    const nb_sum_view *view = &it->scene->whole;
    const nb_mass_class *c = it->mass->type;
    const int counts[] = {NB_MASS_TOGETHER, 1, 7};
    const char *fault = NULL;
    if (!c->put != !c->reserve_together || !c->put != !c->solve_together || !c->put != !c->take)
        return broken("some of the four functions");
    if (!c->put) return NULL;
    CHECK_OK(c->reserve_together(it->mass));
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        for (int k = 0; k < counts[n]; k++) {
            draw(seed, force[k]);
            c->put(it->mass, k, view->dynamic_count, view->dynamic, force[k]);
        }
        c->solve_together(it->mass, counts[n]);
        for (int k = 0; k < counts[n]; k++) {
            c->solve(it->mass, view->dynamic_count, view->dynamic, force[k], alone);
            c->take(it->mass, k, view->dynamic_count, view->dynamic, velocity);
            for (int32_t i = 0; i < view->dynamic_count; i++)
                for (int32_t r = it->scene->place[view->dynamic[i]], l = 0;
                     l < nb_node_velocities(&it->scene->nodes, view->dynamic[i]); l++)
                    if (!(fabs((double)(velocity[r + l] - alone[r + l])) <= rounding))
                        fault = broken("force %d of %d", k, counts[n]);
        }
    }
    return fault;
}

/* the same bits again, and no memory taken but by `matrix` and `reserve_together` */
static const char *repeats_bits(const instance *it, uint64_t *seed) {
    static real x[NODE_NUMBERS], y[2][NODE_NUMBERS], z[2][NODE_NUMBERS];
    const nb_sum_view *view = &it->scene->whole;
    draw(seed, x);
    memset(y, 0, sizeof y);
    memset(z, 0, sizeof z);
    const int64_t before = nb_allocation_count();
    for (int k = 0; k < 2; k++) {
        it->mass->type->apply(it->mass, view->dynamic_count, view->dynamic, x, y[k]);
        it->mass->type->solve(it->mass, view->dynamic_count, view->dynamic, x, z[k]);
    }
    if (nb_allocation_count() != before) return broken("it allocates");
    return memcmp(y[0], y[1], sizeof y[0]) != 0 || memcmp(z[0], z[1], sizeof z[0]) != 0 ? broken("other bits") : NULL;
}

/* whichever allocation of its matrix fails: a fault, and nothing leaked */
static const char *survives_failing_allocations(const instance *it, uint64_t *seed) {
    const char *fault = NULL;
    (void)seed;
    nb_status status = NB_ERROR_MEMORY;
    for (int64_t successes = 0; status != NB_OK && !fault; successes++) {
        nb_csr *h = NULL;
        const int64_t held = nb_allocation_held();
        nb_allocation_fail_after(successes);
        status = it->mass->type->matrix(it->mass, &h);
        nb_allocation_fail_after(-1);
        if (status == NB_OK) nb_csr_destroy(h);
        if (nb_allocation_held() != held) fault = broken("memory is kept after failure %d", (int)successes);
    }
    return fault;
}

/* ---- masses that break them: blocks put wrong ---- */

static const nb_mass_class *const right = &nb_block_mass_class;
static int calls;

/* twice H of the first node */
static void heavy(const nb_mass *m, int32_t count, const int32_t *node, const real *velocity, real *force) {
    right->apply(m, count, node, velocity, force);
    force[m->nodes->place[node[0]]] *= 2;
}

/* all nodes, listed or not */
static void of_all(const nb_mass *m, int32_t count, const int32_t *node, const real *force, real *velocity) {
    right->solve(m, count, node, force, velocity);
    for (int32_t i = 0; i < m->nodes->count; i++)
        if (m->moves[i]) right->solve(m, 1, &i, force, velocity);
}

static void in_turn(const nb_mass *m, int32_t count, const int32_t *node, const real *force, real *velocity) {
    right->solve(m, count, node, force, velocity);
    velocity[m->nodes->place[node[0]]] += R(calls++ % 2);
}

static nb_status skew(const nb_mass *m, nb_csr **matrix) {
    nb_status status = right->matrix(m, matrix);
    if (status == NB_OK) (*matrix)->value[1] += R(0.5);
    return status;
}

static void unit_block(const nb_mass *m, int32_t node, real *out) {
    right->block(m, node, out);
    out[0] = 1;
}

/* takes the place of a force, and solves with the last one alone */
static real last[NODE_NUMBERS];

static nb_status reserve_nothing(const nb_mass *m) {
    (void)m;
    return NB_OK;
}

static void put_last(const nb_mass *m, int k, int32_t count, const int32_t *node, const real *force) {
    (void)m, (void)k, (void)count, (void)node;
    memcpy(last, force, sizeof last);
}

static void solve_nothing(const nb_mass *m, int forces) {
    (void)m, (void)forces;
}

static void take_last(const nb_mass *m, int k, int32_t count, const int32_t *node, real *velocity) {
    (void)k;
    right->solve(m, count, node, last, velocity);
}

static nb_status leaking(const nb_mass *m, nb_csr **matrix) {
    static void *own; /* within reach: no leak to a sanitizer */
    nb_status status = nb_allocate(1, 8, &own);
    if (status != NB_OK) return status;
    status = right->matrix(m, matrix);
    if (status == NB_OK) nb_free(own);
    return status;
}

/* ---- both tests ---- */

typedef const char *clause(const instance *it, uint64_t *seed);

static const struct {
    const char *name;
    clause *holds;
    nb_mass_class wrong; /* what differs of the mass that breaks it */
} clauses[] = {
    {"applies H", applies, {.apply = heavy}},
    {"solves H", solves, {.solve = of_all}},
    {"has its matrix", has_its_matrix, {.matrix = skew}},
    {"has its blocks", has_its_blocks, {.block = unit_block}},
    {"solves together",
     solves_together,
     {.reserve_together = reserve_nothing, .put = put_last, .solve_together = solve_nothing, .take = take_last}},
    {"has all or none of what solves together", solves_together, {.put = put_last}},
    {"repeats its bits", repeats_bits, {.solve = in_turn}},
    {"keeps nothing where memory fails", survives_failing_allocations, {.matrix = leaking}},
};
enum {
    CLAUSES = sizeof clauses / sizeof *clauses
};

TEST(every_mass_keeps_every_clause) {
    uint64_t seed = test_seed();
    for (int kind = 0; kind < KINDS; kind++) {
        instance it;
        create(kind, &seed, &it);
        print_message("  %s\n", kinds[kind]);
        for (int k = 0; k < CLAUSES; k++)
            contract_expect(clauses[k].name, kinds[kind], clauses[k].holds(&it, &seed), 1);
        destroy(&it);
    }
}

TEST(every_clause_can_fail) {
    uint64_t seed = test_seed();
    for (int k = 0; k < CLAUSES; k++) {
        const nb_mass_class *w = &clauses[k].wrong;
        nb_mass_class type = *right;
        instance it;
        create(0, &seed, &it);
        if (w->solve) type.solve = w->solve;
        if (w->apply) type.apply = w->apply;
        if (w->matrix) type.matrix = w->matrix;
        if (w->block) type.block = w->block;
        if (w->reserve_together) type.reserve_together = w->reserve_together;
        if (w->put) type.put = w->put;
        if (w->solve_together) type.solve_together = w->solve_together;
        if (w->take) type.take = w->take;
        it.mass->type = &type;
        contract_expect(clauses[k].name, "blocks", clauses[k].holds(&it, &seed), 0);
        destroy(&it);
    }
}

RUN_TESTS(every_mass_keeps_every_clause, every_clause_can_fail)
