#include "base/instruction_set.h"
#include "element/tetrahedron_pack.h"

NB_PRECISIONS(f32, f64);

#define INSTRUCTION_SET(set, has) extern const nb_tetrahedron_kernels NB_REAL_NAME(nb_tetrahedron_kernels_##set);
NB_INSTRUCTION_SETS
#undef INSTRUCTION_SET

#define INSTRUCTION_SET(set, has) &NB_REAL_NAME(nb_tetrahedron_kernels_##set),
static const nb_tetrahedron_kernels *const sets[] = {NB_INSTRUCTION_SETS};
#undef INSTRUCTION_SET

const nb_tetrahedron_kernels *nb_tetrahedron_kernels_best(void) {
    return sets[nb_instruction_set()];
}
