#include "tile_plan.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f64);

void nb_tile_plan_clear(nb_tile_plan *plan) {
    nb_free(plan->image);
    nb_free(plan->mask);
    *plan = (nb_tile_plan){0};
}

/* ---- places ---- */

static void place_image(nb_arena *a, const nb_tile_plan *plan, nb_tiles *v) {
    NB_PLACE(a, v->columns + 1, &v->column_start);
    NB_PLACE(a, plan->tiles, &v->tile_row);
    NB_PLACE(a, v->columns + 1, &v->row_start);
    NB_PLACE(a, plan->tiles - v->columns, &v->row_tile);
    NB_PLACE(a, plan->tiles - v->columns, &v->row_column);
    NB_PLACE(a, v->entries, &v->place);
}

static void place_rest(nb_arena *a, const nb_tile_plan *plan, nb_tiles *v) {
    int64_t words = NB_TILE * (int64_t)v->columns;
    NB_PLACE(a, v->entries, &v->value);
    NB_PLACE(a, NB_TILE_ENTRIES * plan->tiles, &v->tile);
    NB_PLACE(a, words, &v->inverse);
    NB_PLACE(a, words, &v->y);
    NB_PLACE(a, words, &v->x);
    NB_PLACE(a, 1, &v->failed_row);
}

nb_tiles nb_tile_plan_bind(const nb_tile_plan *plan, void *memory) {
    nb_tiles v = plan->counts;
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_image(&a, plan, &v);
    place_rest(&a, plan, &v);
    return v;
}

/* ---- which tiles there are ---- */

static int64_t words_of(const nb_tile_plan *plan) {
    return (plan->counts.columns + (int64_t)63) / 64;
}

static int has(const uint64_t *column, int32_t row) {
    return column[row / 64] >> row % 64 & 1;
}

static void add(uint64_t *column, int32_t row) {
    column[row / 64] |= (uint64_t)1 << row % 64;
}

/* the first row of a column below the diagonal; -1: it has none */
static int32_t parent_of(const nb_tile_plan *plan, int32_t column) {
    const uint64_t *mask = plan->mask + column * words_of(plan);
    for (int32_t row = column + 1; row < plan->counts.columns; row++)
        if (has(mask, row)) return row;
    return -1;
}

/* The tiles of A, and those that fill up: a column's rows below its first one are that one's as well (George and Liu
 * 1981, elimination tree). Counts them. */
static void find_tiles(nb_tile_plan *plan, const int32_t *row, const int32_t *column) {
    nb_tiles *v = &plan->counts;
    int64_t words = words_of(plan);
    memset(plan->mask, 0, (size_t)(words * v->columns) * sizeof *plan->mask);
    for (int32_t k = 0; k < v->columns; k++) add(plan->mask + k * words, k);
    for (int64_t k = 0; k < v->entries; k++) add(plan->mask + column[k] / NB_TILE * words, row[k] / NB_TILE);
    plan->tiles = 0;
    for (int32_t k = 0; k < v->columns; k++) {
        uint64_t *own = plan->mask + k * words;
        int32_t parent = parent_of(plan, k);
        for (int64_t w = 0; w < words; w++) {
            if (parent >= 0) plan->mask[parent * words + w] |= own[w];
            plan->tiles += __builtin_popcountll(own[w]);
        }
        /* but for the rows above the parent's diagonal, of which the child has its own one alone */
        if (parent >= 0) plan->mask[parent * words + k / 64] &= ~((uint64_t)1 << k % 64);
    }
}

static void list_tiles(const nb_tile_plan *plan) {
    const nb_tiles *v = &plan->counts;
    int32_t tile = 0, entry = 0;
    for (int32_t k = 0; k < v->columns; k++) {
        v->column_start[k] = tile;
        for (int32_t row = k; row < v->columns; row++)
            if (has(plan->mask + k * words_of(plan), row)) v->tile_row[tile++] = row;
    }
    v->column_start[v->columns] = tile;
    for (int32_t row = 0; row < v->columns; row++) {
        v->row_start[row] = entry;
        for (int32_t k = 0; k < row; k++)
            if (has(plan->mask + k * words_of(plan), row)) {
                v->row_tile[entry] = nb_tile_find(v, row, k);
                v->row_column[entry++] = k;
            }
    }
    v->row_start[v->columns] = entry;
}

nb_status nb_tile_plan_make(nb_tile_plan *plan, int32_t rows, int64_t entries, const int32_t *row,
                            const int32_t *column) {
    nb_status status;
    nb_tiles *v = &plan->counts;
    nb_arena all = {.alignment = NB_DEVICE_ALIGNMENT}, image = all;
    *v = (nb_tiles){.rows = rows, .columns = (rows + NB_TILE - 1) / NB_TILE, .entries = entries};
    NB_TRY(NB_RESERVE(words_of(plan) * v->columns, &plan->mask_capacity, &plan->mask));
    find_tiles(plan, row, column);
    if (plan->tiles > INT32_MAX)
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "cholesky on a device: the factor of %d rows has %lld tiles, at most %d can be", (int)rows,
                       (long long)plan->tiles, INT32_MAX);
    place_image(&all, plan, v);
    plan->image_bytes = all.used;
    place_rest(&all, plan, v);
    plan->bytes = all.used;
    NB_TRY(NB_RESERVE(plan->image_bytes, &plan->image_capacity, &plan->image));
    image.memory = plan->image;
    place_image(&image, plan, v);
    list_tiles(plan);
    for (int64_t k = 0; k < entries; k++)
        v->place[k] = NB_TILE_ENTRIES * (int64_t)nb_tile_find(v, row[k] / NB_TILE, column[k] / NB_TILE) +
                      NB_TILE * (column[k] % NB_TILE) + row[k] % NB_TILE;
out:
    return status;
}
