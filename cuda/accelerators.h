/* The devices of this folder. */
#ifndef NB_CUDA_ACCELERATORS_H
#define NB_CUDA_ACCELERATORS_H

#include "device.h"

/* an NVIDIA GPU; its `check` says why it cannot be used where it cannot */
extern const nb_device nb_device_cuda;

/* The GPU's stages in a loop over its threads, in the same order: what it computes, without one. Slow, for tests. */
extern const nb_device nb_device_emulated;

#endif
