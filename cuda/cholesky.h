#ifndef NB_CUDA_CHOLESKY_H
#define NB_CUDA_CHOLESKY_H

#include "linear/device_cholesky.h"

extern const nb_device_cholesky nb_cholesky_cuda, nb_cholesky_emulated;

#endif
