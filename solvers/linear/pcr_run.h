/* What a device works on that runs PCR by itself (vector_backend.h). Private to vector backends. */
#ifndef NB_LINEAR_PCR_RUN_H
#define NB_LINEAR_PCR_RUN_H

#include "base/storage.h"
#include "linear/pcr.h"

#define nb_pcr_projection NB_STORAGE_NAME(nb_pcr_projection)
#define nb_pcr_run NB_STORAGE_NAME(nb_pcr_run)

/* The deflation of PCR that a device runs by itself (deflation.h), and what it tells of each iteration. */
typedef struct nb_pcr_projection {
    int32_t count;                      /* of the basis W */
    const storage *const *x, *const *y; /* [2 count] pairs: A W with P v, W with v; W is x from `count` on */
    const double *factor;               /* [count][stride] Cholesky factor of E */
    int64_t stride;
    int32_t window;      /* of so many iterations z / sqrt(z . A z) goes into vectors one after the other, */
    storage *directions; /* here, */
    int64_t length;      /* each of so many numbers; */
    double *log;         /* [window][3] and z . A z, beta and ad . P ad, */
    double *images;      /* [window][count] and (A W)^T P ad here */
} nb_pcr_projection;

/* vectors as in conjugate.c, pad = ad and r = z where P was taken in */
typedef struct nb_pcr_run {
    storage *x, *d, *ad, *pad, *r, *z;
    void (*precondition)(const void *krylov, const storage *v, storage *z); /* z = P v; NULL: P was taken in */
    const void *krylov;
    const nb_pcr_projection *projection; /* of z; NULL: none */
    int64_t norm;                        /* nb_linear_norm of the state's bound; negative: none */
} nb_pcr_run;

#endif
