/* Every preconditioner against its dense formula, and what a preconditioner must be: symmetric, positive, zero where a
 * row is empty, and free of allocations when applied. */
#include "preconditioner.h"

#include "base/memory.h"
#include "random_system.h"
#include "registry.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {7, 80, 900};
enum {
    SEEDS = sizeof seeds / sizeof *seeds,
    MOST_OPTIONS = 8
};

typedef struct variant {
    const char *name, *option, *value; /* option NULL: as it comes */
} variant;

static const variant variants[] = {
    {"none", NULL, NULL},   {"jacobi", NULL, NULL},   {"block-jacobi", "blocks", "contact"},
    {"ssor", "omega", "1"}, {"ssor", "omega", "1.3"}, {"block-jacobi", "blocks", "pair"},
    {"ic0", NULL, NULL},    {"ic0", "shift", "0.5"},
};
enum {
    VARIANTS = sizeof variants / sizeof *variants
};

typedef struct applied {
    const nb_preconditioner_class *type;
    void *state;
    nb_reason reason;     /* of the last set-up */
    double p[MOST][MOST]; /* P, by columns applied */
    double largest;       /* max |P_ij| */
} applied;

/* P of the system as it now is */
static void refresh(applied *a, random_system *t) {
    a->reason = NB_REASON_NONE;
    CHECK_OK(a->type->set_up_values(a->state, t->system, &a->reason));
    int64_t allocations = nb_allocation_count();
    a->largest = 0;
    for (int j = 0; j < t->rows && a->reason == NB_REASON_NONE; j++) {
        real r[MOST] = {0}, z[MOST];
        r[j] = 1;
        for (int i = 0; i < t->rows; i++) z[i] = (real)NAN; /* whatever was there */
        a->type->apply(a->state, r, z);
        for (int i = 0; i < t->rows; i++) {
            assert_true(isfinite(z[i]));
            a->p[i][j] = (double)z[i];
            a->largest = fmax(a->largest, fabs(a->p[i][j]));
        }
    }
    assert_int_equal(nb_allocation_count(), allocations);
}

static void apply_to(const variant *v, random_system *t, applied *a) {
    double values[MOST_OPTIONS];
    CHECK_OK(nb_preconditioner_find(v->name, &a->type));
    nb_options_standard(a->type->options, a->type->option_count, values);
    if (v->option)
        CHECK_OK(nb_options_set(a->type->options, a->type->option_count, v->name, v->option, v->value, values));
    CHECK_OK(a->type->create(values, &a->state));
    CHECK_OK(a->type->set_up_pattern(a->state, t->system));
    refresh(a, t);
}

static void say(const variant *v) {
    print_message("  %s %s\n", v->name, v->option ? v->value : "");
}

/* M P = 1, to the round-off of two triangular solutions: rows |M| |P| epsilon */
static void check_inverse(int rows, double m[MOST][MOST], applied *a) {
    double allowed = 8 * rows * epsilon * largest_row_sum(rows, m) * a->largest;
    assert_int_equal(a->reason, NB_REASON_NONE);
    assert_true(allowed < 0.5); /* else nothing would be tested */
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < rows; k++) sum += m[i][k] * a->p[k][j];
            CHECK_NEAR(sum, i == j, allowed);
        }
}

/* the blocks of A on its diagonal: of one row, of one contact, of one pair of bodies */
static void block_diagonal(const random_system *t, int width, double m[MOST][MOST]) {
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) m[i][j] = i / width == j / width ? t->dense[i][j] : 0;
}

/* omega / (2 - omega) (D / omega + L) D^-1 (D / omega + L^T), as in Saad 2003, section 10.2 */
static void ssor_matrix(const random_system *t, double omega, double m[MOST][MOST]) {
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) {
            m[i][j] = 0;
            for (int k = 0; k <= i && k <= j; k++) {
                double left = t->dense[i][k] / (i == k ? omega : 1), right = t->dense[j][k] / (j == k ? omega : 1);
                m[i][j] += omega / (2 - omega) * left * right / t->dense[k][k];
            }
        }
}

