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

/* Eight threads a body; the others of a last warp take part in its exchange. The first four end with the force, the
 * others with the torque. */
static __device__ __forceinline__ void gather(const nb_island *v, const nb_island_settings *p,
                                              const nb_island_shared *s, nb_island_gathering what) {
    const int lane = (int)threadIdx.x % NB_ISLAND_BODY_LANES, groups = (int)blockDim.x / NB_ISLAND_BODY_LANES;
    const int half = lane / (NB_ISLAND_BODY_LANES / 2);
    for (int32_t first = 0; first < s->bodies; first += groups) {
        const int32_t body = first + (int32_t)threadIdx.x / NB_ISLAND_BODY_LANES;
        real total[6], own[3];
        nb_island_gather(v, s, body, lane, total);
        for (int k = 0; k < 3; k++)
            own[k] = (half ? total[3 + k] : total[k]) +
                     __shfl_xor_sync(0xffffffffu, half ? total[k] : total[3 + k], NB_ISLAND_BODY_LANES / 2);
        for (int apart = NB_ISLAND_BODY_LANES / 4; apart > 0; apart /= 2)
            for (int k = 0; k < 3; k++) own[k] += __shfl_xor_sync(0xffffffffu, own[k], apart);
        if (lane % (NB_ISLAND_BODY_LANES / 2) == 0 && body < s->bodies)
            nb_island_move_body(v, p, s, what, body, half, own);
    }
    __syncthreads();
}

static __device__ __forceinline__ double combine(int mode, int which, double a, double b) {
    return mode == NB_LARGEST && which == NB_ISLAND_SUMS - 1 ? nb_island_larger(a, b) : a + b;
}

enum {
    WARPS_AT_ONCE = 4
};

/* Warps in a butterfly, in whose first two steps lanes share the sums out: each eight end with one of the four. Then
 * every thread adds up one warp after the other. What is read here is not written again before the next barrier but
 * one: two halves are taken in turn. */
static __device__ __forceinline__ void reduce(const nb_island_shared *s, nb_island_lane *l, int mode,
                                              double sums[NB_ISLAND_SUMS]) {
    double *partial = s->partial + l->turn * NB_ISLAND_MOST_WARPS * NB_ISLAND_SUMS;
    const int warps = ((int)blockDim.x + NB_ISLAND_WARP - 1) / NB_ISLAND_WARP, lane = (int)threadIdx.x % NB_ISLAND_WARP;
    const int which = lane / 8, high = which / 2, low = which % 2;
    const double *all = l->sums;
    double two[2], value;
    l->turn ^= 1;
    for (int k = 0; k < 2; k++)
        two[k] = combine(mode, 2 * high + k, high ? all[2 + k] : all[k],
                         __shfl_xor_sync(0xffffffffu, high ? all[k] : all[2 + k], 16));
    value = combine(mode, which, low ? two[1] : two[0], __shfl_xor_sync(0xffffffffu, low ? two[0] : two[1], 8));
    for (int apart = 4; apart > 0; apart /= 2)
        value = combine(mode, which, value, __shfl_xor_sync(0xffffffffu, value, apart));
    if (lane % 8 == 0) partial[(int)threadIdx.x / NB_ISLAND_WARP * NB_ISLAND_SUMS + which] = value;
    __syncthreads();
    for (int k = 0; k < NB_ISLAND_SUMS; k++) sums[k] = 0;
#pragma unroll 1
    for (int first = 0; first < warps; first += WARPS_AT_ONCE) /* those beyond the last have zeros */
#pragma unroll
        for (int w = first; w < first + WARPS_AT_ONCE; w++) {
            const double2 *of = (const double2 *)(partial + w * NB_ISLAND_SUMS), a = of[0], b = of[1];
            sums[0] = combine(mode, 0, sums[0], a.x);
            sums[1] = combine(mode, 1, sums[1], a.y);
            sums[2] = combine(mode, 2, sums[2], b.x);
            sums[3] = combine(mode, 3, sums[3], b.y);
        }
}

#include "island/program.h"

#define nb_island_kernel NB_REAL_NAME(nb_island_kernel)

/* Blocks on a multiprocessor where there are more islands than multiprocessors. In double two have half the registers
 * that one would take. Kernels spill then, yet batches took half the time on an H100. */
enum {
    MANY = NB_REAL_BITS == 64 ? 2 : 1
};

/* Gauss-Seidel has a kernel of its own: with all solvers in one, registers would not do. */
template <int relaxes, int blocks>
static __global__ void __launch_bounds__(NB_ISLAND_MOST_THREADS, blocks)
    nb_island_kernel(const nb_island *islands, nb_island_settings settings) {
    extern __shared__ __align__(16) double memory[];
    __shared__ nb_island island;
    if (threadIdx.x == 0) island = islands[blockIdx.x];
    for (int i = (int)threadIdx.x; i < 2 * NB_ISLAND_MOST_WARPS * NB_ISLAND_SUMS; i += (int)blockDim.x) memory[i] = 0;
    __syncthreads();
    nb_island_shared shared;
    nb_island_lane lane;
    lane.turn = 0;
    nb_island_share(&island, (int)blockDim.x, memory, &shared);
    nb_island_program(&island, &settings, &shared, &lane, relaxes);
}

typedef void (*island_kernel)(const nb_island *, nb_island_settings);

static const island_kernel kernels[2][2] = {/* [relaxes][many] */
                                            {nb_island_kernel<0, 1>, nb_island_kernel<0, MANY>},
                                            {nb_island_kernel<1, 1>, nb_island_kernel<1, MANY>}};

nb_status nb_islands_cuda(const nb_island *islands, int32_t count, int32_t threads, int64_t shared_bytes,
                          const nb_island_settings *settings) {
    static int64_t allowed[2][2]; /* once, as it takes time between what went before and the kernel */
    nb_status status;
    const int relaxes = settings->solver == NB_ISLAND_GAUSS_SEIDEL, many = count > nb_cuda_multiprocessors();
    const island_kernel kernel = kernels[relaxes][many];
    if (count == 0) return NB_OK;
    if (shared_bytes > allowed[relaxes][many]) {
        NB_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));
        allowed[relaxes][many] = shared_bytes;
    }
    kernel<<<(unsigned)count, (unsigned)threads, (size_t)shared_bytes, nb_cuda_stream()>>>(islands, *settings);
    NB_CUDA_TRY(cudaGetLastError());
out:
    return status;
}

/* its shared memory: what is fixed, apart from what an island takes */
void nb_describe_islands(char *text, size_t size) {
    static const char *const names[] = {"island", "island_relax"};
    cudaFuncAttributes a;
    for (int i = 0; i < 2; i++)
        for (int many = 0; many < MANY; many++) {
            size_t used = strlen(text);
            if (cudaFuncGetAttributes(&a, kernels[i][many]) == cudaSuccess)
                snprintf(text + used, size - used, "%s%s%s_" NB_REAL_NAMED " %d+%d", used ? ", " : "", names[i],
                         many ? "_many" : "", a.numRegs, (int)a.sharedSizeBytes);
        }
    cudaGetLastError(); /* not to be found by the next launch */
}
