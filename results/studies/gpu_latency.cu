/* What launches, barriers and copies take on this GPU, in microseconds: name, median, least and most of 15 samples,
 * tab- separated. cuda/ is designed by such numbers; tests/gpu.sh compiles and runs this. Skips (77) without a GPU. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace groups = cooperative_groups;

enum {
    SAMPLES = 15,
    MANY = 1000, /* barriers of a kernel */
    NODES = 100
};

static cudaStream_t stream;

static void check(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check((call), #call)

static double now_us() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* one line; `work` is called once to warm up, then for every sample; each stands for `count` of what is named */
template <class Work>
static void measure(const char *name, int count, Work work) {
    std::vector<double> samples;
    work();
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < SAMPLES; i++) {
        double start = now_us();
        work();
        CHECK(cudaGetLastError()); /* of a launch */
        CHECK(cudaStreamSynchronize(stream));
        samples.push_back((now_us() - start) / count);
    }
    std::sort(samples.begin(), samples.end());
    printf("%s\t%.4g\t%.4g\t%.4g\n", name, samples[SAMPLES / 2], samples.front(), samples.back());
    fflush(stdout);
}

static __global__ void nothing() {
}

static __global__ void block_barriers() {
    for (int i = 0; i < MANY; i++) __syncthreads();
}

static __global__ void grid_barriers() {
    groups::grid_group grid = groups::this_grid();
    for (int i = 0; i < MANY; i++) grid.sync();
}

static __global__ void cluster_barriers() {
#if __CUDA_ARCH__ >= 900
    groups::cluster_group cluster = groups::this_cluster();
    for (int i = 0; i < MANY; i++) cluster.sync();
#endif
}

static cudaGraph_t capture_nodes() {
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < NODES; i++) nothing<<<132, 256, 0, stream>>>();
    CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void measure_graphs() {
    cudaGraph_t graph = capture_nodes();
    cudaGraphExec_t ready;
    cudaGraphExecUpdateResultInfo outcome;
    CHECK(cudaGraphInstantiateWithFlags(&ready, graph, 0));
    measure("node of a graph of 100 kernels", NODES, [&] { CHECK(cudaGraphLaunch(ready, stream)); });
    measure("update of a graph of 100 kernels", 1, [&] { CHECK(cudaGraphExecUpdate(ready, graph, &outcome)); });
    measure("instantiation of a graph of 100 kernels", 1, [&] {
        cudaGraphExec_t other;
        CHECK(cudaGraphInstantiateWithFlags(&other, graph, 0));
        CHECK(cudaGraphExecDestroy(other));
    });
    measure("capture of 100 kernels", 1, [&] { CHECK(cudaGraphDestroy(capture_nodes())); });
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
}

static void measure_barriers(int multiprocessors, int major) {
    measure("barrier of a block of 256", MANY, [] { block_barriers<<<1, 256, 0, stream>>>(); });
    measure("barrier of a block of 512", MANY, [] { block_barriers<<<1, 512, 0, stream>>>(); });
    measure("barrier of the grid, a block of 256 each multiprocessor", MANY, [&] {
        CHECK(cudaLaunchCooperativeKernel((const void *)grid_barriers, dim3((unsigned)multiprocessors), dim3(256),
                                          (void **)nullptr, 0, stream));
    });
    cudaLaunchAttribute cluster; /* said at the launch: architectures before 90 do not compile __cluster_dims__ */
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 8;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(8);
    launch.blockDim = dim3(256);
    launch.stream = stream;
    launch.attrs = &cluster;
    launch.numAttrs = 1;
    if (major >= 9)
        measure("barrier of a cluster of 8 blocks of 256", MANY,
                [&] { CHECK(cudaLaunchKernelEx(&launch, cluster_barriers)); });
}

static void measure_copies() {
    const size_t sizes[] = {4096, 1 << 20, 64 << 20};
    char *device, *pinned, name[100];
    char *pageable = (char *)malloc(sizes[2]);
    CHECK(cudaMalloc(&device, sizes[2]));
    CHECK(cudaHostAlloc(&pinned, sizes[2], cudaHostAllocDefault));
    for (size_t i = 0; i < sizes[2]; i++) pageable[i] = pinned[i] = 1;
    for (size_t size : sizes) {
        snprintf(name, sizeof name, "copy of %zu kB to the device, page-locked", size >> 10);
        measure(name, 1, [&] { CHECK(cudaMemcpyAsync(device, pinned, size, cudaMemcpyHostToDevice, stream)); });
        snprintf(name, sizeof name, "copy of %zu kB to the device, pageable", size >> 10);
        measure(name, 1, [&] { CHECK(cudaMemcpyAsync(device, pageable, size, cudaMemcpyHostToDevice, stream)); });
        snprintf(name, sizeof name, "copy of %zu kB from the device, page-locked", size >> 10);
        measure(name, 1, [&] { CHECK(cudaMemcpyAsync(pinned, device, size, cudaMemcpyDeviceToHost, stream)); });
        snprintf(name, sizeof name, "copy of %zu kB from the device, pageable", size >> 10);
        measure(name, 1, [&] { CHECK(cudaMemcpyAsync(pageable, device, size, cudaMemcpyDeviceToHost, stream)); });
    }
    measure("allocation and release of 1 MB", 1, [&] {
        char *memory;
        CHECK(cudaMalloc(&memory, 1 << 20));
        CHECK(cudaFree(memory));
    });
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    free(pageable);
}

int main() {
    int count = 0, multiprocessors = 0, major = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("SKIPPED: no GPU can be used here\n");
        return 77;
    }
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    double start = now_us(); /* clocks rise under load */
    while (now_us() - start < 5e5) {
        block_barriers<<<(unsigned)multiprocessors, 256, 0, stream>>>();
        CHECK(cudaStreamSynchronize(stream));
    }
    printf("what\tmedian_us\tleast_us\tmost_us\n");
    measure("launch of an empty kernel, and the wait for it", 1, [] { nothing<<<1, 32, 0, stream>>>(); });
    measure("launch of an empty kernel in a stream of 100", NODES, [] {
        for (int i = 0; i < NODES; i++) nothing<<<132, 256, 0, stream>>>();
    });
    measure_graphs();
    measure_barriers(multiprocessors, major);
    measure_copies();
    return 0;
}
