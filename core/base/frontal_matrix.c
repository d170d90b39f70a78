#include "base/frontal_matrix.h"

#include <stddef.h>

#include "base/instruction_set.h"

#define INSTRUCTION_SET(set, has) extern const nb_frontal_kernels nb_frontal_kernels_##set;
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &nb_frontal_kernels_##set,
static const nb_frontal_kernels *const kernels[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_frontal_kernels *nb_frontal_kernels_get(void) {
    return kernels[nb_instruction_set()];
}

const nb_frontal_kernels *nb_frontal_kernels_named(const char *name) {
    int set = nb_instruction_set_named(name);
    return set < 0 ? NULL : kernels[set];
}
