/* The preconditioner `fsai` against its dense formula: P is the sum over blocks i of E F^-1 E^T, E the columns of block
 * i of the inverse of the principal submatrix of i and its neighbours before it, F what E has in the rows of i. */
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {8, 90, 1000};
enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    WIDTH = 3
};

/* near[i][j] 1 where blocks i and j meet in A, or at level 2 both meet a third; how many pairs do not */
static int find_near(const random_system *t, int level, int near[MOST][MOST]) {
    int far = 0;
    for (int i = 0; i < t->rows / WIDTH; i++)
        for (int j = 0; j < t->rows / WIDTH; j++) {
            near[i][j] = 0;
            for (int r = 0; r < WIDTH * WIDTH; r++)
                near[i][j] |= t->dense[WIDTH * i + r / WIDTH][WIDTH * j + r % WIDTH] != 0;
        }
    if (level == 2) {
        int once[MOST][MOST];
        memcpy(once, near, sizeof once);
        for (int i = 0; i < t->rows / WIDTH; i++)
            for (int j = 0; j < t->rows / WIDTH; j++)
                for (int k = 0; k < t->rows / WIDTH; k++) near[i][j] |= once[i][k] && once[k][j];
    }
    for (int i = 0; i < t->rows / WIDTH; i++)
        for (int j = 0; j < i; j++) far += !near[i][j];
    return far;
}

/* the share of block i */
static void add_block(const random_system *t, int near[MOST][MOST], int i, double p[MOST][MOST]) {
    double a[MOST][MOST], e[MOST][WIDTH] = {{0}}, f[MOST][MOST] = {{0}};
    int in[MOST] = {0};
    for (int j = 0; j <= i; j++)
        for (int r = 0; r < WIDTH; r++) in[WIDTH * j + r] = j == i || near[i][j];
    for (int r = 0; r < t->rows; r++)
        for (int c = 0; c < t->rows; c++) a[r][c] = in[r] && in[c] ? t->dense[r][c] : r == c;
    for (int c = 0; c < WIDTH; c++) {
        double unit[MOST] = {0}, column[MOST];
        unit[WIDTH * i + c] = 1;
        dense_solve(t->rows, a, unit, column);
        for (int r = 0; r < t->rows; r++) e[r][c] = in[r] ? column[r] : 0;
        for (int r = 0; r < WIDTH; r++) f[r][c] = column[WIDTH * i + r];
    }
    for (int j = 0; j < t->rows; j++) {
        double right[MOST] = {0}, x[MOST];
        for (int c = 0; c < WIDTH; c++) right[c] = e[j][c];
        dense_solve(WIDTH, f, right, x);
        for (int r = 0; r < t->rows; r++)
            for (int c = 0; c < WIDTH; c++) p[r][j] += e[r][c] * x[c];
    }
}

TEST(test_dense_formula) {
    for (int n = 0; n < 2 * SEEDS; n++) {
        random_system t;
        applied a;
        uint64_t state = seeds[n / 2];
        int near[MOST][MOST];
        double p[MOST][MOST] = {{0}};
        const variant v = variant_named("fsai", "level", n % 2 ? "2" : "1");
        random_system_create(&state, 0, 0.5, &t);
        apply_to(&v, &t, &a);
        print_message("seed %d, level %d: %d pairs apart\n", (int)seeds[n / 2], 1 + n % 2,
                      find_near(&t, 1 + n % 2, near));
        for (int i = 0; i < t.rows / WIDTH; i++) add_block(&t, near, i, p);
        for (int i = 0; i < t.rows; i++)
            for (int j = 0; j < t.rows; j++)
                CHECK_NEAR(a.p[i][j], p[i][j],
                           8 * t.rows * epsilon * a.largest * fmax(1, largest_row_sum(t.rows, t.dense) * a.largest));
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
}

/* of a block diagonal matrix, and of a full one, P is the inverse */
TEST(test_exact) {
    const variant v = variant_named("fsai", NULL, NULL);
    for (int full = 0; full < 2; full++) {
        random_system t;
        applied a;
        double dense[MOST][MOST] = {{0}};
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                if (full || i / WIDTH == j / WIDTH) dense[i][j] = i == j ? 3 : 1 / (1.0 + abs(i - j));
        system_of_dense(9, dense, 3, (int32_t[]){0, 3, 6, 9}, 3, (int32_t[]){0, 1, 2, 3}, &t);
        apply_to(&v, &t, &a);
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++) {
                double sum = 0;
                for (int k = 0; k < 9; k++) sum += dense[i][k] * a.p[k][j];
                CHECK_NEAR(sum, i == j, 100 * epsilon);
            }
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
}

RUN_TESTS(test_dense_formula, test_exact)
