#include "precond/partition.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/ordering.h"

NB_PRECISIONS(f32, f64);

void nb_partition_clear(nb_partition *p) {
    nb_free(p->start);
    nb_free(p->member);
    nb_free(p->place);
    *p = (nb_partition){0};
}

/* the graph of some blocks alone: the lower triangle by columns; place[block] is where each is among them, else -1 */
static cholmod_sparse *subgraph(const nb_partition *p, const nb_block_graph *g, const int32_t *block, int32_t count,
                                cholmod_common *common) {
    int64_t edges = 0;
    for (int32_t i = 0; i < count; i++)
        for (int64_t k = g->start[block[i]]; k < g->start[block[i] + 1]; k++) edges += p->place[g->neighbour[k]] > i;
    const size_t n = (size_t)count;
    cholmod_sparse *s = cholmod_l_allocate_sparse(n, n, (size_t)edges, 1, 1, -1, CHOLMOD_PATTERN, common);
    if (!s) return NULL;
    SuiteSparse_long *start = s->p, *row = s->i, used = 0;
    for (int32_t i = 0; i < count; i++) {
        start[i] = used;
        for (int64_t k = g->start[block[i]]; k < g->start[block[i] + 1]; k++)
            if (p->place[g->neighbour[k]] > i) row[used++] = p->place[g->neighbour[k]];
    }
    start[count] = used;
    return s;
}

/* Which half each of the blocks is in: half[count] of 0 and 1, both of which occur. What METIS puts between halves goes
 * to the smaller one. Where it finds none, the halves are those of the order. */
static nb_status bisect(const nb_partition *p, const nb_block_graph *g, const int32_t *block, int32_t count,
                        SuiteSparse_long *half, cholmod_common *common) {
    int32_t in[3] = {0, 0, 0};
    cholmod_sparse *s = subgraph(p, g, block, count, common);
    if (!s) return nb_fail(NB_ERROR_MEMORY, "out of memory for a graph of %d nodes", (int)count);
    nb_ordering_begin();
    const SuiteSparse_long between = cholmod_l_bisect(s, NULL, 0, 0, half, common);
    nb_ordering_end();
    cholmod_l_free_sparse(&s, common);
    for (int32_t i = 0; between >= 0 && i < count; i++) in[half[i]]++;
    if (in[0] == 0 || in[1] == 0) {
        for (int32_t i = 0; i < count; i++) half[i] = i >= count / 2;
        return NB_OK;
    }
    for (int32_t i = 0; i < count; i++)
        if (half[i] == 2) {
            half[i] = in[1] < in[0];
            in[half[i]]++;
        }
    return NB_OK;
}

/* cuts the blocks of part `part`, whose end is the partition's so far, until they are few enough */
static nb_status cut(nb_partition *p, const nb_block_graph *g, int32_t size, int32_t first, int32_t end,
                     SuiteSparse_long *half, int32_t *scratch, cholmod_common *common) {
    nb_status status;
    while (end - first > size + size / 2 && end - first > 1) {
        const int32_t count = end - first;
        int32_t *block = p->member + first, left = 0, right = 0;
        for (int32_t i = 0; i < count; i++) p->place[block[i]] = i;
        status = bisect(p, g, block, count, half, common);
        for (int32_t i = 0; i < count; i++) p->place[block[i]] = -1;
        if (status != NB_OK) return status;
        for (int32_t i = 0; i < count; i++) /* both halves stay in order */
            if (half[i])
                scratch[right++] = block[i];
            else
                block[left++] = block[i];
        memcpy(block + left, scratch, (size_t)right * sizeof *block);
        status = cut(p, g, size, first, first + left, half, scratch, common);
        if (status != NB_OK) return status;
        first += left;
    }
    if (end > first) p->start[++p->parts] = end;
    return NB_OK;
}

nb_status nb_partition_make(nb_partition *p, const nb_block_graph *g, int32_t size) {
    nb_status status;
    cholmod_common common;
    SuiteSparse_long *half = NULL;
    int32_t *scratch = NULL;
    cholmod_l_start(&common);
    common.print = 0;
    common.try_catch = 1; /* no messages of its own */
    NB_TRY(NB_RESERVE(g->count + 1, &p->start_capacity, &p->start));
    NB_TRY(NB_RESERVE(g->count, &p->member_capacity, &p->member));
    NB_TRY(NB_RESERVE(g->count, &p->place_capacity, &p->place));
    NB_TRY(NB_ALLOCATE(g->count, &half));
    NB_TRY(NB_ALLOCATE(g->count, &scratch));
    for (int32_t i = 0; i < g->count; i++) {
        p->member[i] = i;
        p->place[i] = -1;
    }
    p->parts = p->start[0] = 0;
    NB_TRY(cut(p, g, size, 0, g->count, half, scratch, &common));
out:
    nb_free(half);
    nb_free(scratch);
    cholmod_l_finish(&common);
    return status;
}
