/* Sweeps in colour order on a device: the lists of a colouring, and which colours a launch does. */
#ifndef NB_CUDA_VECTOR_BACKEND_SWEEPS_H
#define NB_CUDA_VECTOR_BACKEND_SWEEPS_H

#include "layout.h"
#include "preconditioner.h"

#define nb_sweep_plan NB_STORAGE_NAME(nb_sweep_plan)
#define nb_sweep_plan_make NB_STORAGE_NAME(nb_sweep_plan_make)
#define nb_sweep_plan_bind NB_STORAGE_NAME(nb_sweep_plan_bind)
#define nb_sweep_plan_launches NB_STORAGE_NAME(nb_sweep_plan_launches)
#define nb_sweep_plan_range NB_STORAGE_NAME(nb_sweep_plan_range)
#define nb_sweep_plan_clear NB_STORAGE_NAME(nb_sweep_plan_clear)

/* The last colours, from the first one on behind which none has more groups than a block has threads, are the *tail*:
 * one block does them all in one launch. Each of the others has a launch of its own. */
typedef struct nb_sweep_plan {
    int32_t colours, tail;     /* the first colour of the tail */
    int32_t *lists;            /* [colours + 1] starts, [groups] first items, [groups] counts: as the view has them */
    int64_t list_bytes, bytes; /* of device memory: the lists; pivots as well */
    int64_t capacity;
} nb_sweep_plan;

/* The lists of this colouring of the delassus that the layout was made of. */
nb_status nb_sweep_plan_make(nb_sweep_plan *plan, const nb_layout *layout, const nb_delassus *delassus,
                             const nb_colouring *colouring);
void nb_sweep_plan_clear(nb_sweep_plan *plan);

/* The parts of the view that lie in `memory` [bytes], which begins with the lists. */
void nb_sweep_plan_bind(const nb_sweep_plan *plan, void *memory, nb_view *view);

/* how many launches a sweep takes */
int32_t nb_sweep_plan_launches(const nb_sweep_plan *plan);
/* The colours of launch i, of a sweep forward or backward: pass->colours, largest and backward. */
void nb_sweep_plan_range(const nb_sweep_plan *plan, int32_t i, int backward, nb_pass *pass);

#endif
