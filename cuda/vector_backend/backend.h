/* What the sources of a device's backend share: its state, and what they ask of the device. Private to this folder. */
#ifndef NB_CUDA_VECTOR_BACKEND_BACKEND_H
#define NB_CUDA_VECTOR_BACKEND_BACKEND_H

#include "layout.h"
#include "linear/vector_backend_class.h"
#include "runtime.h"
#include "vector_backend/matrix.h"
#include "vector_backend/sweeps.h"
#include "view.h"

#define nb_device_backend NB_STORAGE_NAME(nb_device_backend)
#define nb_vector_list NB_STORAGE_NAME(nb_vector_list)
#define nb_device_note NB_STORAGE_NAME(nb_device_note)
#define nb_device_launch NB_STORAGE_NAME(nb_device_launch)
#define nb_device_upload NB_STORAGE_NAME(nb_device_upload)
#define nb_device_grow NB_STORAGE_NAME(nb_device_grow)
#define nb_device_fault NB_STORAGE_NAME(nb_device_fault)
#define nb_device_mark NB_STORAGE_NAME(nb_device_mark)
#define nb_device_name NB_STORAGE_NAME(nb_device_name)
#define nb_device_velocity_bytes NB_STORAGE_NAME(nb_device_velocity_bytes)
#define nb_device_take NB_STORAGE_NAME(nb_device_take)
#define nb_device_take_parts NB_STORAGE_NAME(nb_device_take_parts)
#define nb_device_multiply NB_STORAGE_NAME(nb_device_multiply)
#define nb_device_iterate NB_STORAGE_NAME(nb_device_iterate)
#define nb_device_triangle NB_STORAGE_NAME(nb_device_triangle)
#define nb_device_start_sweep NB_STORAGE_NAME(nb_device_start_sweep)
#define nb_device_sweep NB_STORAGE_NAME(nb_device_sweep)

/* the lists of vectors that passes go through */
enum {
    NB_DEVICE_PAIRS_X,
    NB_DEVICE_PAIRS_Y,
    NB_DEVICE_AXPYS_X,
    NB_DEVICE_LISTS
};

/* one as the device has it, so that it is not sent twice */
typedef struct nb_vector_list {
    int32_t count;
    const storage *vector[NB_PAIRS];
} nb_vector_list;

typedef struct nb_device_backend {
    const nb_runtime *runtime;
    nb_status fault; /* the first, with its message; nothing is done after it */
    char message[512];
    nb_system *system; /* borrowed */
    nb_layout *layout;
    nb_view view;
    char *memory, *sweep_memory, *matrix_memory, *part_memory, *projection_memory; /* of the device */
    storage *vectors;
    int64_t memory_capacity, sweep_capacity, matrix_capacity, part_capacity, projection_capacity,
        vector_capacity;         /* [bytes] */
    nb_sweep_plan plan;          /* of the colouring below */
    const nb_colouring *planned; /* NULL: none of this pattern */
    real omega;
    nb_linear_norm norm; /* of the sweeps */
    nb_matrix_plan matrix;
    const int32_t *planned_matrix; /* its blocks; NULL: none of this pattern */
    int by_factors;                /* 1: they are factors of blocks, */
    int by_contacts;               /* and those of contacts, for `iterate` */
    storage *diagonal;             /* the matrix is this one; NULL: it is not diagonal */
    storage *work;                 /* a vector to work in */
    nb_vector_list list[NB_DEVICE_LISTS];
    void *recording;     /* of some iterations of PCR, or NULL */
    int outdated;        /* 1: it is of another view */
    nb_pcr_run recorded; /* what it is of, */
    int32_t iterations;  /* how many iterations it has, */
    int64_t inner;       /* and products of each with A by the preconditioner */
    int32_t first;       /* the number of the first one of the run */
    int slot;            /* of passes (view.h) */
    double *sums;        /* [NB_REDUCED + NB_PAIRS], and view.told, shared with the device */
    real *jacobians;     /* of a pack, on their way */
    int64_t jacobian_capacity;
} nb_device_backend;

/* ---- what is asked of the device; after a fault nothing ---- */

/* this is the first fault, unless it is none */
void nb_device_note(nb_device_backend *s, nb_status status);
nb_status nb_device_fault(void *state);
void nb_device_mark(const nb_device_backend *s, nb_runtime_time what);
void nb_device_launch(nb_device_backend *s, nb_pass pass);
void nb_device_upload(nb_device_backend *s, void *to, const void *from, int64_t bytes);
/* device memory of at least so many bytes; what it held is lost where it grows */
nb_status nb_device_grow(const nb_device_backend *s, int64_t bytes, int64_t *capacity, void *pointer);
const char *nb_device_name(const nb_device_backend *s);
int64_t nb_device_velocity_bytes(const nb_device_backend *s);

/* ---- operations of the class (linear/vector_backend_class.h) ---- */

void nb_device_take(void *state, const real *rows, storage *v);

/* preconditioners.c */
nb_status nb_device_take_parts(void *state, const nb_preconditioner_parts *parts, void **vector);
void nb_device_multiply(void *state, int transposed, const storage *x, storage *out);
int nb_device_iterate(void *state, int count, const double *a, const double *b, const storage *r, storage *z);
void nb_device_triangle(void *state, int backward, const storage *r, storage *z);
void nb_device_start_sweep(void *state);
double nb_device_sweep(void *state, int backward, const storage *b, storage *x);

#endif
