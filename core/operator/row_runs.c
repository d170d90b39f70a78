#include "operator/row_runs.h"

#include <string.h>

#include "base/instruction_set.h"
#include "base/memory.h"
#include "base/threads.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern nb_row_run_product NB_REAL_NAME(nb_row_run_product_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) NB_REAL_NAME(nb_row_run_product_##set),
static nb_row_run_product *const products[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

nb_row_run_product *nb_row_run_product_of(int set) {
    return products[set];
}

void nb_row_runs_clear(nb_row_runs *r) {
    nb_free(r->row);
    nb_free(r->place);
    nb_free(r->column);
    nb_free(r->threes);
    *r = (nb_row_runs){0};
}

static int alike(const nb_csr *a, int32_t first, int32_t count) {
    const int64_t length = a->start[first + 1] - a->start[first];
    for (int32_t i = first + 1; i < first + count; i++)
        if (a->start[i + 1] - a->start[i] != length ||
            memcmp(a->column + a->start[i], a->column + a->start[first], (size_t)length * sizeof *a->column) != 0)
            return 0;
    return 1;
}

static int in_threes(const int32_t *column, int64_t length) {
    for (int64_t k = 0; k + 2 < length; k += 3)
        if (column[k + 1] != column[k] + 1 || column[k + 2] != column[k] + 2) return 0;
    return length % 3 == 0;
}

nb_status nb_row_runs_make(nb_row_runs *r, const nb_csr *a) {
    nb_status status;
    nb_row_runs_clear(r);
    NB_TRY(NB_ALLOCATE((int64_t)a->rows + 1, &r->row));
    NB_TRY(NB_ALLOCATE((int64_t)a->rows + 1, &r->place));
    NB_TRY(NB_ALLOCATE(a->rows, &r->threes));
    for (int32_t i = 0; i < a->rows; i = r->row[++r->count]) {
        const int64_t length = a->start[i + 1] - a->start[i];
        const int three = i + 3 <= a->rows && alike(a, i, 3), six = three && i + 6 <= a->rows && alike(a, i, 6);
        r->threes[r->count] = (uint8_t)in_threes(a->column + a->start[i], length);
        r->row[r->count + 1] = i + (six ? 6 : three ? 3 : 1);
        r->place[r->count + 1] = r->place[r->count] + (r->threes[r->count] ? length / 3 : length);
    }
    NB_TRY(NB_ALLOCATE(r->place[r->count], &r->column));
    for (int32_t k = 0; k < r->count; k++) {
        const int32_t *from = a->column + a->start[r->row[k]];
        for (int64_t e = r->place[k]; e < r->place[k + 1]; e++, from += r->threes[k] ? 3 : 1) r->column[e] = *from;
    }
out:
    return status;
}

void nb_row_runs_apply(const nb_row_runs *r, const nb_csr *a, const real *x, real *y) {
    nb_row_run_product *product = products[nb_instruction_set()];
    const int parts = nb_threads_for(a->start[a->rows], NB_ROW_RUNS_LEAST);
    NB_EACH_PART(i, parts,
                 product(r, a, x, y, nb_part_begin(i, parts, r->count, 1), nb_part_begin(i + 1, parts, r->count, 1)););
}
