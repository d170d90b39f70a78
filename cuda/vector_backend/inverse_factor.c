#include "vector_backend/inverse_factor.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

void nb_factor_plan_clear(nb_factor_plan *plan) {
    void *owned[] = {plan->image, plan->block_of, plan->start, plan->met, plan->offset};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) nb_free(owned[i]);
    *plan = (nb_factor_plan){0};
}

static int32_t rows_of(const nb_inverse_factor *f, int32_t block) {
    return f->start[block + 1] - f->start[block];
}

static int32_t width_of(const nb_inverse_factor *f, int32_t block) {
    return (int32_t)(f->columns[block + 1] - f->columns[block]);
}

/* The blocks that each block of columns is met by, ascending. A block of columns stands whole in a block of rows. */
static nb_status transpose(nb_factor_plan *plan, const nb_inverse_factor *f) {
    nb_status status;
    int64_t entries = 0;
    NB_TRY(NB_RESERVE(f->start[f->count], &plan->block_of_capacity, &plan->block_of));
    NB_TRY(NB_RESERVE(f->count + (int64_t)1, &plan->start_capacity, &plan->start));
    for (int32_t b = 0; b < f->count; b++)
        for (int32_t r = f->start[b]; r < f->start[b + 1]; r++) plan->block_of[r] = b;
    memset(plan->start, 0, ((size_t)f->count + 1) * sizeof *plan->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t b = 0; b < f->count; b++)
            for (int32_t c = 0, width = width_of(f, b), j; c < width; c += rows_of(f, j)) {
                j = plan->block_of[f->column[f->columns[b] + c]];
                const int64_t at = plan->start[j]++;
                if (pass == 0) continue;
                plan->met[at] = b;
                plan->offset[at] = c;
            }
        for (int32_t j = 0; pass == 0 && j < f->count; j++) { /* numbers of entries become places of the first ones */
            const int64_t count = plan->start[j];
            plan->start[j] = entries;
            entries += count;
        }
        if (pass == 0) NB_TRY(NB_RESERVE(entries, &plan->met_capacity, &plan->met));
        if (pass == 0) NB_TRY(NB_RESERVE(entries, &plan->offset_capacity, &plan->offset));
    }
    memmove(plan->start + 1, plan->start, (size_t)f->count * sizeof *plan->start);
    plan->start[0] = 0;
out:
    return status;
}

static void place_lists(nb_arena *a, nb_view_rows *m) {
    NB_PLACE(a, m->blocks + (int64_t)1, &m->first);
    NB_PLACE(a, m->blocks + (int64_t)1, &m->start);
    NB_PLACE(a, m->blocks, &m->place);
    NB_PLACE(a, m->entries, &m->column);
}

/* the lists of both, their numbers, and the vector; where the lists and the numbers end */
static void place_all(nb_arena *a, nb_view_rows rows[2], int64_t length, storage **vector, int64_t ends[2]) {
    for (int half = 0; half < 2; half++) place_lists(a, &rows[half]);
    nb_arena_align(a, NB_DEVICE_ALIGNMENT);
    ends[0] = a->used;
    for (int half = 0; half < 2; half++) NB_PLACE(a, rows[half].numbers, &rows[half].value);
    nb_arena_align(a, NB_DEVICE_ALIGNMENT);
    ends[1] = a->used;
    NB_PLACE(a, length, vector);
}

/* the columns of a block of G, by their places in a vector; how many */
static int32_t list_columns(const nb_inverse_factor *f, int32_t block, const int32_t *place, int32_t *out) {
    const int32_t width = width_of(f, block);
    for (int32_t e = 0; e < width; e++) out[e] = place[f->column[f->columns[block] + e]];
    return width;
}

/* the same of its transpose */
static int32_t list_met(const nb_factor_plan *plan, const nb_inverse_factor *f, int32_t block, const int32_t *place,
                        int32_t *out) {
    int32_t width = 0;
    for (int64_t e = plan->start[block]; e < plan->start[block + 1]; e++)
        for (int32_t r = f->start[plan->met[e]]; r < f->start[plan->met[e] + 1]; r++) out[width++] = place[r];
    return width;
}

