/* A problem put together by hand: beads on a rail, one velocity each, and rows of any laws between them. What the core
 * makes of worlds and files, a test makes of a few numbers. */
#ifndef NB_TESTS_ROW_PROBLEM_H
#define NB_TESTS_ROW_PROBLEM_H

#include <string.h>

#include "check.h"
#include "constraint/problem.h"
#include "operator/delassus_matrix.h"

enum {
    ROW_MOST = 16
};

/* J u + rate are the values; D = J M^-1 J^T */
typedef struct row_problem {
    nb_problem base; /* first */
    real mass[ROW_MOST], u_free[ROW_MOST], j[ROW_MOST][ROW_MOST], rate[ROW_MOST];
    nb_law_range range[ROW_MOST];
    real u[ROW_MOST], z[ROW_MOST], value[ROW_MOST], momentum[ROW_MOST], w[ROW_MOST];
    nb_delassus *delassus;
} row_problem;

static inline const row_problem *row_problem_of(const nb_problem *p) {
    return (const row_problem *)p;
}

static inline void row_velocities(const nb_problem *p, const real *u, real *out) {
    for (int32_t r = 0; r < p->rows; r++) {
        out[r] = 0;
        for (int32_t i = 0; i < p->velocities; i++) out[r] += row_problem_of(p)->j[r][i] * u[i];
    }
}

static inline void row_evaluate(nb_problem *p, const real *force_weight) {
    const row_problem *b = row_problem_of(p);
    row_velocities(p, p->u, p->value);
    for (int32_t r = 0; r < p->rows; r++) p->value[r] += b->rate[r];
    for (int32_t i = 0; i < p->velocities; i++) {
        p->momentum[i] = b->mass[i] * (p->u[i] - b->u_free[i]);
        for (int32_t r = 0; r < p->rows; r++)
            p->momentum[i] -= b->j[r][i] * (force_weight ? force_weight[r] : 1) * p->z[r];
    }
}

static inline void row_velocity_step(const nb_problem *p, const real *y, real *du) {
    const row_problem *b = row_problem_of(p);
    for (int32_t i = 0; i < p->velocities; i++) {
        real force = -p->momentum[i];
        for (int32_t r = 0; r < p->rows; r++) force += b->j[r][i] * y[r];
        du[i] = force / b->mass[i];
    }
}

static inline void row_momentum_rows(const nb_problem *p, real *out) {
    real du[ROW_MOST], none[ROW_MOST] = {0};
    row_velocity_step(p, none, du);
    row_velocities(p, du, out);
    for (int32_t r = 0; r < p->rows; r++) out[r] = -out[r];
}

static inline double row_momentum_error(const nb_problem *p) {
    double largest = 0;
    for (int32_t i = 0; i < p->velocities; i++)
        largest = fmax(largest, fabs((double)(p->momentum[i] / row_problem_of(p)->mass[i])));
    return largest;
}

static const nb_problem_class row_problem_class = {.evaluate = row_evaluate,
                                                   .momentum_rows = row_momentum_rows,
                                                   .velocity_step = row_velocity_step,
                                                   .rows_of_velocity = row_velocities,
                                                   .momentum_error = row_momentum_error};

/* `blocks` more rows of a law of one row a block */
static inline void row_problem_add(row_problem *b, const nb_law *law, int32_t blocks) {
    nb_problem *p = &b->base;
    b->range[p->range_count++] = (nb_law_range){law, blocks, p->rows, p->rows, 0};
    p->rows += blocks;
}

/* when masses, free velocities, rows and laws are there */
static inline nb_problem *row_problem_finish(row_problem *b, int32_t velocities) {
    nb_problem *p = &b->base;
    nb_csr *d;
    p->type = &row_problem_class;
    p->velocities = velocities;
    CHECK_OK(nb_csr_create(p->rows, p->rows, (int64_t)p->rows * p->rows, &d));
    for (int32_t r = 0; r < p->rows; r++) {
        d->start[r + 1] = (int64_t)(r + 1) * p->rows;
        for (int32_t c = 0; c < p->rows; c++) {
            int64_t place = (int64_t)r * p->rows + c;
            d->column[place] = c;
            for (int32_t i = 0; i < velocities; i++) d->value[place] += b->j[r][i] * b->j[c][i] / b->mass[i];
        }
        b->w[r] = d->value[(int64_t)r * p->rows + r];
    }
    CHECK_OK(nb_delassus_matrix_create(d, 0, NULL, 0, NULL, &b->delassus));
    p->delassus = p->exact = b->delassus;
    p->h = R(0.01);
    p->frozen = 1; /* rows are linear in u */
    p->pattern_epoch = p->value_epoch = 1;
    p->ranges = b->range;
    p->u = b->u;
    p->z = b->z;
    p->value = b->value;
    p->momentum = b->momentum;
    p->w = b->w;
    return p;
}

#endif
