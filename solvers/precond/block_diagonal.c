#include "precond/block_diagonal.h"

#include <string.h>
#include <tgmath.h>

#include "base/memory.h"
#include "symmetric_block.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern const nb_block_lanes NB_REAL_NAME(nb_block_lanes_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &NB_REAL_NAME(nb_block_lanes_##set),
static const nb_block_lanes *const sets[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

enum {
    MOST_LANES = 16
};

/* numbers of a lane of a group, and blocks of it: of six rows, one block or two */
static int numbers_of(const nb_block_diagonal *d) {
    return d->width == 6 ? 21 : 12;
}

static int blocks_of(const nb_block_diagonal *d) {
    return d->width == 6 ? 1 : 2;
}

void nb_block_diagonal_clear(nb_block_diagonal *d) {
    nb_free(d->place);
    nb_free(d->factor);
    nb_free(d->value);
    *d = (nb_block_diagonal){0};
}

nb_status nb_block_diagonal_make(nb_block_diagonal *d, int32_t count, const int32_t *start, int set) {
    nb_status status;
    nb_block_diagonal_clear(d);
    d->count = count;
    d->start = start;
    d->set = set;
    NB_TRY(NB_ALLOCATE((int64_t)count + 1, &d->place));
    for (int32_t i = 0; i < count; i++) {
        const int64_t n = start[i + 1] - start[i];
        d->place[i + 1] = d->place[i] + n * n;
        if (i == 0 && (n == 3 || n == 6)) d->width = (int32_t)n;
        if (d->leading == i && n == d->width) d->leading++;
    }
    NB_TRY(NB_ALLOCATE(d->place[count], &d->factor));
    if (d->width == 0) return NB_OK;
    const int64_t lanes = sets[d->set]->lanes, inside = lanes * blocks_of(d);
    NB_TRY(NB_ALLOCATE((d->leading + inside - 1) / inside * lanes * numbers_of(d), &d->value));
out:
    return status;
}

void nb_block_diagonal_load(nb_block_diagonal *d) {
    const int32_t lanes = sets[d->set]->lanes, both = blocks_of(d);
    const int numbers = numbers_of(d);
    for (int32_t i = 0; i < d->leading; i++) {
        const real *factor = d->factor + d->place[i];
        real *to =
            d->value + (int64_t)(i / both / lanes * numbers + i % both * (numbers / 2)) * lanes + i / both % lanes;
        for (int32_t r = 0; r < d->width; r++)
            for (int32_t c = 0; c <= r; c++, to += lanes) *to = factor[r * d->width + c];
    }
}

void nb_block_diagonal_apply(const nb_block_diagonal *d, const real *r, real *z) {
    const nb_block_lanes *of = sets[d->set];
    void (*solve)(int32_t, const real *, const real *, real *) = d->width == 6 ? of->six : of->three;
    const int32_t rows = d->leading * d->width, group = 6 * of->lanes, whole = rows / group, rest = rows % group;
    if (whole > 0) solve(whole, d->value, r, z);
    if (rest > 0) { /* what is behind their factors is zero */
        real in[6 * MOST_LANES] = {0}, out[6 * MOST_LANES];
        memcpy(in, r + rows - rest, (size_t)rest * sizeof *in);
        solve(1, d->value + (int64_t)whole * of->lanes * numbers_of(d), in, out);
        memcpy(z + rows - rest, out, (size_t)rest * sizeof *out);
    }
    for (int32_t i = d->leading; i < d->count; i++) {
        const int32_t n = d->start[i + 1] - d->start[i];
        memcpy(z + d->start[i], r + d->start[i], (size_t)n * sizeof *z);
        nb_block_solve_symmetric(n, d->factor + d->place[i], z + d->start[i]);
    }
}
