#include "accelerators.h"

#include "runtime.h"

const nb_device nb_device_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA graphics processor",
    .check = nb_runtime_cuda_open,
};
