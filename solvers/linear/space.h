/* The space in which Krylov methods live: the operator, the preconditioner, and the handful of vector operations that
 * the methods are made of, fused into the passes that they need. One Krylov source serves every space, so that a
 * comparison of devices compares devices and not two spellings of a method.
 *
 * Vectors are handles to memory of the space. Dot products are summed in double in either precision. */
#ifndef NB_LINEAR_SPACE_H
#define NB_LINEAR_SPACE_H

#include "linear_solver.h"

#define nb_space NB_REAL_NAME(nb_space)
#define nb_space_cpu NB_REAL_NAME(nb_space_cpu)

typedef struct nb_space {
    int32_t rows;
    void *context;
    /* y = A x */
    void (*apply)(void *context, const real *x, real *y);
    /* y = P x */
    void (*precondition)(void *context, const real *x, real *y);
    double (*dot)(void *context, const real *x, const real *y);
    /* two dot products in one pass: x . y and x . z */
    void (*dots)(void *context, const real *x, const real *y, const real *z, double result[2]);
    void (*copy)(void *context, const real *x, real *y);
    void (*scale)(void *context, real a, real *x);
    /* y += a x */
    void (*axpy)(void *context, real a, const real *x, real *y);
    /* y = x + b y */
    void (*xpby)(void *context, const real *x, real b, real *y);
    /* y1 += a x1, y2 += b x2 */
    void (*axpy2)(void *context, real a, const real *x1, real *y1, real b, const real *x2, real *y2);
    /* y1 = x1 + b y1, y2 = x2 + b y2 */
    void (*xpby2)(void *context, real b, const real *x1, real *y1, const real *x2, real *y2);
} nb_space;

/* what the CPU space works on */
typedef struct nb_space_cpu {
    nb_system *system;
    const nb_linear_request *request;
} nb_space_cpu;

#define nb_space_of_cpu NB_REAL_NAME(nb_space_of_cpu)
/* The space of a system in this machine's memory; `cpu` is borrowed as long as the space is used. */
nb_space nb_space_of_cpu(nb_space_cpu *cpu);

#endif
