/* What island/program.h is to know, where each thread of a block is one. */
#ifndef NB_ISLAND_THREADS_CUH
#define NB_ISLAND_THREADS_CUH

#include "island/stages.h"

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
#define NB_MINE(array) (array)
#define NB_GATHER(what) gather(v, p, s, what)
#define NB_REDUCE(mode) reduce(s, lanes, mode, sums)

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
    return which >= mode ? nb_island_larger(a, b) : a + b;
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

/* Blocks on a multiprocessor where there are more islands than multiprocessors. In double two have half the registers
 * that one would take. Kernels spill then, yet batches took half the time on an H100. */
enum {
    MANY = NB_REAL_BITS == 64 ? 2 : 1
};

#endif
