/* Solves of random unsymmetric systems with the history of their residuals, for tests of gmres, fgmres and bicgstab;
 * and the products of dense arithmetic in double to compare with. */
#ifndef NB_TESTS_UNSYMMETRIC_SOLVE_H
#define NB_TESTS_UNSYMMETRIC_SOLVE_H

#include "operator/solve.h"
#include "random_system.h"
#include "registry.h"

enum {
    MOST_HEARD = 25 /* residuals that a history keeps */
};

typedef struct history {
    int count; /* of residuals heard */
    double residual[MOST_HEARD];
    double last;
} history;

static inline nb_status hear(void *context, int32_t iteration, const nb_linear_iterate *iterate) {
    history *h = context;
    const double residual = iterate->residual_l2;
    assert_int_equal(iteration, h->count);
    if (h->count < MOST_HEARD) h->residual[h->count] = residual;
    h->last = residual;
    h->count++;
    return NB_OK;
}

/* `values` of the solver's options; h NULL: nobody listens */
static inline nb_solve_report run_solver(random_system *t, const char *name, const double *values,
                                         const char *preconditioner_name, int iterations, double tolerance, history *h,
                                         real *x) {
    const nb_linear_solver_class *solver;
    const nb_preconditioner_class *preconditioner;
    const double preconditioner_values[4] = {0};
    nb_solve *solve;
    nb_solve_report report;
    CHECK_OK(nb_linear_solver_find(name, &solver));
    CHECK_OK(nb_preconditioner_find(preconditioner_name, &preconditioner));
    CHECK_OK(nb_solve_create(solver, values, preconditioner, preconditioner_values, &solve));
    if (h) h->count = 0;
    CHECK_OK(nb_solve_run(solve, t->system, &(nb_linear_stop){.iterations = iterations, .tolerance = tolerance},
                          h ? hear : NULL, h, x, &report));
    nb_solve_destroy(solve);
    return report;
}

/* a random system of unsymmetric blocks */
static inline void create(uint64_t *state, random_system *t) {
    random_system_create(state, 0, 0.5, t);
    random_system_add_blocks(state, t);
}

static inline double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* w = A P v, P the inverse diagonal or 1 */
static inline void dense_product(random_system *t, int jacobi, const double *v, double *w) {
    for (int i = 0; i < t->rows; i++) {
        w[i] = 0;
        for (int j = 0; j < t->rows; j++) w[i] += t->dense[i][j] * (jacobi ? v[j] / t->dense[j][j] : v[j]);
    }
}

#endif