static void test_dense_formulas(void **unused) {
    (void)unused;
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        double m[MOST][MOST];
        print_message("seed %d\n", (int)seeds[n]);
        random_system_create(&state, 0, 0.5, &t);
        for (int k = 0; k < 6; k++) {
            applied a;
            say(&variants[k]);
            apply_to(&variants[k], &t, &a);
            if (k == 0) memset(m, 0, sizeof m);
            for (int i = 0; i < t.rows && k == 0; i++) m[i][i] = 1;
            if (k == 1) block_diagonal(&t, 1, m);
            if (k == 2) block_diagonal(&t, 3, m);
            if (k == 3) ssor_matrix(&t, 1, m);
            if (k == 4) ssor_matrix(&t, 1.3, m);
            if (k == 5) block_diagonal(&t, 6, m);
            check_inverse(t.rows, m, &a);
            a.type->destroy(a.state);
        }
        random_system_destroy(&t);
    }
}

/* those that take unsymmetric systems, on one */
static void test_unsymmetric_formulas(void **unused) {
    (void)unused;
    static const int widths[VARIANTS] = {[1] = 1, [2] = 3, [5] = 6};
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        double m[MOST][MOST];
        int tried = 0;
        print_message("seed %d\n", (int)seeds[n]);
        random_system_create(&state, 0, 0.5, &t);
        random_system_add_blocks(&state, &t);
        for (int k = 0; k < VARIANTS; k++) {
            applied a;
            const nb_preconditioner_class *type;
            CHECK_OK(nb_preconditioner_find(variants[k].name, &type));
            if (!type->takes_unsymmetric || widths[k] == 0) continue;
            say(&variants[k]);
            apply_to(&variants[k], &t, &a);
            block_diagonal(&t, widths[k], m);
            check_inverse(t.rows, m, &a);
            a.type->destroy(a.state);
            tried++;
        }
        assert_int_equal(tried, 3);
        random_system_destroy(&t);
    }
}

/* a block without a row, one of dependent rows and one of very different rows: P is finite, zero for the empty row and
 * column, and the inverse of the rest where that has one */
static void test_singular_blocks(void **unused) {
    (void)unused;
    random_system t;
    const double blocks[3][3][3] = {{{2, 0, 1}, {0, 0, 0}, {-1, 0, 3}}, /* the second row and column empty */
                                    {{1, 2, 3}, {2, 4, 6}, {1, 0, 1}},
                                    {{0, 1e6, 2e6}, {1e-6, 0, 1e-6}, {1, 1, 0}}};
    double dense[MOST][MOST] = {{0}};
    system_of_dense(9, dense, 3, (int32_t[]){0, 3, 6, 9}, 3, (int32_t[]){0, 1, 2, 3}, &t);
    CHECK_OK(nb_system_use_blocks(t.system));
    for (int e = 0; e < 27; e++) t.system->k[e] = (real)blocks[e / 9][e % 9 / 3][e % 3];
    nb_system_values_changed(t.system);
    applied a;
    apply_to(&variants[2], &t, &a);
    assert_int_equal(a.reason, NB_REASON_NONE);
    for (int i = 0; i < 3; i++) { /* [2 1; -1 3]^-1 = [3 -1; 1 2] / 7 */
        static const double inverse[3][3] = {{3. / 7, 0, -1. / 7}, {0, 0, 0}, {1. / 7, 0, 2. / 7}};
        for (int j = 0; j < 3; j++) CHECK_NEAR(a.p[i][j], inverse[i][j], 4 * epsilon);
    }
    for (int i = 6; i < 9; i++) /* P A = 1; rows are scaled before they are compared */
        for (int j = 6; j < 9; j++) {
            double sum = 0, size = 0;
            for (int k = 6; k < 9; k++) {
                sum += a.p[i][k] * (double)t.system->k[18 + 3 * (k - 6) + j - 6];
                size += fabs(a.p[i][k] * (double)t.system->k[18 + 3 * (k - 6) + j - 6]);
            }
            CHECK_NEAR(sum, i == j, 16 * epsilon * (1 + size));
        }
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

/* a tridiagonal matrix fills in nowhere: IC(0) is its Cholesky factorisation, and that of A + shift diag(A) */
static void test_ic0_of_a_tridiagonal_matrix(void **unused) {
    (void)unused;
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        double dense[MOST][MOST] = {{0}}, m[MOST][MOST];
        for (int i = 0; i < 20; i++) {
            dense[i][i] = test_random(&state, 3, 30);
            if (i > 0) dense[i][i - 1] = dense[i - 1][i] = test_random(&state, -1, 1);
        }
        system_of_dense(20, dense, 0, NULL, 0, NULL, &t);
        for (int k = 6; k < 8; k++) {
            applied a;
            apply_to(&variants[k], &t, &a);
            memcpy(m, t.dense, sizeof m);
            for (int i = 0; i < t.rows && k == 7; i++) m[i][i] *= 1.5;
            check_inverse(t.rows, m, &a);
            a.type->destroy(a.state);
        }
        random_system_destroy(&t);
    }
}

