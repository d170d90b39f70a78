/* Cholesky in tiles on this processor: blocks and threads one after the other, in any order (nb_emulated_set_order). */
#include "runtime.h"
#include "tiles.h"

NB_PRECISIONS(f64);

nb_status nb_launch_tiles_emulated(const nb_tiles *tiles, const nb_tile_pass *pass, int32_t blocks);

static void run_stage(const nb_tiles *v, const nb_tile_pass *p, nb_tile_part part, int32_t column, int stage,
                      int32_t block, int32_t blocks) {
    int64_t items = nb_tile_items(v, p, part, column);
    for (int32_t turn = 0; turn < NB_TILE_THREADS; turn++) {
        int32_t thread = nb_emulated_turn(turn, NB_TILE_THREADS);
        for (int64_t i = (int64_t)block * NB_TILE_THREADS + thread; i < items; i += (int64_t)blocks * NB_TILE_THREADS)
            nb_tile_item(v, p, part, column, stage, i);
    }
}

nb_status nb_launch_tiles_emulated(const nb_tiles *v, const nb_tile_pass *p, int32_t blocks) {
    for (int32_t turn = 0; turn < blocks; turn++)
        for (int32_t k = 0; k < p->columns[1] - p->columns[0]; k++)
            for (int part = p->first; part <= (int)p->last; part++)
                for (int stage = 0; stage < nb_tile_stages((nb_tile_part)part); stage++)
                    run_stage(v, p, (nb_tile_part)part, nb_tile_column(p, k), stage, nb_emulated_turn(turn, blocks),
                              blocks);
    return NB_OK;
}
