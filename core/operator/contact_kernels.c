#include "operator/contact_kernels.h"

#include "base/level.h"

NB_PRECISIONS(f32, f64);

#define LEVEL(level, has) extern const nb_contact_kernels NB_REAL_NAME(nb_contact_kernels_##level);
NB_KERNEL_LEVELS
#undef LEVEL

#define LEVEL(level, has) &NB_REAL_NAME(nb_contact_kernels_##level),
static const nb_contact_kernels *const sets[] = {NB_KERNEL_LEVELS};
#undef LEVEL

const nb_contact_kernels *nb_contact_kernels_best(void) {
    return sets[nb_level()];
}
