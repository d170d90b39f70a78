#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/union_find.h"
#include "constraint/step_state.h"
#include "model/joint.h"

NB_PRECISIONS(f32, f64);

static void unite(const nb_step *s, int32_t *parent, int32_t a, int32_t b) {
    if (a >= 0 && b >= 0 && s->moves[a] && s->moves[b]) nb_unite(parent, a, b);
}

/* the island of a constraint between two nodes, at least one of which has mass */
static int32_t island_of(const nb_step *s, int32_t a, int32_t b) {
    if (a >= 0 && s->node_island[a] >= 0) return s->node_island[a];
    return b >= 0 ? s->node_island[b] : -1;
}

/* the nodes with mass that contact i acts on, particles first; returns their number */
static int moving_nodes(const nb_step *s, const nb_contacts *contacts, int32_t i, int32_t node[NB_SOFT_NODES]) {
    const nb_contact_side *side = nb_contacts_side(contacts, i);
    const int32_t a = contacts->items[i].body_a, b = contacts->items[i].body_b;
    int count = 0;
    if (!side && s->moves[a]) node[count++] = a;
    for (int k = 0; side && k < side->count; k++)
        if (s->moves[s->nodes.bodies + side->particle[k]]) node[count++] = s->nodes.bodies + side->particle[k];
    if ((!side || side->second == 0) && s->moves[b]) node[count++] = b;
    return count;
}

static void unite_contact(const nb_step *s, int32_t *parent, const nb_contacts *contacts, int32_t i) {
    int32_t node[NB_SOFT_NODES];
    for (int n = moving_nodes(s, contacts, i, node) - 1; n > 0; n--) nb_unite(parent, node[0], node[n]);
}

static int32_t island_of_contact(const nb_step *s, const nb_contacts *contacts, int32_t i) {
    int32_t node[NB_SOFT_NODES];
    return moving_nodes(s, contacts, i, node) > 0 ? s->node_island[node[0]] : -1;
}

/* the first node with mass of block i of an added pack, which has one (nb_step_place_rows) */
static int32_t added_node(const nb_step *s, const nb_pack *pack, int32_t i) {
    int32_t node[NB_BLOCK_NODES], k = 0;
    pack->type->block_nodes(pack, i, node);
    while (!s->moves[node[k]]) k++;
    return node[k];
}

static void unite_added(const nb_step *s, int32_t *parent) {
    int32_t node[NB_BLOCK_NODES];
    for (int32_t k = 0; k < s->added_count; k++) {
        const nb_pack *pack = s->added[k]->pack;
        for (int32_t i = 0; i < pack->blocks; i++) {
            const int32_t first = added_node(s, pack, i);
            for (int n = pack->type->block_nodes(pack, i, node) - 1; n >= 0; n--) unite(s, parent, first, node[n]);
        }
    }
}

static void unite_cavities(const nb_step *s, int32_t *parent) {
    for (int32_t k = 0; k < s->world->cavity_count; k++) {
        const nb_cavity *of = &s->world->cavities[k].surface;
        int32_t first = -1;
        for (int64_t i = 0; i < 3 * (int64_t)of->triangle_count; i++) {
            const int32_t node = s->nodes.bodies + of->triangles[i];
            if (first < 0 && s->moves[node]) first = node;
            unite(s, parent, first, node);
        }
    }
}

/* An added pack's blocks stay in the order that it has them in, and islands are ranges of them: those that this order
 * mixes become one. Returns whether there were any, since then other packs may mix what was apart. */
static int unite_mixed(const nb_step *s, int32_t *parent) {
    int mixed = 0;
    for (int32_t k = 0; k < s->added_count; k++) {
        const nb_pack *pack = s->added[k]->pack;
        int32_t least = s->nodes.count; /* root of the blocks behind */
        for (int32_t i = pack->blocks - 1; i >= 0; i--) {
            int32_t root = nb_root(parent, added_node(s, pack, i));
            if (root > least) {
                nb_unite(parent, root, least);
                mixed = 1;
            } else {
                least = root;
            }
        }
    }
    return mixed;
}

/* Numbers the islands by their first node, in node_island; nodes without constraints have an island of their own. */
void nb_step_find_islands(nb_step *s, const nb_contacts *contacts) {
    int32_t *parent = s->node_island, n = s->nodes.count;
    for (int32_t i = 0; i < n; i++) parent[i] = i;
    for (int32_t j = 0; j < s->world->joint_count; j++)
        unite(s, parent, s->world->joints[j].body_a, s->world->joints[j].body_b);
    for (int32_t i = 0; i < contacts->count; i++) unite_contact(s, parent, contacts, i);
    unite_added(s, parent);
    unite_cavities(s, parent);
    while (unite_mixed(s, parent)) continue;
    s->island_count = 0;
    for (int32_t i = 0; i < n; i++) /* roots come before their members: number them in the same pass */
        if (!s->moves[i])
            s->dynamic[i] = -1;
        else
            s->dynamic[i] = nb_root(parent, i) == i ? s->island_count++ : s->dynamic[nb_root(parent, i)];
    memcpy(s->node_island, s->dynamic, (size_t)n * sizeof *s->dynamic);
}

