/* The dense kernels of a multifrontal LU, of every instruction set that this processor has, on random fronts: products
 * of the factors against what was eliminated, solutions against those products, and columns without a pivot. */
#include "base/frontal_matrix.h"

#include <float.h>
#include <string.h>

#include "check.h"

enum {
    MOST_REST = 45,
    MOST_STRIDE = 48,
    SIZE = NB_FRONTAL_PIVOTS + MOST_STRIDE
};
static const char *const sets[] = {"avx512", "avx2", "baseline"};
static const uint64_t seed = 5;

/* a front and what it was made of: whole[row][column] with the pivots first */
typedef struct instance {
    nb_frontal_matrix front;
    double numbers[2 * NB_FRONTAL_PIVOTS * (NB_FRONTAL_PIVOTS + MOST_STRIDE) + MOST_STRIDE * MOST_STRIDE]
        __attribute__((aligned(64)));
    int32_t exchange[NB_FRONTAL_PIVOTS];
    double size[NB_FRONTAL_PIVOTS], whole[SIZE][SIZE];
} instance;

static int32_t round_up(int32_t count) {
    return (count + NB_FRONTAL_LANES - 1) / NB_FRONTAL_LANES * NB_FRONTAL_LANES;
}

static void lay_out(int32_t pivots, int32_t rest, instance *t) {
    int32_t width = round_up(pivots), stride = round_up(rest);
    double *number = t->numbers;
    memset(t->numbers, 0, sizeof t->numbers);
    t->front = (nb_frontal_matrix){.pivots = pivots, .rest = rest, .width = width, .stride = stride};
    t->front.block = number;
    t->front.lower = t->front.block + pivots * width;
    t->front.upper = t->front.lower + pivots * width;
    t->front.left = t->front.upper + pivots * stride;
    t->front.update = t->front.left + pivots * stride;
    t->front.exchange = t->exchange;
    t->front.size = t->size;
}

/* the entry of the whole, where it stands in the front */
static double *place(const instance *t, int32_t row, int32_t column) {
    const nb_frontal_matrix *f = &t->front;
    int32_t n = f->pivots;
    if (row < n && column < n) return f->block + row * f->width + column;
    if (row < n) return f->upper + row * f->stride + column - n;
    if (column < n) return f->left + column * f->stride + row - n;
    return f->update + (row - n) * f->stride + column - n;
}

static void fill(instance *t) {
    int32_t n = t->front.pivots, count = n + t->front.rest;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) *place(t, i, j) = t->whole[i][j];
    for (int32_t i = 0; i < n; i++) {
        t->size[i] = 0;
        for (int32_t j = 0; j < count; j++) t->size[i] = fmax(t->size[i], fabs(t->whole[i][j]));
    }
}

static void make_random(uint64_t *state, int32_t pivots, int32_t rest, instance *t) {
    lay_out(pivots, rest, t);
    for (int32_t i = 0; i < pivots + rest; i++)
        for (int32_t j = 0; j < pivots + rest; j++) t->whole[i][j] = test_random(state, -1, 1);
    fill(t);
}

/* entry of L (rows of pivots, then rest) and of U */
static double lower_of(const nb_frontal_matrix *f, int32_t i, int32_t j) {
    if (i >= f->pivots) return f->left[j * f->stride + i - f->pivots];
    return i == j ? 1 : i > j ? f->lower[j * f->width + i] : 0;
}

static double upper_of(const nb_frontal_matrix *f, int32_t i, int32_t j) {
    if (j >= f->pivots) return f->upper[i * f->stride + j - f->pivots];
    return i == j ? 1 / f->block[i * f->width + i] : i < j ? f->block[j * f->width + i] : 0;
}

/* the row of the whole that stands in row i after the exchanges */
static int32_t source_of(const instance *t, int32_t i) {
    int32_t row[SIZE];
    for (int32_t k = 0; k < SIZE; k++) row[k] = k;
    for (int32_t k = 0; k < t->front.pivots; k++) {
        int32_t kept = row[k];
        row[k] = row[t->exchange[k]];
        row[t->exchange[k]] = kept;
    }
    return row[i];
}

/* P A = L U + update, to the round-off of sums of that many products; `growth` bounds what they are of */
static void check_product(const instance *t, double growth) {
    const nb_frontal_matrix *f = &t->front;
    int32_t n = f->pivots, count = n + f->rest;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) {
            double sum = i >= n && j >= n ? *place(t, i, j) : 0;
            for (int32_t k = 0; k < n; k++) sum += lower_of(f, i, k) * upper_of(f, k, j);
            CHECK_NEAR(sum, t->whole[source_of(t, i)][j], 4 * (n + 2) * growth * DBL_EPSILON);
        }
}

/* forward and backward against the factors that they use */
static void check_solution(uint64_t *state, const nb_frontal_kernels *kernels, const instance *t, double growth) {
    const nb_frontal_matrix *f = &t->front;
    int32_t n = f->pivots;
    double b[SIZE], x[SIZE], out[MOST_STRIDE] __attribute__((aligned(64))) = {0};
    double in[MOST_STRIDE] __attribute__((aligned(64))) = {0}, largest = 1;
    for (int32_t i = 0; i < n; i++) b[i] = x[i] = test_random(state, -1, 1);
    kernels->forward(f, x, out);
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int32_t i = 0; i < n + f->rest; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++) sum += lower_of(f, i, k) * x[k];
        CHECK_NEAR(i < n ? sum : out[i - n], i < n ? b[source_of(t, i)] : sum, 4 * n * growth * largest * DBL_EPSILON);
    }
    for (int32_t i = 0; i < f->rest; i++) in[i] = test_random(state, -1, 1);
    memcpy(b, x, sizeof b);
    kernels->backward(f, in, x);
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n + f->rest; k++) sum += upper_of(f, i, k) * (k < n ? x[k] : in[k - n]);
        CHECK_NEAR(sum, b[i], 4 * (n + f->rest) * growth * largest * DBL_EPSILON);
    }
}

