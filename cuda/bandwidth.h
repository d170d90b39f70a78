/* How fast a device's memory is. */
#ifndef NB_CUDA_BANDWIDTH_H
#define NB_CUDA_BANDWIDTH_H

#include "runtime.h"

/* as copy_bandwidth of device.h */
nb_status nb_runtime_bandwidth(const nb_runtime *runtime, double bytes, double *gb_s);

#endif
