/* What a step with springs for contacts begins with: gaps, and masses (private to methods). */
#ifndef NB_PENALTY_START_H
#define NB_PENALTY_START_H

#include "constraint/problem.h"
#include "model/world.h"

#define nb_penalty_start_gaps NB_REAL_NAME(nb_penalty_start_gaps)
#define nb_penalty_start_mass NB_REAL_NAME(nb_penalty_start_mass)

/* Gaps [contacts] [m] at the step's start, and those a step before, if the velocities at its start led from there.
 * What is prescribed came with its velocities of the step before. Where the world is in a stage, the step's start is
 * not the stage's, and "a step before" is by the time that the stage ends after it. The problem is left at u = 0 and z
 * = 0. */
void nb_penalty_start_gaps(nb_problem *problem, const nb_world *world, real *gap, real *before);

/* the mass of all that moves, and of the heaviest body or particle of it [kg]; both 1 where nothing does */
double nb_penalty_start_mass(const nb_world *world, double *heaviest);

#endif
