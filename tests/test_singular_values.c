/* Singular values, rank and condition of matrices whose they are known. */
#include "singular_values.h"

#include <math.h>

#include "base/memory.h"
#include "check.h"

/* a dense matrix [n, n] as a sparse one, zeros left out */
static nb_csr_f64 *sparse_of(int32_t n, const double *dense) {
    nb_csr_f64 *a;
    int64_t entries = 0;
    assert_int_equal(nb_csr_create_f64(n, n, (int64_t)n * n, &a), NB_OK);
    for (int32_t i = 0; i < n; i++) {
        a->start[i] = entries;
        for (int32_t j = 0; j < n; j++)
            if (dense[i * n + j] != 0) {
                a->column[entries] = j;
                a->value[entries++] = dense[i * n + j];
            }
    }
    a->start[n] = entries;
    return a;
}

static void check(int32_t n, const double *dense, const double *expected, int32_t rank, double condition) {
    double values[8];
    nb_csr_f64 *a = sparse_of(n, dense);
    assert_int_equal(nb_singular_values(a, values), NB_OK);
    for (int32_t i = 0; i < n; i++) assert_true(fabs(values[i] - expected[i]) <= 1e-14 * expected[0]);
    assert_int_equal(nb_singular_rank(n, values), rank);
    assert_true(fabs(nb_singular_condition(n, values) - condition) <= 1e-12 * condition);
    nb_csr_destroy_f64(a);
}

/* A contact a distance d from the centre of a ball of mass m, moment J: W = diag(1/m, 1/m + d^2/J, 1/m + d^2/J). */
TEST(test_one_contact) {
    const double m = 2, moment = 0.05, d = 0.3, side = 1 / m + d * d / moment;
    const double w[9] = {1 / m, 0, 0, 0, side, 0, 0, 0, side}, expected[3] = {side, side, 1 / m};
    check(3, w, expected, 3, side * m);
}

TEST(test_what_is_not_symmetric) {
    const double w[4] = {0, 3, -0.5, 0}, expected[2] = {3, 0.5};
    check(2, w, expected, 2, 6);
}

/* two contacts at one place: the same rows twice */
TEST(test_redundant_rows) {
    const double once[4] = {2, 1, 1, 2}; /* eigenvalues 3 and 1 */
    const double expected[4] = {6, 2, 0, 0};
    double w[16];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) w[4 * i + j] = once[2 * (i % 2) + j % 2];
    check(4, w, expected, 2, 3);
}

TEST(test_where_round_off_begins) {
    const double values[4] = {1, 1e-10, 1e-15, 1e-16};
    assert_int_equal(nb_singular_rank(4, values), 3);
    assert_int_equal(nb_singular_rank(2, values), 2);
    assert_true(fabs(nb_singular_condition(2, values) - 1e10) < 1);
}

TEST(test_nothing) {
    const double zero[4] = {0}, expected[2] = {0, 0};
    check(2, zero, expected, 0, 0);
    nb_csr_f64 *a = sparse_of(0, zero);
    assert_int_equal(nb_singular_values(a, NULL), NB_OK);
    assert_int_equal(nb_singular_rank(0, NULL), 0);
    nb_csr_destroy_f64(a);
}

RUN_TESTS(test_one_contact, test_what_is_not_symmetric, test_redundant_rows, test_where_round_off_begins, test_nothing)
