/* What a device works on that runs PCR by itself (vector_backend.h). Private to vector backends. */
#ifndef NB_LINEAR_PCR_RUN_H
#define NB_LINEAR_PCR_RUN_H

#include "base/storage.h"
#include "linear/pcr.h"

#define nb_pcr_run NB_STORAGE_NAME(nb_pcr_run)

/* vectors as in conjugate.c, pad = ad and r = z where P was taken in */
typedef struct nb_pcr_run {
    storage *x, *d, *ad, *pad, *r, *z;
    void (*precondition)(const void *krylov, const storage *v, storage *z); /* z = P v; NULL: P was taken in */
    const void *krylov;
    int64_t norm; /* nb_linear_norm of the state's bound; negative: none */
} nb_pcr_run;

#endif
