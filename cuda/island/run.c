#include "island/run.h"

#include "base/memory.h"

/* what all sets take together */
typedef struct total {
    int32_t islands, threads;
    int64_t bytes, shared_bytes;
} total;

static total add_up(nb_island_set *const *sets, int32_t count) {
    total t = {0};
    for (int32_t i = 0; i < count; i++) {
        const nb_island_set *set = sets[i];
        t.islands += set->count;
        t.bytes += set->bytes;
        if (set->most_threads > t.threads) t.threads = set->most_threads;
        if (set->shared_bytes > t.shared_bytes) t.shared_bytes = set->shared_bytes;
    }
    return t;
}

/* the arrays of all sets to the device, and the islands, whose pointers are the device's */
static nb_status bring(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count, nb_island *islands,
                       char *memory) {
    nb_status status = NB_OK;
    for (int32_t i = 0; i < count; memory += sets[i++]->bytes) {
        char *place = memory;
        NB_TRY(runtime->upload(memory, sets[i]->memory, sets[i]->bytes));
        for (int32_t k = 0; k < sets[i]->count; k++, islands++) {
            *islands = sets[i]->islands[k];
            place += nb_island_place(islands, place, sets[i]->iterations, sets[i]->history);
        }
    }
out:
    return status;
}

nb_status nb_islands_run(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count,
                         const nb_island_settings *settings) {
    nb_status status;
    nb_island *islands = NULL;
    void *memory = NULL, *on_device = NULL;
    total t = add_up(sets, count);
    int64_t bytes = t.islands * (int64_t)sizeof *islands;
    if (t.islands == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(t.islands, &islands));
    runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(runtime->allocate(t.bytes, &memory));
    NB_TRY(runtime->allocate(bytes, &on_device));
    NB_TRY(bring(runtime, sets, count, islands, memory));
    NB_TRY(runtime->upload(on_device, islands, bytes));
    runtime->mark(NB_TIME_WORK);
    NB_TRY(runtime->NB_REAL_NAME(islands)(on_device, t.islands, t.threads, t.shared_bytes, settings));
    runtime->mark(NB_TIME_TRANSFER);
    char *place = memory;
    for (int32_t i = 0; i < count; place += sets[i++]->bytes)
        NB_TRY(runtime->download(sets[i]->memory, place, sets[i]->bytes));
out:
    runtime->mark(NB_TIME_NONE);
    if (memory) runtime->free(memory);
    if (on_device) runtime->free(on_device);
    nb_free(islands);
    return status;
}
