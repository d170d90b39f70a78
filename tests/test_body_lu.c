/* The block LU of an island of bodies, of every instruction set that this processor has: against a dense elimination
 * with exchanges of the same matrix, made by its definition; and the order of least degree on graphs whose fill is
 * known. */
#include "method/interior_point/body_lu.h"

#include <string.h>

#include "check.h"

enum {
    MOST = NB_BODY_LU_MOST,
    STRIDE = NB_BODY_LU_STRIDE,
    LANES = NB_BODY_LU_LANES,
    CONTACTS = 8 * MOST
};

static const char *const sets[] = {"avx512", "avx2", "baseline"};

typedef struct island {
    nb_body_lu lu;
    uint8_t order[MOST];
    uint64_t later[MOST];
    int16_t place[MOST * MOST];
    double block[MOST * MOST * NB_BODY_LU_BLOCK] __attribute__((aligned(64)));
    double mass[MOST], inertia[6 * MOST];
    int32_t contacts, body[CONTACTS][2];
    double arm[CONTACTS][2][3], k[CONTACTS][9];
    double dense[36 * MOST * MOST], x[6 * MOST];
    double b[STRIDE * MOST] __attribute__((aligned(64)));
} island;

static void analyse(int32_t bodies, island *s) {
    uint64_t neighbours[MOST] = {0};
    s->lu = (nb_body_lu){.bodies = bodies, .order = s->order, .later = s->later, .place = s->place, .block = s->block};
    for (int32_t i = 0; i < s->contacts; i++) {
        const int32_t a = s->body[i][0], b = s->body[i][1];
        if (a < 0 || b < 0) continue;
        neighbours[a] |= UINT64_C(1) << b;
        neighbours[b] |= UINT64_C(1) << a;
    }
    nb_body_lu_analyse(&s->lu, neighbours);
}

static void connect(island *s, int32_t a, int32_t b) {
    s->body[s->contacts][0] = a;
    s->body[s->contacts++][1] = b;
}

/* a chain that some contacts more lead across, and some to what nothing moves */
static void make_random(uint64_t *random, int32_t bodies, island *s) {
    s->contacts = 0;
    connect(s, 0, -1);
    for (int32_t i = 1; i < bodies; i++)
        for (int k = i % 3 ? 4 : 1; k > 0; k--) connect(s, i - 1, i); /* four side by side, too */
    for (int k = 0; k < 4; k++) connect(s, 0, -1);
    for (int32_t i = 0; i < bodies; i++) {
        const int32_t a = (int32_t)(test_random_bits(random) % (uint64_t)bodies),
                      b = (int32_t)(test_random_bits(random) % (uint64_t)bodies);
        connect(s, a, a == b || i % 3 == 0 ? -1 : b);
        if (i % 5 == 0) connect(s, -1, a);
    }
    for (int32_t i = 0; i < bodies; i++) {
        s->mass[i] = test_random(random, 0.5, 2);
        for (int k = 0; k < 6; k++) s->inertia[6 * i + k] = k < 3 ? test_random(random, 0.5, 2) : 0.1;
    }
    for (int32_t i = 0; i < s->contacts; i++) {
        for (int k = 0; k < 6; k++) s->arm[i][k / 3][k % 3] = test_random(random, -1, 1);
        /* its symmetric part is positive definite, and from stiff to loose */
        const double size = pow(10, test_random(random, -3, 3));
        for (int k = 0; k < 9; k++) s->k[i][k] = size * (k % 4 == 0 ? 1.5 : test_random(random, -0.5, 0.5));
    }
}

/* G u = v + omega x arm, or its opposite */
static double entry_of_g(const double arm[3], double sign, int row, int column) {
    const double g[3][6] = {
        {1, 0, 0, 0, arm[2], -arm[1]}, {0, 1, 0, -arm[2], 0, arm[0]}, {0, 0, 1, arm[1], -arm[0], 0}};
    return sign * g[row][column];
}

static void add_dense(island *s, int32_t contact, int e, int f) {
    const int32_t n = 6 * s->lu.bodies, a = s->body[contact][e], b = s->body[contact][f];
    if (a < 0 || b < 0) return;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    s->dense[n * (6 * a + i) + 6 * b + j] += entry_of_g(s->arm[contact][e], e ? -1 : 1, p, i) *
                                                             s->k[contact][3 * p + q] *
                                                             entry_of_g(s->arm[contact][f], f ? -1 : 1, q, j);
}

static void make_dense(island *s) {
    const int32_t n = 6 * s->lu.bodies;
    memset(s->dense, 0, sizeof s->dense);
    for (int32_t i = 0; i < s->lu.bodies; i++) {
        static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
        for (int k = 0; k < 3; k++) {
            s->dense[(n + 1) * (6 * i + k)] = s->mass[i];
            for (int j = 0; j < 3; j++) s->dense[n * (6 * i + 3 + k) + 6 * i + 3 + j] = s->inertia[6 * i + at[k][j]];
        }
    }
    for (int32_t i = 0; i < s->contacts; i++)
        for (int e = 0; e < 4; e++) add_dense(s, i, e / 2, e % 2);
}

