#include "layout.h"

#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "element/tetrahedron_pack.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64, mixed);

nb_status nb_layout_create(nb_layout **layout) {
    return NB_ALLOCATE(1, layout);
}

void nb_layout_destroy(nb_layout *layout) {
    if (!layout) return;
    nb_free(layout->image);
    nb_free(layout->rank);
    nb_free(layout->number);
    nb_free(layout);
}

/* ---- places ---- */

/* the parts that the image holds */
static void place_image(nb_arena *a, nb_view *v) {
    NB_PLACE(a, v->rows, &v->place);
    NB_PLACE(a, v->contact_stride, &v->contact_a);
    NB_PLACE(a, v->contact_stride, &v->contact_b);
    NB_PLACE(a, v->contact_stride, &v->contact_source);
    NB_PLACE(a, v->joint_stride, &v->joint_a);
    NB_PLACE(a, v->joint_stride, &v->joint_b);
    NB_PLACE(a, v->bodies + 1, &v->contact_start);
    NB_PLACE(a, v->contact_sides, &v->contact_list);
    NB_PLACE(a, v->bodies + 1, &v->joint_start);
    NB_PLACE(a, v->joint_sides, &v->joint_list);
    NB_PLACE(a, NB_MASS_NUMBERS * (int64_t)v->body_stride, &v->inverse_mass);
    NB_PLACE(a, v->pieces, &v->piece_place);
    NB_PLACE(a, v->bodies + 1, &v->piece_start);
    NB_PLACE(a, v->piece_sides, &v->piece_list);
}

/* the parts behind it */
static void place_rest(nb_arena *a, nb_view *v) {
    int64_t contacts = v->contact_stride, joint_rows = v->joint_stride, length = nb_view_length(v);
    NB_PLACE(a, v->contacts, &v->contact_rows);
    NB_PLACE(a, v->joint_rows, &v->joint_row_source);
    NB_PLACE(a, 6 * contacts, &v->frame);
    NB_PLACE(a, 6 * contacts, &v->arm);
    NB_PLACE(a, 12 * joint_rows, &v->row);
    NB_PLACE(a, 3 * (int64_t)v->contact_sides, &v->side_arm);
    NB_PLACE(a, 6 * (int64_t)v->joint_sides, &v->side_row);
    NB_PLACE(a, length, &v->s);
    NB_PLACE(a, length, &v->c);
    NB_PLACE(a, v->rows, &v->root);
    NB_PLACE(a, length, &v->force);
    NB_PLACE(a, NB_VELOCITY_NUMBERS * (v->bodies + (int64_t)1), &v->velocity);
    for (int k = 0; k < 3; k++) NB_PLACE(a, v->rows, &v->row_values[k]);
    NB_PLACE(a, v->source_bytes, &v->pack_source);
    NB_PLACE(a, v->k_source_length, &v->k_source);
    NB_PLACE(a, v->numbers, &v->number);
    NB_PLACE(a, v->k_length, &v->k);
    NB_PLACE(a, 3 * v->pieces, &v->piece_force);
    NB_PLACE(a, 2, &v->slots);
    NB_PLACE(a, NB_SUMS * NB_MOST_BLOCKS, &v->partial_sums);
    NB_PLACE(a, NB_PAIRS, &v->pair_x);
    NB_PLACE(a, NB_PAIRS, &v->pair_y);
    NB_PLACE(a, NB_PAIRS, &v->axpy_x);
    NB_PLACE(a, NB_PAIRS, &v->axpy_a);
    NB_PLACE(a, NB_PAIRS * NB_PAIR_BLOCKS, &v->pair_sums);
}

nb_view nb_layout_bind(const nb_layout *layout, void *memory) {
    nb_view v = layout->counts;
    nb_arena a = {.memory = memory, .alignment = NB_DEVICE_ALIGNMENT};
    place_image(&a, &v);
    place_rest(&a, &v);
    return v;
}

