#include "base/front.h"

#include <stddef.h>

#include "base/level.h"

#define LEVEL(level, has) extern const nb_front_kernels nb_front_kernels_##level;
NB_KERNEL_LEVELS
#undef LEVEL

#define LEVEL(level, has) &nb_front_kernels_##level,
static const nb_front_kernels *const kernels[] = {NB_KERNEL_LEVELS};
#undef LEVEL

const nb_front_kernels *nb_front_kernels_get(void) {
    return kernels[nb_level()];
}

const nb_front_kernels *nb_front_kernels_named(const char *name) {
    int level = nb_level_named(name);
    return level < 0 ? NULL : kernels[level];
}
