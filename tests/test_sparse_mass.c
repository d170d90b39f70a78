/* The mass by a sparse matrix: solves undo products, values may change, and what it refuses. Sums over it are in
 * test_sum.c, methods in test_elastic_chain.c. */
#include "node_scene.h"
#include "sparse_mass.h"

NB_PRECISIONS(f32, f64);

static const node_sizes sizes = {.bodies = 7, .particles = 9, .coupled = 1};

/* H in full, scaled; entries of nodes without mass are ones on the diagonal */
static nb_csr_f64 *matrix_of(const node_scene *s, double scale) {
    int32_t n = s->nodes.velocity[s->nodes.count];
    int64_t used = 0;
    nb_csr_f64 *h;
    CHECK_OK(nb_csr_create_f64(n, n, (int64_t)n * n, &h));
    for (int32_t r = 0; r < n; r++) {
        for (int32_t c = 0; c < n; c++) {
            if (r != c && s->h[r][c] == 0) continue;
            h->column[used] = c;
            h->value[used++] = s->h[r][c] == 0 ? 1 : scale * s->h[r][c];
        }
        h->start[r + 1] = used;
    }
    return h;
}

/* products and solves are those of scale H, over all nodes with mass and over those of one island */
static void check_mass(const node_scene *s, const nb_mass *m, double scale, uint64_t *seed) {
    static real velocity[NODE_NUMBERS], force[NODE_NUMBERS], back[NODE_NUMBERS];
    const int32_t *first = s->velocity_start;
    for (int of = 0; of <= NODE_HALVES; of++) {
        const nb_sum_view *view = of ? &s->island[of - 1] : &s->whole;
        for (int k = 0; k < NODE_NUMBERS; k++)
            velocity[k] = R(test_random(seed, -1, 1)); /* others' are not looked at */
        m->type->apply(m, view->dynamic_count, view->dynamic, velocity, force);
        m->type->solve(m, view->dynamic_count, view->dynamic, force, back);
        for (int32_t i = 0; i < view->dynamic_count; i++) {
            int32_t node = view->dynamic[i];
            for (int32_t r = first[node], k = s->place[node]; r < first[node + 1]; r++, k++) {
                double sum = 0;
                for (int32_t l = 0; l < s->nodes.count; l++)
                    for (int32_t c = first[l]; c < first[l + 1]; c++)
                        sum += scale * s->h[r][c] * (double)velocity[s->place[l] + c - first[l]];
                CHECK_NEAR(force[k], sum, 100 * NB_REAL_EPSILON);        /* of a dozen terms up to ten */
                CHECK_NEAR(back[k], velocity[k], 100 * NB_REAL_EPSILON); /* conditions are below ten */
            }
        }
    }
}

static void check_matrix(const node_scene *s, const nb_mass *m, double scale) {
    nb_csr *h;
    CHECK_OK(m->type->matrix(m, &h));
    for (int32_t r = 0; r < h->rows; r++) {
        int64_t e = h->start[r];
        for (int32_t c = 0; c < h->columns; c++) {
            int has = e < h->start[r + 1] && h->column[e] == c;
            CHECK_NEAR(has ? (double)h->value[e] : 0, scale * s->h[r][c], 10 * NB_REAL_EPSILON);
            assert_true(!has || s->h[r][r] > 0); /* none of nodes without mass */
            e += has;
        }
        assert_int_equal(e, h->start[r + 1]);
    }
    nb_csr_destroy(h);
}

/* several solves at once, full and then fewer, are those one by one */
static void check_together(const node_scene *s, const nb_mass *m, uint64_t *seed) {
    static real force[NB_MASS_TOGETHER][NODE_NUMBERS], alone[NODE_NUMBERS], velocity[NODE_NUMBERS];
    const nb_sum_view *view = &s->whole;
    const int counts[] = {NB_MASS_TOGETHER, 5, 1, 7};
    CHECK_OK(m->type->reserve_together(m));
    int64_t allocations = nb_allocation_count();
    for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) {
        for (int k = 0; k < counts[n]; k++) {
            for (int i = 0; i < NODE_NUMBERS; i++) force[k][i] = R(test_random(seed, -1, 1));
            m->type->put(m, k, view->dynamic_count, view->dynamic, force[k]);
        }
        m->type->solve_together(m, counts[n]);
        for (int k = counts[n] - 1; k >= 0; k--) {
            m->type->solve(m, view->dynamic_count, view->dynamic, force[k], alone);
            m->type->take(m, k, view->dynamic_count, view->dynamic, velocity);
            for (int32_t i = 0; i < view->dynamic_count; i++)
                for (int32_t r = s->place[view->dynamic[i]]; r < s->place[view->dynamic[i] + 1]; r++)
                    CHECK_NEAR(velocity[r], alone[r], 100 * NB_REAL_EPSILON);
        }
    }
    CHECK_OK(m->type->reserve_together(m));
    assert_int_equal(nb_allocation_count(), allocations);
}

