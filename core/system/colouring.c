#include "system/colouring.h"

#include <string.h>

#include "base/memory.h"

void nb_colouring_clear(nb_colouring *c) {
    nb_free(c->start);
    nb_free(c->group);
    nb_free(c->block);
    nb_free(c->colour);
    nb_free(c->scratch);
    *c = (nb_colouring){0};
}

enum {
    WIDEST = 3 /* rows of a block over bodies */
};

/* while groups are coloured: mark[k] is the last group that met colour k among its neighbours, + 1 */
typedef struct greedy {
    const nb_delassus *delassus;
    nb_colouring *c;
    int32_t *mark;
} greedy;

static void colour_group(greedy *g, int32_t group) {
    int32_t k = 0;
    while (g->mark[k] == group + 1) k++;
    g->c->colour[group] = k;
    if (k == g->c->colours) g->c->colours++;
}

/* Each body's groups so far make a list: last[body] is 2 group + side, and before[] leads on. */
static nb_status colour_over_bodies(greedy *g) {
    const nb_delassus *d = g->delassus;
    int32_t bodies = d->class->body_count(d), *last, *before;
    nb_status status = NB_RESERVE((int64_t)d->group_count + 1 + bodies + 2 * (int64_t)d->group_count,
                                  &g->c->scratch_capacity, &g->c->scratch);
    if (status != NB_OK) return status;
    g->mark = g->c->scratch;
    last = g->mark + d->group_count + 1;
    before = last + bodies;
    memset(g->mark, 0, ((size_t)d->group_count + 1) * sizeof *g->mark);
    for (int32_t i = 0; i < bodies; i++) last[i] = -1;
    for (int32_t group = 0; group < d->group_count; group++) {
        real jacobian[WIDEST][12];
        int32_t body[2];
        d->class->block_jacobian(d, d->group_start[group], body, jacobian[0]);
        for (int side = 0; side < 2; side++)
            for (int32_t e = body[side] < 0 ? -1 : last[body[side]]; e >= 0; e = before[e])
                g->mark[g->c->colour[e / 2]] = group + 1;
        colour_group(g, group);
        for (int side = 0; side < 2; side++) {
            if (body[side] < 0) continue;
            before[2 * group + side] = last[body[side]];
            last[body[side]] = 2 * group + side;
        }
    }
    return NB_OK;
}

static nb_status colour_over_entries(greedy *g, nb_system *system) {
    const nb_delassus *d = g->delassus;
    const nb_csr *a;
    int32_t *group_of;
    nb_status status;
    NB_TRY(nb_system_matrix(system, &a));
    NB_TRY(NB_RESERVE((int64_t)d->group_count + 1 + d->rows, &g->c->scratch_capacity, &g->c->scratch));
    g->mark = g->c->scratch;
    group_of = g->mark + d->group_count + 1;
    memset(g->mark, 0, ((size_t)d->group_count + 1) * sizeof *g->mark);
    for (int32_t group = 0; group < d->group_count; group++) {
        int32_t begin = d->block_start[d->group_start[group]], end = d->block_start[d->group_start[group + 1]];
        for (int32_t r = begin; r < end; r++) group_of[r] = group;
        for (int64_t k = a->start[begin]; k < a->start[end]; k++)
            if (a->column[k] < begin) g->mark[g->c->colour[group_of[a->column[k]]]] = group + 1;
        colour_group(g, group);
    }
out:
    return status;
}

/* lists groups by colour, and their blocks */
static void list_all(const nb_delassus *d, nb_colouring *c) {
    int32_t begin = 0, blocks = 0;
    memset(c->start, 0, ((size_t)c->colours + 1) * sizeof *c->start);
    for (int32_t i = 0; i < d->group_count; i++) c->start[c->colour[i]]++;
    for (int32_t k = 0; k <= c->colours; k++) {
        int32_t count = c->start[k];
        c->start[k] = begin;
        begin += count;
    }
    for (int32_t i = 0; i < d->group_count; i++) c->group[c->start[c->colour[i]]++] = i;
    memmove(c->start + 1, c->start, (size_t)c->colours * sizeof *c->start); /* each is where the next one begins */
    c->start[0] = 0;
    for (int32_t i = 0; i < d->group_count; i++)
        for (int32_t k = d->group_start[c->group[i]]; k < d->group_start[c->group[i] + 1]; k++) c->block[blocks++] = k;
}

/* `system` NULL: over bodies */
static nb_status make(const nb_delassus *d, nb_system *system, nb_colouring *c) {
    greedy g = {.delassus = d, .c = c};
    nb_status status;
    c->colours = 0;
    NB_TRY(NB_RESERVE(d->group_count, &c->group_capacity, &c->group));
    NB_TRY(NB_RESERVE(d->group_count, &c->colour_capacity, &c->colour));
    NB_TRY(NB_RESERVE(d->block_count, &c->block_capacity, &c->block));
    NB_TRY(system ? colour_over_entries(&g, system) : colour_over_bodies(&g));
    NB_TRY(NB_RESERVE(c->colours + 1, &c->start_capacity, &c->start));
    list_all(d, c);
out:
    return status;
}

nb_status nb_colouring_make(nb_system *system, nb_colouring *c) {
    return make(system->delassus, nb_system_has_blocks(system) ? NULL : system, c);
}

nb_status nb_colouring_over_bodies(const nb_delassus *delassus, nb_colouring *c) {
    return make(delassus, NULL, c);
}
