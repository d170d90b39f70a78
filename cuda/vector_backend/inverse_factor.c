#include "vector_backend/inverse_factor.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

/* Blocks are sorted by their sizes among so many neighbours: lanes of a warp then have as much to do, and still read
 * what is near. */
enum {
    SORTED_TOGETHER = 4096
};

void nb_factor_plan_clear(nb_factor_plan *plan) {
    void *owned[] = {plan->image, plan->lane[0], plan->lane[1], plan->block_of, plan->start, plan->met, plan->offset};
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

/* the larger ones first, and else as they come */
static int compare(const void *a, const void *b) {
    const nb_factor_lane *x = a, *y = b;
    if (x->rows != y->rows) return x->rows < y->rows ? 1 : -1;
    if (x->width != y->width) return x->width < y->width ? 1 : -1;
    return (x->block > y->block) - (x->block < y->block);
}

/* the columns of a block of G, or of its transpose */
static int32_t width_in(const nb_factor_plan *plan, const nb_inverse_factor *f, int half, int32_t block) {
    int32_t width = 0;
    if (half == 0) return width_of(f, block);
    for (int64_t e = plan->start[block]; e < plan->start[block + 1]; e++) width += rows_of(f, plan->met[e]);
    return width;
}

static nb_status deal(nb_factor_plan *plan, const nb_inverse_factor *f, int half) {
    nb_status status;
    nb_view_rows *m = &plan->rows[half];
    *m = (nb_view_rows){.items = (f->count + NB_WARP - 1) / NB_WARP * NB_WARP};
    NB_TRY(NB_RESERVE(m->items, &plan->lane_capacity[half], &plan->lane[half]));
    nb_factor_lane *lane = plan->lane[half];
    for (int32_t i = 0; i < m->items; i++)
        lane[i] =
            i < f->count ? (nb_factor_lane){i, rows_of(f, i), width_in(plan, f, half, i)} : (nb_factor_lane){-1, 0, 0};
    for (int32_t i = 0; i < f->count; i += SORTED_TOGETHER) {
        const int32_t left = f->count - i;
        qsort(lane + i, (size_t)(left < SORTED_TOGETHER ? left : SORTED_TOGETHER), sizeof *lane, compare);
    }
    for (int32_t i = 0; i < m->items; i += NB_WARP) {
        int64_t widest = 0, most = 0;
        for (int l = 0; l < NB_WARP; l++) {
            if (lane[i + l].width > widest) widest = lane[i + l].width;
            if (lane[i + l].rows > most) most = lane[i + l].rows;
        }
        m->entries += widest * NB_WARP;
        m->numbers += widest * most * NB_WARP;
    }
out:
    return status;
}

static void place_lists(nb_arena *a, nb_view_rows *m) {
    NB_PLACE(a, m->items, &m->first);
    NB_PLACE(a, m->items, &m->rows);
    NB_PLACE(a, m->items, &m->width);
    NB_PLACE(a, m->items / NB_WARP, &m->height);
    NB_PLACE(a, m->items / NB_WARP + (int64_t)1, &m->start);
    NB_PLACE(a, m->items / NB_WARP + (int64_t)1, &m->value_start);
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

/* the columns of a lane's block, by their places in a vector */
static void list_columns(const nb_factor_plan *plan, const nb_inverse_factor *f, int half, int32_t block,
                         const int32_t *place, int32_t *out) {
    for (int64_t e = f->columns[block]; half == 0 && e < f->columns[block + 1]; e++, out += NB_WARP)
        *out = place[f->column[e]];
    for (int64_t e = plan->start[block]; half == 1 && e < plan->start[block + 1]; e++)
        for (int32_t r = f->start[plan->met[e]]; r < f->start[plan->met[e] + 1]; r++, out += NB_WARP) *out = place[r];
}

static void list(nb_factor_plan *plan, const nb_inverse_factor *f, int half, const int32_t *place) {
    nb_view_rows *m = &plan->rows[half];
    const nb_factor_lane *lane = plan->lane[half];
    for (int32_t i = 0; i < m->items; i++) {
        const int32_t slice = i / NB_WARP, l = i % NB_WARP;
        if (l == 0) { /* the first is the largest, but for where sorted ones meet */
            int32_t widest = 0, most = 0;
            for (int k = 0; k < NB_WARP; k++) {
                if (lane[i + k].width > widest) widest = lane[i + k].width;
                if (lane[i + k].rows > most) most = lane[i + k].rows;
            }
            if (slice == 0) m->start[0] = m->value_start[0] = 0;
            m->height[slice] = most;
            m->start[slice + 1] = m->start[slice] + (int64_t)widest * NB_WARP;
            m->value_start[slice + 1] = m->value_start[slice] + (int64_t)widest * most * NB_WARP;
        }
        m->rows[i] = lane[i].rows;
        m->width[i] = lane[i].width;
        m->first[i] = lane[i].block < 0 ? 0 : f->start[lane[i].block];
        if (lane[i].block >= 0) list_columns(plan, f, half, lane[i].block, place, m->column + m->start[slice] + l);
    }
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
    for (int half = 0; half < 2; half++) NB_TRY(deal(plan, f, half));
    place_all(&all, plan->rows, length, &vector, ends);
    plan->list_bytes = ends[0];
    plan->image_bytes = ends[1];
    plan->bytes = all.used;
    NB_TRY(NB_RESERVE(plan->image_bytes, &plan->image_capacity, &plan->image));
    memset(plan->image, 0, (size_t)plan->image_bytes); /* what pads it */
    image.memory = plan->image;
    place_all(&image, plan->rows, length, &vector, ends); /* the vector is not touched */
    for (int half = 0; half < 2; half++) list(plan, f, half, layout->counts.place);
out:
    return status;
}

/* the numbers of a lane's block, `height` of them a column */
static void fill_block(const nb_factor_plan *plan, const nb_inverse_factor *f, int half, int32_t block, int64_t height,
                       real *out) {
    const int32_t rows = rows_of(f, block), width = width_of(f, block);
    for (int32_t e = 0; half == 0 && e < width; e++, out += height * NB_WARP)
        for (int32_t k = 0; k < rows; k++)
            out[(int64_t)k * NB_WARP] = f->value[f->place[block] + (int64_t)k * width + e];
    for (int64_t e = plan->start[block]; half == 1 && e < plan->start[block + 1]; e++) {
        const int32_t other = plan->met[e];
        const real *from = f->value + f->place[other] + plan->offset[e];
        for (int32_t r = 0; r < rows_of(f, other); r++, from += width_of(f, other), out += height * NB_WARP)
            for (int32_t k = 0; k < rows; k++) out[(int64_t)k * NB_WARP] = from[k];
    }
}

void nb_factor_plan_fill(nb_factor_plan *plan, const nb_inverse_factor *f) {
    for (int half = 0; half < 2; half++) {
        const nb_view_rows *m = &plan->rows[half];
        for (int32_t i = 0; i < m->items; i++)
            if (plan->lane[half][i].block >= 0)
                fill_block(plan, f, half, plan->lane[half][i].block, m->height[i / NB_WARP],
                           m->value + m->value_start[i / NB_WARP] + i % NB_WARP);
    }
}

void nb_factor_plan_bind(nb_factor_plan *plan, void *memory, nb_view *view) {
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    int64_t ends[2];
    for (int half = 0; half < 2; half++) view->inverse[half] = plan->rows[half];
    place_all(&a, view->inverse, nb_view_length(view), &plan->half_way, ends);
}
