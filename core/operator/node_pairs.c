#include "operator/node_pairs.h"

#include "base/block_pattern.h"
#include "base/memory.h"

NB_PRECISIONS(f32, f64);

void nb_node_pairs_clear(nb_node_pairs *p) {
    nb_free(p->node);
    nb_free(p->slot);
    nb_free(p->row);
    nb_free(p->start);
    nb_free(p->neighbour);
    nb_free(p->offset);
    nb_free(p->length);
    nb_free(p->entry);
    nb_free(p->group_node);
    nb_free(p->group_slot);
    nb_free(p->group_pair);
    nb_free(p->pair_place);
    *p = (nb_node_pairs){0};
}

/* ---- nodes and groups ---- */

static void list_node(nb_node_pairs *p, int32_t node) {
    if (p->slot[node] >= 0) return;
    p->node[p->nodes] = node;
    p->slot[node] = p->nodes++;
}

static int nodes_of_group(const nb_delassus *d, int32_t group, int32_t node[NB_BLOCK_NODES]) {
    return d->type->block_nodes(d, d->group_start[group], node);
}

static nb_status list_nodes(nb_node_pairs *p, const nb_delassus *d, int all) {
    nb_status status;
    const nb_nodes *nodes = d->mass->nodes;
    int32_t node[NB_BLOCK_NODES];
    NB_TRY(NB_ALLOCATE(nodes->count, &p->slot));
    NB_TRY(NB_ALLOCATE(nodes->count, &p->node));
    for (int32_t i = 0; i < nodes->count; i++) p->slot[i] = -1;
    for (int32_t i = 0; all && i < nodes->count; i++)
        if (d->mass->moves[i]) list_node(p, i);
    for (int32_t g = 0; g < d->group_count; g++) {
        int count = nodes_of_group(d, g, node);
        for (int n = 0; n < count; n++) list_node(p, node[n]);
    }
    NB_TRY(NB_ALLOCATE((int64_t)p->nodes + 1, &p->row));
    for (int32_t i = 0; i < p->nodes; i++) p->row[i + 1] = p->row[i] + nb_node_velocities(nodes, p->node[i]);
out:
    return status;
}

static nb_status list_groups(nb_node_pairs *p, const nb_delassus *d) {
    nb_status status;
    int32_t node[NB_BLOCK_NODES];
    NB_TRY(NB_ALLOCATE((int64_t)d->group_count + 1, &p->group_node));
    NB_TRY(NB_ALLOCATE((int64_t)d->group_count + 1, &p->group_pair));
    for (int32_t g = 0; g < d->group_count; g++) {
        int count = nodes_of_group(d, g, node);
        p->group_node[g + 1] = p->group_node[g] + count;
        p->group_pair[g + 1] = p->group_pair[g] + (int64_t)count * count;
    }
    NB_TRY(NB_ALLOCATE(p->group_node[d->group_count], &p->group_slot));
    NB_TRY(NB_ALLOCATE(p->group_pair[d->group_count], &p->pair_place));
    for (int32_t g = 0; g < d->group_count; g++) {
        int count = nodes_of_group(d, g, node);
        for (int n = 0; n < count; n++) p->group_slot[p->group_node[g] + n] = p->slot[node[n]];
    }
out:
    return status;
}

/* ---- pairs ---- */

/* what couples nodes */
typedef struct coupling {
    const nb_node_pairs *pairs;
    const nb_delassus *delassus;
    const nb_csr *mass;     /* NULL: couples none */
    const uint8_t *couples; /* [groups] or NULL: all */
} coupling;

static int32_t node_of_velocity(const nb_nodes *nodes, int32_t velocity) {
    int32_t low = 0, high = nodes->count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (nodes->velocity[middle] <= velocity)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void link_by_mass(const nb_node_pairs *p, const nb_nodes *nodes, const nb_csr *mass, nb_block_links *links) {
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t r = nodes->velocity[p->node[i]]; r < nodes->velocity[p->node[i] + 1]; r++) {
            int32_t last = p->node[i];
            for (int64_t e = mass->start[r]; e < mass->start[r + 1]; e++) {
                int32_t node = node_of_velocity(nodes, mass->column[e]);
                if (node != last && node != p->node[i]) nb_block_link(links, i, p->slot[node]);
                last = node;
            }
        }
}

static void list_pairs(const void *of, nb_block_links *links) {
    const coupling *c = of;
    const nb_node_pairs *p = c->pairs;
    for (int32_t g = 0; g < c->delassus->group_count; g++)
        for (int64_t i = p->group_node[g]; (!c->couples || c->couples[g]) && i < p->group_node[g + 1]; i++)
            for (int64_t j = p->group_node[g]; j < p->group_node[g + 1]; j++)
                if (i != j) nb_block_link(links, p->group_slot[i], p->group_slot[j]);
    if (c->mass) link_by_mass(p, c->delassus->mass->nodes, c->mass, links);
}

/* ---- places ---- */

