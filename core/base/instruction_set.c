#include "base/instruction_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/options.h"

/* NB_INSTRUCTION_SETS: INSTRUCTION_SET(name, whether the processor has it) for each, best first (CMake) */
#define INSTRUCTION_SET(set, has) #set,
static const char *const names[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

enum {
    COUNT = sizeof names / sizeof *names
};

static int supported(int set) {
#define INSTRUCTION_SET(set, has) (has) != 0,
    const int known[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET
    return known[set];
}

int nb_instruction_set_named(const char *name) {
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(name, names[i])) return supported(i) ? i : -1;
    return -1;
}

int nb_instruction_set(void) {
    const char *name = getenv("NCPBENCH_KERNELS");
    int set = name ? nb_instruction_set_named(name) : -1;
    if (set >= 0) return set;
    for (set = 0; !supported(set);) set++; /* the last one runs anywhere */
    return set;
}

static const char *name_at(const void *list, int i) {
    return ((const char *const *)list)[i];
}

nb_status nb_instruction_set_check(void) {
    const char *name = getenv("NCPBENCH_KERNELS");
    if (!name || !*name || nb_instruction_set_named(name) >= 0) return NB_OK;
    if (nb_name_find(name, COUNT, name_at, names) < 0)
        return nb_name_unknown("value of NCPBENCH_KERNELS", name, COUNT, name_at, names);
    return nb_fail(NB_ERROR_USAGE, "NCPBENCH_KERNELS=%s: this processor cannot run these kernels (it runs %s)", name,
                   names[nb_instruction_set()]);
}
