/* The preconditioner `tree` against its dense formula: the heaviest spanning forest, and pairs that are added to it. */
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {7, 80, 900};

enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    NODES = 9, /* of three rows each */
    WIDTH = 3
};

/* H + a sum over `pairs` random pairs of nodes of w J^T J, w from 0.1 to 100, J of three rows: what the stiffness form
 * of particles is. With `chain` the pairs are neighbours on a line. */
static void random_stiffness(uint64_t *state, int pairs, int chain, random_system *t) {
    double dense[MOST][MOST] = {{0}};
    int32_t start[NODES + 1];
    for (int i = 0; i <= NODES; i++) start[i] = WIDTH * i;
    for (int i = 0; i < NODES * WIDTH; i++) dense[i][i] = test_random(state, 0.5, 2);
    for (int pair = 0; pair < pairs; pair++) {
        const int i = chain ? pair : (int)(test_random_bits(state) % NODES);
        const int j = chain ? pair + 1 : (i + 1 + (int)(test_random_bits(state) % (NODES - 1))) % NODES;
        const double weight = pow(10, test_random(state, -1, 2));
        for (int row = 0; row < 3; row++) {
            double jacobian[MOST] = {0};
            for (int k = 0; k < WIDTH; k++) {
                jacobian[WIDTH * i + k] = test_random(state, -1, 1);
                jacobian[WIDTH * j + k] = test_random(state, -1, 1);
            }
            for (int k = 0; k < NODES * WIDTH; k++)
                for (int l = 0; l < NODES * WIDTH; l++) dense[k][l] += weight * (jacobian[k] * jacobian[l]);
        }
    }
    system_of_dense(NODES * WIDTH, dense, NODES, start, NODES, NULL, t);
}

/* inverse [3][3] of the block on the diagonal */
static void invert_block(const random_system *t, int node, double inverse[WIDTH][WIDTH]) {
    double a[MOST][MOST] = {{0}};
    for (int r = 0; r < WIDTH; r++)
        for (int c = 0; c < WIDTH; c++) a[r][c] = t->dense[WIDTH * node + r][WIDTH * node + c];
    for (int c = 0; c < WIDTH; c++) {
        double unit[MOST] = {0}, column[MOST];
        unit[c] = 1;
        dense_solve(WIDTH, a, unit, column);
        for (int r = 0; r < WIDTH; r++) inverse[r][c] = column[r];
    }
}

/* |D_i^-1/2 A_ij D_j^-1/2|_F^2 = trace(D_i^-1 A_ij D_j^-1 A_ji) */
static double coupling(const random_system *t, int i, int j) {
    double di[WIDTH][WIDTH], dj[WIDTH][WIDTH], sum = 0;
    invert_block(t, i, di);
    invert_block(t, j, dj);
    for (int a = 0; a < WIDTH; a++)
        for (int b = 0; b < WIDTH; b++)
            for (int c = 0; c < WIDTH; c++)
                for (int d = 0; d < WIDTH; d++)
                    sum += di[a][b] * t->dense[WIDTH * i + b][WIDTH * j + c] * dj[c][d] *
                           t->dense[WIDTH * j + d][WIDTH * i + a];
    return sum;
}

/* the heaviest of the pairs that are not kept; 0 where there is none */
static int keep_heaviest(const random_system *t, int kept[NODES][NODES]) {
    int from = -1, to = -1;
    double most = 0;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < i; j++)
            if (!kept[i][j] && coupling(t, i, j) > most) most = coupling(t, i, j), from = i, to = j;
    if (from < 0) return 0;
    kept[from][to] = kept[to][from] = 1;
    return 1;
}

/* the matrix of the heaviest spanning forest, grown from one node after the other (Prim), and of so many pairs more;
 * returns how many there were */
