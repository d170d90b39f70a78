/* The kernel of Cholesky in tiles (tiles.h). */
#include <stdio.h>
#include <string.h>

#include "check.cuh"
#include "tiles.h"

NB_PRECISIONS(f64);

extern "C" nb_status nb_launch_tiles(const nb_tiles *tiles, const nb_tile_pass *pass, int32_t blocks);
extern "C" void nb_describe_tiles(char *text, size_t size);

extern "C" __global__ void __launch_bounds__(NB_TILE_THREADS) nb_kernel_tiles(const nb_tiles v, const nb_tile_pass p) {
    const int64_t first = (int64_t)blockIdx.x * NB_TILE_THREADS + threadIdx.x;
    const int barriers = nb_tile_has_barriers(&p);
    for (int32_t turn = 0; turn < p.columns[1] - p.columns[0]; turn++) {
        const int32_t column = nb_tile_column(&p, turn);
        for (int part = p.first; part <= p.last; part++)
            for (int stage = 0; stage < nb_tile_stages((nb_tile_part)part); stage++) {
                const int64_t items = nb_tile_items(&v, &p, (nb_tile_part)part, column);
                for (int64_t i = first; i < items; i += (int64_t)gridDim.x * NB_TILE_THREADS)
                    nb_tile_item(&v, &p, (nb_tile_part)part, column, stage, i);
                if (barriers) __syncthreads();
            }
    }
}

nb_status nb_launch_tiles(const nb_tiles *v, const nb_tile_pass *p, int32_t blocks) {
    nb_kernel_tiles<<<(unsigned)blocks, NB_TILE_THREADS, 0, nb_cuda_stream()>>>(*v, *p);
    return nb_cuda_check(cudaGetLastError(), "a kernel's launch");
}

void nb_describe_tiles(char *text, size_t size) {
    cudaFuncAttributes a;
    size_t used = strlen(text);
    if (cudaFuncGetAttributes(&a, nb_kernel_tiles) == cudaSuccess)
        snprintf(text + used, size - used, "%stiles %d+%d", used ? ", " : "", a.numRegs, (int)a.sharedSizeBytes);
    cudaGetLastError(); /* not to be found by the next launch */
}
