#include "operator/kernels.h"

#include <stddef.h>

#include "base/level.h"

NB_PRECISIONS(f32, f64, mixed);

#define LEVEL(level, has) extern const nb_kernel_set NB_WORD_NAME(nb_kernels_##level);
NB_KERNEL_LEVELS
#undef LEVEL

#define LEVEL(level, has) &NB_WORD_NAME(nb_kernels_##level),
static const nb_kernel_set *const sets[] = {NB_KERNEL_LEVELS};
#undef LEVEL

const nb_kernel_set *nb_kernels_named(const char *name) {
    int level = nb_level_named(name);
    return level < 0 ? NULL : sets[level];
}

const nb_kernel_set *nb_kernels(void) {
    return sets[nb_level()];
}
