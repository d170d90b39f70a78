/* The one GPU that the program uses: the first that the driver shows (CUDA_VISIBLE_DEVICES chooses). */
#include "check.cuh"

extern "C" {
#include "runtime.h"

/* passes.cu */
nb_status nb_launch_cuda_f32(const struct nb_view_f32 *view, const struct nb_pass_f32 *pass);
nb_status nb_launch_cuda_f64(const struct nb_view_f64 *view, const struct nb_pass_f64 *pass);
nb_status nb_launch_cuda_mixed(const struct nb_view_mixed *view, const struct nb_pass_mixed *pass);
nb_status nb_islands_cuda_f32(const struct nb_island_f32 *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                              const struct nb_island_settings_f32 *settings);
nb_status nb_islands_cuda_f64(const struct nb_island_f64 *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                              const struct nb_island_settings_f64 *settings);
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

static nb_status open(void) {
    if (!device.tried) {
        device.tried = 1;
        device.status = open_first();
        const char *message = nb_error_message();
        for (size_t i = 0; i + 1 < sizeof device.message && (i == 0 || message[i - 1]); i++)
            device.message[i] = message[i];
    }
    return device.status == NB_OK ? NB_OK : nb_fail(device.status, "%s", device.message);
}

static nb_status allocate(int64_t bytes, void **memory) {
    *memory = NULL;
    cudaError_t error = cudaMalloc(memory, (size_t)(bytes > 0 ? bytes : 1));
    if (error != cudaErrorMemoryAllocation) return nb_cuda_check(error, "cudaMalloc");
    cudaGetLastError();
    return nb_fail(NB_ERROR_MEMORY, "device cuda: not enough memory for %lld bytes", (long long)bytes);
}

static nb_status allocate_shared(int64_t bytes, void **memory) {
    *memory = NULL;
    return nb_cuda_check(cudaHostAlloc(memory, (size_t)(bytes > 0 ? bytes : 1), cudaHostAllocMapped), "cudaHostAlloc");
}

/* a free that fails says nothing that the call before it did not say */
static void release(void *memory) {
    if (memory) (void)cudaFree(memory);
}

static void release_shared(void *memory) {
    if (memory) (void)cudaFreeHost(memory);
}

static nb_status wait_for_all(void) {
    return nb_cuda_check(cudaStreamSynchronize(device.stream), "waiting for a kernel");
}

/* from pageable memory: CUDA returns when it has taken its copy */
static nb_status upload(void *to, const void *from, int64_t bytes) {
    return nb_cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyHostToDevice, device.stream), "an upload");
}

static nb_status download(void *to, const void *from, int64_t bytes) {
    nb_status status =
        nb_cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToHost, device.stream), "a download");
    return status == NB_OK ? wait_for_all() : status;
}

static nb_status clear(void *memory, int64_t bytes) {
    return nb_cuda_check(cudaMemsetAsync(memory, 0, (size_t)bytes, device.stream), "cudaMemsetAsync");
}

extern "C" const nb_runtime nb_runtime_cuda = {
    open,
    allocate,
    release,
    allocate_shared,
    release_shared,
    upload,
    download,
    clear,
    wait_for_all,
    nb_launch_cuda_f32,
    nb_launch_cuda_f64,
    nb_launch_cuda_mixed,
    nb_islands_cuda_f32,
    nb_islands_cuda_f64,
};
