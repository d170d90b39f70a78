/* The mass matrix of a world's bodies, and the norm that it makes of their velocities. */
#ifndef NB_MASS_H
#define NB_MASS_H

#include "base/member.h"
#include "model/world.h"

typedef struct nb_masses {
    int32_t bodies;
    double total;    /* [kg] of all that have mass */
    double *mass;    /* [bodies] kg; 0: fixed or kinematic */
    double *inertia; /* [bodies, 3, 3] in the world frame [kg m^2]; 0: fixed or kinematic */
} nb_masses;

extern const nb_members nb_masses_members;

/* Those of the world as it stands. An earlier content is dropped; the caller clears. */
nb_status nb_masses_of_world(const nb_world *world, nb_masses *masses);
void nb_masses_clear(nb_masses *masses);

/* sqrt((a - b) . M (a - b) / total mass) for velocities a, b [bodies, 6]: the speed that every body would differ by,
 * where it were the same for all [m/s]. 0 where nothing has mass. */
double nb_masses_distance(const nb_masses *masses, const double *a, const double *b);

#endif
