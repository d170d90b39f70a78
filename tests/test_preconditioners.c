/* Every preconditioner against its dense formula, and where it has none: on singular blocks and matrices that are not
 * positive definite. What all of the table keep to is in test_preconditioner_contract.c. */
#include <float.h>

#include "operator/system_size.h"
#include "preconditioner_variants.h"

NB_PRECISIONS(f32, f64);

static const double epsilon = (double)NB_REAL_EPSILON;
static const uint64_t seeds[] = {7, 80, 900};
enum {
    SEEDS = sizeof seeds / sizeof *seeds
};

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

/* A plus a shift of so much of the diagonal of D; the least that lu takes is 16 units of round-off */
static void shifted_matrix(const random_system *t, double shift, double m[MOST][MOST]) {
    memcpy(m, t->dense, sizeof t->dense);
    for (int i = 0; i < t->rows; i++)
        for (int64_t k = t->matrix->start[i]; k < t->matrix->start[i + 1]; k++)
            if (t->matrix->column[k] == i) m[i][i] += fmax(shift, 16 * epsilon) * (double)t->matrix->value[k];
}

/* S A S, with S one over the roots of the diagonal */
static void scale_matrix(const random_system *t, double scaled[MOST][MOST]) {
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) scaled[i][j] = t->dense[i][j] / sqrt(t->dense[i][i] * t->dense[j][j]);
}

/* of a row, over its columns from `first` on */
static double norm_from(const random_system *t, double scaled[MOST][MOST], int i, int first) {
    double sum = 0;
    for (int j = first; j < t->rows; j++) sum += scaled[i][j] * scaled[i][j];
    return sqrt(sum);
}

/* of x [rows], from `first` to before `end`, zero but for the `most` largest */
static void keep_largest(int first, int end, int most, double *x) {
    for (int i = first; i < end; i++) {
        int larger = 0;
        for (int j = first; j < end; j++) larger += fabs(x[j]) > fabs(x[i]);
        if (larger >= most) x[i] = 0;
    }
}

/* L L^T by threshold (Saad 2003, section 10.8), scaled back; 0 where a pivot is not positive */
static int ict_matrix(const random_system *t, double drop, int most, double shift, double m[MOST][MOST]) {
    double a[MOST][MOST], l[MOST][MOST] = {{0}};
    scale_matrix(t, a);
    for (int j = 0; j < t->rows; j++) {
        double column[MOST] = {0};
        for (int i = j; i < t->rows; i++) {
            column[i] = a[i][j] * (i == j ? 1 + shift : 1);
            for (int k = 0; k < j; k++) column[i] -= l[i][k] * l[j][k];
        }
        if (!(column[j] > 0)) return 0;
        l[j][j] = sqrt(column[j]);
        for (int i = j + 1; i < t->rows; i++) {
            column[i] /= l[j][j];
            if (fabs(column[i]) <= drop * norm_from(t, a, j, j)) column[i] = 0;
        }
        keep_largest(j + 1, t->rows, most, column);
        for (int i = j + 1; i < t->rows; i++) l[i][j] = column[i];
    }
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) {
            double sum = 0;
            for (int k = 0; k < t->rows; k++) sum += l[i][k] * l[j][k];
            m[i][j] = sum * sqrt(t->dense[i][i] * t->dense[j][j]);
        }
    return 1;
}

/* L U by threshold (Saad 2003, algorithm 10.6), scaled back */
static void ilut_matrix(const random_system *t, double drop, double m[MOST][MOST]) {
    double a[MOST][MOST], l[MOST][MOST] = {{0}}, u[MOST][MOST] = {{0}};
    scale_matrix(t, a);
    for (int i = 0; i < t->rows; i++) {
        double row[MOST], least = drop * norm_from(t, a, i, 0);
        for (int j = 0; j < t->rows; j++) row[j] = a[i][j];
        for (int k = 0; k < i; k++) {
            row[k] /= u[k][k];
            if (fabs(row[k]) <= least) row[k] = 0;
            for (int j = k + 1; j < t->rows; j++) row[j] -= row[k] * u[k][j];
        }
        l[i][i] = 1;
        for (int j = 0; j < t->rows; j++) {
            if (i != j && fabs(row[j]) <= least) row[j] = 0;
            (j < i ? l : u)[i][j] = row[j];
        }
    }
    for (int i = 0; i < t->rows; i++)
        for (int j = 0; j < t->rows; j++) {
            double sum = 0;
            for (int k = 0; k < t->rows; k++) sum += l[i][k] * u[k][j];
            m[i][j] = sum * sqrt(t->dense[i][i] * t->dense[j][j]);
        }
}