/* x = dense^-1 x, with exchanges */
static void solve_dense(int32_t n, double *a, double *x) {
    for (int32_t j = 0; j < n; j++) {
        int32_t best = j;
        for (int32_t i = j + 1; i < n; i++)
            if (fabs(a[n * i + j]) > fabs(a[n * best + j])) best = i;
        for (int32_t k = 0; k < n; k++) {
            double kept = a[n * j + k];
            a[n * j + k] = a[n * best + k];
            a[n * best + k] = kept;
        }
        double kept = x[j];
        x[j] = x[best];
        x[best] = kept;
        for (int32_t i = j + 1; i < n; i++) {
            const double factor = a[n * i + j] / a[n * j + j];
            for (int32_t k = j; k < n && factor != 0; k++) a[n * i + k] -= factor * a[n * j + k];
            x[i] -= factor * x[j];
        }
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t k = i + 1; k < n; k++) x[i] -= a[n * i + k] * x[k];
        x[i] /= a[n * i + i];
    }
}

/* contacts `first` and those behind it, side by side; lanes that are left have K = 0 and the bodies of the first */
static void add_lanes(const nb_body_lu_kernels *kernels, int32_t first, island *s) {
    int32_t body[2][LANES];
    nb_lanes arm[2][3] = {{{0}}}, k[9] = {{0}};
    for (int lane = 0; lane < LANES; lane++) {
        const int32_t i = first + lane, there = i < s->contacts;
        for (int e = 0; e < 2; e++) body[e][lane] = s->body[there ? i : first][e];
        for (int j = 0; j < 6 && there; j++) arm[j / 3][j % 3][lane] = s->arm[i][j / 3][j % 3];
        for (int j = 0; j < 9 && there; j++) k[j][lane] = s->k[i][j];
    }
    kernels->add(&s->lu, (const int32_t(*)[LANES])body, (const nb_lanes(*)[3])arm, k);
}

static void compare(const nb_body_lu_kernels *kernels, uint64_t *random, island *s) {
    const int32_t n = 6 * s->lu.bodies;
    double largest = 0;
    kernels->begin(&s->lu, s->mass, s->inertia);
    for (int32_t i = 0; i < s->contacts; i += LANES) add_lanes(kernels, i, s);
    kernels->factorise(&s->lu);
    memset(s->b, 0, sizeof s->b);
    for (int32_t r = 0; r < n; r++) s->x[r] = s->b[STRIDE * (r / 6) + r % 6] = test_random(random, -1, 1);
    kernels->solve(&s->lu, s->b);
    make_dense(s);
    solve_dense(n, s->dense, s->x);
    for (int32_t r = 0; r < n; r++) largest = fmax(largest, fabs(s->x[r]));
    /* stiffness over mass of 1e3 at a chain's length of at most 64 leaves a condition of 1e6: 1e-16 becomes 1e-10 */
    for (int32_t r = 0; r < n; r++) CHECK_NEAR(s->b[STRIDE * (r / 6) + r % 6], s->x[r], 1e-9 * largest);
}

TEST(solutions_are_those_of_a_dense_elimination) {
    static island s;
    static const int32_t sizes[] = {1, 2, 3, 7, 10, 19, 33, MOST};
    uint64_t random = test_seed();
    int found = 0;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        const nb_body_lu_kernels *kernels = nb_body_lu_kernels_named(sets[set]);
        found += kernels != NULL;
        for (size_t i = 0; kernels && i < sizeof sizes / sizeof *sizes; i++) {
            make_random(&random, sizes[i], &s);
            analyse(sizes[i], &s);
            compare(kernels, &random, &s);
        }
    }
    assert_true(found > 0);
}

/* Trees have no fill: a block a body, and two a pair; whoever is in the middle of a star comes last but one. A ring of
 * n has two blocks of fill for each but the last three. */
TEST(order_is_of_least_degree) {
    static island s;
    s.contacts = 0;
    for (int32_t i = 1; i < MOST; i++) connect(&s, 0, i);
    analyse(MOST, &s);
    assert_int_equal(s.lu.blocks, 3 * MOST - 2);
    assert_true(s.order[MOST - 1] == 0 || s.order[MOST - 2] == 0);
    s.contacts = 0;
    for (int32_t i = 1; i < 20; i++) connect(&s, i - 1, i);
    analyse(20, &s);
    assert_int_equal(s.lu.blocks, 3 * 20 - 2);
    connect(&s, 19, 0);
    analyse(20, &s);
    assert_int_equal(s.lu.blocks, 3 * 20 + 2 * (20 - 3));
}

RUN_TESTS(solutions_are_those_of_a_dense_elimination, order_is_of_least_degree)
