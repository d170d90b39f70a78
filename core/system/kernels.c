#include "system/kernels.h"

#include <stdlib.h>
#include <string.h>

/* NB_KERNEL_LEVELS: LEVEL(name, whether the processor has it) for each set that was compiled (CMake), best first */
#define LEVEL(level, has) extern const nb_kernel_set NB_WORD_NAME(nb_kernels_##level);
NB_KERNEL_LEVELS
#undef LEVEL

const nb_kernel_set *nb_kernels_named(const char *name) {
#define LEVEL(level, has) \
    if (!strcmp(name, #level)) return (has) ? &NB_WORD_NAME(nb_kernels_##level) : NULL;
    NB_KERNEL_LEVELS
#undef LEVEL
    return NULL;
}

static const nb_kernel_set *best(void) {
#define LEVEL(level, has) \
    if (has) return &NB_WORD_NAME(nb_kernels_##level);
    NB_KERNEL_LEVELS
#undef LEVEL
    return NULL;
}

const nb_kernel_set *nb_kernels(void) {
    const char *name = getenv("NCPBENCH_KERNELS");
    const nb_kernel_set *named = name ? nb_kernels_named(name) : NULL;
    return named ? named : best();
}