int32_t nb_layout_place_of(const nb_layout *l, int32_t block) {
    const nb_view *v = &l->counts;
    return block < v->joint_rows ? v->contact_stride + block : l->number[block - v->joint_rows];
}

/* ---- lists ---- */

static int32_t padded(int32_t count) {
    return (count + NB_WARP - 1) / NB_WARP * NB_WARP;
}

/* a body's number; `bodies` for the world and whatever has no mass */
static int32_t number_of(const nb_layout *l, int32_t body) {
    int32_t rank = body < 0 ? 0 : l->rank[body];
    return rank > 0 ? rank - 1 : l->counts.bodies;
}

static const nb_contact_rows *contacts_of(const nb_rigid_rows *source) {
    return source->contacts;
}

static const nb_jacobian_row *joint_rows_of(const nb_rigid_rows *source) {
    return source->joint_rows;
}

static void count_all(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    *v = (nb_view){.rows = source->joint_row_count + 3 * source->contact_count,
                   .contacts = source->contact_count,
                   .joint_rows = source->joint_row_count,
                   .bodies = source->dynamic_count};
    v->contact_stride = padded(v->contacts);
    v->joint_stride = padded(v->joint_rows);
    v->body_stride = padded(v->bodies);
    for (int32_t i = 0; i < v->contacts; i++)
        v->contact_sides +=
            (number_of(l, contacts_of(source)[i].a) < v->bodies) + (number_of(l, contacts_of(source)[i].b) < v->bodies);
    for (int32_t j = 0; j < v->joint_rows; j++)
        v->joint_sides += (number_of(l, joint_rows_of(source)[j].a) < v->bodies) +
                          (number_of(l, joint_rows_of(source)[j].b) < v->bodies);
}

/* Numbers of entries become places of the first ones. */
static void begin_each(int32_t *start, int32_t count) {
    for (int32_t k = 0, begin = 0; k < count; k++) {
        int32_t entries = start[k];
        start[k] = begin;
        begin += entries;
    }
}

/* Contacts by the lower of their bodies, in the source's order where that is one; `start` is scratch. */
static void order_contacts(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    int32_t *start = v->contact_start;
    memset(start, 0, ((size_t)v->bodies + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < v->contacts; i++) {
            int32_t a = number_of(l, contacts_of(source)[i].a), b = number_of(l, contacts_of(source)[i].b);
            int32_t *slot = &start[a < b ? a : b];
            if (pass == 0)
                ++*slot;
            else
                l->number[i] = (*slot)++;
        }
        if (pass == 0) begin_each(start, v->bodies + 1);
    }
}

static void place_contacts(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    for (int32_t i = v->contacts; i < v->contact_stride; i++) {
        v->contact_a[i] = v->contact_b[i] = v->bodies;
        v->contact_source[i] = 0;
    }
    for (int32_t i = 0; i < v->contacts; i++) {
        int32_t at = l->number[i];
        v->contact_a[at] = number_of(l, contacts_of(source)[i].a);
        v->contact_b[at] = number_of(l, contacts_of(source)[i].b);
        v->contact_source[at] = i;
        for (int k = 0; k < 3; k++) v->place[v->joint_rows + 3 * i + k] = k * v->contact_stride + at;
    }
}

static void place_joint_rows(nb_layout *l, const nb_rigid_rows *source) {
    nb_view *v = &l->counts;
    for (int32_t j = 0; j < v->joint_stride; j++) {
        int idle = j >= v->joint_rows;
        v->joint_a[j] = idle ? v->bodies : number_of(l, joint_rows_of(source)[j].a);
        v->joint_b[j] = idle ? v->bodies : number_of(l, joint_rows_of(source)[j].b);
        if (!idle) v->place[j] = 3 * v->contact_stride + j;
    }
}