/* the same of the transposed factors */
static void check_transposed_solution(uint64_t *state, const nb_frontal_kernels *kernels, const instance *t,
                                      double growth) {
    const nb_frontal_matrix *f = &t->front;
    int32_t n = f->pivots;
    double b[SIZE], x[SIZE], out[MOST_STRIDE] __attribute__((aligned(64))) = {0};
    double in[MOST_STRIDE] __attribute__((aligned(64))) = {0}, largest = 1;
    for (int32_t i = 0; i < n; i++) b[i] = x[i] = test_random(state, -1, 1);
    kernels->forward_transposed(f, x, out);
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int32_t i = 0; i < n + f->rest; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n; k++) sum += upper_of(f, k, i) * x[k];
        CHECK_NEAR(sum, i < n ? b[i] : out[i - n], 4 * n * growth * largest * DBL_EPSILON);
    }
    for (int32_t i = 0; i < f->rest; i++) in[i] = test_random(state, -1, 1);
    memcpy(b, x, sizeof b);
    kernels->backward_transposed(f, in, x);
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int32_t i = 0; i < n; i++) {
        double sum = 0;
        for (int32_t k = 0; k < n + f->rest; k++) sum += lower_of(f, k, i) * (k < n ? x[source_of(t, k)] : in[k - n]);
        CHECK_NEAR(sum, b[i], 4 * (n + f->rest) * growth * largest * DBL_EPSILON);
    }
}

TEST(test_random_fronts) {
    static instance t;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        const nb_frontal_kernels *kernels = nb_frontal_kernels_named(sets[set]);
        uint64_t state = seed;
        print_message("%s, seed %d\n", sets[set], (int)seed);
        if (!kernels) continue;
        for (int i = 0; i < 60; i++) {
            int32_t replaced = -1, pivots = 1 + (int32_t)(test_random_bits(&state) % NB_FRONTAL_PIVOTS);
            int32_t rest = i % 5 == 0 ? 0 : (int32_t)(test_random_bits(&state) % (MOST_REST + 1));
            /* a pivot is a tenth of its column's largest at least: growth by 11 a step at most, far less in fact; left
             * rows are not searched, and may be larger by 1/pivot: of 60 x 32 pivots the least is some 1e-4 */
            const double growth = 1e6;
            make_random(&state, pivots, rest, &t);
            assert_int_equal(kernels->eliminate(&t.front, &replaced), -1);
            assert_int_equal(replaced, -1);
            check_product(&t, growth);
            check_solution(&state, kernels, &t, growth);
            check_transposed_solution(&state, kernels, &t, growth);
        }
    }
}

/* a column of zeros has no pivot; where the rest has an entry, one is made for it */
TEST(test_columns_without_a_pivot) {
    static instance t;
    uint64_t state = seed;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        const nb_frontal_kernels *kernels = nb_frontal_kernels_named(sets[set]);
        for (int with_entry = 0; kernels && with_entry < 2; with_entry++) {
            int32_t replaced = -1;
            make_random(&state, 6, 9, &t);
            for (int32_t i = 0; i < 15; i++) {
                t.whole[i][3] = 0;
                t.whole[2][i] = i == 2 ? 1e-20 : i == 3; /* and a row whose pivot is round-off, or that of row 3 */
            }
            for (int32_t i = 0; i < 6; i++) t.whole[i][2] = i == 2 ? 1e-20 : 0;
            t.whole[2][3] = 0;
            t.whole[2][8] = 1;
            if (with_entry) t.whole[11][3] = 1;
            fill(&t);
            int32_t without = kernels->eliminate(&t.front, &replaced);
            assert_int_equal(without, with_entry ? -1 : 3);
            assert_int_equal(replaced, 2);
            if (with_entry) CHECK_NEAR(upper_of(&t.front, 2, 2), sqrt(DBL_EPSILON), 1e-22);
        }
    }
}

/* Rows of sizes far apart are exchanged with their sizes: no pivot is taken for round-off of another row. The block is
 * one of a permutation and little besides, so that pivots stay as large as their rows. */
TEST(test_rows_of_all_sizes) {
    static instance t;
    uint64_t state = seed;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        const nb_frontal_kernels *kernels = nb_frontal_kernels_named(sets[set]);
        for (int round = 0; kernels && round < 20; round++) {
            int32_t replaced = -1, pivots = 2 + round, rest = round;
            make_random(&state, pivots, rest, &t);
            for (int32_t i = 0; i < pivots; i++) {
                double size = pow(10, test_random(&state, -15, 15));
                for (int32_t j = 0; j < pivots + rest; j++)
                    t.whole[i][j] = size * (j == (i + 1) % pivots ? 1 : 0.02 * t.whole[i][j]);
            }
            fill(&t);
            assert_int_equal(kernels->eliminate(&t.front, &replaced), -1);
            assert_int_equal(replaced, -1);
        }
    }
}

RUN_TESTS(test_random_fronts, test_rows_of_all_sizes, test_columns_without_a_pivot)
