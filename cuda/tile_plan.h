/* Which tiles (tiles.h) the factor of a sparse matrix has, found on the host, and where everything lies in the device's
 * memory. */
#ifndef NB_CUDA_TILE_PLAN_H
#define NB_CUDA_TILE_PLAN_H

#include "base/status.h"
#include "tiles.h"

typedef struct nb_tile_plan {
    nb_tiles counts;     /* the sizes; its pointers go to the lists in `image` */
    int64_t tiles;       /* how many there are */
    char *image;         /* [image_bytes] what the head of the device's memory is to hold: the lists */
    int64_t image_bytes; /* the lists */
    int64_t bytes;       /* all of the device's memory */
    int64_t image_capacity, mask_capacity;
    uint64_t *mask; /* [columns][words] the rows of tiles that each column has, a bit each */
} nb_tile_plan;

/* For entry k at row[k] and column[k] <= row[k], of `entries`, of a matrix of `rows` rows. */
nb_status nb_tile_plan_make(nb_tile_plan *plan, int32_t rows, int64_t entries, const int32_t *row,
                            const int32_t *column);
void nb_tile_plan_clear(nb_tile_plan *plan);

/* The tiles whose parts lie in `memory` [bytes], which begins with the image. */
nb_tiles nb_tile_plan_bind(const nb_tile_plan *plan, void *memory);

#endif
