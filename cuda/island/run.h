/* Runs islands on a device: the GPU, or its emulation. */
#ifndef NB_ISLAND_RUN_H
#define NB_ISLAND_RUN_H

#include "island/build.h"
#include "runtime.h"

#define nb_islands_run NB_REAL_NAME(nb_islands_run)

/* Brings the islands of all sets [count] to the device, runs them in one launch and brings the outcome back into the
 * sets: a batch of scenes is as many sets. All sets were built for settings->newton_iterations. The device's memory is
 * kept for the next launch. */
nb_status nb_islands_run(const nb_runtime *runtime, nb_island_set *const *sets, int32_t count,
                         const nb_island_settings *settings);

#endif
