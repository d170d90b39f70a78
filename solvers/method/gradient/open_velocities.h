/* Whether the velocities of a step are open: held by the smoothing of contacts alone, so that they are no function of
 * what the step starts from and have no derivatives (private to solvers/method/gradient).
 *
 * Redundant contacts leave normal forces open, and friction may make velocities of these: a face that slides while it
 * turns has a continuum of solutions with other velocities (core/errors.md, "The true error"). The test changes
 * the normal row of each contact by a random number of up to 1 m/s. Open velocities answer in proportion to 1/rho, all
 * others alike at every small rho: a face that sticks, or slides without a turn, moves as far as its rows ask for,
 * whatever its forces do. The answers are taken at rho and at rho/100, at the unknowns of rho; those of contacts that
 * the smoothing rules, of light bodies, grow likewise, and stay below what the rows change by. Open is what grows
 * twofold to more than 10 m/s. */
#ifndef NB_GRADIENT_OPEN_VELOCITIES_H
#define NB_GRADIENT_OPEN_VELOCITIES_H

#include "smoothed_step.h"

#define nb_open_velocities NB_REAL_NAME(nb_open_velocities)

/* Of a step on its central path, which it stays on; its factors are made anew at the next solution. fu, su [bodies][6]
 * and fz, sz [rows]: scratch. Costs two factorisations and two solutions. NB_ERROR_NUMERIC where those fail. */
nb_status nb_open_velocities(nb_smoothed_step *step, double *fu, double *fz, double *su, double *sz, int *open);

#endif
