/* The kernels of products with a packed operator (packed.h), fused with the vector operations of Krylov methods.
 *
 * One source (lanes/) is compiled for every instruction set of the processor family; nb_kernels picks the best that the
 * processor has. A product takes three of them in turn: `forces`, `bodies`, then one of `product`, `pcr` and `pcg`.
 * Vectors are in packed order; sums are taken in double in every precision (within a block of pairs in that
 * of the arithmetic), in a fixed order.
 *
 * y . A y is known before the product itself: it is f . H^-1 f + y . C y with f = J^T S y, a sum of positive terms. So
 * a whole iteration of PCR or PCG reads every vector once or twice, in two passes over the contacts. */
#ifndef NB_SYSTEM_KERNELS_H
#define NB_SYSTEM_KERNELS_H

#include "operator/packed.h"

#define nb_kernel_set NB_STORAGE_NAME(nb_kernel_set)
#define nb_kernels NB_STORAGE_NAME(nb_kernels)
#define nb_kernels_named NB_STORAGE_NAME(nb_kernels_named)

typedef struct nb_kernel_set {
    const char *name; /* of the instruction set: "avx512", "avx2", "baseline" */
    /* Over blocks begin .. end - 1: y = a x + b y (x NULL: y as it is), then force += J^T S y.
     * Adds y . y to sums[0] and y . C y to sums[1] (sums NULL, where x is: they are not asked for). */
    void (*forces)(const nb_packed *p, int32_t begin, int32_t end, real *force, real a, const storage *x, real b,
                   storage *y, double sums[2]);
    /* Over bodies begin .. end - 1 (multiples of NB_LANES): f = the sum of the parts' forces, which are cleared;
     * velocity = H^-1 f. Returns f . velocity. */
    double (*bodies)(const nb_packed *p, int32_t begin, int32_t end);
    /* out = S J velocity + C y, that is A y */
    void (*product)(const nb_packed *p, int32_t begin, int32_t end, const storage *y, storage *out);
    /* x += alpha d, d = y + beta d, ad = A y + beta ad; returns ad . ad */
    double (*pcr)(const nb_packed *p, int32_t begin, int32_t end, const storage *y, real alpha, real beta, storage *x,
                  storage *d, storage *ad);
    /* x += alpha y, r -= alpha A y; returns r . r; r may be y itself */
    double (*pcg)(const nb_packed *p, int32_t begin, int32_t end, const storage *y, real alpha, storage *x, storage *r);
} nb_kernel_set;

/* The set for this processor, or the one that the environment variable NCPBENCH_KERNELS names. */
const nb_kernel_set *nb_kernels(void);

/* The set of that name; NULL where there is none or the processor cannot run it. */
const nb_kernel_set *nb_kernels_named(const char *name);

#endif
