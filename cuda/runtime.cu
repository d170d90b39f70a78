/* The one GPU that the program uses: the first that the driver shows (CUDA_VISIBLE_DEVICES chooses). */
#include <stdio.h>
#include <string.h>

#include "check.cuh"

extern "C" {
#include "clocks.h"
#include "runtime.h"

/* passes.cu */
nb_status nb_launch_cuda_f32(const struct nb_view_f32 *view, const struct nb_pass_f32 *pass);
nb_status nb_launch_cuda_f64(const struct nb_view_f64 *view, const struct nb_pass_f64 *pass);
nb_status nb_launch_cuda_mixed(const struct nb_view_mixed *view, const struct nb_pass_mixed *pass);
void nb_describe_kernels_f32(char *text, size_t size);
void nb_describe_kernels_f64(char *text, size_t size);
void nb_describe_kernels_mixed(char *text, size_t size);
nb_launch_islands_f32 nb_islands_cuda_f32;
nb_launch_islands_f64 nb_islands_cuda_f64;
nb_launch_trajectories_f32 nb_trajectories_cuda_f32;
nb_launch_trajectories_f64 nb_trajectories_cuda_f64;
nb_status nb_launch_tiles(const struct nb_tiles *tiles, const struct nb_tile_pass *pass, int32_t blocks);
void nb_describe_tiles(char *text, size_t size);
void nb_describe_islands_f32(char *text, size_t size);
void nb_describe_islands_f64(char *text, size_t size);
void nb_describe_trajectories_f32(char *text, size_t size);
void nb_describe_trajectories_f64(char *text, size_t size);
}

static struct {
    int tried;
    nb_status status;
    char message[512];
    cudaStream_t stream;
} device;

/* Intervals of time between events; those that have passed are added up when all is waited for anyway. */
enum {
    MOST_MARKS = 64
};
static struct {
    cudaEvent_t event[MOST_MARKS];
    nb_runtime_time what[MOST_MARKS]; /* what begins at the event */
    int made, used;
    double totals[3];
} marks;

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
    case cudaErrorInitializationError:
    case cudaErrorStubLibrary:
    case cudaErrorSystemNotReady: /* a server's fabric manager has not been started */
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
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

/* Whether a call that may fail did not. Its error is not to be found by the check of the next launch. */
static int succeeds(cudaError_t error) {
    if (error == cudaSuccess) return 1;
    cudaGetLastError();
    return 0;
}

static int poisons;

void nb_cuda_poison(void) {
    poisons = 1;
}

/* through the stream, so that it is over before what comes after, and comes after what was asked for before */
static void spoil(void *memory, int64_t bytes) {
    if (poisons && bytes > 0) succeeds(cudaMemsetAsync(memory, 0xff, (size_t)bytes, device.stream));
}

static nb_status allocate(int64_t bytes, void **memory) {
    *memory = NULL;
    cudaError_t error = cudaMalloc(memory, (size_t)(bytes > 0 ? bytes : 1));
    if (error == cudaSuccess) spoil(*memory, bytes);
    if (error != cudaErrorMemoryAllocation) return nb_cuda_check(error, "cudaMalloc");
    cudaGetLastError();
    return nb_fail(NB_ERROR_MEMORY, "device cuda: not enough memory for %lld bytes", (long long)bytes);
}

static nb_status allocate_shared(int64_t bytes, void **memory) {
    *memory = NULL;
    return nb_cuda_check(cudaHostAlloc(memory, (size_t)(bytes > 0 ? bytes : 1), cudaHostAllocMapped), "cudaHostAlloc");
}

static int attribute(cudaDeviceAttr which) {
    int value = 0;
    return succeeds(cudaDeviceGetAttribute(&value, which, 0)) ? value : 0;
}

/* a free that fails says nothing that the call before it did not say */
static void release(void *memory) {
    if (memory) succeeds(cudaFree(memory));
}

static void release_shared(void *memory) {
    if (memory) succeeds(cudaFreeHost(memory));
}

/* of device memory, but for what copies come straight from and go straight to */
static struct {
    void *memory;
    int64_t bytes;
} kept[NB_KEPT_KINDS];

static nb_status keep(nb_runtime_kept which, int64_t bytes, void **memory) {
    nb_status status = NB_OK;
    int host = which == NB_KEPT_LANDING || which == NB_KEPT_LEAVING;
    *memory = NULL;
    if (!kept[which].memory || kept[which].bytes < bytes) {
        int64_t more = bytes + bytes / 4; /* the next step may have a few contacts more */
        if (host) release_shared(kept[which].memory);
        if (!host) release(kept[which].memory);
        kept[which].memory = NULL;
        NB_TRY((host ? allocate_shared : allocate)(more, &kept[which].memory));
        kept[which].bytes = more;
    } else if (!host) {
        spoil(kept[which].memory, kept[which].bytes);
    }
    *memory = kept[which].memory;
out:
    return status;
}

