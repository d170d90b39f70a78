/* Return codes of CUDA as faults. */
#ifndef NB_CUDA_CHECK_CUH
#define NB_CUDA_CHECK_CUH

#include <cuda_runtime.h>

extern "C" {
#include "base/status.h"
}

/* NB_OK, or the fault of `what`, which failed with `error` */
nb_status nb_cuda_check(cudaError_t error, const char *what);

/* the stream that everything goes through */
cudaStream_t nb_cuda_stream(void);

/* how many the device has */
int nb_cuda_multiprocessors(void);

/* Runs a call of CUDA; on a fault leaves through the label `out`. Needs a local `nb_status status`. */
#define NB_CUDA_TRY(call) NB_TRY(nb_cuda_check((call), #call))

#endif
