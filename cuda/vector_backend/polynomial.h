/* Polynomials in M A on a device (preconditioner.h): the largest eigenvalue, and applications. */
#ifndef NB_CUDA_VECTOR_BACKEND_POLYNOMIAL_H
#define NB_CUDA_VECTOR_BACKEND_POLYNOMIAL_H

#include "layout.h"
#include "linear/vector_backend_class.h"
#include "preconditioner.h"

#define nb_polynomial_plan NB_STORAGE_NAME(nb_polynomial_plan)
#define nb_polynomial_plan_make NB_STORAGE_NAME(nb_polynomial_plan_make)
#define nb_polynomial_plan_bind NB_STORAGE_NAME(nb_polynomial_plan_bind)
#define nb_polynomial_plan_top NB_STORAGE_NAME(nb_polynomial_plan_top)
#define nb_polynomial_plan_apply NB_STORAGE_NAME(nb_polynomial_plan_apply)
#define nb_polynomial_launch NB_STORAGE_NAME(nb_polynomial_launch)

/* a launch of the backend whose state it is */
typedef void nb_polynomial_launch(void *state, nb_pass pass);

/* What is known of the polynomial that was taken last. Steps are two passes each (NB_PASS_STEP) where M is a diagonal,
 * or the scene has contacts alone and each is a block; elsewhere they are made of the passes that there are. */
typedef struct nb_polynomial_plan {
    int degree, by_steps, by_factors;
    double ratio, top;
    storage *residual, *step, *image, *inner; /* vectors; M where it is a diagonal */
    int64_t bytes;                            /* of device memory */
} nb_polynomial_plan;

/* The plan of this polynomial over the layout's system, in vectors of `length` numbers. */
void nb_polynomial_plan_make(nb_polynomial_plan *plan, const nb_layout *layout, const nb_polynomial *polynomial,
                             int64_t length);
/* Its vectors, and the view's factors, lie in `memory` [bytes]. */
void nb_polynomial_plan_bind(nb_polynomial_plan *plan, void *memory, int64_t length, nb_view *view);

/* For a backend of these operations and this state: the largest eigenvalue into polynomial->top (what a lost device
 * makes of it: none), and z = P r. */
void nb_polynomial_plan_top(const nb_polynomial_plan *plan, const nb_vector_backend_class *backend, void *state,
                            nb_polynomial_launch *launch, const nb_polynomial *polynomial);
void nb_polynomial_plan_apply(const nb_polynomial_plan *plan, const nb_vector_backend_class *backend, void *state,
                              nb_polynomial_launch *launch, const storage *r, storage *z);

#endif