/* the sides of `count` constraints between bodies a and b, listed by body */
static void list_sides(int32_t count, const int32_t *a, const int32_t *b, int32_t bodies, int32_t *start,
                       int32_t *list) {
    memset(start, 0, ((size_t)bodies + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < 2 * count; i++) {
            int32_t body = i % 2 ? b[i / 2] : a[i / 2];
            if (body == bodies) continue;
            if (pass == 0)
                start[body]++;
            else
                list[start[body]++] = i;
        }
        if (pass == 0) begin_each(start, bodies);
    }
    memmove(start + 1, start, (size_t)bodies * sizeof *start); /* each is where the next one begins */
    start[0] = 0;
}

void nb_layout_masses(const nb_layout *l, const nb_sum_rows *source) {
    const nb_view *v = &l->counts;
    const nb_mass *mass = source->view->sum->mass;
    for (int32_t i = 0; i < v->body_stride; i++) {
        real numbers[NB_MASS_NUMBERS] = {0}, inverse[9];
        int32_t node = i < v->bodies ? source->rigid.dynamic[i] : -1;
        if (node >= source->rigid.bodies) {
            mass->type->inverse_block(mass, node, inverse);
            numbers[0] = inverse[0];
            numbers[7] = inverse[4];
            numbers[8] = inverse[8];
        } else if (node >= 0) {
            memcpy(numbers, source->rigid.inverse[node].numbers, 7 * sizeof *numbers);
            numbers[7] = numbers[8] = numbers[0];
        }
        for (int k = 0; k < NB_MASS_NUMBERS; k++) v->inverse_mass[k * (int64_t)v->body_stride + i] = numbers[k];
    }
}

/* ---- packs ---- */

static const nb_pack *pack_of(const nb_sum_rows *source, int32_t i) {
    return source->view->sum->pack[source->pack[i]];
}

/* the block of the pack that is number `i` of the view */
static int32_t block_of(const nb_sum_rows *source, int32_t pack, int32_t i) {
    return source->view->begin[source->pack[pack]] + i;
}

/* pieces of a block: node and half of each */
typedef struct piece {
    int32_t node;
    int half;
} piece;

static int pieces_of(const nb_pack *pack, int32_t block, piece out[2 * NB_BLOCK_NODES]) {
    int32_t node[NB_BLOCK_NODES];
    int count = 0, nodes = pack->type->block_nodes(pack, block, node);
    for (int n = 0; n < nodes; n++)
        for (int half = 0; half < nb_node_velocities(pack->nodes, node[n]) / 3; half++)
            out[count++] = (piece){node[n], half};
    return count;
}

/* sizes and places of pack i, behind those before it */
static void count_pack(nb_layout *l, const nb_sum_rows *source, int32_t i, int coupled) {
    nb_view *v = &l->counts;
    nb_view_pack *to = &v->pack[i];
    const nb_pack *pack = pack_of(source, i);
    int32_t k = source->pack[i];
    *to = (nb_view_pack){.blocks = source->view->end[k] - source->view->begin[k],
                         .tetrahedra = pack->type == &nb_tetrahedron_pack_class,
                         .first_row = source->first_row[i],
                         .row = 3 * (int64_t)v->contact_stride + v->joint_stride + v->pack_length,
                         .number = v->numbers,
                         .piece = v->pieces,
                         .k = v->k_length,
                         .k_source = v->k_source_length,
                         .source = v->source_bytes};
    to->stride = padded(to->blocks);
    for (int32_t b = 0; b < to->blocks; b++) {
        piece pieces[2 * NB_BLOCK_NODES];
        int32_t block = block_of(source, i, b), rows = nb_pack_row(pack, block + 1) - nb_pack_row(pack, block);
        int32_t count = pieces_of(pack, block, pieces);
        if (to->rows < rows) to->rows = rows;
        if (to->pieces < count) to->pieces = count;
        for (int32_t c = 0; c < count; c++) v->piece_sides += number_of(l, pieces[c].node) < v->bodies;
    }
    to->coupled = coupled && pack->rows_each > 1; /* a block of one row is in C */
    to->lane = to->tetrahedra ? block_of(source, i, 0) % NB_ELEMENT_LANES : 0;
    int64_t numbers = to->tetrahedra ? NB_ELEMENT_NUMBERS : 3 * (int64_t)to->rows * to->pieces;
    int64_t sent = to->tetrahedra ? nb_tetrahedron_groups(to->lane + to->blocks) * (int64_t)sizeof(nb_tetrahedron_group)
                                  : numbers * to->blocks * (int64_t)sizeof(real);
    v->pack_items += to->stride;
    v->pack_length += to->rows * (int64_t)to->stride;
    v->numbers += numbers * to->stride;
    v->pieces += to->pieces * (int64_t)to->stride;
    v->source_bytes += (sent + NB_DEVICE_ALIGNMENT - 1) / NB_DEVICE_ALIGNMENT * NB_DEVICE_ALIGNMENT;
    if (to->coupled) {
        v->k_length += to->rows * (int64_t)to->rows * to->stride;
        v->k_source_length += to->rows * (int64_t)to->rows * to->blocks;
    }
    v->packs = i + 1;
}

