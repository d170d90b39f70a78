/* The dense part of a multifrontal LU factorisation: one front at a time, in double, with kernels for every instruction
 * set of the processor family (instruction_set.h).
 *
 *         pivots      rest
 *      [ block        upper  ]      block [pivots][width], upper [pivots][stride]
 *      [ left         update ]      left by columns [pivots][stride], update [stride][stride]
 *
 * `width` and `stride` are `pivots` and `rest` rounded up to NB_FRONTAL_LANES; what is beyond is zero and stays so, and
 * all arrays are aligned to as many doubles. Eliminating the pivots, P block = L U, leaves L in `lower` by columns
 * without its diagonal of ones, U in `block` by columns with its diagonal inverted, L^-1 P upper in `upper`, left U^-1
 * in `left`, and subtracts the product of these two from `update`, which the parent's front then takes up.
 *
 * Pivots are chosen within `block` alone. One that is round-off against its row's `size` is replaced by the root of
 * round-off of that (static pivoting: Li, Demmel, "Making sparse Gaussian elimination scalable by static pivoting",
 * 1998), which a step of refinement undoes. */
#ifndef NB_BASE_FRONTAL_MATRIX_H
#define NB_BASE_FRONTAL_MATRIX_H

#include <stdint.h>

enum {
    NB_FRONTAL_LANES = 8,
    NB_FRONTAL_PIVOTS = 32 /* at most; wider supernodes become a chain of fronts */
};

typedef struct nb_frontal_matrix {
    int32_t pivots, rest, width, stride;
    double *block, *lower; /* [pivots][width] */
    double *upper, *left;  /* [pivots][stride] */
    double *update;        /* [stride][stride] */
    int32_t *exchange;     /* [pivots] row k was exchanged with row exchange[k] >= k */
    const double *size;    /* [pivots] largest entry of each pivot row of A */
} nb_frontal_matrix;

typedef struct nb_frontal_kernels {
    /* Eliminates the pivots. Returns -1, or the first pivot column without an entry, where the rest of the front has
     * none in it either. *replaced: the first pivot that was replaced, or as it was. */
    int32_t (*eliminate)(const nb_frontal_matrix *f, int32_t *replaced);
    /* x = L^-1 P x [pivots], then out = left x [stride] */
    void (*forward)(const nb_frontal_matrix *f, double *x, double *out);
    /* x = U^-1 (x - upper in), in [stride] */
    void (*backward)(const nb_frontal_matrix *f, const double *in, double *x);
    /* the same for the transposed matrix: x = U^-T x, then out = upper^T x; x = P^T L^-T (x - left^T in) */
    void (*forward_transposed)(const nb_frontal_matrix *f, double *x, double *out);
    void (*backward_transposed)(const nb_frontal_matrix *f, const double *in, double *x);
} nb_frontal_kernels;

/* Those for this processor, or for the set that NCPBENCH_KERNELS names (instruction_set.h). */
const nb_frontal_kernels *nb_frontal_kernels_get(void);

/* Those of that set; NULL where there is none or the processor cannot run it. */
const nb_frontal_kernels *nb_frontal_kernels_named(const char *name);

#endif
