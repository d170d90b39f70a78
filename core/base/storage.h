/* Precision `mixed`: what is kept in memory is narrower than what is computed.
 *
 * A few sources say `mixed` beside f32 and f64: the packed operator, its kernels, the Krylov methods and their vector
 * backend. They are compiled a third time, with `real` double and NB_STORAGE_BITS 32. What they read again and again,
 * geometry, weights and vectors, is made of `storage`s of that many bits; what they compute and add up is `real`.
 * Elsewhere the two are the same. Each public name of such a file is given its precision by NB_STORAGE_NAME:
 * nb_packed_f32, nb_packed_f64, nb_packed_mixed. */
#ifndef NB_BASE_STORAGE_H
#define NB_BASE_STORAGE_H

#include "base/real.h"

#if NB_STORAGE_BITS != NB_REAL_BITS
typedef float storage;
#define NB_STORAGE_NAME(name) name##_mixed
#define NB_STORAGE_EPSILON 1.1920928955078125e-07 /* 2^-23 */
#define NB_STORAGE_NAMED "mixed"
#else
typedef real storage;
#define NB_STORAGE_NAME(name) NB_REAL_NAME(name)
#define NB_STORAGE_EPSILON NB_REAL_EPSILON
#define NB_STORAGE_NAMED NB_REAL_NAMED
#endif

/* the `mixed` twin of an f64 class, which the class names; NULL in other precisions, which have none */
#if NB_REAL_BITS == 64 && NB_STORAGE_BITS == 64
#define NB_MIXED_TWIN(name) &name##_mixed
#else
#define NB_MIXED_TWIN(name) NULL
#endif

#endif
