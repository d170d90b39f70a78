/* Stands in for the GPU where the program is built without CUDA. */
#include "runtime.h"

void nb_cuda_poison(void) {
}

static nb_status absent(void) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "device cuda: this program was built without CUDA (no nvcc was found, or "
                                         "NCPBENCH_CUDA=OFF)");
}

const nb_runtime nb_runtime_cuda = {.open = absent};
