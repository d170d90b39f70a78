/* The operations on vectors alone, in this processor's memory (private to the backends of this folder): a backend
 * begins with an nb_vector_backend_vectors and has NB_VECTOR_BACKEND_VECTORS in its table. */
#ifndef NB_LINEAR_VECTOR_BACKEND_VECTORS_H
#define NB_LINEAR_VECTOR_BACKEND_VECTORS_H

#include "linear/vector_backend_class.h"

#define nb_vector_backend_vectors NB_STORAGE_NAME(nb_vector_backend_vectors)
#define nb_vector_backend_vectors_reserve NB_STORAGE_NAME(nb_vector_backend_vectors_reserve)
#define nb_vector_backend_vectors_unscaled NB_STORAGE_NAME(nb_vector_backend_vectors_unscaled)
#define nb_vector_backend_vectors_scaled_square NB_STORAGE_NAME(nb_vector_backend_vectors_scaled_square)
#define nb_vector_backend_vectors_dot NB_STORAGE_NAME(nb_vector_backend_vectors_dot)
#define nb_vector_backend_vectors_clear NB_STORAGE_NAME(nb_vector_backend_vectors_clear)
#define nb_vector_backend_vectors_copy NB_STORAGE_NAME(nb_vector_backend_vectors_copy)
#define nb_vector_backend_vectors_axpy NB_STORAGE_NAME(nb_vector_backend_vectors_axpy)
#define nb_vector_backend_vectors_combine NB_STORAGE_NAME(nb_vector_backend_vectors_combine)

typedef struct nb_vector_backend_vectors {
    int64_t length; /* of a vector */
    storage *memory;
    int64_t capacity;
    real *scale; /* [length] what norms are scaled by, made when it is asked for */
    int64_t scale_capacity;
    int scaled; /* 0: it is not of the last root; 1: it is that root; 2: its pseudoinverse */
} nb_vector_backend_vectors;

/* Whether `scale` has to be filled, root by root (nb_vector_backend_vectors_scale), before it is used. */
int nb_vector_backend_vectors_unscaled(nb_vector_backend_vectors *v, int inverse);
static inline real nb_vector_backend_vectors_scale(real root, int inverse) {
    return !inverse ? root : root > 0 ? 1 / root : 0;
}
/* |S x|^2, S = scale */
double nb_vector_backend_vectors_scaled_square(const nb_vector_backend_vectors *v, const storage *x);

nb_status nb_vector_backend_vectors_reserve(void *state, int64_t length, storage **memory);
double nb_vector_backend_vectors_dot(void *state, const storage *x, const storage *y);
void nb_vector_backend_vectors_clear(void *state, storage *x);
void nb_vector_backend_vectors_copy(void *state, const storage *x, storage *y);
void nb_vector_backend_vectors_axpy(void *state, double a, const storage *x, storage *y);
void nb_vector_backend_vectors_combine(void *state, double a, const storage *x, double b, storage *y);

#define NB_VECTOR_BACKEND_VECTORS                                                       \
    .reserve = nb_vector_backend_vectors_reserve, .dot = nb_vector_backend_vectors_dot, \
    .clear = nb_vector_backend_vectors_clear, .copy = nb_vector_backend_vectors_copy,   \
    .axpy = nb_vector_backend_vectors_axpy, .combine = nb_vector_backend_vectors_combine

#endif
