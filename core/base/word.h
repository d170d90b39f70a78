/* Precision `mixed`: what is kept in memory is narrower than what is computed.
 *
 * A few sources (the packed operator, its kernels, the Krylov methods and their space) say `mixed` beside f32 and f64
 * and are compiled a third time, with `real` double and NB_WORD_BITS 32. What they read again and again, geometry,
 * weights and vectors, is made of `word`s of that many bits; what they compute and add up is `real`. Elsewhere the two
 * are the same. Each public name of such a file is given its precision by NB_WORD_NAME: nb_packed_f32, nb_packed_f64,
 * nb_packed_mixed. */
#ifndef NB_BASE_WORD_H
#define NB_BASE_WORD_H

#include "base/real.h"

#if NB_WORD_BITS != NB_REAL_BITS
typedef float word;
#define NB_WORD_NAME(name) name##_mixed
#define NB_WORD_EPSILON 1.1920928955078125e-07 /* 2^-23 */
#define NB_WORD_NAMED "mixed"
#else
typedef real word;
#define NB_WORD_NAME(name) NB_REAL_NAME(name)
#define NB_WORD_EPSILON NB_REAL_EPSILON
#define NB_WORD_NAMED NB_REAL_NAMED
#endif

#endif
