#include "contact/known.h"

#include <string.h>

#include "base/memory.h"

/* ---- what has changed ---- */

/* bit by bit: what is found for -0 need not be what is found for 0 */
static int same_bits(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

static int same_vectors(const nb_vec3 *a, const nb_vec3 *b, int64_t count) {
    return same_bits(a, b, (size_t)count * sizeof *a);
}

static int same_body(const nb_body *a, const nb_body *b) {
    const double x[] = {a->orientation.w, a->orientation.x, a->orientation.y, a->orientation.z, a->friction};
    const double y[] = {b->orientation.w, b->orientation.x, b->orientation.y, b->orientation.z, b->friction};
    return a->kind == b->kind && same_vectors(&a->position, &b->position, 1) &&
           same_vectors(&a->linear_velocity, &b->linear_velocity, 1) &&
           same_vectors(&a->angular_velocity, &b->angular_velocity, 1) && same_bits(x, y, sizeof x);
}

static int64_t vectors_of(const nb_piece *piece) {
    if (piece->polyhedron) return (int64_t)piece->polyhedron->vertex_count + piece->polyhedron->face_count;
    if (piece->kind == NB_SHAPE_ELLIPSOID) return 3;
    return piece->kind == NB_SHAPE_HALF_SPACE;
}

/* where its vectors begin in what holds those of all pieces */
static const nb_vec3 *first_vector(const nb_piece *piece) {
    return piece->polyhedron ? piece->vertices : piece->normals;
}

/* Whether piece i is what it was, in its bodies' places and among the same pieces. Pointers of the kept one lead to
 * places in the vectors at that time: `kept` holds what was there. */
static int same_piece(const nb_piece *now, const nb_piece *was, const nb_vec3 *vectors, const nb_vec3 *kept) {
    if (now->kind != was->kind || now->body != was->body || now->part != was->part ||
        now->polyhedron != was->polyhedron || !same_bits(&now->radius, &was->radius, sizeof now->radius))
        return 0;
    ptrdiff_t place = vectors_of(now) > 0 ? first_vector(now) - vectors : 0;
    return same_vectors(&now->centre, &was->centre, 1) &&
           (vectors_of(now) == 0 || same_vectors(vectors + place, kept + place, vectors_of(now)));
}

static void write_world(const nb_world *world, double h, double numbers[6]) {
    const double now[6] = {world->gravity.x,      world->gravity.y,         world->gravity.z,
                           world->contact_margin, world->contact_thickness, h};
    memcpy(numbers, now, sizeof now);
}

nb_status nb_known_begin(nb_known *known, const nb_world *world, double h, const nb_pieces *pieces) {
    nb_status status = NB_RESERVE(world->body_count, &known->still_capacity, &known->still);
    if (status != NB_OK) return status;
    double numbers[6];
    write_world(world, h, numbers);
    int32_t count = pieces->count + pieces->half_space_count;
    int same = known->ended && known->body_count == world->body_count && known->piece_count == count &&
               same_bits(numbers, known->world, sizeof numbers);
    known->next_count = known->cursor = known->ended = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        known->still[i] = same && same_body(&world->bodies[i], &known->bodies[i]);
    for (int32_t i = 0; same && i < count; i++) {
        const nb_piece *now = &pieces->items[i], *was = &known->pieces[i];
        if (!same_piece(now, was, pieces->vectors, known->vectors))
            known->still[now->body] = known->still[was->body] = 0;
    }
    return NB_OK;
}

/* ---- its pairs ---- */

static int compare(const nb_known_pair *pair, int32_t body_a, int32_t body_b) {
    if (pair->body_a != body_a) return pair->body_a < body_a ? -1 : 1;
    return (pair->body_b > body_b) - (pair->body_b < body_b);
}

nb_status nb_known_take(nb_known *known, int32_t body_a, int32_t body_b, nb_contacts *contacts, int *taken) {
    *taken = 0;
    if (!known->still[body_a] || !known->still[body_b]) return NB_OK;
    while (known->cursor < known->pair_count && compare(&known->pairs[known->cursor], body_a, body_b) < 0)
        known->cursor++;
    const nb_known_pair *pair = &known->pairs[known->cursor];
    if (known->cursor == known->pair_count || compare(pair, body_a, body_b) != 0) return NB_OK;
    nb_status status = NB_RESERVE((int64_t)contacts->count + pair->count, &contacts->capacity, &contacts->items);
    if (status != NB_OK) return status;
    if (pair->count > 0)
        memcpy(contacts->items + contacts->count, known->items + pair->begin,
               (size_t)pair->count * sizeof *known->items);
    contacts->count += pair->count;
    *taken = 1;
    return NB_OK;
}

nb_status nb_known_add(nb_known *known, int32_t body_a, int32_t body_b, int32_t begin, const nb_contacts *contacts) {
    if (!known->still[body_a] || !known->still[body_b]) return NB_OK;
    nb_status status = NB_RESERVE((int64_t)known->next_count + 1, &known->next_capacity, &known->next);
    if (status != NB_OK) return status;
    known->next[known->next_count++] = (nb_known_pair){body_a, body_b, begin, contacts->count - begin};
    return NB_OK;
}

/* ---- its end ---- */

static nb_status keep_pieces(nb_known *known, const nb_pieces *pieces) {
    nb_status status;
    int32_t count = pieces->count + pieces->half_space_count;
    int64_t vectors = 0;
    for (int32_t i = 0; i < count; i++) vectors += vectors_of(&pieces->items[i]);
    NB_TRY(NB_RESERVE(count, &known->piece_capacity, &known->pieces));
    NB_TRY(NB_RESERVE(vectors, &known->vector_capacity, &known->vectors));
    if (count > 0) memcpy(known->pieces, pieces->items, (size_t)count * sizeof *known->pieces);
    if (vectors > 0) memcpy(known->vectors, pieces->vectors, (size_t)vectors * sizeof *known->vectors);
    known->piece_count = count;
out:
    return status;
}

nb_status nb_known_end(nb_known *known, const nb_world *world, double h, const nb_pieces *pieces,
                       const nb_contacts *contacts) {
    nb_status status;
    int64_t items = 0;
    for (int32_t k = 0; k < known->next_count; k++) items += known->next[k].count;
    NB_TRY(keep_pieces(known, pieces));
    NB_TRY(NB_RESERVE(world->body_count, &known->body_capacity, &known->bodies));
    NB_TRY(NB_RESERVE(items, &known->item_capacity, &known->items));
    NB_TRY(NB_RESERVE(known->next_count, &known->pair_capacity, &known->pairs)); /* which is `next` the next time */
    if (world->body_count > 0) memcpy(known->bodies, world->bodies, (size_t)world->body_count * sizeof *known->bodies);
    items = 0;
    for (int32_t k = 0; k < known->next_count; k++) {
        nb_known_pair *pair = &known->next[k];
        if (pair->count > 0)
            memcpy(known->items + items, contacts->items + pair->begin, (size_t)pair->count * sizeof *known->items);
        pair->begin = (int32_t)items;
        items += pair->count;
    }
    known->body_count = world->body_count;
    write_world(world, h, known->world);
    nb_known_pair *pairs = known->pairs;
    int64_t capacity = known->pair_capacity;
    known->pairs = known->next;
    known->pair_capacity = known->next_capacity;
    known->pair_count = known->next_count;
    known->next = pairs;
    known->next_capacity = capacity;
    known->ended = 1;
out:
    return status;
}

void nb_known_clear(nb_known *known) {
    nb_free(known->still);
    nb_free(known->pairs);
    nb_free(known->next);
    nb_free(known->items);
    nb_free(known->bodies);
    nb_free(known->pieces);
    nb_free(known->vectors);
    *known = (nb_known){0};
}
