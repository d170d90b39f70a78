/* Random linear complementarity problems, for tests. */
#ifndef NB_TESTS_RANDOM_LCP_H
#define NB_TESTS_RANDOM_LCP_H

#include <string.h>

#include "check.h"

enum {
    MOST_UNKNOWNS = 24
};

typedef struct random_lcp {
    int n;
    double m[MOST_UNKNOWNS * MOST_UNKNOWNS], q[MOST_UNKNOWNS];
} random_lcp;

/* M = A A^T of rank `rank`, and a skew part where `skew` is not 0: positive semidefinite */
static inline void make_semidefinite(uint64_t *random, int n, int rank, double skew, random_lcp *p) {
    double a[MOST_UNKNOWNS][MOST_UNKNOWNS];
    p->n = n;
    for (int i = 0; i < n; i++) {
        p->q[i] = test_random(random, -1, 1);
        for (int k = 0; k < rank; k++) a[i][k] = test_random(random, -1, 1);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < rank; k++) sum += a[i][k] * a[j][k];
            p->m[i * n + j] = sum;
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double s = skew * test_random(random, -1, 1);
            p->m[i * n + j] += s;
            p->m[j * n + i] -= s;
        }
}

/* `contacts` with l facets and friction that is not relaxed, of N = A A^T of rank `rank`: copositive */
static inline void make_frictional(uint64_t *random, int contacts, int facets, int rank, random_lcp *p) {
    const int own = facets + 2, n = contacts * own;
    double f[MOST_UNKNOWNS][MOST_UNKNOWNS], a[MOST_UNKNOWNS][MOST_UNKNOWNS];
    assert_true(n <= MOST_UNKNOWNS);
    p->n = n;
    memset(p->m, 0, sizeof p->m);
    for (int i = 0; i < 3 * contacts; i++)
        for (int k = 0; k < rank; k++) a[i][k] = test_random(random, -1, 1);
    for (int i = 0; i < contacts; i++)
        for (int u = 0; u < own; u++) {
            const double angle = 2 * 3.14159265358979323846 * (u - 1) / facets;
            const double unit[3] = {u == 0, u > 0 && u <= facets ? cos(angle) : 0,
                                    u > 0 && u <= facets ? sin(angle) : 0};
            for (int k = 0; k < rank; k++) {
                f[i * own + u][k] = 0;
                for (int j = 0; j < 3; j++) f[i * own + u][k] += unit[j] * a[3 * i + j][k];
            }
        }
    for (int i = 0; i < n; i++) {
        p->q[i] = i % own == own - 1 ? 0 : test_random(random, -1, 1);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < rank; k++) p->m[i * n + j] += f[i][k] * f[j][k];
    }
    for (int i = 0; i < contacts; i++) {
        const int first = i * own, slip = first + own - 1;
        p->m[slip * n + first] = test_random(random, 0.1, 2);
        for (int k = 1; k <= facets; k++) {
            p->m[(first + k) * n + slip] = 1;
            p->m[slip * n + first + k] = -1;
        }
    }
}

#endif
