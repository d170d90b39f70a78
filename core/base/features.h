/* One source for C and CUDA: functions that kernels on a GPU share with this processor. They take no designated
 * initialisers, compound literals or arrays of variable length, which CUDA's C++ does not know. */
#ifndef NB_BASE_FEATURES_H
#define NB_BASE_FEATURES_H

#include <math.h>

#include "base/real.h"

#ifdef __CUDACC__
#define NB_FN static __host__ __device__ __forceinline__
#define NB_CONSTANT_FN static constexpr __host__ __device__ __forceinline__ /* also a constant of the compiler */
#else
#define NB_FN static inline __attribute__((always_inline))
#define NB_CONSTANT_FN NB_FN
#endif

/* in the precision of `real`; CUDA has no <tgmath.h> */
#if NB_REAL_BITS == 32
#define NB_SQRT(x) sqrtf(x)
#define NB_ABS(x) fabsf(x)
#define NB_ATAN2(y, x) atan2f(y, x)
#else
#define NB_SQRT(x) sqrt(x)
#define NB_ABS(x) fabs(x)
#define NB_ATAN2(y, x) atan2(y, x)
#endif

#endif
