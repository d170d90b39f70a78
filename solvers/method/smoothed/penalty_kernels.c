#include "penalty_kernels.h"

#include "base/instruction_set.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern const nb_penalty_kernels NB_REAL_NAME(nb_penalty_kernels_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &NB_REAL_NAME(nb_penalty_kernels_##set),
static const nb_penalty_kernels *const sets[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_penalty_kernels *nb_penalty_kernels_best(void) {
    return sets[nb_instruction_set()];
}
