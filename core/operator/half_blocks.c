#include "operator/half_blocks.h"

#include <string.h>

#include "base/instruction_set.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern nb_half_block_product NB_REAL_NAME(nb_half_block_product_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) NB_REAL_NAME(nb_half_block_product_##set),
static nb_half_block_product *const products[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

nb_half_block_product *nb_half_block_product_of(int set) {
    return products[set];
}

void nb_half_blocks_clear(nb_half_blocks *h) {
    nb_free(h->place);
    nb_free(h->column);
    nb_free(h->value);
    nb_free(h->x);
    nb_free(h->y);
    *h = (nb_half_blocks){0};
}

/* whether rows and columns come in blocks of so many */
static int comes_in(const nb_csr *a, int32_t width) {
    if (a->rows == 0 || a->rows % width != 0) return 0;
    for (int32_t i = 0; i < a->rows; i++) {
        const int32_t own = i - i % width;
        const int64_t length = a->start[i + 1] - a->start[i];
        if (length % width != 0 || length != a->start[own + 1] - a->start[own]) return 0;
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k += width)
            if (a->column[k] % width != 0 || a->column[k + width - 1] != a->column[k] + width - 1 ||
                a->column[k] != a->column[a->start[own] + k - a->start[i]])
                return 0;
    }
    return 1;
}

/* a place of a row of blocks from its diagonal on */
static int64_t from_diagonal(const nb_half_blocks *h, const nb_csr *a, int32_t block) {
    return nb_csr_find(a, block * h->width, block * h->width);
}

nb_status nb_half_blocks_make(nb_half_blocks *h, const nb_csr *a) {
    nb_status status = NB_OK;
    nb_half_blocks_clear(h);
    const int32_t width = comes_in(a, 6) ? 6 : comes_in(a, 3) ? 3 : 0, area = width * width;
    if (width == 0) return NB_OK;
    h->count = a->rows / width;
    h->width = width;
    NB_TRY(NB_ALLOCATE((int64_t)h->count + 1, &h->place));
    for (int32_t i = 0; i < h->count; i++)
        h->place[i + 1] = h->place[i] + (a->start[i * width + 1] - from_diagonal(h, a, i)) / width - 1;
    NB_TRY(NB_ALLOCATE(h->place[h->count], &h->column));
    NB_TRY(NB_ALLOCATE((h->count + h->place[h->count]) * area + NB_HALF_BLOCK_SLACK, &h->value));
    NB_TRY(NB_ALLOCATE((int64_t)h->count * (width == 6 ? 8 : 4), &h->x));
    NB_TRY(NB_ALLOCATE((int64_t)h->count * (width == 6 ? 8 : 4), &h->y));
    for (int32_t i = 0; i < h->count; i++)
        for (int64_t e = h->place[i], k = from_diagonal(h, a, i) + width; e < h->place[i + 1]; e++, k += width)
            h->column[e] = a->column[k] / width;
out:
    return status;
}

void nb_half_blocks_load(nb_half_blocks *h, const nb_csr *a) {
    const int32_t width = h->width;
    real *to = h->value;
    for (int32_t i = 0; i < h->count; i++) {
        const int64_t row = a->start[i * width], length = a->start[i * width + 1] - row;
        for (int64_t k = from_diagonal(h, a, i) - row; k < length; k += width)
            for (int32_t r = 0; r < width; r++, to += width)
                memcpy(to, a->value + row + r * length + k, (size_t)width * sizeof *to);
    }
}

/* `width` numbers of each of `count` blocks, `of` and `to` numbers apart; constants where this is inlined */
static inline void move_blocks(int32_t count, int width, int of, int to, const real *from, real *out) {
    for (int32_t i = 0; i < count; i++)
        for (int k = 0; k < width; k++) out[(int64_t)i * to + k] = from[(int64_t)i * of + k];
}

void nb_half_blocks_apply(const nb_half_blocks *h, const real *x, real *y) {
    memset(h->y, 0, (size_t)h->count * (h->width == 6 ? 8 : 4) * sizeof *h->y);
    if (h->width == 6)
        move_blocks(h->count, 6, 6, 8, x, h->x);
    else
        move_blocks(h->count, 3, 3, 4, x, h->x);
    products[nb_instruction_set()](h);
    if (h->width == 6)
        move_blocks(h->count, 6, 8, 6, h->y, y);
    else
        move_blocks(h->count, 3, 4, 3, h->y, y);
}
