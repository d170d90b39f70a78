/* The island kernel on this processor: its stages, one thread after the other in any order (nb_emulated_set_order).
 * What it makes is bit for bit what the kernel makes, where neither fuses multiplications and additions. */
#include "island/view.h"

#include <string.h>

#include "base/memory.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64);

#include "island/emulated_threads.h"
#include "island/program.h"

#define nb_islands_emulated NB_REAL_NAME(nb_islands_emulated)
NB_REAL_NAME(nb_launch_islands) nb_islands_emulated;

nb_status nb_islands_emulated(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                              const nb_island_settings *settings) {
    nb_status status;
    nb_island_lane *lanes = NULL;
    double *memory = NULL;
    NB_TRY(NB_ALLOCATE(threads, &lanes));
    NB_TRY(NB_ALLOCATE(shared_bytes / (int64_t)sizeof *memory + 1, &memory));
    for (int32_t turn = 0; turn < count; turn++) {
        const int32_t i = nb_emulated_turn(turn, count);
        nb_island_shared shared;
        memset(memory, 0xff, (size_t)shared_bytes); /* no numbers: a block finds anything */
        nb_island_share(&islands[i], threads, memory, &shared);
        nb_island_program(&islands[i], settings, &shared, lanes, settings->solver == NB_ISLAND_GAUSS_SEIDEL);
    }
out:
    nb_free(lanes);
    nb_free(memory);
    return status;
}
