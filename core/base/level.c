#include "base/level.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"

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

static const char *name_at(const void *list, int i) {
    return ((const char *const *)list)[i];
}

nb_status nb_level_check(void) {
    const char *name = getenv("NCPBENCH_KERNELS");
    if (!name || !*name || nb_level_named(name) >= 0) return NB_OK;
    if (nb_name_find(name, COUNT, name_at, names) < 0)
        return nb_name_unknown("value of NCPBENCH_KERNELS", name, COUNT, name_at, names);
    return nb_fail(NB_ERROR_USAGE, "NCPBENCH_KERNELS=%s: this processor cannot run these kernels (it runs %s)", name,
                   names[nb_level()]);
}

const char *nb_level_name(int level) {
    return names[level];
}
