/* One source for C and CUDA: functions that kernels on a GPU share with this processor. They take no designated
 * initialisers, compound literals or arrays of variable length, which CUDA's C++ does not know. Sources without `real`
 * have the first four macros alone. */
#ifndef NB_BASE_FEATURES_H
#define NB_BASE_FEATURES_H

#include <math.h>

#ifdef __CUDACC__
#define NB_FN static __host__ __device__ __forceinline__
#define NB_INLINE_FN static __host__ __device__ inline /* the compiler decides whether calls are inlined */
#define NB_CALLED_FN static __host__ __device__ __attribute__((noinline, unused)) /* callers keep registers */
#define NB_CONSTANT_FN static constexpr __host__ __device__ __forceinline__       /* also a constant of the compiler */
#else
#define NB_FN static inline __attribute__((always_inline))
#define NB_INLINE_FN static inline
#define NB_CALLED_FN NB_INLINE_FN
#define NB_CONSTANT_FN NB_FN
#endif

#ifdef NB_REAL_BITS
#include "base/real.h"

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

#endif
