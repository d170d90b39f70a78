#include "operator/colouring.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_colouring_clear(nb_colouring *c) {
    nb_free(c->start);
    nb_free(c->group);
    nb_free(c->block);
    nb_free(c->colour);
    nb_free(c->scratch);
    *c = (nb_colouring){0};
}

/* while groups are coloured: mark[k] is the last group that met colour k among its neighbours, + 1 */
typedef struct greedy {
    const nb_delassus *delassus;
    nb_colouring *c;
    int32_t *mark;
} greedy;

static void assign_colour(greedy *g, int32_t group, int32_t k) {
    g->c->colour[group] = k;
    if (k == g->c->colours) g->c->colours++;
}

/* ---- over nodes ---- */

enum {
    BITS = 32
};

/* What is known of a node: its groups so far as a list, and the colours that they have as a set of bits. Of the nodes
 * that a group is between, the bits of that with most groups are looked at, and the lists of the others: with m groups
 * of the first and n nodes they forbid n m - n colours at most, so that its bits need to know no others than the first
 * n m. */
typedef struct palette {
    int32_t groups; /* in all */
    int32_t last;   /* the last end so far (an end: a node of a group), where before[] leads on; -1: none */
    int32_t word;   /* its first word of bits, of as many as n groups take and one more; -1: not placed yet */
} palette;

typedef struct nodes_greedy {
    greedy *base;
    int32_t most;    /* nodes of a group */
    palette *node;   /* those of the groups' nodes hold something */
    int32_t *ends;   /* [groups][most] nodes with mass, -1: no more */
    int32_t *before; /* [groups][most] */
    uint32_t *words;
    int32_t *next; /* of each word, from its node's first on: itself, or where it is full one behind it */
} nodes_greedy;

static int32_t words_of(const nodes_greedy *b, const palette *p) {
    return (int32_t)((b->most * (int64_t)p->groups + BITS - 1) / BITS) + 1;
}

static int nodes_of(const nb_delassus *d, int32_t group, int32_t node[NB_BLOCK_NODES]) {
    return d->type->block_nodes(d, d->group_start[group], node);
}

/* the nodes of all groups, how many groups each has, and its room for bits */
static void count_groups(nodes_greedy *b) {
    const nb_delassus *d = b->base->delassus;
    int64_t ends = b->most * (int64_t)d->group_count;
    int32_t words = 0, node[NB_BLOCK_NODES];
    for (int32_t group = 0; group < d->group_count; group++) {
        int count = nodes_of(d, group, node);
        for (int32_t k = 0; k < b->most; k++) b->ends[group * (int64_t)b->most + k] = k < count ? node[k] : -1;
    }
    for (int64_t e = 0; e < ends; e++)
        if (b->ends[e] >= 0) b->node[b->ends[e]] = (palette){.last = -1, .word = -1};
    for (int64_t e = 0; e < ends; e++)
        if (b->ends[e] >= 0) b->node[b->ends[e]].groups++;
    for (int64_t e = 0; e < ends; e++) {
        palette *p = b->ends[e] < 0 ? NULL : &b->node[b->ends[e]];
        if (!p || p->word >= 0) continue;
        p->word = words;
        words += words_of(b, p);
        for (int32_t w = p->word; w < words; w++) b->next[w] = w - p->word;
    }
    memset(b->words, 0, (size_t)words * sizeof *b->words);
}

/* the first word from w on that is not full; paths there are halved on the way (union-find) */
static int32_t next_word(const nodes_greedy *b, const palette *p, int32_t w) {
    int32_t *next = b->next + p->word;
    for (; next[w] != w; w = next[w], b->base->c->looked_at++) next[w] = next[next[w]];
    return w;
}

