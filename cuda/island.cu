/* The island kernel (island/view.h): a block of threads an island, from the step's start to the end of its last Newton
 * iteration. Compiled for f32 and f64. */
#include <stdio.h>
#include <string.h>

#include "check.cuh"

#define nb_islands_cuda NB_REAL_NAME(nb_islands_cuda)
#define nb_describe_islands NB_REAL_NAME(nb_describe_islands)

extern "C" {
#include "island/view.h"

NB_PRECISIONS(f32, f64);
nb_status nb_islands_cuda(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                          const nb_island_settings *settings);
void nb_describe_islands(char *text, size_t size);
}

enum {
    NB_SUM,
    NB_LARGEST
};

#define NB_PROGRAM static __device__ __forceinline__
#define NB_OWN(call)                     \
    do {                                 \
        const int t = (int)threadIdx.x;  \
        nb_island_lane *const l = lanes; \
        (void)t, (void)l;                \
        call;                            \
    } while (0)
#define NB_EACH(call)    \
    do {                 \
        NB_OWN(call);    \
        __syncthreads(); \
    } while (0)
#define NB_ONE(call)                \
    do {                            \
        if (threadIdx.x == 0) call; \
    } while (0)
#define NB_GATHER(what) gather(v, p, s, what)
#define NB_REDUCE(mode) reduce(s, lanes, mode, sums)

#include "island/stages.h"

/* eight threads a body; the others of a last warp take part in its exchange */
static __device__ __forceinline__ void gather(const nb_island *v, const nb_island_settings *p,
                                              const nb_island_shared *s, nb_island_gathering what) {
    const int lane = (int)threadIdx.x % NB_ISLAND_BODY_LANES, groups = (int)blockDim.x / NB_ISLAND_BODY_LANES;
    for (int32_t first = 0; first < v->bodies; first += groups) {
        const int32_t body = first + (int32_t)threadIdx.x / NB_ISLAND_BODY_LANES;
        real total[6];
        nb_island_gather(v, s, body, lane, total);
        for (int apart = NB_ISLAND_BODY_LANES / 2; apart > 0; apart /= 2)
            for (int k = 0; k < 6; k++) total[k] += __shfl_xor_sync(0xffffffffu, total[k], apart);
        if (lane == 0 && body < v->bodies) nb_island_move_body(v, p, s, what, body, total);
    }
    __syncthreads();
}

static __device__ __forceinline__ double combine(int mode, int which, double a, double b) {
    return mode == NB_LARGEST && which == NB_ISLAND_SUMS - 1 ? nb_island_larger(a, b) : a + b;
}

/* Warps in a butterfly, then every thread adds up one warp after the other. What is read here is not written again
 * before the next barrier but one: two halves are taken in turn. */
static __device__ __forceinline__ void reduce(const nb_island_shared *s, nb_island_lane *l, int mode,
                                              double sums[NB_ISLAND_SUMS]) {
    double *partial = s->partial + l->turn * NB_ISLAND_MOST_WARPS * NB_ISLAND_SUMS;
    const int warps = ((int)blockDim.x + NB_ISLAND_WARP - 1) / NB_ISLAND_WARP;
    l->turn ^= 1;
    for (int k = 0; k < NB_ISLAND_SUMS; k++) {
        double value = l->sums[k];
        for (int apart = NB_ISLAND_WARP / 2; apart > 0; apart /= 2)
            value = combine(mode, k, value, __shfl_xor_sync(0xffffffffu, value, apart));
        if (threadIdx.x % NB_ISLAND_WARP == 0) partial[threadIdx.x / NB_ISLAND_WARP * NB_ISLAND_SUMS + k] = value;
    }
    __syncthreads();
    for (int k = 0; k < NB_ISLAND_SUMS; k++) sums[k] = 0;
    for (int w = 0; w < warps; w++) /* all sums at once: an addition waits for the one before it */
        for (int k = 0; k < NB_ISLAND_SUMS; k++) sums[k] = combine(mode, k, sums[k], partial[w * NB_ISLAND_SUMS + k]);
}

#include "island/program.h"

#define nb_island_kernel NB_REAL_NAME(nb_island_kernel)

/* Gauss-Seidel has a kernel of its own: with all solvers in one, registers would not do. */
template <int relaxes>
static __global__ void __launch_bounds__(NB_ISLAND_MOST_THREADS)
    nb_island_kernel(const nb_island *islands, nb_island_settings settings) {
    extern __shared__ double memory[];
    __shared__ nb_island island;
    if (threadIdx.x == 0) island = islands[blockIdx.x];
    __syncthreads();
    nb_island_shared shared;
    nb_island_lane lane;
    lane.turn = 0;
    nb_island_share(&island, (int)blockDim.x, memory, &shared);
    nb_island_program(&island, &settings, &shared, &lane, relaxes);
}

nb_status nb_islands_cuda(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                          const nb_island_settings *settings) {
    static int64_t allowed[2]; /* once, as it takes time between what went before and the kernel */
    nb_status status;
    const int relaxes = settings->solver == NB_ISLAND_GAUSS_SEIDEL;
    void (*kernel)(const nb_island *, nb_island_settings) = relaxes ? nb_island_kernel<1> : nb_island_kernel<0>;
    if (count == 0) return NB_OK;
    if (shared_bytes > allowed[relaxes])
        NB_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));
    if (shared_bytes > allowed[relaxes]) allowed[relaxes] = shared_bytes;
    kernel<<<(unsigned)count, (unsigned)threads, (size_t)shared_bytes, nb_cuda_stream()>>>(islands, *settings);
    NB_CUDA_TRY(cudaGetLastError());
out:
    return status;
}

/* its shared memory: what is fixed, apart from what an island takes */
void nb_describe_islands(char *text, size_t size) {
    static const char *const names[] = {"island", "island_relax"};
    cudaFuncAttributes a;
    for (int i = 0; i < 2; i++) {
        size_t used = strlen(text);
        if (cudaFuncGetAttributes(&a, i ? nb_island_kernel<1> : nb_island_kernel<0>) == cudaSuccess)
            snprintf(text + used, size - used, "%s%s_" NB_REAL_NAMED " %d+%d", used ? ", " : "", names[i], a.numRegs,
                     (int)a.sharedSizeBytes);
    }
    cudaGetLastError(); /* not to be found by the next launch */
}