/* where each piece's velocities are; those of nodes without mass, and pieces that a block does not have, are the
 * world's */
static void place_pieces(nb_layout *l, const nb_sum_rows *source, int32_t i) {
    nb_view *v = &l->counts;
    const nb_view_pack *to = &v->pack[i];
    const nb_pack *pack = pack_of(source, i);
    for (int32_t c = 0; c < to->pieces; c++)
        for (int32_t b = 0; b < to->stride; b++)
            v->piece_place[to->piece + (int64_t)c * to->stride + b] = v->bodies * NB_VELOCITY_NUMBERS;
    for (int32_t b = 0, r = to->first_row; b < to->blocks; b++) {
        piece pieces[2 * NB_BLOCK_NODES];
        int32_t block = block_of(source, i, b), rows = nb_pack_row(pack, block + 1) - nb_pack_row(pack, block);
        int count = pieces_of(pack, block, pieces);
        for (int c = 0; c < count; c++)
            v->piece_place[to->piece + (int64_t)c * to->stride + b] =
                number_of(l, pieces[c].node) * NB_VELOCITY_NUMBERS + 3 * pieces[c].half;
        for (int32_t k = 0; k < rows; k++) v->place[r++] = (int32_t)(to->row + (int64_t)k * to->stride + b);
    }
}

/* the nodes' lists of their pieces */
static void list_pieces(nb_view *v) {
    int32_t *start = v->piece_start;
    memset(start, 0, ((size_t)v->bodies + 1) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < v->pieces; i++) {
            int32_t node = v->piece_place[i] / NB_VELOCITY_NUMBERS, half = v->piece_place[i] % NB_VELOCITY_NUMBERS / 3;
            if (node == v->bodies) continue;
            if (pass == 0)
                start[node]++;
            else
                v->piece_list[start[node]++] = (int32_t)(2 * i) + half;
        }
        if (pass == 0) begin_each(start, v->bodies);
    }
    memmove(start + 1, start, (size_t)v->bodies * sizeof *start);
    start[0] = 0;
}

void nb_layout_jacobians(const nb_layout *l, const nb_sum_rows *source, int32_t i, real *out) {
    const nb_view_pack *to = &l->counts.pack[i];
    const nb_pack *pack = pack_of(source, i);
    memset(out, 0, (size_t)(3 * to->rows * to->pieces) * (size_t)to->blocks * sizeof *out);
    for (int32_t b = 0; b < to->blocks; b++, out += 3 * (ptrdiff_t)to->rows * to->pieces) {
        piece pieces[2 * NB_BLOCK_NODES];
        real j[NB_BLOCK_ROWS * NB_BLOCK_COLUMNS];
        int32_t block = block_of(source, i, b), rows = nb_pack_row(pack, block + 1) - nb_pack_row(pack, block);
        int columns = 3 * pieces_of(pack, block, pieces);
        pack->type->block_jacobian(pack, block, j);
        for (int32_t r = 0; r < rows; r++)
            memcpy(out + 3 * (ptrdiff_t)r * to->pieces, j + (ptrdiff_t)r * columns, (size_t)columns * sizeof *j);
    }
}

