/* Stands in for CUDA's runtime, as far as cuda/ takes it: g++ compiles the .cu files against this header, and
 * cuda_runtime.cpp runs them on this processor. README.md says what it finds. The names are those of CUDA. */
#ifndef NB_TESTS_CUDA_RUNTIME_H
#define NB_TESTS_CUDA_RUNTIME_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <functional>
#include <tuple>

#include "counts.h"

#define CUDART_VERSION 12000
#define __host__
#define __device__
#define __global__
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define __forceinline__ inline __attribute__((always_inline))
#define __shared__ static __attribute__((section("nb_shared"))) /* one copy: blocks run one after the other */

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned of_x = 1) : x(of_x), y(1), z(1) {
    }
};
struct double2 {
    double x, y;
};

/* ---- threads ---- */

struct nb_thread_place {
    dim3 thread, block, block_size, grid_size;
};
extern const nb_thread_place *nb_here;
#define threadIdx (nb_here->thread)
#define blockIdx (nb_here->block)
#define blockDim (nb_here->block_size)
#define gridDim (nb_here->grid_size)

/* a line of the source, for messages */
struct nb_line {
    const char *file;
    int number;
};
#define NB_LINE (nb_line{__FILE__, __LINE__})

enum nb_shuffle {
    NB_SHUFFLE_DOWN,
    NB_SHUFFLE_XOR
};
void nb_barrier(nb_line line);
uint64_t nb_exchange(nb_line line, nb_shuffle shuffle, unsigned mask, uint64_t value, int by, int width);

template <class number>
static inline number nb_shuffled(nb_line line, nb_shuffle shuffle, unsigned mask, number value, int by,
                                 int width = 32) {
    uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits, "a register or two");
    memcpy(&bits, &value, sizeof value);
    bits = nb_exchange(line, shuffle, mask, bits, by, width);
    memcpy(&value, &bits, sizeof value);
    return value;
}
#define __syncthreads() nb_barrier(NB_LINE)
#define __shfl_down_sync(...) nb_shuffled(NB_LINE, NB_SHUFFLE_DOWN, __VA_ARGS__)
#define __shfl_xor_sync(...) nb_shuffled(NB_LINE, NB_SHUFFLE_XOR, __VA_ARGS__)

/* ---- the runtime: as CUDA declares it ---- */

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorStubLibrary = 34,
    cudaErrorInsufficientDriver = 35,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorUnsupportedPtxVersion = 222,
    cudaErrorNotReady = 600,
    cudaErrorSystemNotReady = 802,
    cudaErrorSystemDriverMismatch = 803,
    cudaErrorCompatNotSupportedOnDevice = 804,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorGraphExecUpdateFailure = 910
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
enum cudaDeviceAttr {
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8
};
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeRelaxed = 2
};
enum : unsigned {
    cudaStreamNonBlocking = 1,
    cudaHostAllocDefault = 0,
    cudaHostAllocMapped = 2,
    cudaEventDisableTiming = 2
};
struct cudaGraphExecUpdateResultInfo {
    int result;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes;
    int numRegs;
};
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
};
typedef struct nb_stream *cudaStream_t;
typedef struct nb_event *cudaEvent_t;
typedef struct nb_graph *cudaGraph_t, *cudaGraphExec_t;

cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device);
cudaError_t cudaMalloc(void **memory, size_t bytes);
cudaError_t cudaFree(void *memory);
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *made, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t made, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *outcome);
cudaError_t cudaGraphLaunch(cudaGraphExec_t made, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t made);

cudaError_t nb_allow_shared(const void *kernel, int bytes);
template <class... parameters>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(parameters...), cudaFuncAttribute, int bytes) {
    return nb_allow_shared(reinterpret_cast<const void *>(kernel), bytes);
}
template <class... parameters>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, void (*)(parameters...)) {
    *a = {};
    return cudaSuccess;
}

/* ---- launches: sed makes `kernel->*nb_launch(grid, block, shared, stream)(arguments)` of <<< >>> ---- */

struct nb_configuration {
    nb_line line;
    unsigned blocks, threads;
    size_t shared_bytes;
    cudaStream_t stream;
};
void nb_add_launch(const nb_configuration &configuration, const void *kernel, size_t bytes_of_arguments,
                   std::function<void()> run);
void *nb_dynamic_shared(void); /* of the block that runs */

template <class... given>
struct nb_arguments {
    nb_configuration configuration;
    std::tuple<given...> values;
};
struct nb_launcher {
    nb_configuration configuration;
    template <class... given>
    nb_arguments<given...> operator()(const given &...values) const {
        return {configuration, {values...}};
    }
};
#define nb_launch(...) (nb_launcher{{NB_LINE, __VA_ARGS__}})

template <class... parameters, class... given>
static inline void operator->*(void (*kernel)(parameters...), const nb_arguments<given...> &arguments) {
    const std::tuple<std::decay_t<parameters>...> values = arguments.values;
    nb_add_launch(arguments.configuration, reinterpret_cast<const void *>(kernel), sizeof values,
                  [kernel, values] { std::apply(kernel, values); });
}

#endif
