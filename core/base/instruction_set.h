/* The instruction sets that kernels are compiled for (core/CMakeLists.txt), best first: tables of kernels hold one
 * entry a set, in this order. */
#ifndef NB_BASE_INSTRUCTION_SET_H
#define NB_BASE_INSTRUCTION_SET_H

#include "base/status.h"

/* The number of the instruction set for this processor, or of the one that the environment variable NCPBENCH_KERNELS
 * names. */
int nb_instruction_set(void);

/* The number of the set of that name; -1 where there is none or the processor cannot run it. */
int nb_instruction_set_named(const char *name);

/* NB_ERROR_USAGE where NCPBENCH_KERNELS is set and not empty, but names no set that nb_instruction_set can use. */
nb_status nb_instruction_set_check(void);

#endif