int nb_cuda_multiprocessors(void) {
    return attribute(cudaDevAttrMultiProcessorCount);
}

static int64_t cache_bytes(void) {
    return attribute(cudaDevAttrL2CacheSize);
}

static int64_t block_bytes(void) {
    return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/* the intervals up to the last mark, which stays as the first of what follows */
static void add_up_marks(void) {
    float ms = 0;
    for (int i = 0; i + 1 < marks.used; i++)
        if (succeeds(cudaEventElapsedTime(&ms, marks.event[i], marks.event[i + 1])))
            marks.totals[marks.what[i]] += 1e-3 * (double)ms;
    if (marks.used < 2) return;
    int last = marks.used - 1;
    cudaEvent_t event = marks.event[last];
    marks.event[last] = marks.event[0];
    marks.event[0] = event;
    marks.what[0] = marks.what[last];
    marks.used = 1;
}

static nb_status wait_for_all(void) {
    nb_status status = nb_cuda_check(cudaStreamSynchronize(device.stream), "waiting for a kernel");
    if (status == NB_OK) add_up_marks();
    return status;
}

/* An event that cannot be had costs an interval, no run. */
static void mark(nb_runtime_time what) {
    if (marks.used > 0 && marks.what[marks.used - 1] == what) return;
    if (marks.used == MOST_MARKS && wait_for_all() != NB_OK) return;
    if (marks.used == marks.made) {
        if (!succeeds(cudaEventCreate(&marks.event[marks.made]))) return;
        marks.made++;
    }
    if (succeeds(cudaEventRecord(marks.event[marks.used], device.stream))) marks.what[marks.used++] = what;
}

static void take_times(double *work_s, double *transfer_s) {
    mark(NB_TIME_NONE);
    wait_for_all();
    *work_s = marks.totals[NB_TIME_WORK];
    *transfer_s = marks.totals[NB_TIME_TRANSFER];
    marks.totals[NB_TIME_WORK] = marks.totals[NB_TIME_TRANSFER] = 0;
}

/* Page-locked memory that uploads go through, so that the caller's memory is free again at once and nobody waits: of
 * two halves one is filled while what the other holds is on its way. */
enum {
    STAGING_BYTES = 8 << 20
};
static struct {
    char *half[2];
    cudaEvent_t gone[2]; /* what the half held has left it */
    int filling, is_on_its_way[2];
    int64_t used;
} staging;

static nb_status open_staging(void) {
    nb_status status = NB_OK;
    for (int i = 0; i < 2; i++) {
        void *memory;
        if (staging.half[i]) continue; /* an earlier call may have got one of the two */
        if (!staging.gone[i]) NB_CUDA_TRY(cudaEventCreateWithFlags(&staging.gone[i], cudaEventDisableTiming));
        NB_CUDA_TRY(cudaHostAlloc(&memory, STAGING_BYTES, cudaHostAllocDefault));
        staging.half[i] = (char *)memory;
    }
out:
    return status;
}

/* on to the other half, once that is free */
static nb_status turn_staging(void) {
    nb_status status;
    int full = staging.filling, other = 1 - full;
    NB_CUDA_TRY(cudaEventRecord(staging.gone[full], device.stream));
    staging.is_on_its_way[full] = 1;
    if (staging.is_on_its_way[other]) NB_CUDA_TRY(cudaEventSynchronize(staging.gone[other]));
    staging.is_on_its_way[other] = 0;
    staging.filling = other;
    staging.used = 0;
out:
    return status;
}

static nb_status upload(void *to, const void *from, int64_t bytes) {
    nb_status status;
    NB_TRY(open_staging());
    for (int64_t done = 0; done < bytes;) {
        if (staging.used == STAGING_BYTES) NB_TRY(turn_staging());
        int64_t room = STAGING_BYTES - staging.used, piece = bytes - done < room ? bytes - done : room;
        char *place = staging.half[staging.filling] + staging.used;
        memcpy(place, (const char *)from + done, (size_t)piece);
        NB_CUDA_TRY(cudaMemcpyAsync((char *)to + done, place, (size_t)piece, cudaMemcpyHostToDevice, device.stream));
        done += piece;
        staging.used = (staging.used + piece + 255) / 256 * 256;
    }
out:
    return status;
}

static nb_status send(void *to, const void *from, int64_t bytes) {
    if (bytes == 0) return NB_OK;
    return nb_cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyHostToDevice, device.stream), "an upload");
}

