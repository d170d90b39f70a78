#include "island/run.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

/* what all sets take together */
typedef struct total {
    int32_t islands, threads;
    int64_t given_bytes, made_bytes, shared_bytes;
} total;

static total add_up(nb_island_set *const *sets, int32_t count) {
    total t = {0};
    for (int32_t i = 0; i < count; i++) {
        const nb_island_set *set = sets[i];
        t.islands += set->count;
        t.given_bytes += set->given_bytes;
        t.made_bytes += set->made_bytes;
        if (set->most_threads > t.threads) t.threads = set->most_threads;
        if (set->shared_bytes > t.shared_bytes) t.shared_bytes = set->shared_bytes;
    }
    return t;
}

/* the islands of all sets, with the device's pointers */
static void place_all(nb_island_set *const *sets, int32_t count, nb_island *islands, char *given, char *made) {
    nb_arena in = {.memory = given}, out = {.memory = made};
    for (int32_t i = 0; i < count; i++)
        for (int32_t k = 0; k < sets[i]->count; k++, islands++) {
            *islands = sets[i]->islands[k];
            nb_island_place(islands, sets[i]->iterations, sets[i]->history, &in, &out);
        }
}

/* The arrays of all sets to the device; those of several by way of one piece of memory, as asking for many small copies
 * takes longer than to make them. */
static nb_status bring(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count, char *given,
                       int64_t bytes) {
    nb_status status;
    void *leaving;
    if (count == 1) return runtime->upload(given, sets[0]->given, bytes);
    NB_TRY(runtime->keep(NB_KEPT_LEAVING, bytes, &leaving));
    char *to = leaving;
    for (int32_t i = 0; i < count; to += sets[i++]->given_bytes)
        memcpy(to, sets[i]->given, (size_t)sets[i]->given_bytes);
    NB_TRY(runtime->send(given, leaving, bytes));
out:
    return status;
}

/* what the kernel made into the sets; of several by way of one piece of memory, as one wait costs more than a copy */
static nb_status take_back(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count, const char *made,
                           int64_t bytes) {
    nb_status status;
    void *landing;
    if (count == 1) return runtime->download(sets[0]->made, made, bytes);
    NB_TRY(runtime->keep(NB_KEPT_LANDING, bytes, &landing));
    NB_TRY(runtime->download(landing, made, bytes));
    const char *from = landing;
    for (int32_t i = 0; i < count; from += sets[i++]->made_bytes)
        memcpy(sets[i]->made, from, (size_t)sets[i]->made_bytes);
out:
    return status;
}

nb_status nb_islands_run(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count,
                         const nb_island_settings *settings) {
    nb_status status;
    nb_island *islands = NULL;
    void *given, *made, *on_device;
    total t = add_up(sets, count);
    int64_t bytes = t.islands * (int64_t)sizeof *islands;
    if (t.islands == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(t.islands, &islands));
    runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(runtime->keep(NB_KEPT_GIVEN, t.given_bytes, &given));
    NB_TRY(runtime->keep(NB_KEPT_MADE, t.made_bytes, &made));
    NB_TRY(runtime->keep(NB_KEPT_ISLANDS, bytes, &on_device));
    NB_TRY(bring(runtime, sets, count, given, t.given_bytes));
    place_all(sets, count, islands, given, made);
    NB_TRY(runtime->upload(on_device, islands, bytes));
    NB_TRY(runtime->clear(made, t.made_bytes)); /* what lies between arrays goes back as well */
    runtime->mark(NB_TIME_WORK);
    NB_TRY(runtime->NB_REAL_NAME(islands)(on_device, t.islands, t.threads, t.shared_bytes, settings));
    runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(take_back(runtime, sets, count, made, t.made_bytes));
out:
    runtime->mark(NB_TIME_NONE);
    nb_free(islands);
    return status;
}