typedef enum formula {
    ONE,
    DIAGONAL,
    CONTACTS,
    PAIRS_OF_BODIES,
    SSOR,
    THRESHOLD,
    SHIFTED
} formula;

static const struct {
    const char *name, *option, *value;
    formula formula;
    double number;
} formulas[] = {{"none", NULL, NULL, ONE, 0},
                {"jacobi", NULL, NULL, DIAGONAL, 0},
                {"block-jacobi", "blocks", "contact", CONTACTS, 0},
                {"block-jacobi", "blocks", "pair", PAIRS_OF_BODIES, 0},
                {"ssor", "omega", "1", SSOR, 1},
                {"ssor", "omega", "1.3", SSOR, 1.3},
                {"ict", "drop", "0", SHIFTED, 0}, /* nothing goes: A itself */
                {"ilut", "drop", "0", SHIFTED, 0},
                {"ict", NULL, NULL, THRESHOLD, 1e-3},
                {"ict", "drop", "0.05", THRESHOLD, 0.05},
                {"ict", "fill", "3", THRESHOLD, 1e-3},
                {"ilut", NULL, NULL, THRESHOLD, 1e-3},
                {"ilut", "drop", "0.05", THRESHOLD, 0.05},
                {"lu", NULL, NULL, SHIFTED, 1e-10},
                {"lu", "shift", "0.5", SHIFTED, 0.5}};
enum {
    FORMULAS = sizeof formulas / sizeof *formulas
};

static int is_option(int k, const char *name) {
    return formulas[k].option && strcmp(formulas[k].option, name) == 0;
}

/* M = P^-1 by the formula */
static void formula_matrix(int k, const random_system *t, double m[MOST][MOST]) {
    memset(m, 0, sizeof t->dense);
    switch (formulas[k].formula) {
    case ONE:
        for (int i = 0; i < t->rows; i++) m[i][i] = 1;
        break;
    case DIAGONAL: block_diagonal(t, 1, m); break;
    case CONTACTS: block_diagonal(t, 3, m); break;
    case PAIRS_OF_BODIES: block_diagonal(t, 6, m); break;
    case SSOR: ssor_matrix(t, formulas[k].number, m); break;
    case THRESHOLD:
        if (t->system->symmetric)
            for (double shift = 0; !ict_matrix(t, formulas[k].number, is_option(k, "fill") ? 3 : MOST, shift, m);)
                shift = fmax(10 * shift, 1e-6);
        else
            ilut_matrix(t, formulas[k].number, m);
        break;
    case SHIFTED: shifted_matrix(t, formulas[k].number, m); break;
    }
}

/* of all, or of those that take an unsymmetric system, on one */
static void check_formulas(int unsymmetric, int expected) {
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        double m[MOST][MOST];
        int tried = 0;
        print_message("seed %d\n", (int)seeds[n]);
        random_system_create(&state, 0, 0.5, &t);
        if (unsymmetric) random_system_add_blocks(&state, &t);
        for (int k = 0; k < FORMULAS; k++) {
            applied a;
            const variant v = variant_named(formulas[k].name, formulas[k].option, formulas[k].value);
            /* without a preconditioner nothing is of the system */
            if (unsymmetric && (!v.type->takes_unsymmetric || formulas[k].formula == ONE)) continue;
            say(&v);
            apply_to(&v, &t, &a);
            formula_matrix(k, &t, m);
            check_inverse(t.rows, m, &a);
            a.type->destroy(a.state);
            tried++;
        }
        assert_int_equal(tried, expected);
        random_system_destroy(&t);
    }
}

TEST(test_dense_formulas) {
    check_formulas(0, FORMULAS);
}

TEST(test_unsymmetric_formulas) {
    check_formulas(1, 8);
}

/* a block without a row, one of dependent rows and one of very different rows: P is finite, zero for the empty row and
 * column, and the inverse of the rest where that has one */
