/* Cholesky A = L L^T in tiles of 32 x 32: the lower triangle of a sparse matrix, in the order of its elimination, of
 * which those tiles are kept where L is not zero. Kept in double, each tile column by column.
 *
 * Column after column of tiles: the tile on the diagonal is factorised, the tiles below it are divided by it, and what
 * they make is taken off the tiles further right. Triangular solves go the same way. Each of these *parts* has one or
 * more stages, functions of an item's number; between two stages stands a barrier, or the end of a launch. Within one,
 * no thread reads what another writes.
 *
 * The kernel runs them over threads, the emulation in a loop. */
#ifndef NB_CUDA_TILES_H
#define NB_CUDA_TILES_H

#include <stdint.h>

#include "base/features.h"

enum {
    NB_TILE = 32,
    NB_TILE_ENTRIES = NB_TILE * NB_TILE,
    NB_TILE_STRIP = 4,                                /* entries of a row that a thread updates */
    NB_TILE_STRIPS = NB_TILE_ENTRIES / NB_TILE_STRIP, /* of a tile */
    NB_TILE_THREADS = 256,                            /* of a block */
    NB_TILE_MOST_BLOCKS = 4096                        /* of a launch */
};

typedef struct nb_tiles {
    int32_t rows, columns; /* of the matrix; of tiles */
    int64_t entries;
    int32_t *column_start; /* [columns + 1] first tile of each column, which is the one on the diagonal */
    int32_t *tile_row;     /* [tiles] ascending within a column */
    int32_t *row_start;    /* [columns + 1] of each row's tiles left of the diagonal */
    int32_t *row_tile;     /* [tiles off the diagonal] */
    int32_t *row_column;   /* [tiles off the diagonal] the column of that tile */
    int64_t *place;        /* [entries] of each of A's in `tile` */
    double *value;         /* [entries] of A */
    double *tile;          /* [tiles][32 columns][32 rows] A, then L but for its diagonal */
    double *inverse;       /* [32 columns] 1 / the diagonal of L; 0 where there was no positive pivot */
    double *y, *x;         /* [32 columns] a solve in progress, and its result */
    int32_t *failed_row;   /* the first without a positive pivot, or -1 */
} nb_tiles;

/* in the order in which a column takes them */
typedef enum nb_tile_part {
    NB_TILE_FILL,     /* the entries of A into tiles of zeros; outside of A, its diagonal is 1 */
    NB_TILE_DIAGONAL, /* L of the tile on the diagonal */
    NB_TILE_BELOW,    /* L of the tiles below it */
    NB_TILE_UPDATE,   /* what these take off the tiles right of them */
    NB_TILE_SOLVE,    /* x of the column's rows from y */
    NB_TILE_SPREAD,   /* what these take off y */
    NB_TILE_TURN,     /* y = x: from the forward to the backward solve */
    NB_TILE_PARTS
} nb_tile_part;

/* One launch: these parts, of these columns. Where that is more than one stage, one block does all. */
typedef struct nb_tile_pass {
    nb_tile_part first, last;
    int32_t columns[2]; /* from the first to the one before the second */
    int backward;       /* SOLVE, SPREAD: with L^T, from the last column on */
} nb_tile_pass;

NB_FN int nb_tile_stages(nb_tile_part part) {
    return part == NB_TILE_DIAGONAL || part == NB_TILE_SOLVE ? NB_TILE : 1;
}

/* the tiles below the diagonal of a column, or left of it in a row */
NB_FN int32_t nb_tiles_below(const nb_tiles *v, int32_t column) {
    return v->column_start[column + 1] - v->column_start[column] - 1;
}

NB_FN int32_t nb_tiles_left(const nb_tiles *v, int32_t row) {
    return v->row_start[row + 1] - v->row_start[row];
}

NB_FN int64_t nb_tile_items(const nb_tiles *v, const nb_tile_pass *p, nb_tile_part part, int32_t column) {
    int64_t length = NB_TILE * (int64_t)v->columns, count;
    switch (part) {
    case NB_TILE_FILL: return v->entries + length - v->rows;
    case NB_TILE_BELOW: return NB_TILE * (int64_t)nb_tiles_below(v, column);
    case NB_TILE_UPDATE: count = nb_tiles_below(v, column); return count * count * NB_TILE_STRIPS;
    case NB_TILE_SPREAD: return NB_TILE * (int64_t)(p->backward ? nb_tiles_left(v, column) : nb_tiles_below(v, column));
    case NB_TILE_TURN: return length;
    default: return NB_TILE;
    }
}

NB_FN double *nb_tile_at(const nb_tiles *v, int64_t tile) {
    return v->tile + NB_TILE_ENTRIES * tile;
}

NB_FN void nb_tile_fill(const nb_tiles *v, int64_t i) {
    if (i == 0) *v->failed_row = -1;
    if (i < v->entries) {
        v->tile[v->place[i]] = v->value[i];
    } else { /* a row behind the last */
        int64_t r = v->rows + i - v->entries, column = r / NB_TILE, at = r % NB_TILE;
        nb_tile_at(v, v->column_start[column])[at * NB_TILE + at] = 1;
    }
}

