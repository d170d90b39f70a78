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

enum {
    WIDEST = 3 /* rows of a block over bodies */
};

/* while groups are coloured: mark[k] is the last group that met colour k among its neighbours, + 1 */
typedef struct greedy {
    const nb_delassus *delassus;
    nb_colouring *c;
    int32_t *mark;
} greedy;

static void take_colour(greedy *g, int32_t group, int32_t k) {
    g->c->colour[group] = k;
    if (k == g->c->colours) g->c->colours++;
}

/* ---- over bodies ---- */

enum {
    BITS = 32
};

/* What is known of a body: its groups so far as a list, and the colours that they have as a set of bits. Of two bodies
 * that a group is between, the list of that with fewer groups and the bits of that with more are looked at: with
 * m groups of the second they forbid 2 m - 2 colours at most, so that its bits need to know no others than the first
 * 2 m. */
typedef struct palette {
    int32_t groups; /* in all */
    int32_t last;   /* 2 group + side of the last one so far, where before[] leads on; -1: none */
    int32_t word;   /* its first word of bits, of as many as 2 groups take and one more; -1: not placed yet */
} palette;

typedef struct bodies_greedy {
    greedy *base;
    palette *body;   /* those of the groups' bodies hold something */
    int32_t *ends;   /* [groups][2] bodies, -1: without mass */
    int32_t *before; /* [groups][2] */
    uint32_t *words;
    int32_t *next; /* of each word, from its body's first on: itself, or where it is full one behind it */
} bodies_greedy;

static int32_t words_of(const palette *p) {
    return (int32_t)((2 * (int64_t)p->groups + BITS - 1) / BITS) + 1;
}

/* the bodies of all groups, how many groups each has, and its room for bits */
static void count_groups(bodies_greedy *b) {
    const nb_delassus *d = b->base->delassus;
    int32_t words = 0;
    for (int32_t group = 0; group < d->group_count; group++) {
        real jacobian[WIDEST][12];
        d->type->block_jacobian(d, d->group_start[group], &b->ends[2 * (ptrdiff_t)group], jacobian[0]);
    }
    for (int64_t e = 0; e < 2 * (int64_t)d->group_count; e++)
        if (b->ends[e] >= 0) b->body[b->ends[e]] = (palette){.last = -1, .word = -1};
    for (int64_t e = 0; e < 2 * (int64_t)d->group_count; e++)
        if (b->ends[e] >= 0) b->body[b->ends[e]].groups++;
    for (int64_t e = 0; e < 2 * (int64_t)d->group_count; e++) {
        palette *p = b->ends[e] < 0 ? NULL : &b->body[b->ends[e]];
        if (!p || p->word >= 0) continue;
        p->word = words;
        words += words_of(p);
        for (int32_t w = p->word; w < words; w++) b->next[w] = w - p->word;
    }
    memset(b->words, 0, (size_t)words * sizeof *b->words);
}

/* the first word from w on that is not full; paths there are halved on the way (union-find) */
static int32_t next_word(const bodies_greedy *b, const palette *p, int32_t w) {
    int32_t *next = b->next + p->word;
    for (; next[w] != w; w = next[w], b->base->c->looked_at++) next[w] = next[next[w]];
    return w;
}

/* the first colour that neither body has */
static int32_t first_free(const bodies_greedy *b, int32_t group) {
    const int32_t *ends = &b->ends[2 * (ptrdiff_t)group];
    nb_colouring *c = b->base->c;
    const palette *few = ends[0] < 0 ? NULL : &b->body[ends[0]], *many = ends[1] < 0 ? NULL : &b->body[ends[1]];
    if (!many || (few && few->groups > many->groups)) {
        const palette *other = few;
        few = many;
        many = other;
    }
    if (!many) return 0;
    for (int32_t e = few ? few->last : -1; e >= 0; e = b->before[e], c->looked_at++)
        b->base->mark[c->colour[e / 2]] = group + 1;
    for (int32_t w = next_word(b, many, 0);; w = next_word(b, many, w + 1))
        for (uint32_t left = ~b->words[many->word + w]; left; left &= left - 1, c->looked_at++) {
            int32_t k = BITS * w + __builtin_ctz(left);
            if (b->base->mark[k] != group + 1) return k;
        }
}

static void note_colour(bodies_greedy *b, int32_t group, int side, int32_t k) {
    int32_t e = 2 * group + side;
    if (b->ends[e] < 0) return;
    palette *p = &b->body[b->ends[e]];
    uint32_t *words = b->words + p->word;
    b->before[e] = p->last;
    p->last = e;
    if (k / BITS >= words_of(p) - 1) return; /* the last word stays empty */
    words[k / BITS] |= (uint32_t)1 << k % BITS;
    if (words[k / BITS] == UINT32_MAX) b->next[p->word + k / BITS] = k / BITS + 1;
}

static nb_status colour_over_bodies(greedy *g) {
    const nb_delassus *d = g->delassus;
    int64_t groups = d->group_count, bodies = d->type->body_count(d), palettes = 3 * bodies;
    int64_t words = 4 * groups; /* a body of d groups has d/16 + 2 of them at most, and of one group 2 */
    nb_status status =
        NB_RESERVE(palettes + groups + 1 + 4 * groups + 2 * words, &g->c->scratch_capacity, &g->c->scratch);
    if (status != NB_OK) return status;
    bodies_greedy b = {.base = g, .body = (palette *)(void *)g->c->scratch};
    g->mark = g->c->scratch + palettes;
    b.ends = g->mark + groups + 1;
    b.before = b.ends + 2 * groups;
    b.words = (uint32_t *)(b.before + 2 * groups);
    b.next = b.before + 2 * groups + words;
    memset(g->mark, 0, ((size_t)groups + 1) * sizeof *g->mark);
    count_groups(&b);
    for (int32_t group = 0; group < d->group_count; group++) {
        take_colour(g, group, first_free(&b, group));
        for (int side = 0; side < 2; side++) note_colour(&b, group, side, g->c->colour[group]);
    }
    return NB_OK;
}

/* ---- over entries ---- */

static void colour_group(greedy *g, int32_t group) {
    int32_t k = 0;
    while (g->mark[k] == group + 1) k++;
    take_colour(g, group, k);
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

/* `system` NULL: over bodies */
static nb_status make(const nb_delassus *d, nb_system *system, nb_colouring *c) {
    greedy g = {.delassus = d, .c = c};
    nb_status status;
    c->colours = 0;
    c->looked_at = 0;
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
