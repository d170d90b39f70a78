/* Times the kernels of one Newton system, in the precision it is in. */
#ifndef NB_BENCH_PROBE_H
#define NB_BENCH_PROBE_H

#include "base/status.h"
#include "base/word.h"

#define nb_probe NB_WORD_NAME(nb_probe)

typedef enum nb_probe_kernel {
    NB_PROBE_OPERATOR, /* y = A x, in the order of the kernels */
    NB_PROBE_PCR       /* an iteration of PCR with the Jacobi preconditioner, as every run makes it */
} nb_probe_kernel;

/* Hears the seconds of one application or iteration, once for every sample. */
typedef void nb_probe_sample(void *context, double seconds);

/* Takes `samples` samples of at least `least_s` seconds each on `system` (an nb_system of this precision, for mixed of
 * f64), after one that does not count. *bytes: what one application has to move to and from memory, if nothing of it
 * stays in caches between two passes. */
nb_status nb_probe_f32(void *system, nb_probe_kernel kernel, int samples, double least_s, nb_probe_sample *sample,
                       void *context, double *bytes);
nb_status nb_probe_f64(void *system, nb_probe_kernel kernel, int samples, double least_s, nb_probe_sample *sample,
                       void *context, double *bytes);
nb_status nb_probe_mixed(void *system, nb_probe_kernel kernel, int samples, double least_s, nb_probe_sample *sample,
                         void *context, double *bytes);

#endif
