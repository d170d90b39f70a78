#include "operator/joint_kernels.h"

#include "base/instruction_set.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern const nb_joint_kernels NB_REAL_NAME(nb_joint_kernels_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &NB_REAL_NAME(nb_joint_kernels_##set),
static const nb_joint_kernels *const sets[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_joint_kernels *nb_joint_kernels_named(const char *name) {
    int set = nb_instruction_set_named(name);
    return set < 0 ? NULL : sets[set];
}

const nb_joint_kernels *nb_joint_kernels_best(void) {
    return sets[nb_instruction_set()];
}
