#include "precond/float_factor.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void nb_float_factor_clear(nb_float_factor *f) {
    void *owned[] = {f->start,     f->row,    f->value, f->order, f->place, f->upper_start, f->upper,
                     f->upper_row, f->parent, f->mark,  f->stack, f->next,  f->x,           f->y};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    *f = (nb_float_factor){0};
}

static nb_status reserve(nb_float_factor *f, int64_t n, int64_t entries) {
    nb_status status;
    NB_TRY(NB_RESERVE(n + 1, &f->start_capacity, &f->start));
    NB_TRY(NB_RESERVE(n, &f->order_capacity, &f->order));
    NB_TRY(NB_RESERVE(n, &f->place_capacity, &f->place));
    NB_TRY(NB_RESERVE(n + 1, &f->upper_start_capacity, &f->upper_start));
    NB_TRY(NB_RESERVE(entries, &f->upper_capacity, &f->upper));
    NB_TRY(NB_RESERVE(entries, &f->upper_row_capacity, &f->upper_row));
    NB_TRY(NB_RESERVE(n, &f->parent_capacity, &f->parent));
    NB_TRY(NB_RESERVE(n, &f->mark_capacity, &f->mark));
    NB_TRY(NB_RESERVE(n, &f->stack_capacity, &f->stack));
    NB_TRY(NB_RESERVE(n, &f->next_capacity, &f->next));
    NB_TRY(NB_RESERVE(n, &f->x_capacity, &f->x));
    NB_TRY(NB_RESERVE(n, &f->y_capacity, &f->y));
out:
    return status;
}

/* the entries on and above the diagonal, by columns in the order of elimination */
static void sort_upper(nb_float_factor *f, const int64_t *start, const int32_t *column) {
    memset(f->upper_start, 0, ((size_t)f->rows + 1) * sizeof *f->upper_start);
    for (int32_t i = 0; i < f->rows; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            if (f->place[i] <= f->place[column[k]]) f->upper_start[f->place[column[k]] + 1]++;
    for (int32_t i = 0; i < f->rows; i++) f->upper_start[i + 1] += f->upper_start[i];
    for (int32_t i = 0; i < f->rows; i++) f->next[i] = f->upper_start[i];
    for (int32_t i = 0; i < f->rows; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++)
            if (f->place[i] <= f->place[column[k]]) {
                const int64_t at = f->next[f->place[column[k]]]++;
                f->upper[at] = k;
                f->upper_row[at] = f->place[i];
            }
}

/* the elimination tree (Liu 1990) */
static void make_tree(nb_float_factor *f) {
    int32_t *ancestor = f->mark;
    for (int32_t k = 0; k < f->rows; k++) {
        f->parent[k] = ancestor[k] = -1;
        for (int64_t e = f->upper_start[k]; e < f->upper_start[k + 1]; e++)
            for (int32_t i = f->upper_row[e], up; i >= 0 && i < k; i = up) {
                up = ancestor[i];
                ancestor[i] = k;
                if (up < 0) f->parent[i] = k;
            }
    }
}

/* The columns in which row k of L has entries, into stack[top .. rows - 1], children before parents; returns top. mark
 * holds no k before. */
static int32_t reach(nb_float_factor *f, int32_t k) {
    int32_t top = f->rows;
    f->mark[k] = k;
    for (int64_t e = f->upper_start[k]; e < f->upper_start[k + 1]; e++) {
        int32_t length = 0;
        for (int32_t i = f->upper_row[e]; f->mark[i] != k; i = f->parent[i]) {
            f->stack[length++] = i;
            f->mark[i] = k;
        }
        while (length > 0) f->stack[--top] = f->stack[--length];
    }
    return top;
}

nb_status nb_float_factor_set_pattern(nb_float_factor *f, int32_t rows, const int64_t *start, const int32_t *column,
                                      const int64_t *order) {
    nb_status status;
    f->rows = rows;
    NB_TRY(reserve(f, rows, start[rows]));
    for (int32_t k = 0; k < rows; k++) {
        f->order[k] = order ? (int32_t)order[k] : k;
        f->place[f->order[k]] = k;
    }
    sort_upper(f, start, column);
    make_tree(f);
    memset(f->start, 0, ((size_t)rows + 1) * sizeof *f->start);
    memset(f->mark, -1, (size_t)rows * sizeof *f->mark);
    for (int32_t k = 0; k < rows; k++) {
        f->start[k + 1]++;
        for (int32_t at = reach(f, k); at < rows; at++) f->start[f->stack[at] + 1]++;
    }
    for (int32_t k = 0; k < rows; k++) f->start[k + 1] += f->start[k];
    NB_TRY(NB_RESERVE(f->start[rows], &f->row_capacity, &f->row));
    NB_TRY(NB_RESERVE(f->start[rows], &f->value_capacity, &f->value));
out:
    return status;
}

/* row k of L; 0 where its pivot is not positive and finite */
static int make_row(nb_float_factor *f, int32_t k, const float *value) {
    const int32_t top = reach(f, k);
    for (int64_t e = f->upper_start[k]; e < f->upper_start[k + 1]; e++) f->x[f->upper_row[e]] = value[f->upper[e]];
    float pivot = f->x[k];
    f->x[k] = 0;
    for (int32_t at = top; at < f->rows; at++) {
        const int32_t i = f->stack[at];
        const float entry = f->x[i] / f->value[f->start[i]];
        f->x[i] = 0;
        for (int64_t e = f->start[i] + 1; e < f->next[i]; e++) f->x[f->row[e]] -= f->value[e] * entry;
        f->flops += 2 * (double)(f->next[i] - f->start[i]) + 1;
        pivot -= entry * entry;
        f->row[f->next[i]] = k;
        f->value[f->next[i]++] = entry;
    }
    if (!(pivot > 0) || !isfinite(pivot)) return 0;
    f->row[f->start[k]] = k;
    f->value[f->start[k]] = sqrtf(pivot);
    f->next[k] = f->start[k] + 1;
    return 1;
}

int nb_float_factor_make(nb_float_factor *f, const float *value) {
    memset(f->mark, -1, (size_t)f->rows * sizeof *f->mark);
    memset(f->x, 0, (size_t)f->rows * sizeof *f->x);
    f->flops = 0;
    for (int32_t k = 0; k < f->rows; k++)
        if (!make_row(f, k, value)) return 0;
    return 1;
}

void nb_float_factor_solve(nb_float_factor *f, const double *b, double *x) {
    double *y = f->y;
    for (int32_t k = 0; k < f->rows; k++) y[k] = b[f->order[k]];
    for (int32_t k = 0; k < f->rows; k++) {
        y[k] /= (double)f->value[f->start[k]];
        for (int64_t e = f->start[k] + 1; e < f->start[k + 1]; e++) y[f->row[e]] -= (double)f->value[e] * y[k];
    }
    for (int32_t k = f->rows - 1; k >= 0; k--) {
        for (int64_t e = f->start[k] + 1; e < f->start[k + 1]; e++) y[k] -= (double)f->value[e] * y[f->row[e]];
        y[k] /= (double)f->value[f->start[k]];
    }
    for (int32_t k = 0; k < f->rows; k++) x[f->order[k]] = y[k];
}