static node_scene *make_scene(uint64_t *seed) {
    node_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    make_node_scene(s, seed, &sizes);
    return s;
}

static void free_scene(node_scene *s) {
    nb_sparse_mass_destroy(s->coupled);
    free(s);
}

TEST(solves_undo_products) {
    uint64_t seed = test_seed();
    node_scene *s = make_scene(&seed);
    nb_mass *m;
    nb_csr_f64 *h = matrix_of(s, 1);
    CHECK_OK(nb_sparse_mass_create(&s->nodes, s->moves, h, &m));
    assert_true(nb_mass_couples(m));
    check_mass(s, m, 1, &seed);
    check_matrix(s, m, 1);
    nb_csr_destroy_f64(h);
    h = matrix_of(s, 3);
    int64_t allocations = nb_allocation_count();
    CHECK_OK(nb_sparse_mass_set_values(m, h));
    assert_int_equal(nb_allocation_count(), allocations);
    check_mass(s, m, 3, &seed);
    check_matrix(s, m, 3);
    check_together(s, m, &seed);
    nb_csr_destroy_f64(h);
    nb_sparse_mass_destroy(m);
    free_scene(s);
}

/* an indefinite H is refused, with the velocity where that shows; the values before it can be given again */
TEST(an_indefinite_mass_is_refused) {
    uint64_t seed = test_seed();
    node_scene *s = make_scene(&seed);
    nb_mass *m, *none;
    nb_csr_f64 *h = matrix_of(s, 1), *bad = matrix_of(s, 1), *narrow;
    int32_t body = 0, at = s->velocity_start[body] + 4; /* coupled with nothing but its node */
    assert_true(s->moves[body]);
    for (int64_t e = bad->start[at]; e < bad->start[at + 1]; e++)
        if (bad->column[e] == at) bad->value[e] = -1;
    CHECK_OK(nb_sparse_mass_create(&s->nodes, s->moves, h, &m));
    CHECK_FAULT(nb_sparse_mass_set_values(m, bad), NB_ERROR_NUMERIC, "not positive definite at velocity");
    CHECK_OK(nb_sparse_mass_set_values(m, h));
    check_mass(s, m, 1, &seed);
    CHECK_FAULT(nb_sparse_mass_create(&s->nodes, s->moves, bad, &none), NB_ERROR_NUMERIC, "not positive definite");
    assert_null(none);
    for (int64_t e = bad->start[at]; e < bad->start[at + 1]; e++)
        if (bad->column[e] == at) bad->value[e] = INFINITY;
    CHECK_FAULT(nb_sparse_mass_create(&s->nodes, s->moves, bad, &none), NB_ERROR_NUMERIC, "no number");
    CHECK_OK(nb_csr_create_f64(3, 3, 0, &narrow));
    CHECK_FAULT(nb_sparse_mass_create(&s->nodes, s->moves, narrow, &none), NB_ERROR_INPUT, "69 velocities");
    memset(s->moves, 0, sizeof s->moves); /* nothing moves: nothing to factorise */
    CHECK_OK(nb_sparse_mass_create(&s->nodes, s->moves, h, &none));
    CHECK_OK(nb_sparse_mass_set_values(none, h));
    none->type->solve(none, 0, NULL, NULL, NULL);
    nb_sparse_mass_destroy(none);
    nb_csr_destroy_f64(narrow);
    nb_csr_destroy_f64(bad);
    nb_csr_destroy_f64(h);
    nb_sparse_mass_destroy(m);
    free_scene(s);
}

/* whichever allocation fails: a fault, nothing leaked */
TEST(a_mass_without_memory) {
    uint64_t seed = test_seed();
    node_scene *s = make_scene(&seed);
    nb_csr_f64 *h = matrix_of(s, 1);
    for (int64_t successes = 0;; successes++) {
        int64_t held = nb_allocation_held();
        nb_mass *m;
        nb_allocation_fail_after(successes);
        nb_status status = nb_sparse_mass_create(&s->nodes, s->moves, h, &m);
        nb_allocation_fail_after(-1);
        nb_sparse_mass_destroy(m);
        assert_int_equal(nb_allocation_held(), held);
        if (status == NB_OK) {
            assert_true(successes > 5); /* all of them were tried */
            break;
        }
        assert_int_equal(status, NB_ERROR_MEMORY);
        assert_null(m);
    }
    nb_csr_destroy_f64(h);
    free_scene(s);
}

RUN_TESTS(solves_undo_products, an_indefinite_mass_is_refused, a_mass_without_memory)
