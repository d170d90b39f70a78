#include "newton_system.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"

NB_PRECISIONS(f32, f64);

static void swap(int32_t count, real *a, real *b) {
    for (int32_t i = 0; i < count; i++) {
        const real kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

nb_status nb_newton_set_blocks(const nb_problem *p, nb_system *system) {
    nb_status status = NB_OK;
    int full = 0;
    for (int32_t i = 0; i < p->range_count; i++) full = full || p->ranges[i].law->type->full_blocks;
    if (!full) return NB_OK;
    NB_TRY(nb_system_use_blocks(system));
    system->symmetric = 1;
out:
    return status;
}

/* Rows with blocks of compliance get what a factorisation needs, and no more: a shift relative to D would be many times
 * the compliance of stiff elements, and iterations would creep. */
static void regularize_blocks(const nb_law_range *range, const real *w, real eps, nb_system *system) {
    const int32_t n = range->law->type->rows;
    const real least = eps < 64 * NB_REAL_EPSILON ? eps : 64 * NB_REAL_EPSILON;
    for (int32_t i = 0, row = range->first_row; i < range->blocks; i++) {
        const real *block = nb_system_diagonal_block(system, range->first_block + i);
        for (int32_t r = 0; r < n; r++, row++)
            system->c[row] += least * (system->s[row] * system->s[row] * w[row] + block[r * n + r]);
    }
}

void nb_newton_regularize(const nb_problem *p, real eps, int absolute, nb_system *system) {
    for (int32_t i = 0; i < p->range_count; i++) {
        const nb_law_range *range = &p->ranges[i];
        if (range->law->type->full_blocks && !absolute) {
            regularize_blocks(range, p->w, eps, system);
            continue;
        }
        for (int32_t r = range->first_row; r < range->first_row + nb_law_range_rows(range); r++) {
            real scale = absolute ? 1 : system->s[r] * system->s[r] * p->w[r] + system->c[r];
            system->c[r] += eps * scale;
        }
    }
}

/* an island's share of a row vector */
static void gather_rows(const nb_problem *p, const nb_law_range *ranges, const real *whole, real *own) {
    for (int32_t i = 0; i < p->range_count; i++) {
        int32_t rows = nb_law_range_rows(&ranges[i]);
        memcpy(own, whole + ranges[i].first_row, (size_t)rows * sizeof(real));
        own += rows;
    }
}

void nb_newton_scatter_rows(const nb_problem *p, const nb_law_range *ranges, const real *own, real *whole) {
    for (int32_t i = 0; i < p->range_count; i++) {
        int32_t rows = nb_law_range_rows(&ranges[i]);
        memcpy(whole + ranges[i].first_row, own, (size_t)rows * sizeof(real));
        own += rows;
    }
}

/* the blocks of a range stand one after the other there and here */
static void gather_blocks(const nb_problem *p, const nb_law_range *ranges, const nb_system *whole, real *own) {
    for (int32_t i = 0; i < p->range_count; i++) {
        int64_t begin = whole->k_place[ranges[i].first_block],
                end = whole->k_place[ranges[i].first_block + ranges[i].blocks];
        memcpy(own, whole->k + begin, (size_t)(end - begin) * sizeof *own);
        own += end - begin;
    }
}

void nb_newton_copy_system(const nb_problem *p, const nb_law_range *ranges, const nb_system *whole, nb_system *own) {
    gather_rows(p, ranges, whole->s, own->s);
    gather_rows(p, ranges, whole->c, own->c);
    gather_rows(p, ranges, whole->b, own->b);
    if (own->k) gather_blocks(p, ranges, whole, own->k);
    nb_system_values_changed(own);
}

void nb_newton_norms(const nb_system *system, double *linf, double *l2) {
    double sum = 0;
    *linf = 0;
    for (int32_t i = 0; i < system->rows; i++) {
        double value = fabs((double)system->b[i]);
        sum += value * value;
        nb_raise(linf, value);
    }
    *l2 = sqrt(sum);
}

double nb_newton_residual(const nb_problem *p, const nb_system *system) {
    double linf, l2, sum = 0;
    nb_newton_norms(system, &linf, &l2);
    for (int32_t i = 0; p->momentum && i < p->velocities; i++) sum += (double)p->momentum[i] * (double)p->momentum[i];
    return sqrt(sum + l2 * l2);
}

/* H du - J^T S y = -g times du, and S J du + (C + K) y = b times y, sum up to du.H du + y.(C + K) y = b.y - g.du */
double nb_newton_solution_energy(const nb_problem *p, const nb_system *rows, nb_form *form, real *exact, real *du,
                                 real *y) {
    double sum = 0;
    if (!exact || !p->momentum) return NAN;
    if (form) {
        swap(form->system->rows, form->x, exact);
        form->type->recover(form, rows, du, y);
        swap(form->system->rows, form->x, exact);
    } else {
        for (int32_t r = 0; r < p->rows; r++) y[r] = rows->s[r] * exact[r];
        p->type->velocity_step(p, y, du);
        memcpy(y, exact, (size_t)p->rows * sizeof *y);
        p->type->momentum_rows(p, exact); /* b has S J H^-1 g in it */
        for (int32_t r = 0; r < p->rows; r++) sum -= (double)rows->s[r] * (double)exact[r] * (double)y[r];
    }
    for (int32_t r = 0; r < p->rows; r++) sum += (double)rows->b[r] * (double)y[r];
    for (int32_t i = 0; i < p->velocities; i++) sum -= (double)p->momentum[i] * (double)du[i];
    return sqrt(sum);
}

nb_status nb_newton_check_laws(const nb_problem *p) {
    for (int32_t i = 0; i < p->range_count; i++)
        if (!p->ranges[i].law->type->linearise)
            return nb_fail(NB_ERROR_UNSUPPORTED, "method newton does not support the law %s",
                           p->ranges[i].law->type->name);
    return NB_OK;
}
