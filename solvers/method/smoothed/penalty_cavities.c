#include "penalty_cavities.h"

#include <string.h>

#include "base/memory.h"
#include "operator/low_rank_mass.h"

NB_PRECISIONS(f32, f64);

nb_status nb_penalty_cavities_reserve(nb_penalty_cavities *c, const nb_problem *p, int32_t rows) {
    nb_status status = NB_OK;
    c->rank = nb_low_rank_mass_rank(p->delassus->mass);
    if (c->rank == 0) return NB_OK;
    NB_TRY(NB_RESERVE((int64_t)c->rank * rows, &c->capacity[0], &c->s));
    NB_TRY(NB_RESERVE((int64_t)c->rank * rows, &c->capacity[1], &c->p));
    NB_TRY(NB_RESERVE(rows, &c->capacity[2], &c->b));
out:
    return status;
}

void nb_penalty_cavities_clear(nb_penalty_cavities *c) {
    nb_free(c->s);
    nb_free(c->p);
    nb_free(c->b);
    *c = (nb_penalty_cavities){0};
}

static double product(int32_t n, const real *a, const real *b) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

/* x becomes the solution with dense row k, too */
static void correct(const nb_penalty_cavities *c, int32_t rows, int32_t k, real *x) {
    const real *s = c->s + (ptrdiff_t)k * rows, *p = c->p + (ptrdiff_t)k * rows;
    const double a = product(rows, s, x) / (1 + product(rows, s, p));
    for (int32_t i = 0; i < rows; i++) x[i] = (real)((double)x[i] - a * (double)p[i]);
}

/* s_k over the system's rows */
static void copy_row(const nb_penalty_matrix *m, const nb_problem *p, int32_t k, real *s) {
    const double *row = nb_low_rank_mass_row(p->delassus->mass, k);
    for (int32_t i = 0; i < m->pairs.nodes; i++) {
        const double *from = row + p->nodes->velocity[m->pairs.node[i]];
        for (int32_t r = m->pairs.row[i]; r < m->pairs.row[i + 1]; r++) s[r] = (real)*from++;
    }
}

static void add_work(const nb_solve_report *one, nb_solve_report *all) {
    all->setup_s += one->setup_s;
    all->solve_s += one->solve_s;
    all->measure_s += one->measure_s;
    all->iterations += one->iterations;
    all->products += one->products;
    all->preconditionings += one->preconditionings;
    all->factorisations += one->factorisations;
    if (!nb_reason_converged(one->reason)) all->reason = one->reason;
}

nb_status nb_penalty_cavities_correct(nb_penalty_cavities *c, const nb_problem *p, nb_penalty_matrix *m,
                                      nb_solve *solve, const nb_linear_stop *stop, nb_solve_report *solved) {
    nb_status status = NB_OK;
    nb_system *system = m->system;
    const int32_t rows = system->rows;
    if (c->rank == 0) return NB_OK;
    memcpy(c->b, system->b, (size_t)rows * sizeof *c->b);
    for (int32_t k = 0; k < c->rank; k++) {
        real *s = c->s + (ptrdiff_t)k * rows, *x = c->p + (ptrdiff_t)k * rows;
        nb_solve_report one;
        copy_row(m, p, k, s);
        memcpy(system->b, s, (size_t)rows * sizeof *s);
        NB_TRY(nb_solve_run(solve, system, stop, NULL, NULL, x, &one));
        add_work(&one, solved);
        for (int32_t j = 0; j < k; j++) correct(c, rows, j, x);
        correct(c, rows, k, m->x);
    }
out:
    if (c->rank > 0) memcpy(system->b, c->b, (size_t)rows * sizeof *c->b);
    return status;
}
