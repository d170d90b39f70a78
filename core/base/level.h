/* The instruction sets that kernels are compiled for (core/CMakeLists.txt), best first: tables of kernels hold one
 * entry a level, in this order. */
#ifndef NB_BASE_LEVEL_H
#define NB_BASE_LEVEL_H

#include "base/status.h"

/* The level for this processor, or the one that the environment variable NCPBENCH_KERNELS names. */
int nb_level(void);

/* The level of that name; -1 where there is none or the processor cannot run it. */
int nb_level_named(const char *name);

/* NB_ERROR_USAGE where NCPBENCH_KERNELS is set and not empty, and nb_level does not heed it. */
nb_status nb_level_check(void);

/* "avx512", "avx2", "baseline" */
const char *nb_level_name(int level);

#endif
