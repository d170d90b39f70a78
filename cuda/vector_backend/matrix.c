#include "vector_backend/matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

void nb_matrix_plan_clear(nb_matrix_plan *plan) {
    void *owned[] = {plan->image, plan->block_of, plan->start, plan->met, plan->offset};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    *plan = (nb_matrix_plan){0};
}

static int32_t rows_of(const nb_block_matrix *m, int32_t block) {
    return m->start[block + 1] - m->start[block];
}

static int32_t width_of(const nb_block_matrix *m, int32_t block) {
    return (int32_t)(m->columns[block + 1] - m->columns[block]);
}

/* The blocks that each block of columns is met by, ascending. A block of columns stands whole in a block of rows. */
static nb_status transpose(nb_matrix_plan *plan, const nb_block_matrix *m) {
    nb_status status;
    NB_TRY(NB_RESERVE(m->start[m->count], &plan->block_of_capacity, &plan->block_of));
    NB_TRY(NB_RESERVE(m->count + (int64_t)2, &plan->start_capacity, &plan->start));
    NB_TRY(NB_RESERVE(m->columns[m->count], &plan->met_capacity, &plan->met));
    NB_TRY(NB_RESERVE(m->columns[m->count], &plan->offset_capacity, &plan->offset));
    for (int32_t b = 0; b < m->count; b++)
        for (int32_t r = m->start[b]; r < m->start[b + 1]; r++) plan->block_of[r] = b;
    memset(plan->start, 0, ((size_t)m->count + 2) * sizeof *plan->start);
    for (int pass = 0; pass < 2; pass++) { /* counts them, two places on; writes them, one place on */
        for (int32_t b = 0; b < m->count; b++)
            for (int32_t c = 0, width = width_of(m, b), j; c < width; c += rows_of(m, j)) {
                j = plan->block_of[m->column[m->columns[b] + c]];
                const int64_t at = plan->start[j + 2 - pass]++;
                if (pass == 0) continue;
                plan->met[at] = b;
                plan->offset[at] = c;
            }
        for (int32_t j = 0; pass == 0 && j < m->count; j++) plan->start[j + 2] += plan->start[j + 1];
    }
out:
    return status;
}

static void place_lists(nb_arena *a, nb_view_rows *rows) {
    NB_PLACE(a, rows->blocks + (int64_t)1, &rows->first);
    NB_PLACE(a, rows->blocks + (int64_t)1, &rows->start);
    NB_PLACE(a, rows->blocks, &rows->place);
    NB_PLACE(a, rows->entries, &rows->column);
}

/* the lists of both, the numbers of the transpose, and of the matrix; where the first two end */
static void place_all(nb_arena *a, nb_view_rows rows[2], int64_t ends[2]) {
    for (int half = 0; half < 2; half++) place_lists(a, &rows[half]);
    for (int half = 1; half >= 0; half--) {
        nb_arena_align(a, NB_DEVICE_ALIGNMENT);
        ends[1 - half] = a->used;
        NB_PLACE(a, rows[half].numbers, &rows[half].value);
    }
}

/* columns by their places in a vector */
static void list(nb_matrix_plan *plan, const nb_block_matrix *m, int half, const int32_t *place) {
    nb_view_rows *rows = &plan->rows[half];
    int64_t entries = 0, numbers = 0;
    for (int32_t b = 0; b < rows->blocks; b++) {
        rows->first[b] = m->start[b];
        rows->start[b] = entries;
        rows->place[b] = numbers;
        if (half == 0 && m->column)
            for (int64_t e = m->columns[b]; e < m->columns[b + 1]; e++) rows->column[entries++] = place[m->column[e]];
        if (half == 1)
            for (int64_t e = plan->start[b]; e < plan->start[b + 1]; e++)
                for (int32_t r = m->start[plan->met[e]]; r < m->start[plan->met[e] + 1]; r++)
                    rows->column[entries++] = place[r];
        numbers += rows_of(m, b) * (m->column ? entries - rows->start[b] : rows_of(m, b));
    }
    rows->first[rows->blocks] = m->start[rows->blocks];
    rows->start[rows->blocks] = entries;
}

nb_status nb_matrix_plan_make(nb_matrix_plan *plan, const nb_layout *layout, const nb_block_matrix *m) {
    nb_status status = NB_OK;
    nb_arena all = {.alignment = NB_DEVICE_ALIGNMENT}, image = all;
    int64_t ends[2];
    plan->rows[0] = (nb_view_rows){.blocks = m->count, .numbers = m->place[m->count]};
    plan->rows[1] = (nb_view_rows){0};
    if (m->column) {
        for (int32_t b = 0; b < m->count; b++)
            if (rows_of(m, b) > NB_BLOCK_ROWS)
                return nb_fail(NB_ERROR_UNSUPPORTED, "devices support sparse matrices by blocks of %d rows at most",
                               (int)NB_BLOCK_ROWS);
        NB_TRY(transpose(plan, m));
        plan->rows[1] = plan->rows[0];
        plan->rows[0].entries = m->columns[m->count];
        for (int64_t e = 0; e < plan->start[m->count]; e++) plan->rows[1].entries += rows_of(m, plan->met[e]);
    }
    place_all(&all, plan->rows, ends);
    plan->list_bytes = ends[0];
    plan->image_bytes = ends[1];
    plan->bytes = all.used;
    NB_TRY(NB_RESERVE(plan->image_bytes, &plan->image_capacity, &plan->image));
    memset(plan->image, 0, (size_t)plan->image_bytes); /* what aligns it */
    image.memory = plan->image;
    place_all(&image, plan->rows, ends); /* the numbers of the matrix are not touched */
    list(plan, m, 0, layout->counts.place);
    if (m->column) list(plan, m, 1, layout->counts.place);
out:
    return status;
}

void nb_matrix_plan_fill(nb_matrix_plan *plan, const nb_block_matrix *m) {
    const nb_view_rows *rows = &plan->rows[1];
    for (int32_t b = 0; b < rows->blocks; b++) {
        const int64_t width = rows->start[b + 1] - rows->start[b];
        real *out = rows->value + rows->place[b];
        for (int64_t e = plan->start[b]; e < plan->start[b + 1]; e++) {
            const int32_t other = plan->met[e];
            const real *from = m->value + m->place[other] + plan->offset[e];
            for (int32_t r = 0; r < rows_of(m, other); r++, from += width_of(m, other), out++)
                for (int32_t k = 0; k < rows_of(m, b); k++) out[k * width] = from[k];
        }
    }
}

void nb_matrix_plan_bind(const nb_matrix_plan *plan, void *memory, nb_view *view) {
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    int64_t ends[2];
    memcpy(view->matrix, plan->rows, sizeof plan->rows);
    place_all(&a, view->matrix, ends);
}