TEST(test_singular_blocks) {
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
    const variant contacts = variant_named("block-jacobi", "blocks", "contact");
    apply_to(&contacts, &t, &a);
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
TEST(test_ic0_of_a_tridiagonal_matrix) {
    for (int n = 0; n < SEEDS; n++) {
        random_system t;
        uint64_t state = seeds[n];
        double dense[MOST][MOST] = {{0}}, m[MOST][MOST];
        for (int i = 0; i < 20; i++) {
            dense[i][i] = test_random(&state, 3, 30);
            if (i > 0) dense[i][i - 1] = dense[i - 1][i] = test_random(&state, -1, 1);
        }
        system_of_dense(20, dense, 0, NULL, 0, NULL, &t);
        for (int shifted = 0; shifted < 2; shifted++) {
            applied a;
            const variant v = variant_named("ic0", shifted ? "shift" : NULL, "0.5");
            apply_to(&v, &t, &a);
            memcpy(m, t.dense, sizeof m);
            for (int i = 0; i < t.rows && shifted; i++) m[i][i] *= 1.5;
            check_inverse(t.rows, m, &a);
            a.type->destroy(a.state);
        }
        random_system_destroy(&t);
    }
}

/* ---- chebyshev ---- */

/* P A = 1 - T_k(E) / T_k(t/d), E = (t - M A)/d, by the recurrence of Chebyshev's polynomials; the eigenvalue that the
 * preconditioner finds in eleven steps is lower than the dense one by some percent at most */
TEST(test_chebyshev) {
    static const struct {
        const char *option, *value;
        int degree;
        double ratio;
    } kinds[] = {{NULL, NULL, 4, 30}, {"degree", "1", 1, 30}, {"degree", "7", 7, 30}, {"ratio", "5", 4, 5}};
    for (int n = 0; n < SEEDS; n++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            random_system t;
            applied m, a;
            uint64_t state = seeds[n];
            double ma[MOST][MOST], pa[MOST][MOST], e[MOST][MOST], next[MOST][MOST];
            double before[MOST][MOST] = {{0}}, now[MOST][MOST], worst = 0;
            const variant jacobi = variant_named("block-jacobi", NULL, NULL);
            const variant v = variant_named("chebyshev", kinds[k].option, kinds[k].value);
            random_system_create(&state, 0, 0.5, &t);
            apply_to(&jacobi, &t, &m);
            apply_to(&v, &t, &a);
            multiply(t.rows, m.p, t.dense, ma);
            multiply(t.rows, a.p, t.dense, pa);
            const double top = 1.1 * power_of(t.rows, ma, &state);
            const double middle = top * (1 + 1 / kinds[k].ratio) / 2, half = top * (1 - 1 / kinds[k].ratio) / 2;
            double low = 1, high = middle / half; /* T of k - 1 and of k at t/d */
            for (int i = 0; i < t.rows; i++)
                for (int j = 0; j < t.rows; j++) {
                    before[i][j] = i == j;
                    now[i][j] = e[i][j] = ((i == j) * middle - ma[i][j]) / half;
                }
            for (int degree = 1; degree < kinds[k].degree; degree++) {
                multiply(t.rows, e, now, next);
                for (int i = 0; i < t.rows; i++)
                    for (int j = 0; j < t.rows; j++) {
                        next[i][j] = 2 * next[i][j] - before[i][j];
                        before[i][j] = now[i][j];
                    }
                memcpy(now, next, sizeof now);
                const double higher = 2 * middle / half * high - low;
                low = high;
                high = higher;
            }
            for (int i = 0; i < t.rows; i++)
                for (int j = 0; j < t.rows; j++) worst = fmax(worst, fabs(pa[i][j] - ((i == j) - now[i][j] / high)));
            print_message("  seed %d, degree %d: off by %.2g\n", (int)seeds[n], kinds[k].degree, worst);
            CHECK_BELOW(worst, 0.03);
            m.type->destroy(m.state);
            a.type->destroy(a.state);
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
TEST(test_ic0_shifts_until_it_exists) {
    random_system t;
    applied a;
    double dense[MOST][MOST] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
    double m[MOST][MOST], shift = 1e-3;
    assert_false(ic0_exists(4, dense, 0));
    while (!ic0_exists(4, dense, shift)) shift *= 2;
    print_message("  shift %g\n", shift);
    assert_true(shift > 1e-3); /* it has to grow */
    const variant plain = variant_named("ic0", NULL, NULL);
    system_of_dense(4, dense, 0, NULL, 0, NULL, &t);
    apply_to(&plain, &t, &a);
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
TEST(test_ic0_gives_up) {
    random_system t;
    applied a;
    double dense[MOST][MOST] = {{1, 200}, {200, 1}};
    const variant plain = variant_named("ic0", NULL, NULL);
    system_of_dense(2, dense, 0, NULL, 0, NULL, &t);
    apply_to(&plain, &t, &a);
    assert_int_equal(a.reason, NB_REASON_NOT_POSITIVE_DEFINITE);
    a.type->destroy(a.state);
    random_system_destroy(&t);
}

/* the inverse of a subnormal number is none of the same precision */
TEST(test_overflow) {
    static const char *const names[] = {"block-ic", "spectral"};
    double dense[MOST][MOST] = {{0}};
    random_system t;
    for (int i = 0; i < 6; i++) dense[i][i] = i < 3 ? 1 : (sizeof(real) == 4 ? FLT_MIN : DBL_MIN) / 16;
    system_of_dense(6, dense, 2, (int32_t[]){0, 3, 6}, 2, (int32_t[]){0, 1, 2}, &t);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        applied a;
        const variant v = variant_named(names[k], NULL, NULL);
        apply_to(&v, &t, &a);
        assert_int_equal(a.reason, NB_REASON_NAN);
        a.type->destroy(a.state);
    }
    random_system_destroy(&t);
}

static void check_work(const variant *v, random_system *t, const nb_preconditioner_work *expected) {
    applied a;
    nb_preconditioner_work work;
    say(v);
    apply_to(v, t, &a);
    for (int again = 0; again < 2; again++) { /* the last set-up's alone */
        a.type->work(a.state, &work);
        if (expected->setup_flops >= 0) CHECK_NEAR(work.setup_flops, expected->setup_flops, 0);
        CHECK_NEAR(work.apply_flops, expected->apply_flops, 0);
        CHECK_NEAR(work.nonzeros, expected->nonzeros, 0);
        assert_true(work.apply_bytes >= 2 * t->rows * (double)sizeof(real));
        refresh(&a, t);
    }
    a.type->destroy(a.state);
}

/* entries that columns of a full L of n rows take out of later ones, with the pivots' */
static double sums_of_columns(int n) {
    double sum = 0;
    for (int k = 0; k < n; k++)
        for (int j = k + 1; j < n; j++) sum += n - j;
    return sum;
}

/* A full matrix of n rows in blocks of three. IC(0) is then its Cholesky factorisation: n (n - 1) (n - 2) / 6 products
 * in its sums, a division and a product of the pivot's an entry, a root a row, after the scaling. */
TEST(test_work_is_counted) {
    const double n = 9, lower = n * (n - 1) / 2, own = n * (n + 1) / 2, two_products = n * (n - 1) * (n - 2) / 3;
    const struct {
        const char *name, *option, *value;
        nb_preconditioner_work work;
    } cases[] = {
        {"none", NULL, NULL, {.setup_flops = 0}},
        {"jacobi", NULL, NULL, {n, n, 0, n}},
        {"block-jacobi", NULL, NULL, {3 * 9, 3 * 18, 0, 3 * 6}},
        {"ssor", NULL, NULL, {0, 2 * n * n + 5 * n, 0, 0}},
        {"ic0", NULL, NULL, {2 * own + n + two_products + 3 * lower + n, 4 * own, 0, own}},
        /* one pass over A's lower triangle; all of L fills in. Blocks of three, of which two are linked to
         * one: weighing three pairs, 2 n^3/3 a block, and 2 n^3 + n^2 (n + 1) a link */
        {"ict", NULL, NULL, {2 * own + 2 * sums_of_columns(9) + lower + 2 * n, 4 * lower + 4 * n, 0, own}},
        /* roots and scaling, three pairs scaled and one product between them; factor and back, without drops */
        {"block-ic", NULL, NULL, {378 + 324 + 54 + 324 + 108 + 324 + 324, 4 * 27 + 2 * 27, 0, 27 + 27}},
        {"tree", NULL, NULL, {3 * 72 + 3 * 2 * 9 + 2 * (54 + 36), 3 * 18 + 2 * 36, 0, 3 * 6 + 2 * 9}},
        {"tree", "extra", "1", {-1 /* the library counts */, 4 * own + 2 * n, 0, own}},
        {"chebyshev", NULL, NULL, {-1 /* of as many products as it takes */, 4 * 3 * 18 + 16 * n, 0, 3 * 6}},
        {"lu", NULL, NULL, {-1 /* the library counts */, 2 * (n * n + n), 0, n * n + n}}};
    double dense[MOST][MOST];
    random_system t;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) dense[i][j] = i == j ? n : 1 / (1.0 + abs(i - j));
    system_of_dense((int)n, dense, 3, (int32_t[]){0, 3, 6, 9}, 3, (int32_t[]){0, 1, 2, 3}, &t);
    const nb_system_size size = nb_system_size_of(t.system);
    CHECK_NEAR(size.unknowns, n, 0);
    CHECK_NEAR(size.nonzeros, n * n, 0);
    CHECK_NEAR(size.product_flops, 2 * n * n, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const variant v = variant_named(cases[k].name, cases[k].option, cases[k].value);
        check_work(&v, &t, &cases[k].work);
    }
    random_system_destroy(&t);
}

RUN_TESTS(test_dense_formulas, test_unsymmetric_formulas, test_singular_blocks, test_ic0_of_a_tridiagonal_matrix,
          test_ic0_shifts_until_it_exists, test_ic0_gives_up, test_chebyshev, test_overflow, test_work_is_counted)
