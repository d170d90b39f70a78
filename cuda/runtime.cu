/* The one GPU that the program uses: the first that the driver shows (CUDA_VISIBLE_DEVICES chooses). */
#include "check.cuh"

extern "C" {
#include "runtime.h"
}

static struct {
    int tried;
    nb_status status;
    char message[512];
    cudaStream_t stream;
} device;

cudaStream_t nb_cuda_stream(void) {
    return device.stream;
}

nb_status nb_cuda_check(cudaError_t error, const char *what) {
    int driver = 0;
    if (error == cudaSuccess) return NB_OK;
    cudaGetLastError(); /* a fault that leaves the device usable is not to be found again by the next call */
    switch (error) {
    case cudaErrorInsufficientDriver:
        if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
            return nb_fail(NB_ERROR_UNSUPPORTED, "device cuda: no NVIDIA driver is installed here");
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "device cuda: the driver is for CUDA %d.%d, and this program was built with %d.%d",
                       driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    case cudaErrorNoDevice:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorDevicesUnavailable:
        return nb_fail(NB_ERROR_UNSUPPORTED, "device cuda: none can be used here: %s", cudaGetErrorString(error));
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
        return nb_fail(NB_ERROR_UNSUPPORTED,
                       "device cuda: its architecture is none of those that this program was built for (%s): %s",
                       NB_CUDA_ARCHITECTURES, cudaGetErrorString(error));
    case cudaErrorMemoryAllocation:
        return nb_fail(NB_ERROR_MEMORY, "device cuda: not enough memory on the device (%.120s)", what);
    default:
        return nb_fail(NB_ERROR_DEVICE, "device cuda: it failed or was lost: %s (%.120s)", cudaGetErrorString(error),
                       what);
    }
}

static nb_status open_first(void) {
    nb_status status;
    int count = 0, major = 0, minor = 0;
    NB_CUDA_TRY(cudaGetDeviceCount(&count));
    if (count == 0) NB_CUDA_TRY(cudaErrorNoDevice);
    NB_CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    NB_CUDA_TRY(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    if (10 * major + minor < NB_CUDA_OLDEST)
        return nb_fail(NB_ERROR_UNSUPPORTED, "device cuda: its architecture is %d%d, and this program was built for %s",
                       major, minor, NB_CUDA_ARCHITECTURES);
    NB_CUDA_TRY(cudaSetDevice(0));
    NB_CUDA_TRY(cudaStreamCreateWithFlags(&device.stream, cudaStreamNonBlocking));
out:
    return status;
}

nb_status nb_runtime_cuda_open(void) {
    if (!device.tried) {
        device.tried = 1;
        device.status = open_first();
        const char *message = nb_error_message();
        for (size_t i = 0; i + 1 < sizeof device.message && (i == 0 || message[i - 1]); i++)
            device.message[i] = message[i];
    }
    return device.status == NB_OK ? NB_OK : nb_fail(device.status, "%s", device.message);
}

nb_status nb_runtime_cuda_allocate(int64_t bytes, void **memory) {
    *memory = NULL;
    cudaError_t error = cudaMalloc(memory, (size_t)(bytes > 0 ? bytes : 1));
    if (error != cudaErrorMemoryAllocation) return nb_cuda_check(error, "cudaMalloc");
    cudaGetLastError();
    return nb_fail(NB_ERROR_MEMORY, "device cuda: not enough memory for %lld bytes", (long long)bytes);
}

nb_status nb_runtime_cuda_allocate_shared(int64_t bytes, void **memory) {
    *memory = NULL;
    return nb_cuda_check(cudaHostAlloc(memory, (size_t)(bytes > 0 ? bytes : 1), cudaHostAllocMapped), "cudaHostAlloc");
}

/* a free that fails says nothing that the call before it did not say */
void nb_runtime_cuda_free(void *memory) {
    if (memory) (void)cudaFree(memory);
}

void nb_runtime_cuda_free_shared(void *memory) {
    if (memory) (void)cudaFreeHost(memory);
}

/* from pageable memory: CUDA returns when it has taken its copy */
nb_status nb_runtime_cuda_upload(void *to, const void *from, int64_t bytes) {
    return nb_cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyHostToDevice, device.stream), "an upload");
}

nb_status nb_runtime_cuda_download(void *to, const void *from, int64_t bytes) {
    nb_status status =
        nb_cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToHost, device.stream), "a download");
    return status == NB_OK ? nb_runtime_cuda_wait() : status;
}

nb_status nb_runtime_cuda_clear(void *memory, int64_t bytes) {
    return nb_cuda_check(cudaMemsetAsync(memory, 0, (size_t)bytes, device.stream), "cudaMemsetAsync");
}

nb_status nb_runtime_cuda_wait(void) {
    return nb_cuda_check(cudaStreamSynchronize(device.stream), "waiting for a kernel");
}
