/* Contacts for sweeps on several threads (private to solvers/method/projected). Bodies are put into slabs, one a
 * thread, cut from the order of a breadth-first search over contacts: a contact is of bodies in one slab, or in two
 * neighbouring ones. A sweep then has three phases, in each of which no two lists share a body that moves:
 *
 *     inside every slab;   between slabs 0 and 1, 2 and 3, ..;   between 1 and 2, 3 and 4, ..
 *
 * The order in which contacts act on each other is that of the lists, whichever thread takes them: the number of slabs
 * makes the bits. Within a list contacts ascend, as in a sweep without slabs. */
#ifndef NB_PROJECTED_SLABS_H
#define NB_PROJECTED_SLABS_H

#include "operator/sum.h"

#define nb_slabs NB_REAL_NAME(nb_slabs)
#define nb_slabs_make NB_REAL_NAME(nb_slabs_make)
#define nb_slabs_clear NB_REAL_NAME(nb_slabs_clear)

typedef struct nb_slabs {
    int32_t count;    /* slabs */
    int32_t lists;    /* 2 count - 1: inside slab 0, 1, .., then between 0 and 1, 1 and 2, .. */
    int32_t *start;   /* [lists + 1] of each list in `contact` */
    int32_t *contact; /* [contacts] */
} nb_slabs;

/* Of contacts between rigid bodies, in about `count` equal parts. Takes memory. */
nb_status nb_slabs_make(const nb_rigid_rows *rows, int32_t count, nb_slabs *slabs);
void nb_slabs_clear(nb_slabs *slabs); /* {0} allowed */

#endif
