/* Parts of a graph (precond/partition.h), and the preconditioner `schwarz` against its dense formula over them. */
#include "precond/partition.h"
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {5, 60, 700};
enum {
    SEEDS = sizeof seeds / sizeof *seeds
};

/* the rows of part k with its neighbours, and theirs, `overlap` times */
static void rows_of_part(const nb_block_graph *g, const nb_partition *p, int32_t k, int overlap, int in[MOST]) {
    int blocks[MOST] = {0};
    memset(in, 0, MOST * sizeof *in);
    for (int32_t m = p->start[k]; m < p->start[k + 1]; m++) blocks[p->member[m]] = 1;
    for (int layer = 0; layer < overlap; layer++) {
        int more[MOST];
        memcpy(more, blocks, sizeof more);
        for (int32_t i = 0; i < g->count; i++)
            for (int64_t e = g->start[i]; blocks[i] && e < g->start[i + 1]; e++) more[g->neighbour[e]] = 1;
        memcpy(blocks, more, sizeof more);
    }
    for (int32_t i = 0; i < g->count; i++)
        for (int32_t r = g->first[i]; r < g->first[i + 1]; r++) in[r] = blocks[i];
}

/* p += R^T (R A R^T)^-1 R, with ones on A's diagonal where the part has no row */
static void add_inverse(const random_system *t, const int in[MOST], double p[MOST][MOST]) {
    double a[MOST][MOST];
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) a[i][j] = in[i] && in[j] ? t->dense[i][j] : i == j;
    for (int j = 0; j < t->rows; j++) {
        double unit[MOST] = {0}, column[MOST];
        unit[j] = 1;
        if (!in[j]) continue;
        dense_solve(t->rows, a, unit, column);
        for (int i = 0; i < t->rows; i++) p[i][j] += in[i] ? column[i] : 0;
    }
}

TEST(test_dense_formula) {
    static const struct {
        const char *option, *value;
        int size, overlap;
    } kinds[] = {{"size", "2", 2, 1}, {"size", "3", 3, 1}, {NULL, NULL, 20, 1}};
    for (int n = 0; n < SEEDS; n++)
        for (int k = 0; k < 3; k++) {
            random_system t;
            applied a;
            nb_block_graph graph = {0};
            nb_partition partition = {0};
            double p[MOST][MOST] = {{0}};
            uint64_t state = seeds[n];
            const variant v = variant_named("schwarz", kinds[k].option, kinds[k].value);
            random_system_create(&state, 0, 0.5, &t);
            apply_to(&v, &t, &a);
            CHECK_OK(nb_block_graph_make(&graph, t.system, t.matrix));
            CHECK_OK(nb_partition_make(&partition, &graph, kinds[k].size));
            print_message("  seed %d, size %d: %d parts\n", (int)seeds[n], kinds[k].size, (int)partition.parts);
            assert_true(k == 2 ? partition.parts == 1 : partition.parts > 2);
            for (int32_t part = 0; part < partition.parts; part++) {
                int in[MOST];
                rows_of_part(&graph, &partition, part, kinds[k].overlap, in);
                add_inverse(&t, in, p);
            }
            for (int i = 0; i < t.rows; i++)
                for (int j = 0; j < t.rows; j++)
                    CHECK_NEAR(
                        a.p[i][j], p[i][j],
                        8 * t.rows * epsilon * a.largest * fmax(1, largest_row_sum(t.rows, t.dense) * a.largest));
            nb_partition_clear(&partition);
            nb_block_graph_clear(&graph);
            a.type->destroy(a.state);
            random_system_destroy(&t);
        }
}

/* a strip of 12 blocks of three rows, and another beside it that nothing joins to it */
static void two_strips(random_system *t) {
    double dense[MOST][MOST] = {{0}};
    int32_t start[13];
    for (int i = 0; i < 36; i++)
        for (int j = 0; j < 36; j++)
            if (i == j || (abs(i / 3 - j / 3) == 1 && i / 18 == j / 18)) dense[i][j] = i == j ? 20 : 1;
    for (int i = 0; i <= 12; i++) start[i] = 3 * i;
    system_of_dense(36, dense, 12, start, 12, NULL, t);
}

/* every block is in one part, parts are in range, and ascend; the same again */
TEST(test_parts) {
    random_system t;
    nb_block_graph graph = {0};
    nb_partition p = {0}, again = {0};
    two_strips(&t);
    CHECK_OK(nb_block_graph_make(&graph, t.system, t.matrix));
    assert_int_equal(graph.start[12], 20); /* five joints a strip, from both sides */
    for (int32_t size = 1; size <= 13; size++) {
        int seen[12] = {0};
        CHECK_OK(nb_partition_make(&p, &graph, size));
        CHECK_OK(nb_partition_make(&again, &graph, size));
        print_message("  size %d: %d parts\n", (int)size, (int)p.parts);
        assert_int_equal(p.start[0], 0);
        assert_int_equal(p.start[p.parts], 12);
        for (int32_t k = 0; k < p.parts; k++) {
            assert_in_range(p.start[k + 1] - p.start[k], 1, size + size / 2);
            for (int32_t m = p.start[k]; m < p.start[k + 1]; m++) {
                assert_int_equal(seen[p.member[m]]++, 0);
                assert_int_equal(p.member[m], again.member[m]);
                assert_true(m == p.start[k] || p.member[m] > p.member[m - 1]);
            }
        }
    }
    nb_partition_clear(&p);
    nb_partition_clear(&again);
    nb_block_graph_clear(&graph);
    random_system_destroy(&t);
}

RUN_TESTS(test_parts, test_dense_formula)
