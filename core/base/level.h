/* The instruction sets that kernels are compiled for (core/CMakeLists.txt), best first: tables of kernels hold one
 * entry a level, in this order. */
#ifndef NB_BASE_LEVEL_H
#define NB_BASE_LEVEL_H

/* The level for this processor, or the one that the environment variable NCPBENCH_KERNELS names. */
int nb_level(void);

/* The level of that name; -1 where there is none or the processor cannot run it. */
int nb_level_named(const char *name);

/* "avx512", "avx2", "baseline" */
const char *nb_level_name(int level);

#endif