/* by way of page-locked memory, as a copy to any other waits by itself and goes through such memory of the driver's */
static nb_status download(void *to, const void *from, int64_t bytes) {
    static void *page_locked;
    const int lands = to == kept[NB_KEPT_LANDING].memory;
    nb_status status = NB_OK;
    if (!lands && !page_locked) NB_TRY(allocate_shared(STAGING_BYTES, &page_locked));
    for (int64_t done = 0, piece; done < bytes; done += piece) {
        piece = lands || bytes - done < (int64_t)STAGING_BYTES ? bytes - done : (int64_t)STAGING_BYTES;
        void *place = lands ? to : page_locked;
        NB_CUDA_TRY(
            cudaMemcpyAsync(place, (const char *)from + done, (size_t)piece, cudaMemcpyDeviceToHost, device.stream));
        NB_TRY(wait_for_all());
        if (!lands) memcpy((char *)to + done, place, (size_t)piece);
    }
out:
    return status;
}

static nb_status clear(void *memory, int64_t bytes) {
    if (bytes == 0) return NB_OK;
    return nb_cuda_check(cudaMemsetAsync(memory, 0, (size_t)bytes, device.stream), "cudaMemsetAsync");
}

static nb_status copy(void *to, const void *from, int64_t bytes) {
    if (bytes == 0) return NB_OK;
    return nb_cuda_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, device.stream), "a copy");
}

/* A recording is a graph of kernels. Stricter modes forbid calls as they may be needed to load a kernel before its
 * first launch. */
static nb_status begin_recording(void) {
    return nb_cuda_check(cudaStreamBeginCapture(device.stream, cudaStreamCaptureModeRelaxed), "a recording");
}

static void forget(void *recording) {
    if (recording) succeeds(cudaGraphExecDestroy((cudaGraphExec_t)recording));
}

static nb_status end_recording(void **recording) {
    nb_status status;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    cudaGraphExecUpdateResultInfo outcome;
    NB_CUDA_TRY(cudaStreamEndCapture(device.stream, &graph));
    if (*recording && succeeds(cudaGraphExecUpdate((cudaGraphExec_t)*recording, graph, &outcome))) goto out;
    forget(*recording);
    *recording = NULL;
    NB_CUDA_TRY(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    *recording = ready;
out:
    if (graph) (void)cudaGraphDestroy(graph);
    return status;
}

static nb_status replay(void *recording) {
    return nb_cuda_check(cudaGraphLaunch((cudaGraphExec_t)recording, device.stream), "a graph's launch");
}

static void describe(nb_device_facts *facts) {
    cudaDeviceProp properties;
    int driver = 0;
    char address[32], clocks[64], text[512];
    if (!device.tried || device.status != NB_OK) return;
    if (!succeeds(cudaGetDeviceProperties(&properties, 0)) || !succeeds(cudaDriverGetVersion(&driver))) return;
    snprintf(facts->platform, sizeof facts->platform,
             "runtime %d.%d, driver for %d.%d, built for " NB_CUDA_ARCHITECTURES, CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10, driver / 1000, driver % 1000 / 10);
    nb_clocks_now(succeeds(cudaDeviceGetPCIBusId(address, sizeof address, 0)) ? address : "", clocks, sizeof clocks);
    snprintf(text, sizeof text, "%.48s, %d.%d, %d multiprocessors, %.1f GiB, %s", properties.name,
             attribute(cudaDevAttrComputeCapabilityMajor), attribute(cudaDevAttrComputeCapabilityMinor),
             nb_cuda_multiprocessors(), (double)properties.totalGlobalMem / 0x1p30, clocks);
    snprintf(facts->device, sizeof facts->device, "%.127s", text);
    nb_describe_kernels_f32(facts->kernels, sizeof facts->kernels);
    nb_describe_kernels_f64(facts->kernels, sizeof facts->kernels);
    nb_describe_kernels_mixed(facts->kernels, sizeof facts->kernels);
    nb_describe_islands_f32(facts->kernels, sizeof facts->kernels);
    nb_describe_islands_f64(facts->kernels, sizeof facts->kernels);
    nb_describe_trajectories_f32(facts->kernels, sizeof facts->kernels);
    nb_describe_trajectories_f64(facts->kernels, sizeof facts->kernels);
    nb_describe_tiles(facts->kernels, sizeof facts->kernels);
}

extern "C" const nb_runtime nb_runtime_cuda = {
    open,
    allocate,
    release,
    spoil,
    allocate_shared,
    release_shared,
    keep,
    block_bytes,
    cache_bytes,
    upload,
    send,
    download,
    clear,
    copy,
    wait_for_all,
    mark,
    take_times,
    describe,
    nb_launch_cuda_f32,
    nb_launch_cuda_f64,
    nb_launch_cuda_mixed,
    begin_recording,
    end_recording,
    replay,
    forget,
    nb_islands_cuda_f32,
    nb_islands_cuda_f64,
    nb_launch_tiles,
    nb_trajectories_cuda_f32,
    nb_trajectories_cuda_f64,
};
