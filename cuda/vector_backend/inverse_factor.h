/* A factor G of an inverse on a device (preconditioner.h): G and its transpose as the view has them (nb_view_rows). */
#ifndef NB_CUDA_VECTOR_BACKEND_INVERSE_FACTOR_H
#define NB_CUDA_VECTOR_BACKEND_INVERSE_FACTOR_H

#include "layout.h"
#include "preconditioner.h"

#define nb_factor_plan NB_STORAGE_NAME(nb_factor_plan)
#define nb_factor_plan_make NB_STORAGE_NAME(nb_factor_plan_make)
#define nb_factor_plan_fill NB_STORAGE_NAME(nb_factor_plan_fill)
#define nb_factor_plan_bind NB_STORAGE_NAME(nb_factor_plan_bind)
#define nb_factor_plan_clear NB_STORAGE_NAME(nb_factor_plan_clear)

typedef struct nb_factor_plan {
    char *image;                            /* [image_bytes] what the head of the device's memory is to hold */
    int64_t list_bytes, image_bytes, bytes; /* lists; and numbers; of device memory, with the vector G r as well */
    storage *half_way;                      /* of the device */
    /* private */
    nb_view_rows rows[2];  /* in the image */
    int32_t *block_of;     /* [rows] the block of each row */
    int64_t *start;        /* [blocks + 1] of the transpose: what block j of columns is met by, */
    int32_t *met, *offset; /* the block of rows, and where j begins in it */
    int64_t image_capacity, block_of_capacity, start_capacity, met_capacity, offset_capacity;
} nb_factor_plan;

/* The lists of this factor of the system that the layout was made of; *plan is zero, or was made before. */
nb_status nb_factor_plan_make(nb_factor_plan *plan, const nb_layout *layout, const nb_inverse_factor *factor);
/* its numbers into the image */
void nb_factor_plan_fill(nb_factor_plan *plan, const nb_inverse_factor *factor);
/* The view's matrices and the vector lie in `memory` [bytes], which begins with the image. */
void nb_factor_plan_bind(nb_factor_plan *plan, void *memory, nb_view *view);
void nb_factor_plan_clear(nb_factor_plan *plan);

#endif
