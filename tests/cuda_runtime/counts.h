/* What the stand-in for CUDA's runtime was asked for so far. */
#ifndef NB_TESTS_CUDA_RUNTIME_COUNTS_H
#define NB_TESTS_CUDA_RUNTIME_COUNTS_H

#include <stdint.h>

extern struct nb_counts {
    int64_t launches;            /* of kernels, those of graphs as well */
    int64_t graphs;              /* launches of these */
    int64_t waits;               /* of the host */
    int64_t copies[4], bytes[4]; /* by cudaMemcpyKind: 1 to the device, 2 from it, 3 in it */
} nb_counted;

#endif
