#include "contact/contact_cache.h"

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
 * places in the vectors at that time: the cache holds what was there, if anything was. */
static int same_piece(const nb_contact_cache *cache, int32_t i, const nb_piece *now, const nb_vec3 *vectors) {
    const nb_piece *was = &cache->pieces[i];
    if (now->kind != was->kind || now->body != was->body || now->part != was->part ||
        now->polyhedron != was->polyhedron || !same_bits(&now->radius, &was->radius, sizeof now->radius))
        return 0;
    const int64_t count = vectors_of(now), place = count > 0 ? first_vector(now) - vectors : 0;
    return same_vectors(&now->centre, &was->centre, 1) && place + count <= cache->vector_count &&
           same_vectors(vectors + place, cache->vectors + place, count);
}

static void write_world(const nb_world *world, double h, double numbers[10]) {
    const double now[10] = {world->gravity.x,
                            world->gravity.y,
                            world->gravity.z,
                            world->settings.contact_margin,
                            world->settings.contact_thickness,
                            world->settings.stepping.scheme,
                            world->settings.stepping.active_set,
                            world->planar,
                            world->skips_unknown,
                            h};
    memcpy(numbers, now, sizeof now);
}

static int same_joints(const nb_contact_cache *cache, const nb_world *world) {
    int same = cache->joint_count == world->joint_count;
    for (int32_t i = 0; same && i < world->joint_count; i++) {
        const int32_t *ends = cache->joined + 2 * (ptrdiff_t)i;
        same = ends[0] == world->joints[i].body_a && ends[1] == world->joints[i].body_b;
    }
    return same;
}

/* whether all but bodies and pieces is what it was at the last detection */
static int same_scene(const nb_contact_cache *cache, const nb_world *world, double h) {
    double numbers[10];
    write_world(world, h, numbers);
    return cache->ended && cache->body_count == world->body_count && same_joints(cache, world) &&
           same_bits(numbers, cache->world, sizeof numbers);
}

int nb_contact_cache_stands(const nb_contact_cache *cache, const nb_world *world, double h) {
    int same = cache->listed && same_scene(cache, world, h);
    for (int32_t i = 0; same && i < world->body_count; i++)
        same = same_body(&world->bodies[i], &cache->bodies[i]) && world->bodies[i].shape == cache->bodies[i].shape;
    return same;
}

nb_status nb_contact_cache_begin(nb_contact_cache *cache, const nb_world *world, double h, const nb_pieces *pieces) {
    nb_status status = NB_RESERVE(world->body_count, &cache->still_capacity, &cache->still);
    if (status != NB_OK) return status;
    int32_t count = pieces->count + pieces->half_space_count;
    int same = same_scene(cache, world, h) && cache->piece_count == count;
    cache->next_count = cache->cursor = cache->ended = 0;
    for (int32_t i = 0; i < world->body_count; i++)
        cache->still[i] = same && same_body(&world->bodies[i], &cache->bodies[i]);
    for (int32_t i = 0; same && i < count; i++) {
        const nb_piece *now = &pieces->items[i];
        if (!same_piece(cache, i, now, pieces->vectors))
            cache->still[now->body] = cache->still[cache->pieces[i].body] = 0;
    }
    cache->unchanged = same && cache->listed;
    for (int32_t i = 0; i < world->body_count; i++) cache->unchanged &= cache->still[i];
    return NB_OK;
}

void nb_contact_cache_stand(nb_contact_cache *cache) {
    cache->ended = 1;
}

/* ---- its pairs ---- */

static int compare(const nb_contact_cache_pair *pair, int32_t body_a, int32_t body_b) {
    if (pair->body_a != body_a) return pair->body_a < body_a ? -1 : 1;
    return (pair->body_b > body_b) - (pair->body_b < body_b);
}

nb_status nb_contact_cache_append(nb_contact_cache *cache, int32_t body_a, int32_t body_b, nb_contacts *contacts,
                                  int *taken) {
    *taken = 0;
    if (!cache->still[body_a] || !cache->still[body_b]) return NB_OK;
    while (cache->cursor < cache->pair_count && compare(&cache->pairs[cache->cursor], body_a, body_b) < 0)
        cache->cursor++;
    const nb_contact_cache_pair *pair = &cache->pairs[cache->cursor];
    if (cache->cursor == cache->pair_count || compare(pair, body_a, body_b) != 0) return NB_OK;
    nb_status status = NB_RESERVE((int64_t)contacts->count + pair->count, &contacts->capacity, &contacts->items);
    if (status != NB_OK) return status;
    if (pair->count > 0)
        memcpy(contacts->items + contacts->count, cache->items + pair->begin,
               (size_t)pair->count * sizeof *cache->items);
    contacts->count += pair->count;
    *taken = 1;
    return NB_OK;
}

