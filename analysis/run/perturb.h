/* Copies of a scene that start a little apart. */
#ifndef NB_ANALYSIS_PERTURB_H
#define NB_ANALYSIS_PERTURB_H

#include <stdint.h>

#include "model/world.h"

/* Moves every dynamic body a little, as copy `copy` of a batch starts: each component of its position by a uniform
 * number within +-size r, of its velocity within +-size r/s, of its angular velocity within +-size rad/s; r is the
 * radius of its shape (1 m without one). Bodies of a planar world stay in the plane. Copy 0 is left as it is. */
void nb_perturb(nb_world *world, double size, uint64_t seed, int32_t copy);

#endif
