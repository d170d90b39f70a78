/* The forces of elements from multipliers that were kept (snapshot.h), without a step. */
#ifndef NB_ELEMENT_FORCES_H
#define NB_ELEMENT_FORCES_H

#include "model/world.h"

/* how many rows the elements of a world have in a step */
int32_t nb_element_row_count(const nb_world *world);

/* force = J^T lambda [particles, 3] [N] with the particles at x [particles, 3]; lambda [nb_element_row_count] in the
 * order of a snapshot's */
void nb_element_forces(const nb_world *world, const double *x, const double *lambda, double *force);

/* force += P dV/dx [particles, 3] of the world's cavities [N], with the particles at x; work [particles, 3] is scratch.
 * With v [particles, 3] not NULL the pressures are linearised there, as they are where the particles have moved with v
 * for h [s]. */
void nb_cavity_forces(const nb_world *world, const double *x, const double *v, double h, double *work, double *force);

#endif
