/* The devices of this folder. */
#ifndef NB_CUDA_ACCELERATORS_H
#define NB_CUDA_ACCELERATORS_H

#include "device.h"

/* an NVIDIA GPU; always there, and its `check` says why it cannot be used where it cannot */
extern const nb_device nb_device_cuda;

#endif
