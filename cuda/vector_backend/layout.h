/* The place of everything that a view (view.h) points to: the lists of a pattern, made here on the host, and room for
 * the rest, all in one piece of device memory. */
#ifndef NB_CUDA_LAYOUT_H
#define NB_CUDA_LAYOUT_H

#include "base/status.h"
#include "operator/sum.h"
#include "view.h"

#define nb_layout NB_STORAGE_NAME(nb_layout)
#define nb_layout_create NB_STORAGE_NAME(nb_layout_create)
#define nb_layout_destroy NB_STORAGE_NAME(nb_layout_destroy)
#define nb_layout_make NB_STORAGE_NAME(nb_layout_make)
#define nb_layout_place_of NB_STORAGE_NAME(nb_layout_place_of)
#define nb_layout_bind NB_STORAGE_NAME(nb_layout_bind)
#define nb_layout_masses NB_STORAGE_NAME(nb_layout_masses)
#define nb_layout_iteration_bytes NB_STORAGE_NAME(nb_layout_iteration_bytes)
#define nb_layout_jacobians NB_STORAGE_NAME(nb_layout_jacobians)

typedef struct nb_layout {
    nb_view counts;      /* the sizes; its pointers go to the lists in `image` */
    char *image;         /* [image_bytes] what the head of the device's memory is to hold */
    int64_t image_bytes; /* lists and masses */
    int64_t bytes;       /* all of the device's memory, blocks of a preconditioner and vectors apart */
    int64_t image_capacity, rank_capacity, number_capacity;
    int32_t *rank;   /* [nodes of the world] number among the view's + 1; zero between calls */
    int32_t *number; /* [contacts] place of each of the source's contacts */
} nb_layout;

nb_status nb_layout_create(nb_layout **layout);
void nb_layout_destroy(nb_layout *layout);

/* Makes the lists of this source; `coupled`: with blocks K for packs whose blocks have equally many rows. */
nb_status nb_layout_make(nb_layout *layout, const nb_sum_rows *source, int coupled);

/* The item of an UPDATE that does this block of the source made last: its contact, or contact_stride + its row. */
int32_t nb_layout_place_of(const nb_layout *layout, int32_t block);

/* Writes the masses into the image, whose place there the view in `counts` has, as they are now. */
void nb_layout_masses(const nb_layout *layout, const nb_sum_rows *source);

/* The Jacobians of pack i of the view, which is not of tetrahedra: [blocks][rows][pieces][3]. */
void nb_layout_jacobians(const nb_layout *layout, const nb_sum_rows *source, int32_t i, real *out);

/* What a product, or an iteration of PCR, reads and writes where each pass does so once [bytes]. */
double nb_layout_iteration_bytes(const nb_view *view, int pcr);

/* The view whose parts lie in `memory`, that begins with the image. */
nb_view nb_layout_bind(const nb_layout *layout, void *memory);

#endif
