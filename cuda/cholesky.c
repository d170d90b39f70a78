/* The Cholesky factorisation of a device (solvers/linear/device_cholesky.h) in tiles (tiles.h), for the GPU and its
 * emulation, which differ in their runtime. A small matrix takes one launch of one block; a larger one, one launch a
 * part and column. */
#include "cholesky.h"

#include <string.h>

#include "base/memory.h"
#include "runtime.h"
#include "tile_plan.h"

NB_PRECISIONS(f64);

enum {
    FEW_COLUMNS = 16 /* of tiles: that one block does by itself */
};

typedef struct cholesky {
    const nb_runtime *runtime;
    nb_tile_plan plan;
    nb_tiles view;
    char *memory; /* of the device */
    int64_t capacity;
} cholesky;

static void destroy(void *state) {
    cholesky *c = state;
    if (!c) return;
    if (c->memory) c->runtime->free(c->memory);
    nb_tile_plan_clear(&c->plan);
    nb_free(c);
}

static nb_status create_on(const nb_runtime *runtime, void **state) {
    cholesky *c = NULL;
    nb_status status = runtime->open();
    if (status == NB_OK) status = NB_ALLOCATE(1, &c);
    if (status == NB_OK) c->runtime = runtime;
    *state = c;
    return status;
}

static nb_status create_cuda(void **state) {
    return create_on(&nb_runtime_cuda, state);
}

static nb_status create_emulated(void **state) {
    return create_on(&nb_runtime_emulated, state);
}

static nb_status set_pattern(void *state, int32_t rows, int64_t entries, const int32_t *row, const int32_t *column) {
    cholesky *c = state;
    nb_status status;
    void *memory = NULL;
    NB_TRY(nb_tile_plan_make(&c->plan, rows, entries, row, column));
    if (!c->memory || c->plan.bytes > c->capacity) {
        if (c->memory) c->runtime->free(c->memory);
        c->memory = NULL;
        c->capacity = c->plan.bytes + c->plan.bytes / 4; /* the next pattern may have a few contacts more */
        NB_TRY(c->runtime->allocate(c->capacity, &memory));
        c->memory = memory;
    } else if (c->runtime->spoil) {
        c->runtime->spoil(c->memory, c->capacity);
    }
    c->view = nb_tile_plan_bind(&c->plan, c->memory);
    c->runtime->mark(NB_TIME_TRANSFER);
    if (rows > 0) NB_TRY(c->runtime->upload(c->memory, c->plan.image, c->plan.image_bytes));
out:
    c->runtime->mark(NB_TIME_NONE);
    return status;
}

/* ---- launches ---- */

static nb_status launch(const cholesky *c, nb_tile_pass pass) {
    int64_t items = 0;
    const nb_tiles *lists = &c->plan.counts; /* as the device has them, in this processor's memory */
    if (!nb_tile_has_barriers(&pass)) items = nb_tile_items(lists, &pass, pass.first, pass.columns[0]);
    int64_t blocks = (items + NB_TILE_THREADS - 1) / NB_TILE_THREADS;
    if (blocks == 0 && !nb_tile_has_barriers(&pass)) return NB_OK;
    c->runtime->mark(NB_TIME_WORK);
    return c->runtime->tiles(&c->view, &pass,
                             blocks < 1                     ? 1
                             : blocks > NB_TILE_MOST_BLOCKS ? NB_TILE_MOST_BLOCKS
                                                            : (int32_t)blocks);
}

/* these parts of all columns */
static nb_status launch_columns(const cholesky *c, nb_tile_part first, nb_tile_part last, int backward) {
    int32_t columns = c->plan.counts.columns;
    nb_status status = NB_OK;
    nb_tile_pass pass = {.first = first, .last = last, .columns = {0, columns}, .backward = backward};
    if (columns <= FEW_COLUMNS) return launch(c, pass);
    for (int32_t k = 0; status == NB_OK && k < columns; k++)
        for (int part = first; status == NB_OK && part <= (int)last; part++) {
            pass.first = pass.last = (nb_tile_part)part;
            pass.columns[0] = backward ? columns - 1 - k : k;
            pass.columns[1] = pass.columns[0] + 1;
            status = launch(c, pass);
        }
    return status;
}

/* a part that has no columns */
static nb_status launch_once(const cholesky *c, nb_tile_part part) {
    return launch(c, (nb_tile_pass){.first = part, .last = part, .columns = {0, 1}});
}

static nb_status factorise(void *state, const double *values, int32_t *failed_row) {
    cholesky *c = state;
    const nb_tiles *v = &c->view;
    nb_status status = NB_OK;
    *failed_row = -1;
    if (v->rows == 0) return NB_OK;
    c->runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(c->runtime->upload(v->value, values, v->entries * (int64_t)sizeof *values));
    NB_TRY(c->runtime->clear(v->tile, c->plan.tiles * NB_TILE_ENTRIES * (int64_t)sizeof *v->tile));
    NB_TRY(launch_once(c, NB_TILE_FILL));
    NB_TRY(launch_columns(c, NB_TILE_DIAGONAL, NB_TILE_UPDATE, 0));
    NB_TRY(c->runtime->download(failed_row, v->failed_row, sizeof *failed_row));
out:
    c->runtime->mark(NB_TIME_NONE);
    return status;
}

static nb_status solve(void *state, const double *b, double *x) {
    cholesky *c = state;
    const nb_tiles *v = &c->view;
    int64_t bytes = v->rows * (int64_t)sizeof *b;
    nb_status status = NB_OK;
    if (v->rows == 0) return NB_OK;
    c->runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(c->runtime->clear(v->y, NB_TILE * v->columns * (int64_t)sizeof *v->y));
    NB_TRY(c->runtime->upload(v->y, b, bytes));
    NB_TRY(launch_columns(c, NB_TILE_SOLVE, NB_TILE_SPREAD, 0));
    NB_TRY(launch_once(c, NB_TILE_TURN));
    NB_TRY(launch_columns(c, NB_TILE_SOLVE, NB_TILE_SPREAD, 1));
    c->runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(c->runtime->download(x, v->x, bytes));
out:
    c->runtime->mark(NB_TIME_NONE);
    return status;
}

const nb_device_cholesky nb_cholesky_cuda = {create_cuda, destroy, set_pattern, factorise, solve};
const nb_device_cholesky nb_cholesky_emulated = {create_emulated, destroy, set_pattern, factorise, solve};
