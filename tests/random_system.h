/* Random systems of contacts for tests of solvers and preconditioners: D = J M^-1 J^T of contacts of three rows between
 * random bodies, sorted into pairs, stored as a sparse matrix; and the dense arithmetic in double to compare with.
 * Bodies have six unknowns each. A redundant system repeats contacts exactly, so that D is singular. */
#ifndef NB_TESTS_RANDOM_SYSTEM_H
#define NB_TESTS_RANDOM_SYSTEM_H

#include <string.h>

#include "check.h"
#include "operator/delassus_matrix.h"
#include "operator/system.h"

enum {
    BODIES = 6,
    UNKNOWNS = 6 * BODIES,
    PAIRS = 5,
    MOST = 36 /* rows of the largest test system */
};

typedef struct random_system {
    int rows;
    nb_csr *matrix; /* D; owned by the operator */
    nb_delassus *delassus;
    nb_system *system;
    double dense[MOST][MOST]; /* A = D + C + K as the system holds it */
} random_system;

/* t->dense from the system's D, C and K (with S = 1) */
static inline void dense_of_system(random_system *t) {
    memset(t->dense, 0, sizeof t->dense);
    for (int i = 0; i < t->rows; i++) {
        for (int64_t k = t->matrix->start[i]; k < t->matrix->start[i + 1]; k++)
            t->dense[i][t->matrix->column[k]] = (double)t->matrix->value[k];
        t->dense[i][i] += (double)t->system->c[i];
    }
    for (int32_t i = 0; t->system->k && i < t->delassus->block_count; i++) {
        int32_t first = t->delassus->block_start[i], n = t->delassus->block_start[i + 1] - first;
        for (int32_t e = 0; e < n * n; e++)
            t->dense[first + e / n][first + e % n] += (double)nb_system_diagonal_block(t->system, i)[e];
    }
}

/* the system of the dense symmetric matrix `dense`: its nonzero entries and its diagonal are stored, with C = 0 and
 * b = 0. Blocks and groups as in nb_delassus_matrix_create. */
static inline void system_of_dense(int rows, double dense[MOST][MOST], int blocks, const int32_t *block_start,
                                   int groups, const int32_t *group_start, random_system *t) {
    int64_t count = 0;
    assert_true(rows <= MOST);
    t->rows = rows;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) count += i == j || dense[i][j] != 0;
    CHECK_OK(nb_csr_create(rows, rows, count, &t->matrix));
    count = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++)
            if (i == j || dense[i][j] != 0) {
                t->matrix->column[count] = j;
                t->matrix->value[count++] = (real)dense[i][j];
            }
        t->matrix->start[i + 1] = count;
    }
    CHECK_OK(nb_delassus_matrix_create(t->matrix, blocks, block_start, groups, group_start, &t->delassus));
    CHECK_OK(nb_system_create(t->delassus, &t->system));
    dense_of_system(t);
}

/* b = A u for a random u, so that it lies in the range */
static inline void random_right_hand_side(uint64_t *state, random_system *t) {
    double u[MOST];
    for (int i = 0; i < t->rows; i++) u[i] = test_random(state, -1, 1);
    dense_of_system(t);
    for (int i = 0; i < t->rows; i++) {
        double sum = 0;
        for (int j = 0; j < t->rows; j++) sum += t->dense[i][j] * u[j];
        t->system->b[i] = (real)sum;
    }
    nb_system_values_changed(t->system);
}

/* Two contacts for each of PAIRS random pairs of bodies; `redundant` repeats the first contact of each pair as a third
 * one. C = `diagonal`. b = A u for a random u, so that it lies in the range; its entries are of order one to ten. */