static void list(nb_factor_plan *plan, const nb_inverse_factor *f, int half, const int32_t *place) {
    nb_view_rows *m = &plan->rows[half];
    int64_t entries = 0, numbers = 0;
    for (int32_t b = 0; b < f->count; b++) {
        int32_t *out = m->column + entries;
        m->first[b] = f->start[b];
        m->start[b] = entries;
        m->place[b] = numbers;
        const int32_t width = half == 0 ? list_columns(f, b, place, out) : list_met(plan, f, b, place, out);
        entries += width;
        numbers += (int64_t)rows_of(f, b) * width;
    }
    m->first[f->count] = f->start[f->count];
    m->start[f->count] = entries;
}

nb_status nb_factor_plan_make(nb_factor_plan *plan, const nb_layout *layout, const nb_inverse_factor *f) {
    nb_status status = NB_OK;
    const int64_t length = nb_view_length(&layout->counts);
    nb_arena all = {.alignment = NB_DEVICE_ALIGNMENT}, image = all;
    int64_t ends[2];
    storage *vector;
    for (int32_t b = 0; b < f->count; b++)
        if (rows_of(f, b) > NB_BLOCK_ROWS)
            return nb_fail(NB_ERROR_UNSUPPORTED, "a device takes factors of inverses in blocks of %d rows at most",
                           (int)NB_BLOCK_ROWS);
    NB_TRY(transpose(plan, f));
    for (int half = 0; half < 2; half++)
        plan->rows[half] = (nb_view_rows){.blocks = f->count, .numbers = f->place[f->count]};
    plan->rows[0].entries = f->columns[f->count];
    for (int64_t e = 0; e < plan->start[f->count]; e++) plan->rows[1].entries += rows_of(f, plan->met[e]);
    place_all(&all, plan->rows, length, &vector, ends);
    plan->list_bytes = ends[0];
    plan->image_bytes = ends[1];
    plan->bytes = all.used;
    NB_TRY(NB_RESERVE(plan->image_bytes, &plan->image_capacity, &plan->image));
    memset(plan->image, 0, (size_t)plan->image_bytes); /* what aligns it */
    image.memory = plan->image;
    place_all(&image, plan->rows, length, &vector, ends); /* the vector is not touched */
    for (int half = 0; half < 2; half++) list(plan, f, half, layout->counts.place);
out:
    return status;
}

/* a block of the transpose */
static void fill_transposed(const nb_factor_plan *plan, const nb_inverse_factor *f, int32_t block, int32_t width,
                            real *out) {
    for (int64_t e = plan->start[block]; e < plan->start[block + 1]; e++) {
        const int32_t other = plan->met[e];
        const real *from = f->value + f->place[other] + plan->offset[e];
        for (int32_t r = 0; r < rows_of(f, other); r++, from += width_of(f, other), out++)
            for (int32_t k = 0; k < rows_of(f, block); k++) out[(int64_t)k * width] = from[k];
    }
}

void nb_factor_plan_fill(nb_factor_plan *plan, const nb_inverse_factor *f) {
    const nb_view_rows *m = &plan->rows[1];
    memcpy(plan->rows[0].value, f->value, (size_t)f->place[f->count] * sizeof *f->value);
    for (int32_t b = 0; b < f->count; b++)
        fill_transposed(plan, f, b, (int32_t)(m->start[b + 1] - m->start[b]), m->value + m->place[b]);
}

void nb_factor_plan_bind(nb_factor_plan *plan, void *memory, nb_view *view) {
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    int64_t ends[2];
    for (int half = 0; half < 2; half++) view->inverse[half] = plan->rows[half];
    place_all(&a, view->inverse, nb_view_length(view), &plan->half_way, ends);
}