/* Column j of the tile on the diagonal, by one thread a row. The pivot is not written over, as all of them read it. */
NB_FN void nb_tile_diagonal(const nb_tiles *v, int32_t column, int j, int r) {
    double *tile = nb_tile_at(v, v->column_start[column]), pivot = tile[j * NB_TILE + j], sum = tile[j * NB_TILE + r];
    if (r < j) return;
    for (int p = 0; p < j; p++) {
        double left = tile[p * NB_TILE + j];
        pivot -= left * left;
        sum -= tile[p * NB_TILE + r] * left;
    }
    double inverse = pivot > 0 && isfinite(pivot) ? 1 / sqrt(pivot) : 0;
    if (r > j) {
        tile[j * NB_TILE + r] = sum * inverse;
    } else {
        v->inverse[column * NB_TILE + j] = inverse;
        if (inverse == 0 && *v->failed_row < 0) *v->failed_row = column * NB_TILE + j;
    }
}

/* one row of a tile below the diagonal: l = a L^-T */
NB_FN void nb_tile_below(const nb_tiles *v, int32_t column, int64_t i) {
    const double *diagonal = nb_tile_at(v, v->column_start[column]), *inverse = v->inverse + column * NB_TILE;
    double *row = nb_tile_at(v, v->column_start[column] + 1 + i / NB_TILE) + i % NB_TILE;
    for (int j = 0; j < NB_TILE; j++) {
        double sum = row[j * NB_TILE];
        for (int p = 0; p < j; p++) sum -= row[p * NB_TILE] * diagonal[p * NB_TILE + j];
        row[j * NB_TILE] = sum * inverse[j];
    }
}

/* the tile of this row and column, which is there */
NB_FN int32_t nb_tile_find(const nb_tiles *v, int32_t row, int32_t column) {
    int32_t low = v->column_start[column], high = v->column_start[column + 1] - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (v->tile_row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* four entries of a row of the tile that two tiles of a column make together */
NB_FN void nb_tile_update(const nb_tiles *v, int32_t column, int64_t i) {
    int32_t count = nb_tiles_below(v, column), first = v->column_start[column] + 1;
    int32_t pair = (int32_t)(i / NB_TILE_STRIPS), upper = first + pair % count, lower = first + pair / count;
    int r = (int)(i % NB_TILE), c = (int)(i % NB_TILE_STRIPS) / NB_TILE * NB_TILE_STRIP;
    if (upper > lower) return;
    const double *a = nb_tile_at(v, lower) + r, *b = nb_tile_at(v, upper) + c;
    double *target = nb_tile_at(v, nb_tile_find(v, v->tile_row[lower], v->tile_row[upper])) + c * NB_TILE + r;
    double sum[NB_TILE_STRIP] = {0, 0, 0, 0};
    for (int p = 0; p < NB_TILE; p++)
        for (int k = 0; k < NB_TILE_STRIP; k++) sum[k] += a[p * NB_TILE] * b[p * NB_TILE + k];
    for (int k = 0; k < NB_TILE_STRIP; k++) target[k * NB_TILE] -= sum[k];
}

/* Row j of the column's rows, and what it takes off row r of them; the last one first on the way back. */
NB_FN void nb_tile_solve(const nb_tiles *v, const nb_tile_pass *p, int32_t column, int stage, int r) {
    const double *tile = nb_tile_at(v, v->column_start[column]);
    int32_t begin = column * NB_TILE;
    int j = p->backward ? NB_TILE - 1 - stage : stage;
    double x = v->y[begin + j] * v->inverse[begin + j];
    if (r == j) v->x[begin + j] = x;
    if (p->backward ? r < j : r > j) v->y[begin + r] -= tile[p->backward ? r * NB_TILE + j : j * NB_TILE + r] * x;
}

NB_FN void nb_tile_spread(const nb_tiles *v, const nb_tile_pass *p, int32_t column, int64_t i) {
    const double *x = v->x + column * NB_TILE;
    int32_t e = (int32_t)(i / NB_TILE);
    int r = (int)(i % NB_TILE);
    double sum = 0;
    if (p->backward) {
        const double *tile = nb_tile_at(v, v->row_tile[v->row_start[column] + e]) + r * NB_TILE;
        for (int k = 0; k < NB_TILE; k++) sum += tile[k] * x[k];
        v->y[v->row_column[v->row_start[column] + e] * NB_TILE + r] -= sum;
    } else {
        const double *tile = nb_tile_at(v, v->column_start[column] + 1 + e) + r;
        for (int k = 0; k < NB_TILE; k++) sum += tile[k * NB_TILE] * x[k];
        v->y[v->tile_row[v->column_start[column] + 1 + e] * NB_TILE + r] -= sum;
    }
}

/* item i of one stage of a part */
NB_FN void nb_tile_item(const nb_tiles *v, const nb_tile_pass *p, nb_tile_part part, int32_t column, int stage,
                        int64_t i) {
    switch (part) {
    case NB_TILE_FILL: nb_tile_fill(v, i); break;
    case NB_TILE_DIAGONAL: nb_tile_diagonal(v, column, stage, (int)i); break;
    case NB_TILE_BELOW: nb_tile_below(v, column, i); break;
    case NB_TILE_UPDATE: nb_tile_update(v, column, i); break;
    case NB_TILE_SOLVE: nb_tile_solve(v, p, column, stage, (int)i); break;
    case NB_TILE_SPREAD: nb_tile_spread(v, p, column, i); break;
    default: v->y[i] = v->x[i];
    }
}

/* the column that comes as number `turn` of the pass */
NB_FN int32_t nb_tile_column(const nb_tile_pass *p, int32_t turn) {
    return p->backward ? p->columns[1] - 1 - turn : p->columns[0] + turn;
}

/* whether more than one stage is done in a launch, with barriers between them */
NB_FN int nb_tile_has_barriers(const nb_tile_pass *p) {
    return p->columns[1] - p->columns[0] > 1 || p->first != p->last || nb_tile_stages(p->first) > 1;
}

#endif
