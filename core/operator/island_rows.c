#include "base/memory.h"
#include "base/union_find.h"
#include "operator/sum.h"

NB_PRECISIONS(f32, f64);

/* a node of the block's island; where none of its nodes has mass, any will do */
static int32_t join_nodes(const nb_delassus *d, int32_t block, int32_t *parent) {
    int32_t node[NB_BLOCK_NODES];
    int count = d->type->block_nodes(d, block, node);
    for (int n = 1; n < count; n++) nb_unite(parent, node[0], node[n]);
    return count > 0 ? node[0] : 0;
}

/* island[] of blocks, from nodes of these to numbers by their first block; returns how many there are. number: zeros */
static int32_t number_islands(int32_t blocks, int32_t *parent, int32_t *number, int32_t *island) {
    int32_t count = 0;
    for (int32_t i = 0; i < blocks; i++) {
        int32_t *of_root = &number[nb_root(parent, island[i])];
        if (*of_root == 0) *of_root = ++count;
        island[i] = *of_root - 1;
    }
    return count;
}

static void sort_rows(const nb_delassus *d, const int32_t *island, nb_island_rows *rows) {
    const int32_t *start = d->block_start;
    int32_t *begin = rows->begin;
    for (int32_t i = 0; i < d->block_count; i++) begin[island[i] + 2] += start[i + 1] - start[i];
    for (int32_t k = 0; k < rows->islands; k++) begin[k + 2] += begin[k + 1];
    for (int32_t i = 0; i < d->block_count; i++)
        for (int32_t r = start[i]; r < start[i + 1]; r++) rows->row[begin[island[i] + 1]++] = r;
}

nb_status nb_island_rows_make(const nb_sum_view *view, nb_island_rows *rows) {
    nb_status status;
    const nb_delassus *d = &view->base;
    int32_t *parent = NULL, *number = NULL, *island = NULL;
    nb_island_rows_clear(rows);
    NB_TRY(nb_sum_find_leads(d->mass, &parent)); /* the first of each set, as roots are */
    NB_TRY(NB_ALLOCATE(d->mass->nodes->count, &number));
    NB_TRY(NB_ALLOCATE(d->block_count, &island));
    for (int32_t i = 0; i < d->block_count; i++) island[i] = join_nodes(d, i, parent);
    rows->islands = number_islands(d->block_count, parent, number, island);
    NB_TRY(NB_ALLOCATE((int64_t)rows->islands + 2, &rows->begin));
    NB_TRY(NB_ALLOCATE(d->rows, &rows->row));
    sort_rows(d, island, rows);
out:
    nb_free(parent);
    nb_free(number);
    nb_free(island);
    return status;
}

void nb_island_rows_clear(nb_island_rows *rows) {
    nb_free(rows->begin);
    nb_free(rows->row);
    *rows = (nb_island_rows){0};
}