int32_t nb_node_pairs_find(const nb_node_pairs *p, int32_t i, int32_t j) {
    int64_t low = p->start[i], high = p->start[i + 1];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (p->neighbour[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    return low < p->start[i + 1] && p->neighbour[low] == j ? p->offset[low] : -1;
}

static nb_status find_places(nb_node_pairs *p, const nb_delassus *d) {
    nb_status status;
    NB_TRY(NB_ALLOCATE(p->start[p->nodes], &p->offset));
    for (int32_t i = 0; i < p->nodes; i++) {
        p->length[i] = 0;
        for (int64_t e = p->start[i]; e < p->start[i + 1]; e++) {
            p->offset[e] = p->length[i];
            p->length[i] += nb_node_pairs_width(p, p->neighbour[e]);
        }
        p->entry[i + 1] = p->entry[i] + (int64_t)nb_node_pairs_width(p, i) * p->length[i];
    }
    for (int32_t g = 0; g < d->group_count; g++) {
        int32_t *place = p->pair_place + p->group_pair[g];
        for (int64_t i = p->group_node[g]; i < p->group_node[g + 1]; i++)
            for (int64_t j = p->group_node[g]; j < p->group_node[g + 1]; j++)
                *place++ = nb_node_pairs_find(p, p->group_slot[i], p->group_slot[j]);
    }
out:
    return status;
}

nb_status nb_node_pairs_couple(nb_node_pairs *p, const nb_delassus *d, const nb_csr *mass, const uint8_t *couples) {
    nb_status status;
    const coupling of = {p, d, mass, couples};
    nb_free(p->start);
    nb_free(p->neighbour);
    nb_free(p->offset);
    p->start = NULL;
    p->neighbour = p->offset = NULL;
    NB_TRY(nb_block_pattern_make(p->nodes, list_pairs, &of, &p->start, &p->neighbour));
    NB_TRY(find_places(p, d));
out:
    return status;
}

nb_status nb_node_pairs_make(nb_node_pairs *p, const nb_delassus *d, const nb_csr *mass, int all,
                             const uint8_t *couples) {
    nb_status status;
    NB_TRY(list_nodes(p, d, all));
    NB_TRY(list_groups(p, d));
    NB_TRY(NB_ALLOCATE(p->nodes, &p->length));
    NB_TRY(NB_ALLOCATE((int64_t)p->nodes + 1, &p->entry));
    NB_TRY(nb_node_pairs_couple(p, d, mass, couples));
out:
    return status;
}

int nb_node_pairs_has(const nb_node_pairs *p, int32_t group) {
    for (int64_t k = p->group_pair[group]; k < p->group_pair[group + 1]; k++)
        if (p->pair_place[k] < 0) return 0;
    return 1;
}

nb_status nb_node_pairs_csr(const nb_node_pairs *p, nb_csr **matrix) {
    nb_status status = nb_csr_create(p->row[p->nodes], p->row[p->nodes], p->entry[p->nodes], matrix);
    if (status == NB_OK)
        nb_block_pattern_expand(p->nodes, p->row, p->start, p->neighbour, (*matrix)->start, (*matrix)->column);
    return status;
}

/* ---- values ---- */

/* to += from, rows of them `stride` and `columns` apart */
static inline void add_block(int rows, int width, const double *from, int64_t columns, double *to, int64_t stride) {
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < width; b++) to[a * stride + b] += from[a * columns + b];
}

void nb_node_pairs_add(const nb_node_pairs *p, int32_t group, const double *sum, double *value) {
    int nodes = (int)(p->group_node[group + 1] - p->group_node[group]), columns = nb_node_pairs_columns(p, group);
    const int32_t *slot = p->group_slot + p->group_node[group], *place = p->pair_place + p->group_pair[group];
    for (int i = 0; i < nodes; i++) {
        int rows = nb_node_pairs_width(p, slot[i]);
        const double *from = sum;
        for (int j = 0; j < nodes; j++) {
            int width = nb_node_pairs_width(p, slot[j]);
            double *to = value + p->entry[slot[i]] + *place++;
            if (rows == 6 && width == 6) /* constants: loops unrolled */
                add_block(6, 6, from, columns, to, p->length[slot[i]]);
            else
                add_block(rows, width, from, columns, to, p->length[slot[i]]);
            from += width;
        }
        sum += rows * columns;
    }
}

static void add_matrix(const nb_node_pairs *p, const nb_nodes *nodes, const nb_csr *matrix, double *value) {
    for (int32_t i = 0; i < p->nodes; i++) {
        double *row = value + p->entry[i];
        for (int32_t r = nodes->velocity[p->node[i]]; r < nodes->velocity[p->node[i] + 1]; r++, row += p->length[i])
            for (int64_t e = matrix->start[r]; e < matrix->start[r + 1]; e++) {
                int32_t node = node_of_velocity(nodes, matrix->column[e]);
                int32_t place = nb_node_pairs_find(p, i, p->slot[node]);
                row[place + matrix->column[e] - nodes->velocity[node]] += (double)matrix->value[e];
            }
    }
}

static void add_mass_blocks(const nb_node_pairs *p, const nb_mass *mass, double *value) {
    real block[NB_NODE_WIDEST * NB_NODE_WIDEST];
    for (int32_t i = 0; i < p->nodes; i++) {
        int width = nb_node_pairs_width(p, i);
        double *to = value + p->entry[i] + nb_node_pairs_find(p, i, i);
        mass->type->block(mass, p->node[i], block);
        for (int a = 0; a < width; a++)
            for (int b = 0; b < width; b++) to[(int64_t)a * p->length[i] + b] += (double)block[a * width + b];
    }
}

void nb_node_pairs_add_mass(const nb_node_pairs *p, const nb_mass *mass, const nb_csr *matrix, double *value) {
    if (matrix)
        add_matrix(p, mass->nodes, matrix, value);
    else
        add_mass_blocks(p, mass, value);
}
