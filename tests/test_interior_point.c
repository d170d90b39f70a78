/* The method interior-point on problems from files: random bodies and contacts with singular W, mu from 0 to 2, in two
 * and three dimensions, with and without bilateral rows; problems without a solution; empty ones. The natural map is
 * computed here, from the data. */
#include <string.h>

#include "check.h"
#include "measure.h"
#include "method.h"
#include "natural_map.h"
#include "ncp/file_problem.h"
#include "registry.h"

enum {
    MOST_ROWS = 120,
    MOST_BODIES = 8,
    WORDS = 6 * MOST_BODIES
};

typedef struct problem {
    nb_file_data data;
    int64_t start[MOST_ROWS + 1];
    int32_t column[MOST_ROWS * MOST_ROWS];
    double value[MOST_ROWS * MOST_ROWS], q[MOST_ROWS], mu[MOST_ROWS], h[MOST_ROWS][WORDS];
} problem;

/* W = H H^T and q = H v + w of `contacts` contacts, a fifth of them repeated, and `bilaterals` rows */
static void make_random(uint64_t *random, int dimension, int bilaterals, int contacts, double most_mu, problem *p) {
    int rows = bilaterals + dimension * contacts;
    double v[WORDS];
    assert_true(rows <= MOST_ROWS);
    memset(p->h, 0, sizeof p->h);
    for (int k = 0; k < WORDS; k++) v[k] = test_random(random, -1, 1);
    for (int block = 0; block < bilaterals + contacts; block++) {
        int first = block < bilaterals ? block : bilaterals + dimension * (block - bilaterals);
        int size = block < bilaterals ? 1 : dimension;
        int a = (int)(test_random_bits(random) % MOST_BODIES), b = (int)(test_random_bits(random) % MOST_BODIES);
        int repeated = block > bilaterals && test_random_bits(random) % 5 == 0;
        for (int r = first; r < first + size; r++) {
            for (int k = 0; k < 6 && !repeated; k++) {
                p->h[r][6 * a + k] = test_random(random, -1, 1);
                if (b != a) p->h[r][6 * b + k] = test_random(random, -1, 1);
            }
            if (repeated) memcpy(p->h[r], p->h[r - size], sizeof p->h[r]);
        }
    }
    int64_t used = 0;
    for (int i = 0; i < rows; i++) {
        p->start[i] = used;
        p->q[i] = 0;
        for (int k = 0; k < WORDS; k++) p->q[i] += p->h[i][k] * v[k];
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < WORDS; k++) sum += p->h[i][k] * p->h[j][k];
            if (sum == 0) continue;
            p->column[used] = j;
            p->value[used++] = sum;
        }
    }
    p->start[rows] = used;
    for (int i = 0; i < contacts; i++)
        p->mu[i] = test_random_bits(random) % 4 == 0 ? 0 : test_random(random, 0, most_mu);
    p->data = (nb_file_data){dimension, bilaterals, contacts, p->start, p->column, p->value, p->q, p->mu};
}

typedef struct solution {
    nb_step_outcome outcome;
    nb_natural_map map;
    double z[MOST_ROWS];
} solution;

static void solve(const nb_file_data *data, double tolerance, const nb_observer *observer, solution *s) {
    const nb_linear_solver_class *klu;
    const nb_method_class *method;
    double values[16], rows[2 * MOST_ROWS], u[MOST_ROWS];
    nb_problem *p;
    nb_measure *measure;
    void *state;
    CHECK_OK(nb_method_find("interior-point", &method));
    CHECK_OK(nb_linear_solver_find(method->linear_solver, &klu));
    assert_true(klu->option_count <= 16);
    nb_options_standard(klu->options, klu->option_count, values);
    nb_method_settings settings = {.newton_iterations = method->newton_iterations,
                                   .linear_iterations = 1,
                                   .frozen_geometry = 1,
                                   .relative_tolerance = tolerance,
                                   .linear_solver = klu->name,
                                   .linear_solver_values = values,
                                   .preconditioner = "none"};
    CHECK_OK(nb_file_problem_create(data, &p));
    CHECK_OK(nb_measure_create_file(data, &measure));
    CHECK_OK(method->create(&settings, &state));
    CHECK_OK(method->step(state, p, measure, observer, &s->outcome));
    for (int32_t r = 0; r < p->rows; r++) rows[r] = (double)p->z[r];
    nb_file_data_from_rows(data, rows, s->z);
    nb_natural_map_compute(data, s->z, u, &s->map);
    method->destroy(state);
    nb_measure_destroy(measure);
    nb_file_problem_destroy(p);
}

/* all of them are feasible: the velocities v that make q are away from nothing, but -v undoes them */
static void random_problems_are_solved(void **state) {
    (void)state;
    static problem p;
    static solution s;
    const uint64_t seed = 77;
    uint64_t random = seed;
    for (int i = 0; i < 300; i++) {
        int dimension = 2 + i % 2, bilaterals = (int)(test_random_bits(&random) % 7);
        int contacts = 1 + (int)(test_random_bits(&random) % 30);
        make_random(&random, dimension, bilaterals, contacts, i % 3 == 0 ? 2 : 1, &p);
        solve(&p.data, 1e-8, NULL, &s);
        if (s.outcome.reason != NB_REASON_CONVERGED)
            fail_msg("seed %d, problem %d: %d contacts in %dD, %d bilaterals: %s at %g", (int)seed, i, contacts,
                     dimension, bilaterals, nb_reason_name(s.outcome.reason), s.map.relative);
        CHECK_BELOW(s.map.relative, 1e-8);
        CHECK_NEAR(s.map.relative, s.outcome.errors.file.relative, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