static int forest_matrix(const random_system *t, int extra, double m[MOST][MOST]) {
    int in[NODES] = {0}, kept[NODES][NODES] = {{0}}, more = 0;
    for (int added = 0; added < NODES; added++) {
        int from = -1, to = -1;
        double most = 0;
        for (int i = 0; i < NODES; i++)
            for (int j = 0; j < NODES; j++)
                if (in[i] && !in[j] && coupling(t, i, j) > most) most = coupling(t, i, j), from = i, to = j;
        for (int i = 0; to < 0 && i < NODES; i++)
            if (!in[i]) to = i; /* the first of another tree */
        in[to] = 1;
        if (from >= 0) kept[from][to] = kept[to][from] = 1;
    }
    while (more < extra && keep_heaviest(t, kept)) more++;
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++)
            m[i][j] = i / WIDTH == j / WIDTH || kept[i / WIDTH][j / WIDTH] ? t->dense[i][j] : 0;
    return more;
}

/* The dense formula, with no pairs beside the forest's, four and all of them; no eigenvalue of P A above 2 (A = H + K,
 * M = H + K with the couplings of some pairs left out, and v . J^T J v <= 2 v . diag(J^T J) v of a pair); and P A = 1
 * on a chain, and with all pairs. */
static void check_tree(uint64_t seed, int chain, const char *option, int extra) {
    random_system t;
    applied a;
    uint64_t state = seed;
    double m[MOST][MOST], pa[MOST][MOST];
    const variant v = variant_named("tree", "extra", option);
    random_stiffness(&state, chain ? NODES - 1 : 2 * NODES, chain, &t);
    apply_to(&v, &t, &a);
    const int more = forest_matrix(&t, extra, m);
    check_inverse(t.rows, m, &a);
    multiply(t.rows, a.p, t.dense, pa);
    const double largest = power_of(t.rows, pa, &state);
    print_message("  seed %d: %d more pairs, largest eigenvalue %g\n", (int)seed, more, largest);
    assert_int_equal(more > 0, extra > 0 && !chain);
    if (chain || more < extra)
        CHECK_NEAR(largest, 1, 8 * t.rows * epsilon * largest_row_sum(t.rows, m) * a.largest);
    else
        assert_true(largest > 1.001 && largest < 2 + 1e-3);
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

TEST(test_tree) {
    static const struct {
        const char *option;
        int extra; /* of nine nodes */
    } kinds[] = {{"0", 0}, {"0.5", 4}, {"100", 900}};
    for (int n = 0; n < SEEDS; n++)
        for (int k = 0; k < 3; k++)
            for (int chain = 0; chain < 2; chain++) check_tree(seeds[n], chain, kinds[k].option, kinds[k].extra);
}

/* pairs are chosen anew with the values: P is that of a preconditioner made for the second system alone */
TEST(test_tree_follows_values) {
    random_system t;
    applied again, fresh;
    uint64_t state = seeds[0];
    const variant v = variant_named("tree", "extra", "0.5");
    random_stiffness(&state, 2 * NODES, 0, &t);
    apply_to(&v, &t, &again);
    for (int i = 0; i < t.rows; i++) /* couplings of the first three nodes lose their weight */
        for (int64_t k = t.matrix->start[i]; k < t.matrix->start[i + 1]; k++)
            if (i / WIDTH != t.matrix->column[k] / WIDTH && (i < 3 * WIDTH || t.matrix->column[k] < 3 * WIDTH))
                t.matrix->value[k] *= (real)1e-3;
    nb_system_values_changed(t.system);
    const double before = again.p[0][0];
    refresh(&again, &t);
    assert_true(again.p[0][0] != before);
    apply_to(&v, &t, &fresh);
    for (int i = 0; i < t.rows; i++)
        for (int j = 0; j < t.rows; j++) CHECK_NEAR(again.p[i][j], fresh.p[i][j], 0);
    again.type->destroy(again.state);
    fresh.type->destroy(fresh.state);
    random_system_destroy(&t);
}

RUN_TESTS(test_tree, test_tree_follows_values)
