#include "method/pair_matrix.h"

#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "operator/delassus_matrix.h"

NB_PRECISIONS(f32, f64);

void nb_pair_matrix_drop(nb_pair_problem *s) {
    nb_system_destroy(s->system);
    nb_delassus_matrix_destroy(s->delassus); /* with the matrix */
    s->system = NULL;
    s->delassus = NULL;
    s->matrix = NULL;
}

/* ---- the pattern ---- */

static int32_t row_of(const nb_pair_problem *s, int32_t i, int k) {
    return s->row[s->pairs[i].body[k]];
}

static int is_known(const nb_pair_problem *s) {
    if (!s->system || s->known_count != s->found.count || s->matrix->rows != 6 * s->moving) return 0;
    for (int32_t i = 0; i < s->found.count; i++)
        if (s->known[i][0] != row_of(s, i, 0) || s->known[i][1] != row_of(s, i, 1)) return 0;
    return 1;
}

static int compare(const void *x, const void *y) {
    int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

/* The bodies that each body has pairs with, and itself: start [moving + 1], others [..] ascending, each once. */
static void list_neighbours(const nb_pair_problem *s, int32_t *start, int32_t *others) {
    memset(start, 0, ((size_t)s->moving + 1) * sizeof *start);
    for (int32_t b = 0; b < s->moving; b++) start[b + 1]++;
    for (int32_t i = 0; i < s->found.count; i++) {
        int32_t a = row_of(s, i, 0), b = row_of(s, i, 1);
        if (a < 0 || b < 0) continue;
        start[a / 6 + 1]++;
        start[b / 6 + 1]++;
    }
    for (int32_t b = 0; b < s->moving; b++) start[b + 1] += start[b];
    for (int32_t b = 0; b < s->moving; b++) others[start[b]++] = b;
    for (int32_t i = 0; i < s->found.count; i++) {
        int32_t a = row_of(s, i, 0), b = row_of(s, i, 1);
        if (a < 0 || b < 0) continue;
        others[start[a / 6]++] = b / 6;
        others[start[b / 6]++] = a / 6;
    }
    for (int32_t b = s->moving; b > 0; b--) start[b] = start[b - 1];
    start[0] = 0;
    int32_t kept = 0;
    for (int32_t b = 0; b < s->moving; b++) {
        int32_t begin = start[b], count = start[b + 1] - begin, first = kept;
        qsort(others + begin, (size_t)count, sizeof *others, compare);
        for (int32_t k = begin; k < begin + count; k++)
            if (kept == first || others[kept - 1] != others[k]) others[kept++] = others[k];
        start[b] = first;
    }
    start[s->moving] = kept;
}

static nb_status make_matrix(nb_pair_problem *s, const int32_t *start, const int32_t *others) {
    nb_status status;
    const int32_t rows = 6 * s->moving;
    int64_t used = 0;
    int32_t *block_start = NULL;
    NB_TRY(NB_ALLOCATE(s->moving + 1, &block_start));
    NB_TRY(nb_csr_create(rows, rows, 36 * (int64_t)start[s->moving], &s->matrix));
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t k = start[r / 6]; k < start[r / 6 + 1]; k++)
            for (int32_t c = 0; c < 6; c++) s->matrix->column[used++] = 6 * others[k] + c;
        s->matrix->start[r + 1] = used;
    }
    for (int32_t b = 0; b <= s->moving; b++) block_start[b] = 6 * b;
    status = nb_delassus_matrix_create(s->matrix, s->moving, block_start, 0, NULL, &s->delassus);
    if (status != NB_OK) s->matrix = NULL; /* taken over in every case */
    NB_TRY(status);
    NB_TRY(nb_system_create(s->delassus, &s->system));
    s->system->symmetric = 0;
    nb_solve_restart(s->solve);
out:
    nb_free(block_start);
    if (status != NB_OK) nb_pair_matrix_drop(s);
    return status;
}

