#include "contact/broad_phase.h"

#include "base/memory.h"

/* A subtree of k boxes fills 2k - 1 nodes: its first node, the left subtree, the right subtree. */
typedef struct nb_node {
    nb_vec3 low, high;
    int32_t boxes;  /* in this subtree */
    int32_t item;   /* the box of a leaf */
    int32_t active; /* whether any box below is */
} nb_node;

typedef struct box_search {
    nb_broad_phase *phase;
    const nb_bounds *boxes;
} box_search;

static double coordinate(nb_vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* twice the box's middle; equal middles are told apart by index, so that the order is the same on every machine */
static int before(const nb_bounds *boxes, int axis, int32_t i, int32_t j) {
    double x = coordinate(boxes[i].low, axis) + coordinate(boxes[i].high, axis);
    double y = coordinate(boxes[j].low, axis) + coordinate(boxes[j].high, axis);
    return x < y || (x <= y && i < j);
}

/* Reorders so that the `middle` smallest come first (Hoare's selection). */
static void select_smallest(const nb_bounds *boxes, int axis, int32_t *order, int32_t count, int32_t middle) {
    int32_t low = 0, high = count - 1;
    while (low < high) {
        int32_t pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(boxes, axis, order[i], pivot)) i++;
            while (before(boxes, axis, pivot, order[j])) j--;
            if (i > j) break;
            int32_t swap = order[i];
            order[i++] = order[j], order[j--] = swap;
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* the axis along which the boxes' middles are spread most */
static int widest_axis(const nb_bounds *boxes, const int32_t *order, int32_t count) {
    int widest = 0;
    double width = -1;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t k = 0; k < count; k++) {
            double x = coordinate(boxes[order[k]].low, axis) + coordinate(boxes[order[k]].high, axis);
            low = fmin(low, x), high = fmax(high, x);
        }
        if (high - low > width) width = high - low, widest = axis;
    }
    return widest;
}

static void build(const box_search *search, nb_node *node, int32_t *order, int32_t count) {
    if (count == 1) {
        const nb_bounds *box = &search->boxes[order[0]];
        *node = (nb_node){box->low, box->high, 1, order[0], box->active};
        return;
    }
    int32_t half = count / 2;
    nb_node *left = node + 1, *right = node + 2 * half;
    select_smallest(search->boxes, widest_axis(search->boxes, order, count), order, count, half);
    build(search, left, order, half);
    build(search, right, order + half, count - half);
    node->low =
        nb_vec3_of(fmin(left->low.x, right->low.x), fmin(left->low.y, right->low.y), fmin(left->low.z, right->low.z));
    node->high = nb_vec3_of(fmax(left->high.x, right->high.x), fmax(left->high.y, right->high.y),
                            fmax(left->high.z, right->high.z));
    node->boxes = count;
    node->item = -1;
    node->active = left->active || right->active;
}

static int overlap(const nb_node *a, const nb_node *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static nb_status add_pair(const box_search *search, int32_t i, int32_t j) {
    nb_broad_phase *phase = search->phase;
    if (search->boxes[i].group == search->boxes[j].group) return NB_OK;
    nb_status status = NB_RESERVE(phase->pair_count + 1, &phase->pair_capacity, &phase->pairs);
    if (status != NB_OK) return status;
    phase->pairs[phase->pair_count][0] = i < j ? i : j;
    phase->pairs[phase->pair_count][1] = i < j ? j : i;
    phase->pair_count++;
    return NB_OK;
}

/* pairs of a box below `a` with a box below `b` */
static nb_status search_between(const box_search *search, const nb_node *a, const nb_node *b) {
    if (!a->active && !b->active) return NB_OK;
    search->phase->tests++;
    if (!overlap(a, b)) return NB_OK;
    if (a->boxes == 1 && b->boxes == 1) return add_pair(search, a->item, b->item);
    if (a->boxes < b->boxes) {
        const nb_node *swap = a;
        a = b, b = swap;
    }
    nb_status status = search_between(search, a + 1, b);
    return status == NB_OK ? search_between(search, a + 2 * (a->boxes / 2), b) : status;
}

/* pairs of boxes both below `node` */
static nb_status search_within(const box_search *search, const nb_node *node) {
    nb_status status = NB_OK;
    if (node->boxes == 1 || !node->active) return NB_OK;
    const nb_node *left = node + 1, *right = node + 2 * (node->boxes / 2);
    NB_TRY(search_within(search, left));
    NB_TRY(search_within(search, right));
    NB_TRY(search_between(search, left, right));
out:
    return status;
}

nb_status nb_broad_phase_search(nb_broad_phase *phase, int32_t count, const nb_bounds *boxes) {
    nb_status status = NB_OK;
    phase->pair_count = phase->tests = 0;
    if (count == 0) return NB_OK;
    box_search search = {phase, boxes};
    NB_TRY(NB_RESERVE(2 * (int64_t)count - 1, &phase->tree_capacity, &phase->tree));
    NB_TRY(NB_RESERVE(count, &phase->order_capacity, &phase->order));
    for (int32_t i = 0; i < count; i++) phase->order[i] = i;
    build(&search, phase->tree, phase->order, count);
    NB_TRY(search_within(&search, phase->tree));
out:
    return status;
}

nb_status nb_broad_phase_search_between(nb_broad_phase *phase, int32_t count, int32_t others, const nb_bounds *boxes) {
    nb_status status = NB_OK;
    phase->pair_count = phase->tests = 0;
    if (count == 0 || others == 0) return NB_OK;
    box_search search = {phase, boxes};
    NB_TRY(NB_RESERVE(2 * ((int64_t)count + others) - 2, &phase->tree_capacity, &phase->tree));
    NB_TRY(NB_RESERVE((int64_t)count + others, &phase->order_capacity, &phase->order));
    for (int32_t i = 0; i < count + others; i++) phase->order[i] = i;
    nb_node *one = phase->tree, *other = phase->tree + 2 * (ptrdiff_t)count - 1;
    build(&search, one, phase->order, count);
    build(&search, other, phase->order + count, others);
    NB_TRY(search_between(&search, one, other));
out:
    return status;
}

void nb_broad_phase_clear(nb_broad_phase *phase) {
    nb_free(phase->pairs);
    nb_free(phase->tree);
    nb_free(phase->order);
    *phase = (nb_broad_phase){0};
}
