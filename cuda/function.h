/* One source for C and CUDA. */
#ifndef NB_CUDA_FUNCTION_H
#define NB_CUDA_FUNCTION_H

#include <math.h>

#include "base/real.h"

#ifdef __CUDACC__
#define NB_FN static __host__ __device__ __forceinline__
#else
#define NB_FN static inline
#endif

/* the square root in the precision of `real`; CUDA has no <tgmath.h> */
#if NB_REAL_BITS == 32
#define NB_SQRT(x) sqrtf(x)
#else
#define NB_SQRT(x) sqrt(x)
#endif

#endif
