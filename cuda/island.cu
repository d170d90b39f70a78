/* The island kernel (island/view.h): a block of threads an island, from the step's start to the end of its last Newton
 * iteration. Compiled for f32 and f64. */
#include <stdio.h>
#include <string.h>

#include "check.cuh"

#define nb_islands_cuda NB_REAL_NAME(nb_islands_cuda)
#define nb_describe_islands NB_REAL_NAME(nb_describe_islands)

extern "C" {
#include "island/view.h"
#include "runtime.h"

NB_PRECISIONS(f32, f64);
NB_REAL_NAME(nb_launch_islands) nb_islands_cuda;
void nb_describe_islands(char *text, size_t size);
}

#include "island/threads.cuh"

#include "island/program.h"

#define nb_island_kernel NB_REAL_NAME(nb_island_kernel)

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
