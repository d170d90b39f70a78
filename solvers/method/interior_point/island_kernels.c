#include "base/instruction_set.h"
#include "island_loop.h"

#define INSTRUCTION_SET(set, has) extern const nb_island_kernels nb_island_kernels_##set;
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

const nb_island_kernels *nb_island_kernels_get(void) {
#define INSTRUCTION_SET(set, has) &nb_island_kernels_##set,
    static const nb_island_kernels *const kernels[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET
    return kernels[nb_instruction_set()];
}
