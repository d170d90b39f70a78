#include "island/run.h"

#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

NB_PRECISIONS(f32, f64);

enum {
    PART_BYTES = 1 << 19 /* that a thread copies, at least */
};

/* where a set's islands and arrays begin among those of all */
typedef struct place {
    int32_t islands;
    int64_t given, made; /* [bytes] */
} place;

/* what is launched together */
typedef struct launch {
    nb_island_set *const *sets;
    int32_t count, most_threads;
    int64_t shared_bytes;
    place *places; /* [count + 1]; the last one is what all take */
    int parts;     /* threads that copy */
} launch;

static nb_status place_sets(nb_island_set *const *sets, int32_t count, launch *l) {
    *l = (launch){.sets = sets, .count = count};
    nb_status status = NB_ALLOCATE(count + 1, &l->places);
    for (int32_t i = 0; status == NB_OK && i < count; i++) {
        const nb_island_set *set = sets[i];
        const place *at = &l->places[i];
        l->places[i + 1] = (place){at->islands + set->count, at->given + set->given_bytes, at->made + set->made_bytes};
        if (set->most_threads > l->most_threads) l->most_threads = set->most_threads;
        if (set->shared_bytes > l->shared_bytes) l->shared_bytes = set->shared_bytes;
    }
    if (status == NB_OK) l->parts = nb_threads_for(l->places[count].given, PART_BYTES);
    return status;
}

/* the islands of all sets, with the device's pointers */
static void place_islands(const launch *l, nb_island *islands, char *given, char *made) {
#pragma omp parallel for num_threads(l->parts) schedule(static)
    for (int32_t i = 0; i < l->count; i++) {
        const nb_island_set *set = l->sets[i];
        nb_arena in = {.memory = given + l->places[i].given}, out = {.memory = made + l->places[i].made};
        for (int32_t k = 0; k < set->count; k++) {
            nb_island *island = &islands[l->places[i].islands + k];
            *island = set->islands[k];
            nb_island_place(island, set->iterations, set->history, &in, &out);
        }
    }
}

/* The arrays of all sets to the device; those of several by way of one piece of memory, as asking for many small copies
 * takes longer than to make them. */
static nb_status bring(const nb_runtime *runtime, const launch *l, char *given) {
    nb_status status;
    void *leaving;
    int64_t bytes = l->places[l->count].given;
    if (l->count == 1) return runtime->upload(given, l->sets[0]->given, bytes);
    NB_TRY(runtime->keep(NB_KEPT_LEAVING, bytes, &leaving));
#pragma omp parallel for num_threads(l->parts) schedule(static)
    for (int32_t i = 0; i < l->count; i++)
        memcpy((char *)leaving + l->places[i].given, l->sets[i]->given, (size_t)l->sets[i]->given_bytes);
    NB_TRY(runtime->send(given, leaving, bytes));
out:
    return status;
}

/* what the kernel made into the sets; of several by way of one piece of memory, as one wait costs more than a copy */
static nb_status take_back(const nb_runtime *runtime, const launch *l, const char *made) {
    nb_status status;
    void *landing;
    int64_t bytes = l->places[l->count].made;
    if (l->count == 1) return runtime->download(l->sets[0]->made, made, bytes);
    NB_TRY(runtime->keep(NB_KEPT_LANDING, bytes, &landing));
    NB_TRY(runtime->download(landing, made, bytes));
#pragma omp parallel for num_threads(l->parts) schedule(static)
    for (int32_t i = 0; i < l->count; i++)
        memcpy(l->sets[i]->made, (const char *)landing + l->places[i].made, (size_t)l->sets[i]->made_bytes);
out:
    return status;
}

nb_status nb_islands_run(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count,
                         const nb_island_settings *settings) {
    nb_status status;
    nb_island *islands = NULL;
    void *given, *made, *on_device;
    launch l;
    NB_TRY(place_sets(sets, count, &l));
    const place all = l.places[count];
    const int64_t bytes = all.islands * (int64_t)sizeof *islands;
    if (all.islands == 0) goto out;
    NB_TRY(NB_ALLOCATE(all.islands, &islands));
    runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(runtime->keep(NB_KEPT_GIVEN, all.given, &given));
    NB_TRY(runtime->keep(NB_KEPT_MADE, all.made, &made));
    NB_TRY(runtime->keep(NB_KEPT_ISLANDS, bytes, &on_device));
    NB_TRY(bring(runtime, &l, given));
    place_islands(&l, islands, given, made);
    NB_TRY(runtime->upload(on_device, islands, bytes));
    NB_TRY(runtime->clear(made, all.made)); /* what lies between arrays goes back as well */
    runtime->mark(NB_TIME_WORK);
    NB_TRY(runtime->NB_REAL_NAME(islands)(on_device, all.islands, l.most_threads, l.shared_bytes, settings));
    runtime->mark(NB_TIME_TRANSFER);
    NB_TRY(take_back(runtime, &l, made));
out:
    runtime->mark(NB_TIME_NONE);
    nb_free(islands);
    nb_free(l.places);
    return status;
}
