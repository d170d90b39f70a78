#include "contact/broad_phase.h"

#include "base/interrupt.h"
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

static void set_box(nb_node *leaf, const nb_bounds *boxes, int32_t item) {
    *leaf = (nb_node){boxes[item].low, boxes[item].high, 1, item, boxes[item].active};
}

/* a node of so many boxes, from those below it */
static void enclose_children(nb_node *node, int32_t boxes) {
    const nb_node *left = node + 1, *right = node + 2 * (boxes / 2);
    node->low =
        nb_vec3_of(fmin(left->low.x, right->low.x), fmin(left->low.y, right->low.y), fmin(left->low.z, right->low.z));
    node->high = nb_vec3_of(fmax(left->high.x, right->high.x), fmax(left->high.y, right->high.y),
                            fmax(left->high.z, right->high.z));
    node->boxes = boxes;
    node->item = -1;
    node->active = left->active || right->active;
}

static void build(const nb_bounds *boxes, nb_node *node, int32_t *order, int32_t count) {
    if (count == 1) {
        set_box(node, boxes, order[0]);
        return;
    }
    int32_t half = count / 2;
    select_smallest(boxes, widest_axis(boxes, order, count), order, count, half);
    build(boxes, node + 1, order, half);
    build(boxes, node + 2 * half, order + half, count - half);
    enclose_children(node, count);
}

/* ---- trees that are kept ---- */

/* the sum of all nodes' surfaces, which says how often they are met */
static double size_of(const nb_box_tree *tree) {
    double size = 0;
    for (int32_t i = 0; i < 2 * tree->count - 1; i++) {
        const nb_vec3 edge = nb_sub(tree->nodes[i].high, tree->nodes[i].low);
        size += edge.x * edge.y + edge.y * edge.z + edge.z * edge.x;
    }
    return size;
}

/* children lie behind their parents */
static void refit(nb_box_tree *tree, const nb_bounds *boxes) {
    for (int32_t i = 2 * tree->count - 2; i >= 0; i--) {
        nb_node *node = &tree->nodes[i];
        if (node->boxes == 1)
            set_box(node, boxes, node->item);
        else
            enclose_children(node, node->boxes);
    }
}

static nb_status build_tree(nb_box_tree *tree, int32_t first, int32_t count, const nb_bounds *boxes) {
    nb_status status = NB_OK;
    tree->count = 0; /* should there be no memory */
    if (count == 0) return NB_OK;
    NB_TRY(NB_RESERVE(2 * (int64_t)count - 1, &tree->node_capacity, &tree->nodes));
    NB_TRY(NB_RESERVE(count, &tree->order_capacity, &tree->order));
    for (int32_t i = 0; i < count; i++) tree->order[i] = first + i;
    build(boxes, tree->nodes, tree->order, count);
    tree->first = first;
    tree->count = count;
out:
    return status;
}

nb_status nb_box_tree_update(nb_box_tree *tree, int32_t first, int32_t count, const nb_bounds *boxes) {
    const double worn = 1.5;
    if (tree->first == first && tree->count == count) {
        refit(tree, boxes);
        if (size_of(tree) <= worn * tree->built) return NB_OK;
    }
    nb_status status = build_tree(tree, first, count, boxes);
    tree->built = size_of(tree);
    return status;
}

void nb_box_tree_clear(nb_box_tree *tree) {
    nb_free(tree->nodes);
    nb_free(tree->order);
    *tree = (nb_box_tree){0};
}

/* ---- searches ---- */

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

/* whether boxes below the two may be a pair */
static int meet(const box_search *search, const nb_node *a, const nb_node *b) {
    if (!a->active && !b->active) return 0;
    search->phase->tests++;
    return nb_boxes_overlap(&a->low, &a->high, &b->low, &b->high);
}

/* pairs of a box below `a` with a box below `b`, which meet */
static nb_status search_between(const box_search *search, const nb_node *a, const nb_node *b) {
    if (a->boxes == 1 && b->boxes == 1) return add_pair(search, a->item, b->item);
    if (nb_interrupt_requested()) return nb_interrupt_check();
    if (a->boxes < b->boxes) {
        const nb_node *swap = a;
        a = b, b = swap;
    }
    for (int second = 0; second < 2; second++) {
        const nb_node *child = second ? a + 2 * (a->boxes / 2) : a + 1;
        nb_status status = meet(search, child, b) ? search_between(search, child, b) : NB_OK;
        if (status != NB_OK) return status;
    }
    return NB_OK;
}

/* pairs of boxes both below `node` */
static nb_status search_within(const box_search *search, const nb_node *node) {
    nb_status status = NB_OK;
    if (node->boxes == 1 || !node->active) return NB_OK;
    NB_TRY(nb_interrupt_check());
    const nb_node *left = node + 1, *right = node + 2 * (node->boxes / 2);
    NB_TRY(search_within(search, left));
    NB_TRY(search_within(search, right));
    if (meet(search, left, right)) NB_TRY(search_between(search, left, right));
out:
    return status;
}

nb_status nb_broad_phase_within(nb_broad_phase *phase, const nb_box_tree *tree, const nb_bounds *boxes) {
    const box_search search = {phase, boxes};
    phase->pair_count = phase->tests = 0;
    return tree->count > 0 ? search_within(&search, tree->nodes) : NB_OK;
}

nb_status nb_broad_phase_between(nb_broad_phase *phase, const nb_box_tree *one, const nb_box_tree *other,
                                 const nb_bounds *boxes) {
    const box_search search = {phase, boxes};
    phase->pair_count = phase->tests = 0;
    return one->count > 0 && other->count > 0 && meet(&search, one->nodes, other->nodes)
               ? search_between(&search, one->nodes, other->nodes)
               : NB_OK;
}

nb_status nb_broad_phase_search(nb_broad_phase *phase, int32_t count, const nb_bounds *boxes) {
    nb_status status = build_tree(&phase->tree, 0, count, boxes);
    phase->pair_count = phase->tests = 0;
    return status == NB_OK ? nb_broad_phase_within(phase, &phase->tree, boxes) : status;
}

void nb_broad_phase_clear(nb_broad_phase *phase) {
    nb_free(phase->pairs);
    nb_box_tree_clear(&phase->tree);
    *phase = (nb_broad_phase){0};
}
