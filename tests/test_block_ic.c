/* The preconditioner `block-ic`, and the orders of elimination that it shares with `ict`: without dropping it is the
 * inverse; with it, the product M of its factors is A plus a positive semidefinite matrix, so that no eigenvalue of P A
 * exceeds one, and P exists where A is nearly singular. */
#include <lapacke.h>

#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;

enum {
    TRIALS = 40
};

/* Blocks of 1, 2, 3 or 6 rows on a ring with some chords, so that the factor has fill: a sum of terms g g^T of pairs of
 * blocks, plus `mass` on the diagonal. */
static void random_ring(uint64_t *state, double mass, random_system *t) {
    static const int sizes[] = {1, 2, 3, 6};
    double dense[MOST][MOST] = {{0}};
    int32_t start[MOST + 1] = {0}, groups[MOST + 1] = {0};
    int blocks = 0, rows = 0;
    const int even = test_random_bits(state) % 2 ? 3 + 3 * (int)(test_random_bits(state) % 2) : 0; /* all of one size */
    for (; blocks < 9; blocks++) {
        const int n = even ? even : sizes[test_random_bits(state) % 4];
        if (rows + n > MOST) break;
        start[blocks + 1] = rows += n;
        groups[blocks + 1] = blocks + 1;
    }
    for (int k = 0; k < 3 * blocks; k++) {
        const int i = k % blocks,
                  j = k < 2 * blocks ? (i + 1) % blocks : (int)(test_random_bits(state) % (uint64_t)blocks);
        double g[MOST] = {0};
        for (int r = start[i]; r < start[i + 1]; r++) g[r] = test_random(state, -1, 1);
        for (int r = start[j]; r < start[j + 1]; r++) g[r] = test_random(state, -1, 1);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < rows; c++) dense[r][c] += g[r] * g[c];
    }
    for (int r = 0; r < rows; r++) dense[r][r] += mass;
    system_of_dense(rows, dense, blocks, start, blocks, groups, t);
}

/* the eigenvalues of P A, of A P A x = l A x */
static void eigenvalues(const random_system *t, double p[MOST][MOST], double *values) {
    static double pa[MOST][MOST], apa[MOST * MOST], a[MOST * MOST];
    const int n = t->rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            pa[i][j] = 0;
            for (int k = 0; k < n; k++) pa[i][j] += p[i][k] * t->dense[k][j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            apa[i * n + j] = 0;
            for (int k = 0; k < n; k++) apa[i * n + j] += t->dense[i][k] * pa[k][j];
            a[i * n + j] = t->dense[i][j];
        }
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, apa, n, a, n, values), 0);
}

TEST(test_inverse_without_dropping) {
    const variant v = variant_named("block-ic", "drop", "0");
    uint64_t state = 52;
    for (int trial = 0; trial < TRIALS; trial++) {
        random_system t;
        applied a;
        print_message("trial %d, seed %llu\n", trial, (unsigned long long)state);
        random_ring(&state, 0.5, &t);
        apply_to(&v, &t, &a);
        check_inverse(t.rows, t.dense, &a);
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
}

/* Blocks of two rows, all coupled with the first alone: it fills the factor where it goes first. Every order gives the
 * inverse, and those that reduce fill leave none. */
TEST(test_orders_of_elimination) {
    enum {
        BLOCKS = 9,
        ROWS = 2 * BLOCKS
    };
    static const char *const names[] = {"block-ic", "ict"}, *const orders[] = {"natural", "rcm", "amd", "nested"};
    double dense[MOST][MOST] = {{0}};
    int32_t start[MOST + 1] = {0}, groups[MOST + 1] = {0};
    random_system t;
    applied a;
    for (int b = 0; b < BLOCKS; b++) {
        start[b + 1] = 2 * (b + 1);
        groups[b + 1] = b + 1;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            dense[i][j] = i == j ? 20 + i : i / 2 == j / 2 ? 1 : i < 2 || j < 2 ? 0.5 + 0.1 * (i + j) : 0;
    system_of_dense(ROWS, dense, BLOCKS, start, BLOCKS, groups, &t);
    for (int k = 0; k < 2; k++) {
        double natural = 0;
        for (int o = 0; o < 4; o++) {
            variant v = variant_named(names[k], "order", orders[o]);
            nb_preconditioner_work work;
            CHECK_OK(nb_options_set(v.type->options, v.type->option_count, names[k], "drop", "0", v.values));
            print_message("%s, %s\n", names[k], orders[o]);
            apply_to(&v, &t, &a);
            check_inverse(ROWS, dense, &a);
            a.type->work(a.state, &work);
            if (o == 0) natural = work.nonzeros;
            if (o > 0) assert_true(work.nonzeros < 0.5 * natural);
            a.type->destroy(a.state);
        }
    }
    random_system_destroy(&t);
}

/* With `drop` 1 most fill goes. Entries of A have the round-off of their largest terms, against the least eigenvalue.
 */
TEST(test_no_eigenvalue_above_one) {
    static const char *const drops[] = {"0.01", "0.1", "1"};
    static const double masses[] = {1, 1e-2};
    uint64_t state = 53;
    double least = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        const variant v = variant_named("block-ic", "drop", drops[trial % 3]);
        const double mass = masses[trial % 2];
        double values[MOST];
        random_system t;
        applied a;
        print_message("trial %d, seed %llu\n", trial, (unsigned long long)state);
        random_ring(&state, mass, &t);
        apply_to(&v, &t, &a);
        assert_int_equal(a.reason, NB_REASON_NONE);
        eigenvalues(&t, a.p, values);
        CHECK_BELOW(values[t.rows - 1], 1 + 100 * t.rows * epsilon / mass);
        assert_true(values[0] > 0);
        least = fmin(least, values[0]);
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
    assert_true(least < 0.9); /* some were dropped */
}

/* A graph's Laplacian with little mass, entries as blocks, all fill dropped */
TEST(test_nearly_singular) {
    const variant v = variant_named("block-ic", "drop", "1");
    const double mass = NB_STORAGE_BITS == 64 ? 1e-6 : 1e-2;
    double dense[MOST][MOST] = {{0}}, values[MOST];
    int32_t start[MOST + 1] = {0};
    random_system t;
    applied a;
    for (int i = 0; i < MOST; i++) { /* a grid of 6 x 6 */
        const int right = i % 6 < 5 ? i + 1 : -1, down = i + 6 < MOST ? i + 6 : -1, other[] = {right, down};
        start[i + 1] = i + 1;
        dense[i][i] += mass;
        for (int k = 0; k < 2; k++) {
            if (other[k] < 0) continue;
            dense[i][i] += 1;
            dense[other[k]][other[k]] += 1;
            dense[i][other[k]] -= 1;
            dense[other[k]][i] -= 1;
        }
    }
    system_of_dense(MOST, dense, MOST, start, MOST, start, &t);
    apply_to(&v, &t, &a);
    assert_int_equal(a.reason, NB_REASON_NONE);
    eigenvalues(&t, a.p, values);
    CHECK_BELOW(values[MOST - 1], 1 + 1000 * epsilon / mass);
    assert_true(values[0] < 0.9);
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

RUN_TESTS(test_inverse_without_dropping, test_orders_of_elimination, test_no_eigenvalue_above_one, test_nearly_singular)
