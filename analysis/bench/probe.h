/* Times the kernels of one Newton system, in the precision it is in. */
#ifndef NB_BENCH_PROBE_H
#define NB_BENCH_PROBE_H

#include "base/status.h"
#include "base/storage.h"
#include "preconditioner.h"

#define nb_probe NB_STORAGE_NAME(nb_probe)
#define nb_probe_preconditioner NB_STORAGE_NAME(nb_probe_preconditioner)

typedef enum nb_probe_kernel {
    NB_PROBE_OPERATOR,     /* y = A x, in the order of the kernels */
    NB_PROBE_PCR,          /* an iteration of PCR with the Jacobi preconditioner, as every run makes it */
    NB_PROBE_GAUSS_SEIDEL, /* a sweep */
    NB_PROBE_ACCURACY /* a solve with PCR and `preconditioner` until the true residual is `accuracy` of its start */
} nb_probe_kernel;

typedef struct nb_probe_request {
    nb_probe_kernel kernel;
    int samples;
    double least_s;             /* a sample's, at least (a solve is one sample) */
    double accuracy;            /* of NB_PROBE_ACCURACY */
    const char *preconditioner; /* of it: a name, or NAME=VALUE with its first option */
} nb_probe_request;

typedef struct nb_probe_outcome {
    /* What one application has to move to and from memory, if nothing of it stays in caches between two passes; NaN
     * where that is not known. */
    double bytes;
    int iterations; /* of NB_PROBE_ACCURACY; 0: the accuracy is not reached, and there are no samples */
} nb_probe_outcome;

/* Hears the seconds of one application or iteration, once for every sample. */
typedef void nb_probe_sample(void *context, double seconds);

/* The preconditioner that `text` names, and the values of its options (room for NB_MAX_OPTIONS). */
nb_status nb_probe_preconditioner(const char *text, const nb_preconditioner_class **type, double *values);

/* NB_ERROR_NUMERIC where other processes left too few samples that are possible. Takes the samples on `system` (an
 * nb_system of this precision, for mixed of f64), where its device is, after one that does not count; on a device after
 * as many as its clocks take to rise. */
nb_status nb_probe_f32(void *system, const nb_probe_request *request, nb_probe_sample *sample, void *context,
                       nb_probe_outcome *outcome);
nb_status nb_probe_f64(void *system, const nb_probe_request *request, nb_probe_sample *sample, void *context,
                       nb_probe_outcome *outcome);
nb_status nb_probe_mixed(void *system, const nb_probe_request *request, nb_probe_sample *sample, void *context,
                         nb_probe_outcome *outcome);

#endif
