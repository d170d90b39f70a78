/* Stands in for the GPU where the program is built without CUDA: nothing is reached after nb_runtime_cuda_open. */
#include "runtime.h"

static nb_status absent(void) {
    return nb_fail(NB_ERROR_UNSUPPORTED, "device cuda: this program was built without CUDA (no nvcc was found, or "
                                         "NCPBENCH_CUDA=OFF)");
}

nb_status nb_runtime_cuda_open(void) {
    return absent();
}

nb_status nb_runtime_cuda_allocate(int64_t bytes, void **memory) {
    (void)bytes;
    *memory = 0;
    return absent();
}

nb_status nb_runtime_cuda_allocate_shared(int64_t bytes, void **memory) {
    (void)bytes;
    *memory = 0;
    return absent();
}

void nb_runtime_cuda_free(void *memory) {
    (void)memory;
}

void nb_runtime_cuda_free_shared(void *memory) {
    (void)memory;
}

nb_status nb_runtime_cuda_upload(void *to, const void *from, int64_t bytes) {
    (void)to, (void)from, (void)bytes;
    return absent();
}

nb_status nb_runtime_cuda_download(void *to, const void *from, int64_t bytes) {
    (void)to, (void)from, (void)bytes;
    return absent();
}

nb_status nb_runtime_cuda_clear(void *memory, int64_t bytes) {
    (void)memory, (void)bytes;
    return absent();
}

nb_status nb_runtime_cuda_wait(void) {
    return absent();
}
