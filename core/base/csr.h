/* A sparse matrix by compressed rows, in either precision: nb_csr_f32 and nb_csr_f64. nb_csr is the one of `real`, and
 * so are the functions without an ending. */
#ifndef NB_BASE_CSR_H
#define NB_BASE_CSR_H

#include <stdint.h>

#include "base/status.h"

#define NB_CSR nb_csr_f32
#define NB_CSR_NUMBER float
#define NB_CSR_NAME(name) name##_f32
#include "base/csr_of_precision.h"
#undef NB_CSR
#undef NB_CSR_NUMBER
#undef NB_CSR_NAME

#define NB_CSR nb_csr_f64
#define NB_CSR_NUMBER double
#define NB_CSR_NAME(name) name##_f64
#include "base/csr_of_precision.h"
#undef NB_CSR
#undef NB_CSR_NUMBER
#undef NB_CSR_NAME

#define nb_csr NB_REAL_NAME(nb_csr)
#define nb_csr_create NB_REAL_NAME(nb_csr_create)
#define nb_csr_make NB_REAL_NAME(nb_csr_make)
#define nb_csr_from_triplets NB_REAL_NAME(nb_csr_from_triplets)
#define nb_csr_copy NB_REAL_NAME(nb_csr_copy)
#define nb_csr_transpose NB_REAL_NAME(nb_csr_transpose)
#define nb_csr_destroy NB_REAL_NAME(nb_csr_destroy)
#define nb_csr_clear NB_REAL_NAME(nb_csr_clear)
#define nb_csr_find NB_REAL_NAME(nb_csr_find)
#define nb_csr_nonzeros NB_REAL_NAME(nb_csr_nonzeros)
#define nb_csr_diagonal NB_REAL_NAME(nb_csr_diagonal)
#define nb_csr_find_triples NB_REAL_NAME(nb_csr_find_triples)
#define nb_csr_apply NB_REAL_NAME(nb_csr_apply)

#endif
