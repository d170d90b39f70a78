/* The analysis over groups of rows (cholmod_analysis.h): the factor's numbers are those of a dense elimination in its
 * order, it solves the system, and has no more fill than CHOLMOD's own. */
#include "check.h"

#include <string.h>

#include "cholmod_factor.h"

enum {
    MOST = 150, /* rows of a dense matrix */
    TRIALS = 60
};

/* entries on and right of the diagonal of the symmetric a [n][n] that are not zero */
static void load(nb_cholmod_factor *f, int n, double (*a)[MOST]) {
    int64_t entries = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) entries += a[i][j] != 0;
    CHECK_OK(nb_cholmod_factor_reserve(f, n, entries));
    SuiteSparse_long *start = f->matrix->p, *column = f->matrix->i, used = 0;
    double *value = f->matrix->x;
    for (int i = 0; i < n; i++) {
        start[i] = used;
        for (int j = i; j < n; j++)
            if (a[i][j] != 0) {
                column[used] = j;
                value[used++] = a[i][j];
            }
    }
    start[n] = used;
}

/* blocks of the sizes that `sizes` names in turn, of which a share is coupled; diagonally dominant. Returns its rows.
 */
static int make_matrix(uint64_t *seed, const char *sizes, double share, double (*a)[MOST]) {
    int block[MOST], n = 0, count = 0;
    const int most = (int)test_random(seed, 1, MOST);
    memset(a, 0, MOST * sizeof *a);
    for (int size = sizes[0] - '0'; n + size <= most; size = sizes[(size_t)count % strlen(sizes)] - '0', count++)
        for (int k = 0; k < size; k++) block[n++] = count;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) {
            uint64_t pair = (uint64_t)block[i] * MOST + (uint64_t)block[j] + 1;
            if (block[i] == block[j] || test_random(&pair, 0, 1) < share) a[i][j] = a[j][i] = i == j ? 2 * MOST : -1;
        }
    return n;
}

/* numbers of L by elimination in the order of the factor */
static double numbers_of(const nb_cholmod_factor *f, int n, double (*a)[MOST]) {
    static int filled[MOST][MOST];
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) filled[i][j] = a[nb_cholmod_factor_row(f, i)][nb_cholmod_factor_row(f, j)] != 0;
    for (int k = 0; k < n; k++)
        for (int i = k; i < n; i++) {
            if (!filled[i][k]) continue;
            sum++;
            for (int j = k + 1; j < n; j++) filled[i][j] |= filled[j][k];
        }
    return sum;
}

static void check_solution(uint64_t *seed, nb_cholmod_factor *f, int n, double (*a)[MOST]) {
    double x[MOST], *b = f->b->x;
    int32_t failed;
    memset(b, 0, (size_t)n * sizeof *b);
    for (int i = 0; i < n; i++) x[i] = test_random(seed, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) b[i] += a[i][j] * x[j];
    CHECK_OK(nb_cholmod_factor_make(f, &failed));
    assert_int_equal(failed, -1);
    CHECK_OK(nb_cholmod_factor_solve(f));
    for (int i = 0; i < n; i++) CHECK_NEAR(((double *)f->x->x)[i], x[i], 1e-12);
}

TEST(small_matrices) {
    static const char *const sizes[] = {"1", "3", "6", "63", "36661", "9", "6666666666663"};
    static double a[MOST][MOST];
    uint64_t seed = test_seed();
    nb_cholmod_factor f;
    double ours = 0, theirs = 0;
    nb_cholmod_factor_begin(&f);
    for (int trial = 0; trial < TRIALS; trial++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const int n = make_matrix(&seed, sizes[k], test_random(&seed, 0, 0.3), a);
            load(&f, n, a);
            cholmod_factor *own = cholmod_l_analyze(f.matrix, &f.common);
            theirs += f.common.lnz;
            cholmod_l_free_factor(&own, &f.common);
            CHECK_OK(nb_cholmod_factor_analyse(&f));
            ours += f.common.lnz;
            CHECK_NEAR(f.common.lnz, numbers_of(&f, n, a), 0);
            check_solution(&seed, &f, n, a);
        }
    nb_cholmod_factor_end(&f);
    if (!(ours <= 1.02 * theirs)) fail_msg("%g numbers, of CHOLMOD's own order %g", ours, theirs);
}

/* a cube of blocks, each coupled with the 26 around it: CHOLMOD orders it by METIS */
TEST(nested_dissection) {
    enum {
        SIDE = 12,
        WIDE = 3,
        BLOCKS = SIDE * SIDE * SIDE
    };
    nb_cholmod_factor f;
    nb_cholmod_factor_begin(&f);
    CHECK_OK(nb_cholmod_factor_reserve(&f, WIDE * BLOCKS, (int64_t)BLOCKS * 14 * WIDE * WIDE));
    SuiteSparse_long *start = f.matrix->p, *column = f.matrix->i, used = 0;
    double *value = f.matrix->x;
    for (int i = 0; i < WIDE * BLOCKS; i++) {
        const int own = i / WIDE, place[3] = {own % SIDE, own / SIDE % SIDE, own / SIDE / SIDE};
        start[i] = used;
        for (int j = own; j < BLOCKS; j++) {
            const int other[3] = {j % SIDE, j / SIDE % SIDE, j / SIDE / SIDE};
            if (abs(place[0] - other[0]) > 1 || abs(place[1] - other[1]) > 1 || abs(place[2] - other[2]) > 1) continue;
            for (int c = j == own ? i : WIDE * j; c < WIDE * (j + 1); c++) {
                column[used] = c;
                value[used++] = c == i ? 100 : -1;
            }
        }
    }
    start[WIDE * BLOCKS] = used;
    cholmod_factor *own = cholmod_l_analyze(f.matrix, &f.common);
    const double theirs = f.common.lnz;
    assert_int_equal(own->ordering, CHOLMOD_METIS);
    cholmod_l_free_factor(&own, &f.common);
    CHECK_OK(nb_cholmod_factor_analyse(&f));
    assert_true(f.common.lnz <= 1.1 * theirs);
    int32_t failed;
    double *b = f.b->x, largest = 0;
    CHECK_OK(nb_cholmod_factor_make(&f, &failed));
    assert_int_equal(failed, -1);
    for (int i = 0; i < WIDE * BLOCKS; i++) b[i] = 1;
    CHECK_OK(nb_cholmod_factor_solve(&f));
    const double *x = f.x->x;
    for (int i = 0; i < WIDE * BLOCKS; i++)
        for (SuiteSparse_long k = start[i]; k < start[i + 1]; k++) {
            b[i] -= value[k] * x[column[k]];
            if (column[k] != i) b[column[k]] -= value[k] * x[i];
        }
    for (int i = 0; i < WIDE * BLOCKS; i++) largest = fmax(largest, fabs(b[i]));
    assert_true(largest < 1e-13);
    nb_cholmod_factor_end(&f);
}

RUN_TESTS(small_matrices, nested_dissection)
