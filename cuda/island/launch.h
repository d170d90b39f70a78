/* The island kernel on the GPU (private to cuda/). */
#ifndef NB_ISLAND_LAUNCH_H
#define NB_ISLAND_LAUNCH_H

#include "base/status.h"
#include "island/view.h"

#define nb_island_launch NB_REAL_NAME(nb_island_launch)

/* Asks for a run of the islands [count] in device memory, of which none has more than `threads` elements or takes more
 * than `shared_bytes` of shared memory. */
nb_status nb_island_launch(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                           const nb_island_settings *settings);

#endif
