/* What the sources of a device's backend share: its state, and what they ask of the device. Private to this folder. */
#ifndef NB_CUDA_VECTOR_BACKEND_BACKEND_H
#define NB_CUDA_VECTOR_BACKEND_BACKEND_H

#include "layout.h"
#include "linear/vector_backend_class.h"
#include "runtime.h"
#include "vector_backend/inverse_factor.h"
#include "vector_backend/polynomial.h"
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
#define nb_device_operations NB_STORAGE_NAME(nb_device_operations)
#define nb_device_take_diagonal NB_STORAGE_NAME(nb_device_take_diagonal)
#define nb_device_apply_diagonal NB_STORAGE_NAME(nb_device_apply_diagonal)
#define nb_device_take_blocks NB_STORAGE_NAME(nb_device_take_blocks)
#define nb_device_apply_blocks NB_STORAGE_NAME(nb_device_apply_blocks)
#define nb_device_take_sweeps NB_STORAGE_NAME(nb_device_take_sweeps)
#define nb_device_apply_sweeps NB_STORAGE_NAME(nb_device_apply_sweeps)
#define nb_device_start_sweep NB_STORAGE_NAME(nb_device_start_sweep)
#define nb_device_sweep NB_STORAGE_NAME(nb_device_sweep)
#define nb_device_take_polynomial NB_STORAGE_NAME(nb_device_take_polynomial)
#define nb_device_apply_polynomial NB_STORAGE_NAME(nb_device_apply_polynomial)
#define nb_device_take_inverse_factor NB_STORAGE_NAME(nb_device_take_inverse_factor)
#define nb_device_apply_inverse_factor NB_STORAGE_NAME(nb_device_apply_inverse_factor)

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
    char *memory, *block_memory, *sweep_memory, *polynomial_memory, *factor_memory,
        *diagonal_memory; /* of the device */
    storage *vectors;
    int64_t memory_capacity, block_capacity, sweep_capacity, polynomial_capacity, factor_capacity, diagonal_capacity,
        vector_capacity;         /* [bytes] */
    nb_sweep_plan plan;          /* of the colouring below */
    const nb_colouring *planned; /* NULL: none of this pattern */
    real omega;
    nb_linear_norm norm; /* of the sweeps */
    nb_polynomial_plan polynomial;
    nb_factor_plan factor;
    const int32_t *factored; /* the columns that it was made of; NULL: none of this pattern */
    storage *diagonal;       /* of a preconditioner */
    nb_vector_list list[NB_DEVICE_LISTS];
    void *recording;     /* of some iterations of PCR, or NULL */
    int outdated;        /* 1: it is of another view */
    nb_pass recorded[3]; /* its passes */
    int32_t iterations;  /* and how many iterations of them it has */
    double *sums;        /* [NB_SUMS + NB_PAIRS] shared with the device */
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

extern const nb_vector_backend_class *const nb_device_operations; /* all of them, of any device */

void nb_device_take(void *state, const real *rows, storage *v);

/* preconditioners.c */
nb_status nb_device_take_diagonal(void *state, const real *diagonal);
void nb_device_apply_diagonal(void *state, const storage *r, storage *z);
nb_status nb_device_take_blocks(void *state, const nb_preconditioner_blocks *blocks);
void nb_device_apply_blocks(void *state, const storage *r, storage *z);
nb_status nb_device_take_sweeps(void *state, const nb_sweeps *sweeps);
void nb_device_apply_sweeps(void *state, const storage *r, storage *z);
void nb_device_start_sweep(void *state);
double nb_device_sweep(void *state, int backward, const storage *b, storage *x);
nb_status nb_device_take_polynomial(void *state, const nb_polynomial *polynomial);
void nb_device_apply_polynomial(void *state, const storage *r, storage *z);
nb_status nb_device_take_inverse_factor(void *state, const nb_inverse_factor *factor);
void nb_device_apply_inverse_factor(void *state, const storage *r, storage *z);

#define NB_DEVICE_PRECONDITIONERS                                                                                 \
    .take_diagonal = nb_device_take_diagonal, .apply_diagonal = nb_device_apply_diagonal,                         \
    .take_blocks = nb_device_take_blocks, .apply_blocks = nb_device_apply_blocks,                                 \
    .take_sweeps = nb_device_take_sweeps, .apply_sweeps = nb_device_apply_sweeps,                                 \
    .start_sweep = nb_device_start_sweep, .sweep = nb_device_sweep, .take_polynomial = nb_device_take_polynomial, \
    .apply_polynomial = nb_device_apply_polynomial, .take_inverse_factor = nb_device_take_inverse_factor,         \
    .apply_inverse_factor = nb_device_apply_inverse_factor

#endif