/* where the block of two bodies begins in the first of its rows */
static int64_t place_of(const nb_csr *matrix, int32_t row, int32_t column) {
    int64_t low = matrix->start[row], high = matrix->start[row + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static nb_status remember(nb_pair_problem *s) {
    nb_status status = NB_RESERVE(s->found.count, &s->known_capacity, &s->known);
    if (status != NB_OK) return status;
    s->known_count = s->found.count;
    for (int32_t i = 0; i < s->found.count; i++)
        for (int k = 0; k < 2; k++) s->known[i][k] = row_of(s, i, k);
    return NB_OK;
}

nb_status nb_pair_matrix_make(nb_pair_problem *s) {
    nb_status status = NB_OK;
    int32_t *start = NULL, *others = NULL;
    if (s->moving == 0) {
        nb_pair_matrix_drop(s);
        return NB_OK;
    }
    if (!is_known(s)) {
        nb_pair_matrix_drop(s);
        NB_TRY(NB_ALLOCATE(s->moving + 1, &start));
        NB_TRY(NB_ALLOCATE(s->moving + 2 * (int64_t)s->found.count, &others));
        list_neighbours(s, start, others);
        NB_TRY(make_matrix(s, start, others));
        NB_TRY(remember(s));
    }
    for (int32_t i = 0; i < s->found.count; i++)
        for (int k = 0; k < 4; k++) {
            int32_t row = row_of(s, i, k / 2), column = row_of(s, i, k % 2);
            s->place[4 * (int64_t)i + k] = row < 0 || column < 0 ? -1 : place_of(s->matrix, row, column);
        }
out:
    nb_free(start);
    nb_free(others);
    return status;
}

/* ---- values ---- */

static double weight_of(const nb_pair_problem *s, int32_t i, int k) {
    return s->mass[i] / s->world->bodies[s->pairs[i].body[k]].mass;
}

static void add_pair(nb_pair_problem *s, int32_t i) {
    const nb_contact_pair *pair = &s->pairs[i];
    int32_t stride;
    const double *block = nb_contact_pair_block(pair, &stride);
    for (int k = 0; k < 4; k++) {
        int64_t place = s->place[4 * (int64_t)i + k];
        if (place < 0) continue;
        int32_t row = row_of(s, i, k / 2);
        int64_t length = s->matrix->start[row + 1] - s->matrix->start[row]; /* of each of the six rows */
        const double *from = block + (int64_t)pair->first[k / 2] * stride + pair->first[k % 2];
        double weight = weight_of(s, i, k / 2);
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                s->matrix->value[place + r * length + c] += (real)(weight * from[r * stride + c]);
    }
}

void nb_pair_matrix_fill(nb_pair_problem *s) {
    if (!s->system) return;
    nb_csr *a = s->matrix;
    memset(a->value, 0, (size_t)nb_csr_nonzeros(a) * sizeof *a->value);
    for (int32_t i = 0; i < s->body_count; i++) {
        if (s->row[i] < 0) continue;
        int64_t place = place_of(a, s->row[i], s->row[i]), length = a->start[s->row[i] + 1] - a->start[s->row[i]];
        const double *inertia = s->inertia + 9 * (int64_t)i;
        for (int k = 0; k < 3; k++) {
            a->value[place + k * length + k] = 1;
            for (int j = 0; j < 3; j++) a->value[place + (3 + k) * length + 3 + j] = (real)inertia[3 * k + j];
        }
    }
    for (int32_t i = 0; i < s->found.count; i++) add_pair(s, i);
    nb_system_values_changed(s->system);
}

void nb_pair_matrix_aim(nb_pair_problem *s) {
    real *b = s->system->b;
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->row[i] >= 0 && k < 6; k++) b[s->row[i] + k] = (real)-s->r[6 * (int64_t)i + k];
    for (int32_t i = 0; i < s->found.count; i++) {
        nb_contact_pair *pair = &s->pairs[i];
        nb_contact_pair_reduce(pair);
        for (int k = 0; k < 2; k++) {
            if (pair->first[k] < 0) continue;
            const double *own = pair->b + pair->order + pair->first[k];
            double weight = weight_of(s, i, k);
            for (int j = 0; j < 6; j++) b[row_of(s, i, k) + j] += (real)(weight * own[j]);
        }
    }
}

nb_status nb_pair_matrix_solve(nb_pair_problem *s, const nb_method_settings *settings, const nb_observer *observer,
                               int *solved) {
    nb_status status;
    real *x = s->x;
    NB_TRY(nb_solve_run(s->solve, s->system, &settings->linear, observer ? observer->linear : NULL,
                        observer ? observer->context : NULL, x, &s->report));
    nb_reason reason = s->report.reason;
    *solved = reason != NB_REASON_NAN && reason != NB_REASON_DIVERGED && reason != NB_REASON_SINGULAR &&
              reason != NB_REASON_BREAKDOWN;
    for (int32_t i = 0; i < s->body_count; i++)
        for (int k = 0; s->row[i] >= 0 && k < 6; k++) s->du[6 * (int64_t)i + k] = (double)x[s->row[i] + k];
out:
    return status;
}