static inline void random_system_create(uint64_t *state, int redundant, double diagonal, random_system *t) {
    double jacobian[MOST][UNKNOWNS] = {{0}}, inverse_mass[UNKNOWNS], dense[MOST][MOST] = {{0}};
    int32_t block_start[MOST + 1], group_start[PAIRS + 1];
    int each = redundant ? 3 : 2, rows = 3 * each * PAIRS;
    if (redundant) rows = 3 * each * (PAIRS - 1); /* 36 rows at most */
    for (int k = 0; k < UNKNOWNS; k++) inverse_mass[k] = test_random(state, 0.5, 2);
    for (int pair = 0; pair < rows / (3 * each); pair++) {
        int first = (int)(test_random_bits(state) % BODIES),
            second = (first + 1 + (int)(test_random_bits(state) % (BODIES - 1))) % BODIES;
        group_start[pair] = each * pair;
        group_start[pair + 1] = each * (pair + 1);
        for (int row = 3 * each * pair; row < 3 * each * pair + 6; row++)
            for (int k = 0; k < 6; k++) {
                jacobian[row][6 * first + k] = test_random(state, -1, 1);
                jacobian[row][6 * second + k] = test_random(state, -1, 1);
            }
        for (int row = 0; redundant && row < 3; row++)
            memcpy(jacobian[9 * pair + 6 + row], jacobian[9 * pair + row], sizeof jacobian[0]);
    }
    for (int i = 0; i <= rows / 3; i++) block_start[i] = 3 * i;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            for (int k = 0; k < UNKNOWNS; k++) dense[i][j] += inverse_mass[k] * (jacobian[i][k] * jacobian[j][k]);
    system_of_dense(rows, dense, rows / 3, block_start, rows / (3 * each), group_start, t);
    for (int i = 0; i < rows; i++) t->system->c[i] = (real)diagonal;
    random_right_hand_side(state, t);
}

/* Gives the system a K of blocks v v^T + B, B skew, of sizes from 0.1 to 10: no eigenvalue of the symmetric part of A
 * grows less. And b anew. */
static inline void random_system_add_blocks(uint64_t *state, random_system *t) {
    CHECK_OK(nb_system_use_blocks(t->system));
    for (int32_t i = 0; i < t->delassus->block_count; i++) {
        int32_t n = t->delassus->block_start[i + 1] - t->delassus->block_start[i];
        real *block = nb_system_diagonal_block(t->system, i);
        double v[MOST], size = pow(10, test_random(state, -1, 1));
        for (int32_t r = 0; r < n; r++) v[r] = test_random(state, -1, 1);
        for (int32_t r = 0; r < n; r++)
            for (int32_t c = 0; c <= r; c++) {
                double skew = r == c ? 0 : test_random(state, -1, 1);
                block[r * n + c] = (real)(size * (v[r] * v[c] + skew));
                block[c * n + r] = (real)(size * (v[r] * v[c] - skew));
            }
    }
    random_right_hand_side(state, t);
}

static inline void random_system_destroy(random_system *t) {
    nb_system_destroy(t->system);
    nb_delassus_matrix_destroy(t->delassus);
}

/* x = a^-1 b by Gaussian elimination with row exchanges, in double */
static inline void dense_solve(int n, double a[MOST][MOST], const double *b, double *x) {
    double m[MOST][MOST];
    memcpy(m, a, sizeof m);
    memcpy(x, b, (size_t)n * sizeof *x);
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        assert_true(m[best][k] != 0);
        for (int j = 0; j < n; j++) {
            double kept = m[k][j];
            m[k][j] = m[best][j];
            m[best][j] = kept;
        }
        double kept = x[k];
        x[k] = x[best];
        x[best] = kept;
        for (int i = k + 1; i < n; i++) {
            double factor = m[i][k] / m[k][k];
            for (int j = k; j < n; j++) m[i][j] -= factor * m[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= m[i][j] * x[j];
        x[i] /= m[i][i];
    }
}

/* the largest row sum of |a|: no eigenvalue is larger (Gershgorin) */
static inline double largest_row_sum(int n, double a[MOST][MOST]) {
    double largest = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(a[i][j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* c = a b */
static inline void multiply(int rows, double a[MOST][MOST], double b[MOST][MOST], double c[MOST][MOST]) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            c[i][j] = 0;
            for (int k = 0; k < rows; k++) c[i][j] += a[i][k] * b[k][j];
        }
}

/* the largest eigenvalue of `a`, by powers; no eigenvalue is complex */
static inline double power_of(int rows, double a[MOST][MOST], uint64_t *state) {
    double v[MOST], size = 0;
    for (int i = 0; i < rows; i++) v[i] = test_random(state, -1, 1);
    for (int n = 0; n < 400; n++) {
        double w[MOST] = {0};
        size = 0;
        for (int i = 0; i < rows; i++)
            for (int k = 0; k < rows; k++) w[i] += a[i][k] * v[k];
        for (int i = 0; i < rows; i++) size = fmax(size, fabs(w[i]));
        for (int i = 0; i < rows; i++) v[i] = w[i] / size;
    }
    return size;
}

#endif