/* a stable counting sort: order[] lists 0 .. count-1 by key, begin[k] is where key k starts */
static void sort_by_island(int32_t count, const int32_t *key, int32_t islands, int32_t *begin, int32_t *order) {
    memset(begin, 0, ((size_t)islands + 1) * sizeof *begin);
    for (int32_t i = 0; i < count; i++) begin[key[i] + 1]++;
    for (int32_t k = 0; k < islands; k++) begin[k + 1] += begin[k];
    for (int32_t i = 0; i < count; i++) order[begin[key[i]]++] = i;
    for (int32_t k = islands; k > 0; k--) begin[k] = begin[k - 1];
    begin[0] = 0;
}

/* a node's place on a curve that fills space (Morton's) */
typedef struct placed {
    uint64_t place;
    int32_t node;
} placed;

static int compare_places(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* every third bit of the result is one of the lowest 21 of x */
static uint64_t spread_bits(uint64_t x) {
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static nb_vec3 position_of(const nb_world *world, int32_t node) {
    return node < world->body_count ? world->bodies[node].position
                                    : world->particles[node - world->body_count].position;
}

/* Orders nodes so that those that lie near in space follow each other, whatever order the world lists them in.
 * sorted: scratch of zeros. */
static void sort_by_position(const nb_world *world, int32_t count, int32_t *nodes, placed *sorted) {
    const double steps = 1 << 21;
    double low[3], high[3], width = 0;
    for (int32_t i = 0; i < count; i++) {
        nb_vec3 x = position_of(world, nodes[i]);
        double at[3] = {x.x, x.y, x.z};
        for (int k = 0; k < 3; k++) {
            if (i == 0 || at[k] < low[k]) low[k] = at[k];
            if (i == 0 || at[k] > high[k]) high[k] = at[k];
            if (high[k] - low[k] > width) width = high[k] - low[k];
        }
    }
    for (int32_t i = 0; i < count; i++) {
        nb_vec3 x = position_of(world, nodes[i]);
        double at[3] = {x.x, x.y, x.z};
        sorted[i].node = nodes[i];
        for (int k = 0; k < 3; k++) {
            double share = (at[k] - low[k]) / width; /* NaN for one node, and for places that are not numbers */
            uint64_t cell = share > 0 ? (uint64_t)(share * (steps - 1)) : 0;
            sorted[i].place |= spread_bits(cell) << k;
        }
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_places);
    for (int32_t i = 0; i < count; i++) nodes[i] = sorted[i].node;
}

static int have_same_nodes(const nb_pack *pack, int32_t i, int32_t k) {
    int32_t one[NB_BLOCK_NODES], other[NB_BLOCK_NODES];
    int count = pack->type->block_nodes(pack, i, one);
    return count == pack->type->block_nodes(pack, k, other) && memcmp(one, other, (size_t)count * sizeof *one) == 0;
}

/* blocks and groups of the view's rows */
static void fill_blocks(const nb_step *s, nb_sum_view *view, int32_t *block_start, int32_t *group_start) {
    int32_t row = 0, block = 0, group = 0, first = view->begin[NB_PACK_JOINTS];
    for (int32_t i = first; i < view->end[NB_PACK_JOINTS]; i++) {
        if (i == first || s->joint_of_row[i] != s->joint_of_row[i - 1]) group_start[group++] = block;
        block_start[block++] = row++;
    }
    first = view->begin[NB_PACK_CONTACTS];
    const int32_t named = nb_step_is_bare(s) ? first : view->end[NB_PACK_CONTACTS];
    for (int32_t i = first; i < named; i++, row += 3) {
        const nb_contact_rows *contact = &s->contacts[i];
        if (i == first || contact->a != contact[-1].a || contact->b != contact[-1].b) group_start[group++] = block;
        block_start[block++] = row;
    }
    for (int32_t k = NB_PACK_SOFT; k < s->sum.packs; k++) {
        const nb_pack *pack = s->sum.pack[k];
        for (int32_t i = view->begin[k]; i < view->end[k]; i++) {
            if (i == view->begin[k] || !have_same_nodes(pack, i - 1, i)) group_start[group++] = block;
            block_start[block++] = row;
            row += nb_pack_row(pack, i + 1) - nb_pack_row(pack, i);
        }
    }
    block_start[block] = row;
    group_start[group] = block;
    block += view->end[NB_PACK_CONTACTS] - named;
    row += 3 * (view->end[NB_PACK_CONTACTS] - named);
    view->base = (nb_delassus){nb_sum_class_for(s->sum.mass), row, block, block_start, group, group_start, s->sum.mass};
    view->sum = &s->sum;
    nb_sum_count_blocks(view);
}

/* Gives the view the added rows of this island (-1: all), which begin where its ranges do; returns whether it has any.
 */
static int select_added(const nb_step *s, int32_t island, nb_sum_view *view) {
    int any = 0;
    for (int32_t k = NB_PACKS_OF_STEP; k < s->sum.packs; k++) {
        const nb_pack *pack = s->sum.pack[k];
        int32_t *end = &view->end[k];
        *end = island < 0 ? pack->blocks : view->begin[k];
        while (*end < pack->blocks && s->node_island[added_node(s, pack, *end)] == island) ++*end;
        any |= *end > view->begin[k];
    }
    return any;
}

/* scratch of an ordering */
typedef struct ordering {
    int32_t *key, *order;                   /* [most things of a kind] */
    int32_t *joints, *begin, *soft, *nodes; /* [islands + 2] */
    placed *sorted;                         /* [nodes] */
} ordering;

static void lay_out_ordering(nb_arena *a, int32_t most, int32_t islands, int32_t nodes, ordering *o) {
    NB_PLACE(a, most, &o->key);
    NB_PLACE(a, most, &o->order);
    NB_PLACE(a, islands + 2, &o->joints);
    NB_PLACE(a, islands + 2, &o->begin);
    NB_PLACE(a, islands + 2, &o->soft);
    NB_PLACE(a, islands + 2, &o->nodes);
    NB_PLACE(a, nodes, &o->sorted);
}

/* makes the views of all rows: `rigid` contacts, `dynamic` nodes */
static void make_whole(nb_step *s, int32_t rigid, int32_t dynamic) {
    s->whole = (nb_sum_view){
        .end = {s->bilateral_count, rigid, s->soft_count}, .dynamic = s->dynamic, .dynamic_count = dynamic};
    select_added(s, -1, &s->whole);
    fill_blocks(s, &s->whole, s->block_start, s->group_start);
    s->blocks = s->sum;
    s->blocks.mass = &s->mass_of_nodes.base;
    s->weighing = s->whole;
    s->weighing.sum = &s->blocks;
    s->weighing.base.type = &nb_sum_class;
    s->weighing.base.mass = s->blocks.mass;
}

/* Orders joints, contacts and nodes by island and makes the views. */
nb_status nb_step_order(nb_step *s, const nb_contacts *contacts) {
    nb_status status;
    const nb_world *world = s->world;
    int32_t n = s->nodes.count, islands = s->island_count, most = contacts->count;
    if (world->joint_count > most) most = world->joint_count;
    if (n > most) most = n;
    ordering scratch;
    nb_arena_measure(&s->ordering);
    lay_out_ordering(&s->ordering, most, islands, n, &scratch);
    NB_TRY(nb_arena_reserve(&s->ordering));
    lay_out_ordering(&s->ordering, most, islands, n, &scratch);
    int32_t *key = scratch.key, *order = scratch.order;
    int32_t *joints = scratch.joints, *begin = scratch.begin, *soft = scratch.soft, *nodes = scratch.nodes;

    for (int32_t i = 0; i < contacts->count; i++) key[i] = island_of_contact(s, contacts, i);
    const int32_t rigid = contacts->count - s->soft_count;
    sort_by_island(rigid, key, islands, begin, s->order);
    sort_by_island(s->soft_count, key + rigid, islands, soft, s->order + rigid);
    for (int32_t i = rigid; i < contacts->count; i++) s->order[i] += rigid;
    nb_step_begin_soft(s, contacts);
    for (int32_t i = 0; i < contacts->count; i++) {
        s->contacts[i].a = contacts->items[s->order[i]].body_a;
        s->contacts[i].b = contacts->items[s->order[i]].body_b;
    }

    for (int32_t j = 0; j < world->joint_count; j++) {
        key[j] = island_of(s, world->joints[j].body_a, world->joints[j].body_b);
        if (key[j] < 0) return nb_fail(NB_ERROR_INPUT, "joint %d joins no body that has mass", (int)j);
    }
    sort_by_island(world->joint_count, key, islands, joints, order);
    for (int32_t j = 0, row = 0; j < world->joint_count; j++) {
        key[j] = row; /* of the joint's first one, in the world's order */
        row += nb_joint_rows(world->joints[j].kind);
    }
    for (int32_t j = 0, row = 0, island = 0; j <= world->joint_count; j++) {
        while (island <= islands && joints[island] == j) joints[island++] = row; /* from joints to rows */
        int32_t count = j < world->joint_count ? nb_joint_rows(world->joints[order[j]].kind) : 0;
        for (int32_t k = 0; k < count; k++) {
            s->bilateral_order[row] = key[order[j]] + k;
            s->joint_of_row[row++] = order[j];
        }
    }
    int32_t dynamic = 0;
    for (int32_t i = 0; i < n; i++)
        if (s->node_island[i] >= 0) order[dynamic++] = i;
    sort_by_position(world, dynamic, order, scratch.sorted);
    for (int32_t i = 0; i < dynamic; i++) key[i] = s->node_island[order[i]];
    memcpy(s->dynamic, order, (size_t)dynamic * sizeof *order);
    sort_by_island(dynamic, key, islands, nodes, order);
    for (int32_t i = 0; i < dynamic; i++) key[i] = s->dynamic[order[i]];
    memcpy(s->dynamic, key, (size_t)dynamic * sizeof *key);

    make_whole(s, rigid, dynamic);
    int32_t *block_start = s->island_block_start, *group_start = s->island_group_start, kept = 0, largest = 0;
    if (nb_step_is_bare(s)) islands = 0; /* nor a view of any */
    for (int32_t k = 0; k < islands; k++) {
        NB_TRY(NB_RESERVE((int64_t)kept + 1, &s->islands_capacity, &s->islands)); /* one is begun behind the last */
        nb_sum_view *view = &s->islands[kept];
        int32_t touching = begin[k + 1] - begin[k] + soft[k + 1] - soft[k];
        *view = (nb_sum_view){.begin = {joints[k], begin[k], soft[k]},
                              .end = {joints[k + 1], begin[k + 1], soft[k + 1]},
                              .dynamic = s->dynamic + nodes[k],
                              .dynamic_count = nodes[k + 1] - nodes[k]};
        if (kept > 0)
            memcpy(view->begin + NB_PACKS_OF_STEP, view[-1].end + NB_PACKS_OF_STEP,
                   NB_PACKS_ADDED * sizeof *view->begin);
        if (!select_added(s, k, view) && joints[k] == joints[k + 1] && touching == 0) continue; /* a node on its own */
        fill_blocks(s, view, block_start, group_start);
        block_start += view->base.block_count + 1;
        group_start += view->base.group_count + 1;
        if (touching > largest) largest = touching;
        kept++;
    }
    s->problem.island_count = kept;
    s->problem.largest_island = largest;
out:
    return status;
}

/* the view's share of the problem's ranges */
static void share_ranges(const nb_problem *problem, const nb_sum_view *view, nb_law_range *ranges) {
    for (int32_t i = 0, pack = -1; ranges && i < problem->range_count; i++) {
        do pack++; /* ranges are the packs that have blocks */
        while (view->sum->pack[pack]->blocks == 0);
        int32_t begin = view->begin[pack], end = view->end[pack];
        ranges[i] = problem->ranges[i];
        ranges[i].blocks = end - begin;
        ranges[i].first += begin;
        ranges[i].first_block += begin;
        ranges[i].first_row += begin * ranges[i].law->type->rows;
    }
}

const nb_delassus *nb_step_island(const nb_problem *problem, int32_t island, nb_law_range *ranges) {
    const nb_sum_view *view = &((const nb_step *)problem)->islands[island];
    share_ranges(problem, view, ranges);
    return &view->base;
}

/* Islands follow each other in all packs and in nodes. */
nb_status nb_step_islands(const nb_problem *problem, int32_t first, int32_t end, nb_law_range *ranges,
                          nb_delassus **view) {
    const nb_step *s = (const nb_step *)problem;
    const nb_sum_view *low = &s->islands[first], *high = &s->islands[end - 1];
    nb_status status;
    int32_t blocks = 0, *start = NULL;
    nb_sum_view *v = NULL;
    *view = NULL;
    NB_TRY(NB_ALLOCATE(1, &v));
    *v = (nb_sum_view){.dynamic = low->dynamic,
                       .dynamic_count = (int32_t)(high->dynamic - low->dynamic) + high->dynamic_count};
    memcpy(v->begin, low->begin, sizeof v->begin);
    memcpy(v->end, high->end, sizeof v->end);
    for (int32_t i = first; i < end; i++) blocks += s->islands[i].base.block_count;
    NB_TRY(NB_ALLOCATE(2 * ((int64_t)blocks + 1), &start));
    fill_blocks(s, v, start, start + blocks + 1);
    share_ranges(problem, v, ranges);
    *view = &v->base;
    return NB_OK;
out:
    nb_free(v);
    return status;
}
