#include "base/dense_room.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

static atomic_int there; /* 1: it was there, and the call that followed has it */

nb_status nb_dense_room(void) {
    const size_t bytes = (size_t)NB_DENSE_ROOM << 20;
    struct rlimit space;
    if (atomic_load(&there)) return NB_OK;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY) {
        void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (place == MAP_FAILED)
            return nb_fail(
                NB_ERROR_MEMORY,
                "out of memory for dense algebra: OpenBLAS wants %d MiB more of address space than the limit "
                "leaves (ulimit -v)",
                (int)NB_DENSE_ROOM);
        munmap(place, bytes);
    }
    atomic_store(&there, 1);
    return NB_OK;
}
