/* What the back end asks of a device: memory, copies, and how to wait. One device, one queue: what is asked for happens
 * in the order of the calls. A fault is one line: NB_ERROR_UNSUPPORTED where the device cannot be used at all,
 * NB_ERROR_MEMORY where its memory does not do, NB_ERROR_DEVICE where it failed or was lost. */
#ifndef NB_CUDA_RUNTIME_H
#define NB_CUDA_RUNTIME_H

#include <stdint.h>

#include "base/status.h"

/* the GPU itself: runtime.cu, or absent.c where the program was built without CUDA */

/* Opens the device once; later calls return what the first one did. */
nb_status nb_runtime_cuda_open(void);

/* `bytes` of device memory, aligned to 256 bytes, holding anything */
nb_status nb_runtime_cuda_allocate(int64_t bytes, void **memory);
/* the same of the host's memory that the device writes to at this address */
nb_status nb_runtime_cuda_allocate_shared(int64_t bytes, void **memory);
/* NULL allowed */
void nb_runtime_cuda_free(void *memory);
void nb_runtime_cuda_free_shared(void *memory);

/* to the device; `from` may be changed at once */
nb_status nb_runtime_cuda_upload(void *to, const void *from, int64_t bytes);
/* from the device, after all that was asked for before */
nb_status nb_runtime_cuda_download(void *to, const void *from, int64_t bytes);
/* zeroes on the device */
nb_status nb_runtime_cuda_clear(void *memory, int64_t bytes);
/* until all that was asked for has been done */
nb_status nb_runtime_cuda_wait(void);

#endif
