#include "slabs.h"

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

/* bodies that contacts join, and their levels */
typedef struct search {
    const nb_rigid_rows *rows;
    int32_t *start, *neighbour; /* [bodies + 1], [2 contacts] */
    int32_t *level;             /* [bodies] -1: not reached, or it does not move */
    int32_t *queue;             /* [bodies] in the order in which they were reached */
    uint8_t *moves;             /* [bodies] */
    int32_t reached, levels;
} search;

static void destroy(search *s) {
    nb_free(s->start);
    nb_free(s->neighbour);
    nb_free(s->level);
    nb_free(s->queue);
    nb_free(s->moves);
    *s = (search){0};
}

/* both bodies move: then they act on each other */
static int joins(const search *s, const nb_contact_rows *contact) {
    return s->moves[contact->a] && s->moves[contact->b];
}

static nb_status create(const nb_rigid_rows *rows, search *s) {
    nb_status status;
    const int32_t bodies = rows->bodies;
    *s = (search){.rows = rows};
    NB_TRY(NB_ALLOCATE(bodies + 1, &s->start));
    NB_TRY(NB_ALLOCATE(2 * (int64_t)rows->contact_count, &s->neighbour));
    NB_TRY(NB_ALLOCATE(bodies, &s->level));
    NB_TRY(NB_ALLOCATE(bodies, &s->queue));
    NB_TRY(NB_ALLOCATE(bodies, &s->moves));
    for (int32_t i = 0; i < rows->dynamic_count; i++)
        if (rows->dynamic[i] < bodies) s->moves[rows->dynamic[i]] = 1;
    for (int32_t i = 0; i < rows->contact_count; i++) {
        const nb_contact_rows *contact = &rows->contacts[i];
        if (!joins(s, contact)) continue;
        s->start[contact->a]++;
        s->start[contact->b]++;
    }
    for (int32_t b = 0, used = 0; b <= bodies; b++) {
        used += s->start[b];
        s->start[b] = used; /* the end; each neighbour moves it towards the begin */
    }
    for (int32_t i = 0; i < rows->contact_count; i++) {
        const nb_contact_rows *contact = &rows->contacts[i];
        if (!joins(s, contact)) continue;
        s->neighbour[--s->start[contact->a]] = contact->b;
        s->neighbour[--s->start[contact->b]] = contact->a;
    }
out:
    if (status != NB_OK) destroy(s);
    return status;
}

/* All that hangs together with `root`, level after level from `first` on, behind what was reached before. */
static void reach(search *s, int32_t root, int32_t first) {
    int32_t next = s->reached;
    s->level[root] = first;
    s->queue[s->reached++] = root;
    for (; next < s->reached; next++) {
        const int32_t body = s->queue[next];
        for (int32_t k = s->start[body]; k < s->start[body + 1]; k++) {
            const int32_t other = s->neighbour[k];
            if (s->level[other] >= 0) continue;
            s->level[other] = s->level[body] + 1;
            s->queue[s->reached++] = other;
        }
    }
}

/* The levels of each group from one of its ends: the body that is reached last from any other. */
static void find_levels(search *s) {
    for (int32_t b = 0; b < s->rows->bodies; b++) s->level[b] = -1;
    for (int32_t b = 0; b < s->rows->bodies; b++) {
        const int32_t before = s->reached;
        if (!s->moves[b] || s->level[b] >= 0) continue;
        reach(s, b, s->levels);
        const int32_t end = s->queue[s->reached - 1];
        for (int32_t k = before; k < s->reached; k++) s->level[s->queue[k]] = -1;
        s->reached = before;
        reach(s, end, s->levels);
        s->levels = s->level[s->queue[s->reached - 1]] + 1;
    }
}

/* the lower one of a contact's bodies that move */
static int32_t level_of(const search *s, const nb_contact_rows *contact) {
    const int32_t a = s->level[contact->a], b = s->level[contact->b];
    if (a < 0 || b < 0) return a < 0 ? (b < 0 ? 0 : b) : a;
    return a < b ? a : b;
}

/* slab [levels] of each level, with about as many contacts each; none is left out, so that neighbouring levels are in
 * neighbouring slabs */
static nb_status cut(const search *s, int32_t count, int32_t *slab) {
    nb_status status;
    int32_t *held = NULL;
    int64_t before = 0;
    NB_TRY(NB_ALLOCATE(s->levels + 1, &held));
    for (int32_t i = 0; i < s->rows->contact_count; i++) held[level_of(s, &s->rows->contacts[i])]++;
    for (int32_t l = 0; l < s->levels; before += held[l++]) {
        const int64_t middle = before + held[l] / 2, at = middle * count / (s->rows->contact_count + 1);
        const int32_t next = l > 0 ? slab[l - 1] + 1 : 0;
        slab[l] = at < next ? (int32_t)at : next;
    }
out:
    nb_free(held);
    return status;
}

/* the list of a contact */
static int32_t list_of(const search *s, const int32_t *slab, int32_t count, const nb_contact_rows *contact) {
    const int32_t low = slab[level_of(s, contact)];
    if (!joins(s, contact)) return low;
    return slab[s->level[contact->a]] == slab[s->level[contact->b]] ? low : count + low;
}

nb_status nb_slabs_make(const nb_rigid_rows *rows, int32_t count, nb_slabs *slabs) {
    nb_status status;
    search s = {0};
    int32_t *slab = NULL;
    *slabs = (nb_slabs){.count = count, .lists = 2 * count - 1};
    NB_TRY(create(rows, &s));
    find_levels(&s);
    NB_TRY(NB_ALLOCATE(s.levels + 1, &slab));
    NB_TRY(cut(&s, count, slab));
    NB_TRY(NB_ALLOCATE(slabs->lists + 1, &slabs->start));
    NB_TRY(NB_ALLOCATE(rows->contact_count, &slabs->contact));
    int32_t *end = slabs->start;
    for (int32_t i = 0; i < rows->contact_count; i++) end[list_of(&s, slab, count, &rows->contacts[i])]++;
    for (int32_t k = 0, used = 0; k <= slabs->lists; k++) {
        used += end[k];
        end[k] = used;
    }
    for (int32_t i = rows->contact_count - 1; i >= 0; i--)
        slabs->contact[--end[list_of(&s, slab, count, &rows->contacts[i])]] = i;
out:
    destroy(&s);
    nb_free(slab);
    if (status != NB_OK) nb_slabs_clear(slabs);
    return status;
}

void nb_slabs_clear(nb_slabs *slabs) {
    nb_free(slabs->start);
    nb_free(slabs->contact);
    *slabs = (nb_slabs){0};
}
