/* The kernels of the passes (view.h), compiled for each precision: stages.h over threads. Each thread does every
 * (blocks * NB_THREADS)th item, sums go lane by lane, warp by warp and block by block in a fixed order. */
#include <stdio.h>
#include <string.h>

#include "check.cuh"
#include "group_stages.h"

NB_PRECISIONS(f32, f64, mixed);

#define nb_launch_cuda NB_STORAGE_NAME(nb_launch_cuda)
#define nb_describe_kernels NB_STORAGE_NAME(nb_describe_kernels)

extern "C" nb_status nb_launch_cuda(const nb_view *view, const nb_pass *pass);
extern "C" void nb_describe_kernels(char *text, size_t size);

static __device__ double fold_warp(double value, int width) {
    for (int offset = width / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

/* The block's `count` sums, in thread 0; all go through one barrier. The caller has another one before it comes here
 * again. */
template <int count>
static __device__ __forceinline__ void fold_block(double *sums) {
    __shared__ double warps[count][NB_THREADS / NB_WARP];
    const int lane = (int)threadIdx.x % NB_WARP, warp = (int)threadIdx.x / NB_WARP, most = (int)blockDim.x / NB_WARP;
    for (int k = 0; k < count; k++) sums[k] = fold_warp(sums[k], NB_WARP);
    for (int k = 0; k < count && lane == 0; k++) warps[k][warp] = sums[k];
    __syncthreads();
    for (int k = 0; k < count && warp == 0; k++)
        sums[k] = fold_warp(lane < most ? warps[k][lane] : 0, NB_THREADS / NB_WARP);
}

template <int count>
static __device__ __forceinline__ void leave_sums(const nb_view &v, const nb_pass &p, double sums[NB_SUMS]) {
    if constexpr (count > 0) {
        if (!p.with_sums) return;
        fold_block<count>(sums);
        for (int k = 0; k < count && threadIdx.x == 0; k++)
            v.partial_sums[(p.first_sum + k) * NB_MOST_BLOCKS + blockIdx.x] = sums[k];
    }
}

/* every kind but BODY, ROWS and REDUCE, which is known as the kernel is compiled, and so is whether there are packs */
template <int kind, int packs = 0>
static __device__ __forceinline__ void run_items(const nb_view &v, nb_pass p) {
    double sums[NB_SUMS] = {0};
    if (nb_pass_is_over(&v, &p)) return; /* the whole block, here and below */
    int64_t items = nb_pass_items((nb_pass_kind)kind, &v), step = (int64_t)gridDim.x * NB_THREADS;
    p.kind = (nb_pass_kind)kind;
    for (int64_t i = (int64_t)blockIdx.x * NB_THREADS + threadIdx.x; i < items; i += step)
        nb_stage_item(&v, &p, i, packs, sums);
    leave_sums<nb_pass_sum_count((nb_pass_kind)kind)>(v, p, sums);
}

/* kernels by the names that records and ptxas know them by: nb_update_f32, ... */
#define KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(NB_THREADS) NB_STORAGE_NAME(name)(const nb_view v, nb_pass p)
/* the same, with at least so many blocks a multiprocessor: decisions take many registers, and one thread makes them */
#define DECIDING_KERNEL(name)                                                            \
    extern "C" __global__ void __launch_bounds__(NB_THREADS, NB_REAL_BITS == 32 ? 4 : 3) \
        NB_STORAGE_NAME(name)(const nb_view v, nb_pass p)
KERNEL(nb_kernel_values) {
    run_items<NB_PASS_VALUES>(v, p);
}
KERNEL(nb_kernel_weights) {
    run_items<NB_PASS_WEIGHTS>(v, p);
}
KERNEL(nb_kernel_take) {
    run_items<NB_PASS_TAKE>(v, p);
}
KERNEL(nb_kernel_give) {
    run_items<NB_PASS_GIVE>(v, p);
}
KERNEL(nb_kernel_update) {
    run_items<NB_PASS_UPDATE>(v, p);
}
KERNEL(nb_kernel_product) {
    run_items<NB_PASS_PRODUCT>(v, p);
}
KERNEL(nb_kernel_pcr) {
    run_items<NB_PASS_PCR>(v, p);
}
KERNEL(nb_kernel_pcg) {
    run_items<NB_PASS_PCG>(v, p);
}
KERNEL(nb_kernel_blocks) {
    run_items<NB_PASS_BLOCKS>(v, p);
}
KERNEL(nb_kernel_rows) {
    if (nb_pass_is_over(&v, &p)) return;
    const int64_t items = nb_pass_items(NB_PASS_ROWS, &v), step = (int64_t)gridDim.x * NB_THREADS;
    const int lane = (int)threadIdx.x % NB_WARP;
    for (int64_t i = (int64_t)blockIdx.x * NB_THREADS + threadIdx.x; i < items; i += step) {
        const int32_t block = (int32_t)(i / NB_WARP);
        real sum[NB_BLOCK_ROWS];
        nb_stage_rows(&v, &p, block, lane, sum);
        for (int offset = NB_WARP / 2; offset > 0; offset /= 2)
            for (int k = 0; k < NB_BLOCK_ROWS; k++) sum[k] += __shfl_down_sync(0xffffffffu, sum[k], offset);
        if (lane == 0) nb_stage_rows_end(&v, &p, block, sum);
    }
}
KERNEL(nb_kernel_factors) {
    run_items<NB_PASS_FACTORS>(v, p);
}
KERNEL(nb_kernel_start) {
    run_items<NB_PASS_START>(v, p);
}
KERNEL(nb_kernel_step) {
    run_items<NB_PASS_STEP>(v, p);
}
KERNEL(nb_kernel_dot) {
    run_items<NB_PASS_DOT>(v, p);
}
KERNEL(nb_kernel_scaled) {
    run_items<NB_PASS_SCALED>(v, p);
}
KERNEL(nb_kernel_copy) {
    run_items<NB_PASS_COPY>(v, p);
}
KERNEL(nb_kernel_axpy) {
    run_items<NB_PASS_AXPY>(v, p);
}
KERNEL(nb_kernel_combine) {
    run_items<NB_PASS_COMBINE>(v, p);
}

KERNEL(nb_kernel_axpys) {
    run_items<NB_PASS_AXPYS>(v, p);
}
KERNEL(nb_kernel_own_collect) {
    run_items<NB_PASS_OWN_COLLECT>(v, p);
}
KERNEL(nb_kernel_own_residual) {
    run_items<NB_PASS_OWN_RESIDUAL>(v, p);
}
KERNEL(nb_kernel_pairs) {
    double sums[NB_SUMS] = {0};
    const int32_t block = (int32_t)blockIdx.x, chunks = nb_pair_chunks(&v), chunk = block % chunks;
    nb_stage_pairs(&v, &p, block / chunks, (int64_t)chunk * NB_THREADS + threadIdx.x, (int64_t)chunks * NB_THREADS,
                   sums);
    fold_block<NB_PAIR_GROUP>(sums);
    for (int k = 0; k < NB_PAIR_GROUP && threadIdx.x == 0; k++) {
        double *place = nb_pair_sum_place(&v, &p, block, k);
        if (place) *place = sums[k];
    }
}
KERNEL(nb_kernel_pair_sums) {
    double sum = nb_stage_pair_sum(&v, (int32_t)blockIdx.x, (int32_t)threadIdx.x);
    fold_block<1>(&sum);
    if (threadIdx.x == 0) *nb_pair_total(&v, &p, (int32_t)blockIdx.x) = sum;
}
KERNEL(nb_kernel_own_project) {
    __shared__ double c[NB_PAIRS / 2], d[NB_PAIRS / 2];
    const int32_t count = p.counts[0], i = (int32_t)threadIdx.x;
    if (nb_pass_is_over(&v, &p)) return;
    nb_project_begin(&v, &p, i, c);
    for (int32_t l = 0; l < count; l++) {
        __syncthreads();
        nb_project_lower(&v, &p, l, i, c, d);
    }
    for (int32_t l = count - 1; l >= 0; l--) {
        __syncthreads();
        nb_project_upper(&v, l, i, d, c);
    }
    if (i < count) v.axpy_a[i] = (real)-c[i];
}

/* RELAX and TRIANGLE: several colours in one block, with a barrier after each of them */
template <int kind>
static __device__ __forceinline__ void run_groups(const nb_view &v, nb_pass p) {
    double sums[NB_SUMS] = {0};
    if (nb_pass_is_over(&v, &p)) return;
    int32_t colours = p.colours[1] - p.colours[0];
    p.kind = (nb_pass_kind)kind;
    for (int32_t turn = 0; turn < colours; turn++) {
        int32_t colour = nb_sweep_colour(&p, turn), end = v.colour_start[colour + 1];
        for (int64_t i = v.colour_start[colour] + (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < end;
             i += (int64_t)gridDim.x * blockDim.x)
            nb_stage_group(&v, &p, (int32_t)i, sums);
        if (colours > 1) __syncthreads();
    }
    if (!p.with_sums) return;
    double *partial = &v.partial_sums[p.first_sum * NB_MOST_BLOCKS + blockIdx.x];
    fold_block<1>(sums);
    if (threadIdx.x == 0) *partial = (int)blockIdx.x < p.counts[0] ? *partial + sums[0] : sums[0];
}

KERNEL(nb_kernel_pivots) {
    run_items<NB_PASS_PIVOTS>(v, p);
}
/* with two blocks a multiprocessor at least: a thread holds the velocities and masses of two bodies */
#define GROUP_KERNEL(name) \
    extern "C" __global__ void __launch_bounds__(NB_THREADS, 2) NB_STORAGE_NAME(name)(const nb_view v, nb_pass p)
GROUP_KERNEL(nb_kernel_relax) {
    run_groups<NB_PASS_RELAX>(v, p);
}
GROUP_KERNEL(nb_kernel_triangle) {
    run_groups<NB_PASS_TRIANGLE>(v, p);
}

template <int packs>
static __device__ __forceinline__ void run_bodies(const nb_view &v, const nb_pass &p) {
    double sums[NB_SUMS] = {0};
    if (nb_pass_is_over(&v, &p)) return;
    int64_t items = nb_pass_items(NB_PASS_BODY, &v), step = (int64_t)gridDim.x * NB_THREADS;
    int lane = (int)threadIdx.x % NB_BODY_LANES;
    unsigned group = ((1u << NB_BODY_LANES) - 1) << (threadIdx.x % NB_WARP - (unsigned)lane);
    for (int64_t i = (int64_t)blockIdx.x * NB_THREADS + threadIdx.x; i < items; i += step) {
        real total[6];
        nb_stage_gather(&v, (int32_t)(i / NB_BODY_LANES), lane, packs, total);
        for (int offset = NB_BODY_LANES / 2; offset > 0; offset /= 2)
            for (int k = 0; k < 6; k++) total[k] += __shfl_down_sync(group, total[k], offset, NB_BODY_LANES);
        if (lane == 0) sums[0] += nb_stage_body(&v, (int32_t)(i / NB_BODY_LANES), packs, total);
    }
    leave_sums<1>(v, p, sums);
}

KERNEL(nb_kernel_body) {
    run_bodies<0>(v, p);
}

KERNEL(nb_kernel_reduce) {
    double sums[NB_SUMS] = {0};
    nb_stage_reduce(&v, &p, (int32_t)threadIdx.x, 0, NB_REDUCED, sums);
    fold_block<NB_REDUCED>(sums);
    for (int k = 0; k < NB_REDUCED && threadIdx.x == 0; k++) v.sums[k] = sums[k];
}

/* The state after the decision that opens a pass, the same in every block; the first block leaves it for the next pass.
 * The state before is on its way while the sums are folded. */
template <int kind>
static __device__ __forceinline__ nb_pcr_slot decide(const nb_view &v, const nb_pass &p) {
    constexpr int first = nb_own_first_sum((nb_pass_kind)kind), count = nb_own_sum_count((nb_pass_kind)kind);
    __shared__ nb_pcr_slot slot;
    double sums[NB_SUMS] = {0};
    nb_pcr_slot before;
    if (threadIdx.x == 0) before = v.slots[kind == NB_PASS_OWN_UPDATE];
    nb_own_reduce(&v, &p, (nb_pass_kind)kind, (int32_t)threadIdx.x, sums);
    fold_block<count>(sums + first);
    if (threadIdx.x == 0) {
        slot = nb_own_decision(&before, (nb_pass_kind)kind, sums);
        if (kind == NB_PASS_OWN_UPDATE && blockIdx.x == 0) nb_own_log(&v, &p, &before, sums[NB_SUM_OF_AD]);
        if (blockIdx.x == 0) *nb_own_target(&v, (nb_pass_kind)kind) = slot;
    }
    __syncthreads();
    return slot;
}

template <int kind, int packs = 0>
static __device__ __forceinline__ void run_own(const nb_view &v, const nb_pass &p) {
    nb_pcr_slot slot = decide<kind>(v, p);
    if (slot.state.reason != NB_REASON_NONE) return;
    nb_pass own = p;
    own.kind = (nb_pass_kind)kind;
    run_items<kind == NB_PASS_OWN_PCR ? NB_PASS_PCR : NB_PASS_UPDATE, packs>(v, nb_own_pass(&own, &slot.state));
}

DECIDING_KERNEL(nb_kernel_own_pcr) {
    run_own<NB_PASS_OWN_PCR>(v, p);
}
DECIDING_KERNEL(nb_kernel_own_update) {
    run_own<NB_PASS_OWN_UPDATE>(v, p);
}
DECIDING_KERNEL(nb_kernel_own_decide) {
    decide<NB_PASS_OWN_DECIDE>(v, p);
}

/* The same for scenes with packs, which take more registers; at least two blocks a multiprocessor. */
GROUP_KERNEL(nb_kernel_packs_values) {
    run_items<NB_PASS_VALUES, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_weights) {
    run_items<NB_PASS_WEIGHTS, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_update) {
    run_items<NB_PASS_UPDATE, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_body) {
    run_bodies<1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_product) {
    run_items<NB_PASS_PRODUCT, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_pcr) {
    run_items<NB_PASS_PCR, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_pcg) {
    run_items<NB_PASS_PCG, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_start) {
    run_items<NB_PASS_START, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_step) {
    run_items<NB_PASS_STEP, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_own_pcr) {
    run_own<NB_PASS_OWN_PCR, 1>(v, p);
}
GROUP_KERNEL(nb_kernel_packs_own_update) {
    run_own<NB_PASS_OWN_UPDATE, 1>(v, p);
}

typedef void (*kernel)(const nb_view, nb_pass);

static const struct {
    const char *name;
    kernel run;
} kernels[NB_PASS_KINDS] = {
    /* in the order of nb_pass_kind */
    {"values", NB_STORAGE_NAME(nb_kernel_values)},
    {"weights", NB_STORAGE_NAME(nb_kernel_weights)},
    {"take", NB_STORAGE_NAME(nb_kernel_take)},
    {"give", NB_STORAGE_NAME(nb_kernel_give)},
    {"update", NB_STORAGE_NAME(nb_kernel_update)},
    {"body", NB_STORAGE_NAME(nb_kernel_body)},
    {"product", NB_STORAGE_NAME(nb_kernel_product)},
    {"pcr", NB_STORAGE_NAME(nb_kernel_pcr)},
    {"pcg", NB_STORAGE_NAME(nb_kernel_pcg)},
    {"blocks", NB_STORAGE_NAME(nb_kernel_blocks)},
    {"rows", NB_STORAGE_NAME(nb_kernel_rows)},
    {"factors", NB_STORAGE_NAME(nb_kernel_factors)},
    {"start", NB_STORAGE_NAME(nb_kernel_start)},
    {"step", NB_STORAGE_NAME(nb_kernel_step)},
    {"pivots", NB_STORAGE_NAME(nb_kernel_pivots)},
    {"relax", NB_STORAGE_NAME(nb_kernel_relax)},
    {"triangle", NB_STORAGE_NAME(nb_kernel_triangle)},
    {"dot", NB_STORAGE_NAME(nb_kernel_dot)},
    {"scaled", NB_STORAGE_NAME(nb_kernel_scaled)},
    {"copy", NB_STORAGE_NAME(nb_kernel_copy)},
    {"axpy", NB_STORAGE_NAME(nb_kernel_axpy)},
    {"combine", NB_STORAGE_NAME(nb_kernel_combine)},
    {"axpys", NB_STORAGE_NAME(nb_kernel_axpys)},
    {"pairs", NB_STORAGE_NAME(nb_kernel_pairs)},
    {"pair_sums", NB_STORAGE_NAME(nb_kernel_pair_sums)},
    {"reduce", NB_STORAGE_NAME(nb_kernel_reduce)},
    {"own_project", NB_STORAGE_NAME(nb_kernel_own_project)},
    {"own_collect", NB_STORAGE_NAME(nb_kernel_own_collect)},
    {"own_residual", NB_STORAGE_NAME(nb_kernel_own_residual)},
    {"own_pcr", NB_STORAGE_NAME(nb_kernel_own_pcr)},
    {"own_update", NB_STORAGE_NAME(nb_kernel_own_update)},
    {"own_decide", NB_STORAGE_NAME(nb_kernel_own_decide)},
};

/* where packs make another one of it */
static const struct {
    nb_pass_kind kind;
    const char *name;
    kernel run;
} packs_kernels[] = {
    {NB_PASS_VALUES, "packs_values", NB_STORAGE_NAME(nb_kernel_packs_values)},
    {NB_PASS_WEIGHTS, "packs_weights", NB_STORAGE_NAME(nb_kernel_packs_weights)},
    {NB_PASS_UPDATE, "packs_update", NB_STORAGE_NAME(nb_kernel_packs_update)},
    {NB_PASS_BODY, "packs_body", NB_STORAGE_NAME(nb_kernel_packs_body)},
    {NB_PASS_PRODUCT, "packs_product", NB_STORAGE_NAME(nb_kernel_packs_product)},
    {NB_PASS_PCR, "packs_pcr", NB_STORAGE_NAME(nb_kernel_packs_pcr)},
    {NB_PASS_PCG, "packs_pcg", NB_STORAGE_NAME(nb_kernel_packs_pcg)},
    {NB_PASS_START, "packs_start", NB_STORAGE_NAME(nb_kernel_packs_start)},
    {NB_PASS_STEP, "packs_step", NB_STORAGE_NAME(nb_kernel_packs_step)},
    {NB_PASS_OWN_PCR, "packs_own_pcr", NB_STORAGE_NAME(nb_kernel_packs_own_pcr)},
    {NB_PASS_OWN_UPDATE, "packs_own_update", NB_STORAGE_NAME(nb_kernel_packs_own_update)},
};

static kernel kernel_for(const nb_view *v, nb_pass_kind kind) {
    for (size_t i = 0; v->packs > 0 && i < sizeof packs_kernels / sizeof *packs_kernels; i++)
        if (packs_kernels[i].kind == kind) return packs_kernels[i].run;
    return kernels[kind].run;
}

nb_status nb_launch_cuda(const nb_view *v, const nb_pass *p) {
    int32_t blocks = nb_launch_blocks(p, v);
    int32_t threads = nb_pass_is_sweep(p->kind) ? nb_sweep_threads(p) : NB_THREADS;
    kernel_for(v, p->kind)<<<(unsigned)blocks, (unsigned)threads, 0, nb_cuda_stream()>>>(*v, *p);
    return nb_cuda_check(cudaGetLastError(), "a kernel's launch");
}

static size_t describe_kernel(const char *name, kernel run, char *text, size_t used, size_t size) {
    cudaFuncAttributes a;
    if (used >= size || cudaFuncGetAttributes(&a, run) != cudaSuccess) return used;
    return used + (size_t)snprintf(text + used, size - used, "%s%s_" NB_STORAGE_NAMED " %d+%d", used ? ", " : "", name,
                                   a.numRegs, (int)a.sharedSizeBytes);
}

void nb_describe_kernels(char *text, size_t size) {
    size_t used = strlen(text);
    for (int i = 0; i < NB_PASS_KINDS; i++) used = describe_kernel(kernels[i].name, kernels[i].run, text, used, size);
    for (size_t i = 0; i < sizeof packs_kernels / sizeof *packs_kernels; i++)
        used = describe_kernel(packs_kernels[i].name, packs_kernels[i].run, text, used, size);
    cudaGetLastError(); /* not to be found by the next launch */
}
