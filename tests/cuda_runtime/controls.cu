/* What the stand-in for CUDA's runtime has to find: each control makes one mistake, and is known by the line that it
 * ends with (CMakeLists.txt). `controls NAME`; none: the same without a mistake, which ends well. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda_runtime.h"

enum {
    THREADS = 64,
    BLOCKS = 3
};
static cudaStream_t stream;

/* the block's sum of `of`, by a shuffle and shared memory */
static __global__ void sums(const double *of, double *sum, unsigned mask, int barrier, int reach) {
    __shared__ double warps[THREADS / 32];
    double value = of[blockIdx.x * THREADS + threadIdx.x];
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(mask, value, by);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    if (barrier == 1) __syncthreads();
    if (barrier == 2 && threadIdx.x < 32) __syncthreads();
    if (threadIdx.x == 0) sum[blockIdx.x + reach] = warps[0] + warps[1];
}

/* each thread's neighbour, where there is one: lanes that differ in what they ask for */
static __global__ void neighbours(double *of) {
    const int by = threadIdx.x % 2 ? 1 : 2;
    of[threadIdx.x] = __shfl_xor_sync(0xffffffffu, of[threadIdx.x], by);
}

/* two barriers, and threads at each */
static __global__ void two_barriers(double *of) {
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    of[threadIdx.x] = 0;
}

/* each block the number of the one before it, which that one may have changed */
static __global__ void followers(double *of) {
    if (threadIdx.x == 0) of[blockIdx.x + 1] = of[blockIdx.x] + 1;
}

static __global__ void reaches(double *of) {
    extern __shared__ double memory[];
    memory[threadIdx.x] = 1;
    of[threadIdx.x] = memory[threadIdx.x];
}

static int is(const char *given, const char *name) {
    return strcmp(given, name) == 0;
}

static double *on_device(int count) {
    void *memory;
    if (cudaMalloc(&memory, (size_t)count * sizeof(double)) != cudaSuccess) exit(3);
    return (double *)memory;
}

static int said(const char *what) {
    const cudaError_t error = cudaGetLastError();
    cudaStreamSynchronize(stream);
    printf("%s: %s\n", what, error == cudaSuccess ? "nothing is wrong" : cudaGetErrorString(error));
    return error != cudaSuccess;
}

int main(int count, char **values) {
    const char *name = count > 1 ? values[1] : "";
    double ones[BLOCKS * THREADS], made[BLOCKS];
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    double *of = on_device(BLOCKS * THREADS),
           *sum = on_device(32); /* 256 bytes, which an allocation is a multiple of */
    for (int i = 0; i < BLOCKS * THREADS; i++) ones[i] = 1;
    cudaMemcpyAsync(of, ones, sizeof ones, cudaMemcpyHostToDevice, stream);
    if (is(name, "neighbours")) neighbours<<<1, THREADS, 0, stream>>>(of);
    if (is(name, "two-barriers")) two_barriers<<<1, THREADS, 0, stream>>>(of);
    if (is(name, "race")) followers<<<BLOCKS, THREADS, 0, stream>>>(of);
    if (is(name, "shared")) reaches<<<1, THREADS, THREADS / 2 * sizeof(double), stream>>>(of);
    if (is(name, "threads")) reaches<<<1, 2048, THREADS * sizeof(double), stream>>>(of);
    if (is(name, "blocks")) reaches<<<0, THREADS, THREADS * sizeof(double), stream>>>(of);
    if (is(name, "shared-limit")) reaches<<<1, THREADS, 64 * 1024, stream>>>(of);
    if (is(name, "shared-most")) cudaFuncSetAttribute(reaches, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 * 1024);
    if (is(name, "capture")) {
        cudaGraph_t graph;
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        cudaStreamSynchronize(stream);
        cudaStreamEndCapture(stream, &graph);
    }
    if (said("a call")) return 1;
    const unsigned mask = is(name, "half-mask") ? 0x0000ffffu : is(name, "source-mask") ? 0x7fffffffu : 0xffffffffu;
    const int barrier = is(name, "no-barrier") ? 0 : is(name, "some-at-barrier") ? 2 : 1;
    const unsigned threads = is(name, "part-of-warp") ? 40 : THREADS;
    sums<<<BLOCKS, threads, 0, stream>>>(of, sum, mask, barrier, is(name, "beyond") ? 32 : 0);
    if (said("sums")) return 1;
    if (is(name, "freed")) {
        cudaFree(sum);
        sums<<<BLOCKS, THREADS, 0, stream>>>(of, sum, mask, barrier, 0);
        cudaStreamSynchronize(stream);
    }
    if (is(name, "host-reads")) printf("%g\n", sum[1]);
    if (is(name, "host-writes")) sum[1] = 0;
    cudaMemcpyAsync(made, sum, sizeof made, cudaMemcpyDeviceToHost, stream);
    for (int b = 0; b < BLOCKS; b++)
        if (made[b] != THREADS) {
            printf("the sum of block %d is %g\n", b, made[b]);
            return 1;
        }
    printf("all sums are right\n");
    return 0;
}
