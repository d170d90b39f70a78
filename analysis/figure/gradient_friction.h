/* How far derivatives of a stopping way are from differences of hard contacts' motion, by how much of its friction a
 * block needs where it stands then. Needs no record (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_GRADIENT_FRICTION_H
#define NB_ANALYSIS_FIGURE_GRADIENT_FRICTION_H

#include <stdio.h>

#include "base/status.h"

/* the methods, in the order of their blocks; NULL-terminated */
extern const char *const nb_gradient_friction_curves[];

/* A block of 1 kg slides down a slope of 10 degrees and stops after 20 of 200 steps; r is the share of its friction
 * that it needs on the slope. A block of rows a method, a row an r: 1 - r, the error of d(place at the end)/d(force
 * down the slope) over that of the hard motion [1], what creep comes to [1] (NaN: of no known law), and the
 * error of the hard motion's from its closed form. */
nb_status nb_figure_write_gradient_friction(FILE *file);

#endif
