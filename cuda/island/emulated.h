/* The island kernel on this processor: its phases, one thread after the other. */
#ifndef NB_ISLAND_EMULATED_H
#define NB_ISLAND_EMULATED_H

#include "base/status.h"
#include "island/build.h"

#define nb_island_run_emulated NB_REAL_NAME(nb_island_run_emulated)

/* Runs every island; what it makes is bit for bit what the kernel makes where neither fuses multiplications and
 * additions. */
nb_status nb_island_run_emulated(const nb_island_set *set, const nb_island_settings *settings);

#endif
