/* Random contact problems as of a file, for tests. */
#ifndef NB_TESTS_RANDOM_FILE_DATA_H
#define NB_TESTS_RANDOM_FILE_DATA_H

#include "check.h"
#include "file_data.h"

enum {
    MOST_FILE_ROWS = 60,
    WORDS = 48
};

typedef struct random_file_data {
    nb_file_data data;
    nb_csr_f64 w;
    int64_t start[MOST_FILE_ROWS + 1];
    int32_t column[MOST_FILE_ROWS * MOST_FILE_ROWS];
    double value[MOST_FILE_ROWS * MOST_FILE_ROWS], q[MOST_FILE_ROWS], mu[MOST_FILE_ROWS];
} random_file_data;

/* W = H H^T, often singular, and q = H v, so that -v stops all: every law has a solution */
static inline void make_random(uint64_t *random, int bilaterals, int contacts, int words, double most_mu,
                               nb_friction_law law, random_file_data *p) {
    static double h[MOST_FILE_ROWS][WORDS];
    const int rows = bilaterals + 3 * contacts;
    double v[WORDS];
    int64_t used = 0;
    assert_true(rows <= MOST_FILE_ROWS && words <= WORDS);
    for (int k = 0; k < words; k++) v[k] = test_random(random, -1, 1);
    for (int i = 0; i < rows; i++) {
        p->q[i] = 0;
        for (int k = 0; k < words; k++) {
            h[i][k] = test_random_bits(random) % 3 ? 0 : test_random(random, -1, 1);
            p->q[i] += h[i][k] * v[k];
        }
        h[i][i % words] += 1;
        p->q[i] += v[i % words];
    }
    for (int i = 0; i < rows; i++) {
        p->start[i] = used;
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < words; k++) sum += h[i][k] * h[j][k];
            if (sum == 0) continue;
            p->column[used] = j;
            p->value[used++] = sum;
        }
    }
    p->start[rows] = used;
    for (int i = 0; i < contacts; i++) p->mu[i] = test_random_bits(random) % 4 ? test_random(random, 0, most_mu) : 0;
    p->w = (nb_csr_f64){.rows = rows, .columns = rows, .start = p->start, .column = p->column, .value = p->value};
    p->data = (nb_file_data){3, bilaterals, contacts, &p->w, p->q, p->mu, law, NULL, NB_FACETS};
}

#endif
