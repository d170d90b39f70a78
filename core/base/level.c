#include "base/level.h"

#include <stdlib.h>
#include <string.h>

/* NB_KERNEL_LEVELS: LEVEL(name, whether the processor has it) for each, best first (CMake) */
#define LEVEL(level, has) #level,
static const char *const names[] = {NB_KERNEL_LEVELS};
#undef LEVEL

enum {
    COUNT = sizeof names / sizeof *names
};

static int supported(int level) {
#define LEVEL(level, has) (has) != 0,
    const int known[] = {NB_KERNEL_LEVELS};
#undef LEVEL
    return known[level];
}

int nb_level_named(const char *name) {
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(name, names[i])) return supported(i) ? i : -1;
    return -1;
}

int nb_level(void) {
    const char *name = getenv("NCPBENCH_KERNELS");
    int level = name ? nb_level_named(name) : -1;
    if (level >= 0) return level;
    for (level = 0; !supported(level);) level++; /* the last one runs anywhere */
    return level;
}

const char *nb_level_name(int level) {
    return names[level];
}