nb_status nb_layout_make(nb_layout *l, const nb_sum_rows *all_rows, int coupled) {
    nb_status status;
    nb_view *v = &l->counts;
    const nb_rigid_rows *source = &all_rows->rigid;
    nb_arena all = {.alignment = NB_DEVICE_ALIGNMENT}, image = all;
    status = NB_RESERVE(all_rows->view->sum->mass->nodes->count, &l->rank_capacity, &l->rank);
    if (status != NB_OK) return status;
    NB_TRY(NB_RESERVE(source->contact_count, &l->number_capacity, &l->number));
    v->bodies = source->dynamic_count;
    for (int32_t i = 0; i < source->dynamic_count; i++) l->rank[source->dynamic[i]] = i + 1;
    count_all(l, source);
    for (int32_t i = 0; i < all_rows->packs; i++) count_pack(l, all_rows, i, coupled);
    v->rows = all_rows->view->base.rows;
    place_image(&all, v);
    l->image_bytes = all.used;
    place_rest(&all, v);
    l->bytes = all.used;
    NB_TRY(NB_RESERVE(l->image_bytes, &l->image_capacity, &l->image));
    image.memory = l->image;
    place_image(&image, v);
    order_contacts(l, source);
    place_contacts(l, source);
    place_joint_rows(l, source);
    list_sides(v->contacts, v->contact_a, v->contact_b, v->bodies, v->contact_start, v->contact_list);
    list_sides(v->joint_rows, v->joint_a, v->joint_b, v->bodies, v->joint_start, v->joint_list);
    for (int32_t i = 0; i < all_rows->packs; i++) place_pieces(l, all_rows, i);
    list_pieces(v);
    nb_layout_masses(l, all_rows);
out:
    for (int32_t i = 0; i < source->dynamic_count; i++) l->rank[source->dynamic[i]] = 0;
    return status;
}

/* ---- what passes move ---- */

/* of packs: numbers and places of pieces twice, K twice, forces written and gathered, velocities read */
static double pack_bytes(const nb_view *v, double vectors) {
    double w = sizeof(storage), r = sizeof(real), pieces = (double)v->pieces;
    return vectors * (double)v->pack_length * w + 2 * (double)v->numbers * w + 2 * (double)v->k_length * w +
           pieces * (9 * r + sizeof(int32_t)) + v->piece_sides * (double)sizeof(int32_t);
}

/* Each pass reads and writes what it has to once. */
double nb_layout_iteration_bytes(const nb_view *v, int pcr) {
    double contacts = v->contacts, joint_rows = v->joint_rows, bodies = v->bodies, w = sizeof(storage),
           r = sizeof(real);
    /* of a row: y and s twice, c, the result; PCR: ad and y written for the update, x, d and ad read and written */
    double vectors = pcr ? 14 : 6, rows = 3 * contacts + joint_rows;
    double lists = (v->contact_sides + (double)v->joint_sides) * sizeof(int32_t) + 2 * bodies * sizeof(int32_t);
    double frames = 2 * 6 * contacts * w + 6 * contacts * w + 12 * joint_rows * w; /* n, t1 twice; arms; rows of J */
    double gathered = (3 * r + 3 * w) * v->contact_sides + (r + 6 * w) * v->joint_sides;
    double moved = bodies * (7 + 2 * NB_VELOCITY_NUMBERS) * r; /* H^-1, velocities written and read */
    double ends = (contacts + joint_rows) * 2 * sizeof(int32_t), forces = (3 * contacts + joint_rows) * r;
    return vectors * rows * w + lists + frames + gathered + moved + ends + forces + pack_bytes(v, vectors);
}
