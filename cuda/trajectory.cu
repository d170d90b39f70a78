/* The trajectory kernel (trajectory/view.h): a block of threads a copy, for several time steps. Compiled for f32 and
 * f64.
 */
#include <stdio.h>
#include <string.h>

#include "check.cuh"

#define nb_trajectories_cuda NB_REAL_NAME(nb_trajectories_cuda)
#define nb_describe_trajectories NB_REAL_NAME(nb_describe_trajectories)

extern "C" {
#include "runtime.h"
#include "trajectory/view.h"

NB_PRECISIONS(f32, f64);
NB_REAL_NAME(nb_launch_trajectories) nb_trajectories_cuda;
void nb_describe_trajectories(char *text, size_t size);
#include "trajectory/stages.h"
}

#include "island/threads.cuh"
#include "trajectory/steps.h"

#define nb_trajectory_kernel NB_REAL_NAME(nb_trajectory_kernel)

/* Exact steps have a kernel of their own. */
template <int is_exact>
static __global__ void __launch_bounds__(NB_ISLAND_MOST_THREADS, MANY)
    nb_trajectory_kernel(nb_trajectory *copies, nb_trajectory_scene scene, nb_island_settings settings, int32_t steps,
                         nb_trajectory_row *rows) {
    extern __shared__ __align__(16) double memory[];
    __shared__ nb_island island;
    nb_trajectory *copy = &copies[blockIdx.x];
    if (threadIdx.x == 0) island = copy->island;
    for (int i = (int)threadIdx.x; i < 2 * NB_ISLAND_MOST_WARPS * NB_ISLAND_SUMS; i += (int)blockDim.x) memory[i] = 0;
    __syncthreads();
    nb_island_shared shared;
    nb_island_lane lane;
    lane.turn = 0;
    nb_island_share(&island, (int)blockDim.x, memory, &shared);
    rows += (int64_t)blockIdx.x * steps;
    if (is_exact) {
        nb_exact exact;
        nb_exact_lane own;
        nb_exact_share(copy, &scene, &island, memory, &exact);
        nb_trajectory_program(copy, &scene, &island, &settings, &shared, &lane, &exact, &own, steps, rows);
    } else {
        nb_trajectory_program(copy, &scene, &island, &settings, &shared, &lane, NULL, NULL, steps, rows);
    }
}

typedef void (*trajectory_kernel)(nb_trajectory *, nb_trajectory_scene, nb_island_settings, int32_t,
                                  nb_trajectory_row *);

enum {
    KERNELS = NB_REAL_BITS == 64 ? 2 : 1 /* [is_exact] */
};

static const trajectory_kernel kernels[KERNELS] = {nb_trajectory_kernel<0>,
#if NB_REAL_BITS == 64
                                                   nb_trajectory_kernel<1>
#endif
};

nb_status nb_trajectories_cuda(nb_trajectory *copies, int32_t count, int64_t shared_bytes,
                               const nb_trajectory_scene *scene, const nb_island_settings *settings, int32_t steps,
                               nb_trajectory_row *rows) {
    nb_status status;
    const trajectory_kernel kernel = kernels[scene->exact];
    NB_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));
    kernel<<<(unsigned)count, (unsigned)scene->threads, (size_t)shared_bytes, nb_cuda_stream()>>>(
        copies, *scene, *settings, steps, rows);
    NB_CUDA_TRY(cudaGetLastError());
out:
    return status;
}

/* as nb_describe_islands */
void nb_describe_trajectories(char *text, size_t size) {
    cudaFuncAttributes a;
    for (int i = 0; i < KERNELS; i++) {
        const size_t used = strlen(text);
        if (cudaFuncGetAttributes(&a, kernels[i]) == cudaSuccess)
            snprintf(text + used, size - used, "%strajectory_%s" NB_REAL_NAMED " %d+%d", used ? ", " : "",
                     i ? "exact_" : "", a.numRegs, (int)a.sharedSizeBytes);
    }
    cudaGetLastError(); /* not to be found by the next launch */
}
