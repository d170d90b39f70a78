/* What a vector backend (vector_backend.h) is made of: one table of functions a kind of operator and device. Here are
 * the two of this processor; a device brings its own (device.h). None allocates but set_pattern and reserve.
 *
 * Sums are over the rows of all processes that share the backend, the same in each of them, to the bit.
 *
 * A device's faults come late. What a function without a status does after a fault is nothing, sums are NAN, and
 * `fault` tells; a solver asks for it before it takes its result. */
#ifndef NB_LINEAR_VECTOR_BACKEND_CLASS_H
#define NB_LINEAR_VECTOR_BACKEND_CLASS_H

#include "base/storage.h"
#include "linear/pcr_run.h"
#include "linear_solver.h"

#define nb_vector_backend_class NB_STORAGE_NAME(nb_vector_backend_class)
#define nb_vector_backend_bodies NB_STORAGE_NAME(nb_vector_backend_bodies)
#define nb_vector_backend_matrix NB_STORAGE_NAME(nb_vector_backend_matrix)

enum {
    NB_VECTOR_BACKEND_PAIRS = 200 /* of vectors in one call */
};

typedef struct nb_vector_backend_class {
    nb_status (*create)(void **state);
    void (*destroy)(void *state);
    nb_status (*set_pattern)(void *state, nb_system *system);
    nb_status (*set_values)(void *state);
    /* the system's s and c, and a diagonal to take in [rows] (NULL: 1) */
    nb_status (*set_weights)(void *state, const real *diagonal);
    int64_t (*length)(const void *state);
    double (*bytes)(const void *state, int pcr); /* NULL: not known */
    /* *memory = room for `length` numbers of vectors; new memory holds zeros. Memory that an earlier call gave is no
     * longer valid */
    nb_status (*reserve)(void *state, int64_t length, storage **memory);
    nb_status (*fault)(void *state);   /* NULL: there are none */
    int (*as_rows)(const void *state); /* not NULL and 1: vectors are `real` [rows], with no diagonal taken in */

    /* Not NULL: applies preconditioners by their parts (preconditioner.h), which it takes here with the weights set
     * last, and makes sweeps; others are applied row by row on this processor. vector[i] = as many vectors to work in
     * as the parts say. multiply, iterate and triangle: vector_operations.h */
    nb_status (*take_parts)(void *state, const nb_preconditioner_parts *parts, void **vector);
    void (*multiply)(void *state, int transposed, const storage *x, storage *out);
    int (*iterate)(void *state, int count, const double *a, const double *b, const storage *r, storage *z);
    void (*triangle)(void *state, int backward, const storage *r, storage *z);
    void (*start_sweep)(void *state);
    double (*sweep)(void *state, int backward, const storage *b, storage *x);

    /* Not NULL: many vectors at once, as in vector_backend.h, NB_VECTOR_BACKEND_PAIRS at most. Elsewhere they are taken
     * one by one. */
    void (*dots)(void *state, int32_t count, const storage *const *x, const storage *const *y, double *sums);
    void (*axpys)(void *state, int32_t count, const double *a, const storage *const *x, storage *y);

    /* as in vector_backend.h */
    void (*take)(void *state, const real *rows, storage *v);
    void (*give)(void *state, const storage *x, double a, const storage *d, real *rows);
    void (*begin_product)(void *state, double a, const storage *x, double b, storage *y, double sums[2]);
    void (*finish_product)(void *state, const storage *y, storage *out);
    double (*finish_pcr)(void *state, const storage *y, double alpha, double beta, storage *x, storage *d, storage *ad,
                         int with_sum);
    double (*finish_pcg)(void *state, const storage *y, double alpha, storage *x, storage *r, int with_sum);
    void (*run_pcr)(void *state, nb_pcr_state *pcr, const nb_pcr_run *run); /* NULL: it cannot */
    double (*dot)(void *state, const storage *x, const storage *y);
    /* |Q v|^2, Q the root of the diagonal that was taken in, or its inverse (zero where it is), by rows */
    double (*scaled_square)(void *state, int inverse, const storage *v);
    void (*clear)(void *state, storage *x);
    void (*copy)(void *state, const storage *x, storage *y);
    void (*axpy)(void *state, double a, const storage *x, storage *y);
    void (*combine)(void *state, double a, const storage *x, double b, storage *y);
} nb_vector_backend_class;

extern const nb_vector_backend_class nb_vector_backend_bodies; /* over bodies, in packed order (operator/packed.h) */
extern const nb_vector_backend_class nb_vector_backend_matrix; /* over whatever nb_system_apply multiplies, by rows */

#endif
