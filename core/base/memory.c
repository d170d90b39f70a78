#include "base/memory.h"

#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGNMENT = 64
};

static atomic_llong allocations, held, peak;
static atomic_llong successes_left = -1;
static atomic_int kept;

/* true when a test asked this very allocation to fail */
static int fails_now(void) {
    long long left = atomic_load(&successes_left);
    while (left >= 0)
        if (atomic_compare_exchange_weak(&successes_left, &left, left - 1)) return left == 0;
    return 0;
}

/* the allocator's own count: nobody needs to keep sizes beside the memory */
static void count_bytes(void *memory) {
    long long now =
        atomic_fetch_add(&held, (long long)malloc_usable_size(memory)) + (long long)malloc_usable_size(memory);
    long long most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) continue;
}

nb_status nb_allocate(int64_t count, size_t size, void *pointer) {
    void *memory = NULL;
    memcpy(pointer, &memory, sizeof memory);
    if (count < 0 || (size > 0 && (uint64_t)count > (SIZE_MAX - ALIGNMENT) / size))
        return nb_fail(NB_ERROR_MEMORY, "cannot allocate %lld elements of %zu bytes", (long long)count, size);
    size_t bytes = ((size_t)count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    memory = fails_now() ? NULL : aligned_alloc(ALIGNMENT, bytes);
    if (!memory) return nb_fail(NB_ERROR_MEMORY, "out of memory: %zu bytes were asked for", bytes);
    memset(memory, 0, bytes);
    atomic_fetch_add(&allocations, 1);
    count_bytes(memory);
    memcpy(pointer, &memory, sizeof memory);
    return NB_OK;
}

nb_status nb_reserve(int64_t count, size_t size, int64_t *capacity, void *pointer) {
    void *memory, *old;
    memcpy(&old, pointer, sizeof old);
    if (old && count <= *capacity) return NB_OK;
    int64_t grown = *capacity < 8 ? 8 : *capacity + *capacity / 4;
    if (grown < count) grown = count;
    nb_status status = nb_allocate(grown, size, &memory);
    if (status != NB_OK) return status;
    if (old) memcpy(memory, old, (size_t)*capacity * size);
    nb_free(old);
    memcpy(pointer, &memory, sizeof memory);
    *capacity = grown;
    return NB_OK;
}

void nb_memory_keep(void) {
    atomic_store(&kept, 1);
}

void nb_free(void *pointer) {
    if (atomic_load_explicit(&kept, memory_order_relaxed)) return;
    atomic_fetch_sub(&held, (long long)malloc_usable_size(pointer));
    free(pointer);
}

void nb_memory_reuse(void) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

nb_status nb_copy_text(const char *text, char **copy) {
    size_t bytes = strlen(text) + 1;
    nb_status status = nb_allocate((int64_t)bytes, 1, copy);
    if (status == NB_OK) memcpy(*copy, text, bytes);
    return status;
}

int64_t nb_allocation_count(void) {
    return atomic_load(&allocations);
}

int64_t nb_allocation_held(void) {
    return atomic_load(&held);
}

int64_t nb_allocation_peak(void) {
    return atomic_load(&peak);
}

void nb_allocation_peak_reset(void) {
    atomic_store(&peak, atomic_load(&held));
}

void nb_allocation_fail_after(int64_t successes) {
    atomic_store(&successes_left, successes);
}
