#include "subdomains.h"

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

/* bodies that contacts join, and the order in which a breadth-first search comes to them */
typedef struct search {
    const nb_rigid_rows *rows;
    int32_t *start, *neighbour; /* [bodies + 1], [2 contacts] */
    int32_t *place;             /* [bodies] in the queue; -1: not reached, or it does not move */
    int32_t *queue;             /* [bodies] in the order in which they were reached */
    uint8_t *moves;             /* [bodies] */
    int32_t reached;
} search;

static void destroy(search *s) {
    nb_free(s->start);
    nb_free(s->neighbour);
    nb_free(s->place);
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
    NB_TRY(NB_ALLOCATE(bodies, &s->place));
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

static void push(search *s, int32_t body) {
    s->place[body] = s->reached;
    s->queue[s->reached++] = body;
}

/* All that hangs together with `root`, level after level, behind what was reached before. */
static void reach(search *s, int32_t root) {
    int32_t next = s->reached;
    push(s, root);
    for (; next < s->reached; next++) {
        const int32_t body = s->queue[next];
        for (int32_t k = s->start[body]; k < s->start[body + 1]; k++)
            if (s->place[s->neighbour[k]] < 0) push(s, s->neighbour[k]);
    }
}

/* Each group from one of its ends: the body that is reached last from any other. */
static void find_order(search *s) {
    for (int32_t b = 0; b < s->rows->bodies; b++) s->place[b] = -1;
    for (int32_t b = 0; b < s->rows->bodies; b++) {
        const int32_t before = s->reached;
        if (!s->moves[b] || s->place[b] >= 0) continue;
        reach(s, b);
        const int32_t end = s->queue[s->reached - 1];
        for (int32_t k = before; k < s->reached; k++) s->place[s->queue[k]] = -1;
        s->reached = before;
        reach(s, end);
    }
}

/* the two bodies of a contact, or twice the one that moves; 0 if none does */
static int movers(const search *s, const nb_contact_rows *contact, int32_t body[2]) {
    body[0] = s->moves[contact->a] ? contact->a : contact->b;
    body[1] = s->moves[contact->b] ? contact->b : contact->a;
    return s->moves[body[0]];
}

/* the furthest place of a body's neighbours */
static int32_t furthest_neighbour(const search *s, int32_t body) {
    int32_t furthest = 0;
    for (int32_t k = s->start[body]; k < s->start[body + 1]; k++)
        if (s->place[s->neighbour[k]] > furthest) furthest = s->place[s->neighbour[k]];
    return furthest;
}

/* subdomain [bodies] of each body that moves: even in the ends of contacts, half of one counting to each side of a cut.
 * A subdomain begins behind all neighbours of the last but one. */
static nb_status cut(const search *s, int32_t count, int32_t *subdomain) {
    nb_status status;
    int32_t *ends = NULL, body[2], now = 0, of_earlier = -1, of_now = -1;
    int64_t before = 0;
    NB_TRY(NB_ALLOCATE(s->rows->bodies, &ends));
    for (int32_t i = 0; i < s->rows->contact_count; i++) {
        if (!movers(s, &s->rows->contacts[i], body)) continue;
        ends[body[0]]++;
        ends[body[1]]++;
    }
    for (int32_t k = 0; k < s->reached; k++) {
        const int32_t b = s->queue[k];
        const int64_t middle = before + ends[b] / 2;
        if (middle * count / (2 * (int64_t)s->rows->contact_count + 1) > now && k > of_earlier) {
            now++;
            of_earlier = of_now;
        }
        subdomain[b] = now;
        before += ends[b];
        const int32_t furthest = furthest_neighbour(s, b);
        if (furthest > of_now) of_now = furthest;
    }
out:
    nb_free(ends);
    return status;
}

/* the list of a contact */
static int32_t list_of(const search *s, const int32_t *subdomain, int32_t count, const nb_contact_rows *contact) {
    int32_t body[2];
    if (!movers(s, contact, body)) return 0;
    const int32_t a = subdomain[body[0]], b = subdomain[body[1]];
    return a == b ? a : count + (a < b ? a : b);
}

nb_status nb_subdomains_make(const nb_rigid_rows *rows, int32_t count, nb_subdomains *subdomains) {
    nb_status status;
    search s = {0};
    int32_t *subdomain = NULL;
    *subdomains = (nb_subdomains){.count = count, .lists = 2 * count - 1};
    NB_TRY(create(rows, &s));
    find_order(&s);
    NB_TRY(NB_ALLOCATE(rows->bodies, &subdomain));
    NB_TRY(cut(&s, count, subdomain));
    NB_TRY(NB_ALLOCATE(subdomains->lists + 1, &subdomains->start));
    NB_TRY(NB_ALLOCATE(rows->contact_count, &subdomains->contact));
    int32_t *end = subdomains->start;
    for (int32_t i = 0; i < rows->contact_count; i++) end[list_of(&s, subdomain, count, &rows->contacts[i])]++;
    for (int32_t k = 0, used = 0; k <= subdomains->lists; k++) {
        used += end[k];
        end[k] = used;
    }
    for (int32_t i = rows->contact_count - 1; i >= 0; i--)
        subdomains->contact[--end[list_of(&s, subdomain, count, &rows->contacts[i])]] = i;
out:
    destroy(&s);
    nb_free(subdomain);
    if (status != NB_OK) nb_subdomains_clear(subdomains);
    return status;
}

void nb_subdomains_clear(nb_subdomains *subdomains) {
    nb_free(subdomains->start);
    nb_free(subdomains->contact);
    *subdomains = (nb_subdomains){0};
}