nb_status nb_contact_cache_add(nb_contact_cache *cache, int32_t body_a, int32_t body_b, int32_t begin,
                               const nb_contacts *contacts) {
    if (!cache->still[body_a] || !cache->still[body_b]) return NB_OK;
    nb_status status = NB_RESERVE((int64_t)cache->next_count + 1, &cache->next_capacity, &cache->next);
    if (status != NB_OK) return status;
    cache->next[cache->next_count++] = (nb_contact_cache_pair){body_a, body_b, begin, contacts->count - begin};
    return NB_OK;
}

/* ---- its end ---- */

static nb_status keep_joints(nb_contact_cache *cache, const nb_world *world) {
    nb_status status = NB_RESERVE(2 * (int64_t)world->joint_count, &cache->joined_capacity, &cache->joined);
    if (status != NB_OK) return status;
    for (int32_t i = 0; i < world->joint_count; i++) {
        cache->joined[2 * (ptrdiff_t)i] = world->joints[i].body_a;
        cache->joined[2 * (ptrdiff_t)i + 1] = world->joints[i].body_b;
    }
    cache->joint_count = world->joint_count;
    return NB_OK;
}

static nb_status keep_pieces(nb_contact_cache *cache, const nb_pieces *pieces) {
    nb_status status;
    int32_t count = pieces->count + pieces->half_space_count;
    int64_t vectors = 0;
    for (int32_t i = 0; i < count; i++) vectors += vectors_of(&pieces->items[i]);
    NB_TRY(NB_RESERVE(count, &cache->piece_capacity, &cache->pieces));
    NB_TRY(NB_RESERVE(vectors, &cache->vector_capacity, &cache->vectors));
    if (count > 0) memcpy(cache->pieces, pieces->items, (size_t)count * sizeof *cache->pieces);
    if (vectors > 0) memcpy(cache->vectors, pieces->vectors, (size_t)vectors * sizeof *cache->vectors);
    cache->piece_count = count;
    cache->vector_count = vectors;
out:
    return status;
}

nb_status nb_contact_cache_end(nb_contact_cache *cache, const nb_world *world, double h, const nb_pieces *pieces,
                               const nb_contacts *contacts) {
    nb_status status;
    int64_t items = 0;
    for (int32_t k = 0; k < cache->next_count; k++) items += cache->next[k].count;
    NB_TRY(keep_pieces(cache, pieces));
    NB_TRY(keep_joints(cache, world));
    NB_TRY(NB_RESERVE(world->body_count, &cache->body_capacity, &cache->bodies));
    NB_TRY(NB_RESERVE(items, &cache->item_capacity, &cache->items));
    NB_TRY(NB_RESERVE(cache->next_count, &cache->pair_capacity, &cache->pairs)); /* which is `next` the next time */
    if (world->body_count > 0) memcpy(cache->bodies, world->bodies, (size_t)world->body_count * sizeof *cache->bodies);
    items = 0;
    for (int32_t k = 0; k < cache->next_count; k++) {
        nb_contact_cache_pair *pair = &cache->next[k];
        if (pair->count > 0)
            memcpy(cache->items + items, contacts->items + pair->begin, (size_t)pair->count * sizeof *cache->items);
        pair->begin = (int32_t)items;
        items += pair->count;
    }
    cache->body_count = world->body_count;
    write_world(world, h, cache->world);
    nb_contact_cache_pair *pairs = cache->pairs;
    int64_t capacity = cache->pair_capacity;
    cache->pairs = cache->next;
    cache->pair_capacity = cache->next_capacity;
    cache->pair_count = cache->next_count;
    cache->next = pairs;
    cache->next_capacity = capacity;
    cache->ended = cache->listed = 1;
out:
    return status;
}

void nb_contact_cache_clear(nb_contact_cache *cache) {
    nb_free(cache->still);
    nb_free(cache->pairs);
    nb_free(cache->next);
    nb_free(cache->items);
    nb_free(cache->bodies);
    nb_free(cache->pieces);
    nb_free(cache->vectors);
    nb_free(cache->joined);
    *cache = (nb_contact_cache){0};
}
