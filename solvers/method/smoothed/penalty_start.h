/* What a step with springs for contacts begins with: gaps, and masses (private to methods). */
#ifndef NB_PENALTY_START_H
#define NB_PENALTY_START_H

#include "constraint/problem.h"
#include "model/world.h"

#define nb_penalty_start_gaps NB_REAL_NAME(nb_penalty_start_gaps)
#define nb_penalty_start_mass NB_REAL_NAME(nb_penalty_start_mass)

/* Gaps [contacts] [m] where nothing has moved, and those a step before, if the world's velocities led from there.
 * `start` [velocities] has what is prescribed of nodes without mass. The problem is left at u = 0 and z = 0. */
void nb_penalty_start_gaps(nb_problem *problem, const nb_world *world, const real *start, real *gap, real *before);

/* the mass of all that moves, and of the heaviest body or particle of it [kg]; both 1 where nothing does */
double nb_penalty_start_mass(const nb_world *world, double *heaviest);

#endif
