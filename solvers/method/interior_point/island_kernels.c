#include <stddef.h>

#include "base/instruction_set.h"
#include "island_loop.h"

#define INSTRUCTION_SET(set, has) extern const nb_island_kernels nb_island_kernels_##set;
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &nb_island_kernels_##set,
static const nb_island_kernels *const kernels[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_island_kernels *nb_island_kernels_get(void) {
    return kernels[nb_instruction_set()];
}

const nb_island_kernels *nb_island_kernels_named(const char *name) {
    int set = nb_instruction_set_named(name);
    return set < 0 ? NULL : kernels[set];
}
