/* A matrix of a preconditioner on a device (preconditioner.h), by blocks of rows, and its transpose as the view has
 * them (nb_view_rows). A block diagonal has no transpose. */
#ifndef NB_CUDA_VECTOR_BACKEND_MATRIX_H
#define NB_CUDA_VECTOR_BACKEND_MATRIX_H

#include "layout.h"
#include "preconditioner.h"

#define nb_matrix_plan NB_STORAGE_NAME(nb_matrix_plan)
#define nb_matrix_plan_make NB_STORAGE_NAME(nb_matrix_plan_make)
#define nb_matrix_plan_fill NB_STORAGE_NAME(nb_matrix_plan_fill)
#define nb_matrix_plan_bind NB_STORAGE_NAME(nb_matrix_plan_bind)
#define nb_matrix_plan_clear NB_STORAGE_NAME(nb_matrix_plan_clear)

typedef struct nb_matrix_plan {
    char *image;           /* [image_bytes] what the head of the device's memory is to hold: */
    int64_t list_bytes;    /* lists, */
    int64_t image_bytes;   /* and the numbers of the transpose; */
    int64_t bytes;         /* those of the matrix itself follow */
    nb_view_rows rows[2];  /* in the image */
    int32_t *block_of;     /* [rows] the block of each row */
    int64_t *start;        /* [blocks + 1] of the transpose: what block j of columns is met by, */
    int32_t *met, *offset; /* the block of rows, and where j begins in it */
    int64_t image_capacity, block_of_capacity, start_capacity, met_capacity, offset_capacity;
} nb_matrix_plan;

/* The lists of this matrix of the system that the layout was made of; *plan is zero, or was made before. */
nb_status nb_matrix_plan_make(nb_matrix_plan *plan, const nb_layout *layout, const nb_block_matrix *matrix);
/* the numbers of its transpose into the image */
void nb_matrix_plan_fill(nb_matrix_plan *plan, const nb_block_matrix *matrix);
/* The view's matrices lie in `memory` [bytes], which begins with the image. */
void nb_matrix_plan_bind(const nb_matrix_plan *plan, void *memory, nb_view *view);
void nb_matrix_plan_clear(nb_matrix_plan *plan);

#endif