/* whether the dense IC(0) of a + shift diag(a) has positive pivots throughout */
static int ic0_exists(int rows, double a[MOST][MOST], double shift) {
    double l[MOST][MOST] = {{0}};
    for (int i = 0; i < rows; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? (1 + shift) * a[i][i] : a[i][j];
            if (a[i][j] == 0) continue;
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            if (i == j && !(sum > 0)) return 0;
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    return 1;
}

/* Kershaw's matrix (1978) is positive definite and IC(0) breaks down on it. On the pattern of A, L L^T equals A with
 * its diagonal raised by the shift, which is the first of 0.001, 0.002, 0.004, ... that will do. */
static void test_ic0_shifts_until_it_exists(void **unused) {
    (void)unused;
    random_system t;
    applied a;
    double dense[MOST][MOST] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
    double m[MOST][MOST], shift = 1e-3;
    assert_false(ic0_exists(4, dense, 0));
    while (!ic0_exists(4, dense, shift)) shift *= 2;
    print_message("  shift %g\n", shift);
    assert_true(shift > 1e-3); /* it has to grow */
    system_of_dense(4, dense, 0, NULL, 0, NULL, &t);
    apply_to(&variants[6], &t, &a);
    assert_int_equal(a.reason, NB_REASON_NONE);
    for (int j = 0; j < 4; j++) { /* m = P^-1 */
        double unit[MOST] = {0}, column[MOST];
        unit[j] = 1;
        dense_solve(4, a.p, unit, column);
        for (int i = 0; i < 4; i++) m[i][j] = column[i];
    }
    /* P's round-off, twice through its inverse */
    double allowed = 32 * epsilon * a.largest * largest_row_sum(4, m) * largest_row_sum(4, m);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            if (dense[i][j] != 0) CHECK_NEAR(m[i][j], (i == j ? 1 + shift : 1) * dense[i][j], allowed);
    assert_true(allowed < 1.5 * shift); /* half the shift, or none, would be noticed: the diagonal is 3 */
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

/* no shift below 100 helps [1 200; 200 1] */
static void test_ic0_gives_up(void **unused) {
    (void)unused;
    random_system t;
    applied a;
    double dense[MOST][MOST] = {{1, 200}, {200, 1}};
    system_of_dense(2, dense, 0, NULL, 0, NULL, &t);
    apply_to(&variants[6], &t, &a);
    assert_int_equal(a.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

/* P by columns is symmetric to its round-off, and x . P x > 0 for random x */
static void check_symmetric_and_positive(random_system *t, applied *a, uint64_t *state) {
    assert_int_equal(a->reason, NB_REASON_NONE);
    double row_sum = largest_row_sum(t->rows, t->dense);
    /* backward error of the triangular solutions, as in check_inverse, relative to P itself */
    double allowed = 8 * t->rows * epsilon * a->largest * fmax(1, row_sum * a->largest);
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < i; j++) CHECK_NEAR(a->p[i][j], a->p[j][i], allowed);
    for (int n = 0; n < 20; n++) {
        real x[MOST], px[MOST];
        double product = 0;
        for (int i = 0; i < t->rows; i++) x[i] = (real)test_random(state, -1, 1);
        a->type->apply(a->state, x, px);
        for (int i = 0; i < t->rows; i++) product += (double)x[i] * (double)px[i];
        assert_true(product > 0);
    }
}

static void test_symmetric_and_positive(void **unused) {
    (void)unused;
    for (int n = 0; n < 2 * SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n / 2];
        int redundant = n % 2;
        print_message("seed %d%s\n", (int)seeds[n / 2], redundant ? ", redundant" : "");
        random_system_create(&state, redundant, redundant ? 0 : 0.5, &t);
        for (int k = 0; k < VARIANTS; k++) {
            applied a;
            say(&variants[k]);
            apply_to(&variants[k], &t, &a);
            check_symmetric_and_positive(&t, &a, &state);
            a.type->destroy(a.state);
        }
        random_system_destroy(&t);
    }
}

/* A row without entries: P = 0 there, and positive elsewhere. Without a preconditioner P = 1. */
static void test_empty_rows_are_left_alone(void **unused) {
    (void)unused;
    random_system t, base;
    uint64_t state = seeds[0];
    random_system_create(&state, 0, 0.5, &base);
    for (int k = 0; k < VARIANTS; k++) {
        applied a;
        double dense[MOST][MOST];
        say(&variants[k]);
        memcpy(dense, base.dense, sizeof dense);
        for (int i = 0; i < base.rows; i++)
            for (int row = 4; row < 12; row += 7) dense[row][i] = dense[i][row] = 0; /* rows 4 and 11 */
        system_of_dense(base.rows, dense, base.delassus->block_count, base.delassus->block_start,
                        base.delassus->group_count, base.delassus->group_start, &t);
        apply_to(&variants[k], &t, &a);
        assert_int_equal(a.reason, NB_REASON_NONE);
        for (int i = 0; i < t.rows; i++)
            for (int row = 4; row < 12; row += 7) {
                CHECK_NEAR(a.p[row][i], k == 0 && i == row, 0);
                CHECK_NEAR(a.p[i][row], k == 0 && i == row, 0);
            }
        for (int i = 0; i < t.rows; i++) assert_true(i == 4 || i == 11 || a.p[i][i] > 0);
        a.type->destroy(a.state);
        random_system_destroy(&t);
    }
    random_system_destroy(&base);
}

/* P follows the values: that of 4 A is P / 4 exactly, a power of two (with the shift relative to the diagonal) */
static void test_values_change(void **unused) {
    (void)unused;
    random_system t;
    uint64_t state = seeds[1];
    random_system_create(&state, 0, 0, &t);
    for (int i = 0; i < t.rows; i++) t.system->c[i] = R(0.5);
    for (int k = 1; k < VARIANTS; k++) {
        applied before, after;
        say(&variants[k]);
        nb_system_values_changed(t.system);
        apply_to(&variants[k], &t, &before);
        after = before;
        for (int i = 0; i < t.rows; i++) {
            t.system->s[i] = 2;
            t.system->c[i] = 2;
        }
        nb_system_values_changed(t.system);
        refresh(&after, &t);
        for (int i = 0; i < t.rows; i++)
            for (int j = 0; j < t.rows; j++) CHECK_NEAR(after.p[i][j], before.p[i][j] / 4, 0);
        for (int i = 0; i < t.rows; i++) {
            t.system->s[i] = 1;
            t.system->c[i] = R(0.5);
        }
        before.type->destroy(before.state);
    }
    random_system_destroy(&t);
}

static void test_no_rows(void **unused) {
    (void)unused;
    random_system t;
    double dense[MOST][MOST] = {{0}};
    system_of_dense(0, dense, 0, NULL, 0, NULL, &t);
    for (int k = 0; k < VARIANTS; k++) {
        applied a;
        real r = 3, z = 5;
        apply_to(&variants[k], &t, &a);
        assert_int_equal(a.reason, NB_REASON_NONE);
        a.type->apply(a.state, &r, &z);
        assert_true(z == 5); /* untouched */
        a.type->destroy(a.state);
    }
    for (int j = 0; nb_preconditioners[j]; j++) nb_preconditioners[j]->destroy(NULL); /* allowed */
    random_system_destroy(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_formulas),
        cmocka_unit_test(test_unsymmetric_formulas),
        cmocka_unit_test(test_singular_blocks),
        cmocka_unit_test(test_ic0_of_a_tridiagonal_matrix),
        cmocka_unit_test(test_ic0_shifts_until_it_exists),
        cmocka_unit_test(test_ic0_gives_up),
        cmocka_unit_test(test_symmetric_and_positive),
        cmocka_unit_test(test_empty_rows_are_left_alone),
        cmocka_unit_test(test_values_change),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
