#include "model/pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static uint64_t key_of(int32_t i, int32_t j) {
    return (uint64_t)(i < j ? i : j) << 32 | (uint64_t)(i < j ? j : i);
}

static int compare_keys(const void *x, const void *y) {
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* the first of the sorted pairs that is not before these two */
static int32_t place_of(const nb_world *world, uint64_t key) {
    int32_t low = 0, high = world->pair_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        const int32_t *body = world->pairs[middle].body;
        if (key_of(body[0], body[1]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const nb_pair *nb_world_pair(const nb_world *world, int32_t a, int32_t b) {
    const int32_t i = place_of(world, key_of(a, b));
    if (i == world->pair_count) return NULL;
    const nb_pair *pair = &world->pairs[i];
    return key_of(pair->body[0], pair->body[1]) == key_of(a, b) ? pair : NULL;
}

nb_status nb_world_add_pair(nb_world *world, const nb_pair *pair) {
    nb_status status;
    const int n = (int)world->pair_count;
    const int32_t a = pair->body[0], b = pair->body[1];
    for (int k = 0; k < 2; k++)
        if (pair->body[k] < 0 || pair->body[k] >= world->body_count)
            return nb_fail(NB_ERROR_INPUT, "pair %d: there is no body %d", n, (int)pair->body[k]);
    if (a == b) return nb_fail(NB_ERROR_INPUT, "pair %d is of body %d and itself", n, (int)a);
    if (nb_world_pair(world, a, b))
        return nb_fail(NB_ERROR_INPUT, "pair %d: bodies %d and %d have one already", n, (int)a, (int)b);
    if (pair->friction < 0 || isinf(pair->friction))
        return nb_fail(NB_ERROR_INPUT, "pair %d: friction %g must be a number from 0 on", n, pair->friction);
    NB_TRY(NB_RESERVE(world->pair_count + 1, &world->pair_capacity, &world->pairs));
    nb_pair *to = &world->pairs[place_of(world, key_of(a, b))];
    memmove(to + 1, to, (size_t)(world->pairs + world->pair_count - to) * sizeof *to);
    *to = *pair;
    world->pair_count++;
out:
    return status;
}

double nb_world_friction(const nb_world *world, int32_t a, int32_t b) {
    const nb_pair *pair = world->pair_count > 0 ? nb_world_pair(world, a, b) : NULL;
    if (pair && !isnan(pair->friction)) return pair->friction;
    return sqrt(world->bodies[a].friction * world->bodies[b].friction);
}

double nb_world_friction_slope(const nb_world *world, double mu, int32_t body, int32_t other) {
    const nb_pair *pair = world->pair_count > 0 ? nb_world_pair(world, body, other) : NULL;
    return pair && !isnan(pair->friction) ? 0 : 0.5 * mu / world->bodies[body].friction;
}

nb_status nb_separated_list(nb_separated *list, const nb_world *world) {
    nb_status status = NB_RESERVE((int64_t)world->joint_count + world->pair_count, &list->capacity, &list->keys);
    if (status != NB_OK) return status;
    list->count = 0;
    for (int32_t i = 0; i < world->joint_count; i++) {
        const nb_joint *joint = &world->joints[i];
        if (joint->body_a < 0 || joint->body_b < 0 || nb_world_pair(world, joint->body_a, joint->body_b)) continue;
        list->keys[list->count++] = key_of(joint->body_a, joint->body_b);
    }
    for (int32_t i = 0; i < world->pair_count; i++)
        if (!world->pairs[i].contact)
            list->keys[list->count++] = key_of(world->pairs[i].body[0], world->pairs[i].body[1]);
    if (list->count > 0) qsort(list->keys, (size_t)list->count, sizeof *list->keys, compare_keys);
    return NB_OK;
}

int nb_separated_has(const nb_separated *list, int32_t a, int32_t b) {
    const uint64_t key = key_of(a, b);
    return list->count > 0 && bsearch(&key, list->keys, (size_t)list->count, sizeof key, compare_keys);
}

void nb_separated_clear(nb_separated *list) {
    nb_free(list->keys);
    *list = (nb_separated){0};
}