/* the first colour that none of its nodes has */
static int32_t first_free(const nodes_greedy *b, int32_t group) {
    const int32_t *ends = &b->ends[group * (int64_t)b->most];
    nb_colouring *c = b->base->c;
    const palette *many = NULL; /* the last of those with most groups */
    for (int32_t k = 0; k < b->most && ends[k] >= 0; k++)
        if (!many || b->node[ends[k]].groups >= many->groups) many = &b->node[ends[k]];
    if (!many) return 0;
    for (int32_t k = 0; k < b->most && ends[k] >= 0; k++) {
        const palette *few = &b->node[ends[k]];
        for (int32_t e = few == many ? -1 : few->last; e >= 0; e = b->before[e], c->looked_at++)
            b->base->mark[c->colour[e / b->most]] = group + 1;
    }
    for (int32_t w = next_word(b, many, 0);; w = next_word(b, many, w + 1))
        for (uint32_t left = ~b->words[many->word + w]; left; left &= left - 1, c->looked_at++) {
            int32_t k = BITS * w + __builtin_ctz(left);
            if (b->base->mark[k] != group + 1) return k;
        }
}

static void note_colour(nodes_greedy *b, int32_t e, int32_t k) {
    if (b->ends[e] < 0) return;
    palette *p = &b->node[b->ends[e]];
    uint32_t *words = b->words + p->word;
    b->before[e] = p->last;
    p->last = e;
    if (k / BITS >= words_of(b, p) - 1) return; /* the last word stays empty */
    words[k / BITS] |= (uint32_t)1 << k % BITS;
    if (words[k / BITS] == UINT32_MAX) b->next[p->word + k / BITS] = k / BITS + 1;
}

static nb_status colour_over_nodes(greedy *g) {
    const nb_delassus *d = g->delassus;
    int64_t groups = d->group_count, nodes = d->mass->nodes->count, palettes = 3 * nodes;
    nodes_greedy b = {.base = g, .most = 1};
    for (int32_t group = 0, node[NB_BLOCK_NODES]; group < groups; group++) {
        int count = nodes_of(d, group, node);
        if (count > b.most) b.most = count;
    }
    int64_t ends = b.most * groups,
            words = 2 * ends; /* a node of d groups has n d/32 + 2 at most, and of one group 2 */
    nb_status status =
        NB_RESERVE(palettes + groups + 1 + 2 * ends + 2 * words, &g->c->scratch_capacity, &g->c->scratch);
    if (status != NB_OK) return status;
    b.node = (palette *)(void *)g->c->scratch;
    g->mark = g->c->scratch + palettes;
    b.ends = g->mark + groups + 1;
    b.before = b.ends + ends;
    b.words = (uint32_t *)(b.before + ends);
    b.next = b.before + ends + words;
    memset(g->mark, 0, ((size_t)groups + 1) * sizeof *g->mark);
    count_groups(&b);
    for (int32_t group = 0; group < d->group_count; group++) {
        assign_colour(g, group, first_free(&b, group));
        for (int32_t k = 0; k < b.most; k++) note_colour(&b, group * b.most + k, g->c->colour[group]);
    }
    return NB_OK;
}

/* ---- over entries ---- */

static void colour_group(greedy *g, int32_t group) {
    int32_t k = 0;
    while (g->mark[k] == group + 1) k++;
    assign_colour(g, group, k);
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

/* ---- all ---- */

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

/* `system` NULL: over nodes */
static nb_status make(const nb_delassus *d, nb_system *system, nb_colouring *c) {
    greedy g = {.delassus = d, .c = c};
    nb_status status;
    c->colours = 0;
    c->looked_at = 0;
    NB_TRY(NB_RESERVE(d->group_count, &c->group_capacity, &c->group));
    NB_TRY(NB_RESERVE(d->group_count, &c->colour_capacity, &c->colour));
    NB_TRY(NB_RESERVE(d->block_count, &c->block_capacity, &c->block));
    NB_TRY(system ? colour_over_entries(&g, system) : colour_over_nodes(&g));
    NB_TRY(NB_RESERVE(c->colours + 1, &c->start_capacity, &c->start));
    list_all(d, c);
out:
    return status;
}

nb_status nb_colouring_make(nb_system *system, nb_colouring *c) {
    return make(system->delassus, nb_system_has_blocks(system) ? NULL : system, c);
}

nb_status nb_colouring_over_nodes(const nb_delassus *delassus, nb_colouring *c) {
    return make(delassus, NULL, c);
}
