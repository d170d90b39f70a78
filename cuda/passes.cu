/* The kernels of the passes (view.h), compiled for each precision: phases.h over threads. Each thread does every
 * (blocks * NB_THREADS)th item, sums go lane by lane, warp by warp and block by block in a fixed order. */
#include "check.cuh"
#include "phases.h"

#define nb_launch_cuda NB_WORD_NAME(nb_launch_cuda)
#define nb_kernel_items NB_WORD_NAME(nb_kernel_items)
#define nb_kernel_body NB_WORD_NAME(nb_kernel_body)
#define nb_kernel_reduce NB_WORD_NAME(nb_kernel_reduce)

extern "C" nb_status nb_launch_cuda(const nb_view *view, const nb_pass *pass);

static __device__ double fold_warp(double value, int width) {
    for (int offset = width / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

/* the block's sum, in thread 0 */
static __device__ double fold_block(double value) {
    __shared__ double warps[NB_THREADS / NB_WARP];
    int lane = (int)threadIdx.x % NB_WARP, warp = (int)threadIdx.x / NB_WARP;
    value = fold_warp(value, NB_WARP);
    if (lane == 0) warps[warp] = value;
    __syncthreads();
    if (warp == 0) value = fold_warp(lane < NB_THREADS / NB_WARP ? warps[lane] : 0, NB_THREADS / NB_WARP);
    __syncthreads(); /* before the next sum takes `warps` */
    return value;
}

template <int count>
static __device__ void leave_sums(const nb_view &v, const nb_pass &p, const double sums[NB_SUMS]) {
    if (!p.with_sums) return;
    for (int k = 0; k < count; k++) {
        double sum = fold_block(sums[k]);
        if (threadIdx.x == 0) v.partial_sums[(p.first_sum + k) * NB_MOST_BLOCKS + blockIdx.x] = sum;
    }
}

/* every kind but BODY and REDUCE, which is known as the kernel is compiled */
template <int kind>
static __global__ void __launch_bounds__(NB_THREADS) items_kernel(const nb_view v, nb_pass p) {
    double sums[NB_SUMS] = {0, 0, 0, 0};
    int64_t items = nb_pass_items((nb_pass_kind)kind, &v), step = (int64_t)gridDim.x * NB_THREADS;
    p.kind = (nb_pass_kind)kind;
    for (int64_t i = (int64_t)blockIdx.x * NB_THREADS + threadIdx.x; i < items; i += step)
        nb_phase_item(&v, &p, i, sums);
    leave_sums<kind == NB_PASS_UPDATE                                              ? 2
               : kind == NB_PASS_PCR || kind == NB_PASS_PCG || kind == NB_PASS_DOT ? 1
                                                                                   : 0>(v, p, sums);
}

static __global__ void __launch_bounds__(NB_THREADS) body_kernel(const nb_view v, const nb_pass p) {
    double sums[NB_SUMS] = {0, 0, 0, 0};
    int64_t items = nb_pass_items(NB_PASS_BODY, &v), step = (int64_t)gridDim.x * NB_THREADS;
    int lane = (int)threadIdx.x % NB_BODY_LANES;
    unsigned group = ((1u << NB_BODY_LANES) - 1) << (threadIdx.x % NB_WARP - (unsigned)lane);
    for (int64_t i = (int64_t)blockIdx.x * NB_THREADS + threadIdx.x; i < items; i += step) {
        real total[6];
        nb_phase_gather(&v, (int32_t)(i / NB_BODY_LANES), lane, total);
        for (int offset = NB_BODY_LANES / 2; offset > 0; offset /= 2)
            for (int k = 0; k < 6; k++) total[k] += __shfl_down_sync(group, total[k], offset, NB_BODY_LANES);
        if (lane == 0) sums[0] += nb_phase_body(&v, (int32_t)(i / NB_BODY_LANES), total);
    }
    leave_sums<1>(v, p, sums);
}

static __global__ void __launch_bounds__(NB_THREADS) reduce_kernel(const nb_view v, const nb_pass p) {
    double sums[NB_SUMS] = {0, 0, 0, 0};
    nb_phase_reduce(&v, &p, (int32_t)threadIdx.x, sums);
    for (int k = 0; k < NB_SUMS; k++) {
        double sum = fold_block(sums[k]);
        if (threadIdx.x == 0) v.sums[k] = sum;
    }
}

typedef void (*kernel)(const nb_view, nb_pass);

static kernel kernel_of(nb_pass_kind kind) {
    switch (kind) {
    case NB_PASS_VALUES: return items_kernel<NB_PASS_VALUES>;
    case NB_PASS_WEIGHTS: return items_kernel<NB_PASS_WEIGHTS>;
    case NB_PASS_TAKE: return items_kernel<NB_PASS_TAKE>;
    case NB_PASS_GIVE: return items_kernel<NB_PASS_GIVE>;
    case NB_PASS_UPDATE: return items_kernel<NB_PASS_UPDATE>;
    case NB_PASS_BODY: return body_kernel;
    case NB_PASS_PRODUCT: return items_kernel<NB_PASS_PRODUCT>;
    case NB_PASS_PCR: return items_kernel<NB_PASS_PCR>;
    case NB_PASS_PCG: return items_kernel<NB_PASS_PCG>;
    case NB_PASS_BLOCKS: return items_kernel<NB_PASS_BLOCKS>;
    case NB_PASS_DOT: return items_kernel<NB_PASS_DOT>;
    case NB_PASS_COPY: return items_kernel<NB_PASS_COPY>;
    case NB_PASS_AXPY: return items_kernel<NB_PASS_AXPY>;
    case NB_PASS_COMBINE: return items_kernel<NB_PASS_COMBINE>;
    default: return reduce_kernel;
    }
}

nb_status nb_launch_cuda(const nb_view *v, const nb_pass *p) {
    unsigned blocks = p->kind == NB_PASS_REDUCE ? 1 : (unsigned)nb_pass_blocks(p->kind, v);
    kernel_of(p->kind)<<<blocks, NB_THREADS, 0, nb_cuda_stream()>>>(*v, *p);
    return nb_cuda_check(cudaGetLastError(), "a kernel's launch");
}
