/* Where the vectors and products of linear solvers live: this processor, or an accelerator. */
#ifndef NB_DEVICE_H
#define NB_DEVICE_H

#include "base/status.h"

/* what a record says of a device, texts of one line */
typedef struct nb_device_facts {
    char platform[128]; /* versions of its runtime and driver */
    char device[128];   /* its name, size and clocks */
    char kernels[4096]; /* of each kernel "name registers+bytes of shared memory", with ", " between them */
} nb_device_facts;

/* how numbers of several processes become one */
typedef enum nb_reduction {
    NB_REDUCTION_SUM,
    NB_REDUCTION_LARGEST
} nb_reduction;

/* A device other than this processor, which is what a NULL stands for. Solvers that work through a backend
 * (solvers/linear/vector_backend.h) run on it unchanged.
 *
 * Several processes that share the rows of a system are a device as well: each has an nb_system of its own rows, whose
 * operator and backend exchange what they need of the others. All of them make the same calls in the same order. */
typedef struct nb_device {
    const char *name;    /* as --device takes it */
    const char *summary; /* one line */
    /* NB_OK where it can be used; NB_ERROR_UNSUPPORTED with one line that says what is missing */
    nb_status (*check)(void);
    /* Fills the facts where the device was opened by a `check` that succeeded, else leaves "" in them; NULL: it has
     * none. */
    void (*describe)(nb_device_facts *facts);
    /* Time that it spent since the last call [s]: on kernels, waits for the host between them included, and on copies
     * to and from it. NULL: not measured. */
    void (*take_times)(double *work_s, double *transfer_s);
    double warm_up_s; /* of work that it takes before its clocks are those of work, and times are taken */
    /* Bandwidth of its memory [GB/s]: what a copy within it reads and writes, together over at least `bytes`, or more
     * where its caches would hold that. */
    nb_status (*copy_bandwidth)(double bytes, double *gb_s);
    /* Each of `count` numbers becomes the sum, or the largest, of all processes', in each of them the same. NULL: one
     * process has all rows. */
    void (*reduce)(nb_reduction how, double *numbers, int count);
    /* its vectors and products in each precision (solvers/linear/vector_backend_class.h) */
    const struct nb_vector_backend_class_f32 *backend_f32;
    const struct nb_vector_backend_class_f64 *backend_f64;
    const struct nb_vector_backend_class_mixed *backend_mixed;
    /* the factorisation of cholesky (solvers/linear/device_cholesky.h); NULL: not offered */
    const struct nb_device_cholesky *cholesky;
    /* whole Newton iterations on it (solvers/method/newton/device_step.h); NULL: not offered */
    const struct nb_device_step_class_f32 *step_f32;
    const struct nb_device_step_class_f64 *step_f64;
} nb_device;

#endif
