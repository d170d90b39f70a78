#include "operator/kernels.h"

#include <stddef.h>

#include "base/instruction_set.h"

NB_PRECISIONS(f32, f64, mixed);

#define INSTRUCTION_SET(set, has) extern const nb_kernel_set NB_STORAGE_NAME(nb_kernels_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &NB_STORAGE_NAME(nb_kernels_##set),
static const nb_kernel_set *const sets[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_kernel_set *nb_kernels_named(const char *name) {
    int set = nb_instruction_set_named(name);
    return set < 0 ? NULL : sets[set];
}

const nb_kernel_set *nb_kernels(void) {
    return sets[nb_instruction_set()];
}
