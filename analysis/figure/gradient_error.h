/* How far derivatives of smoothed steps are from differences of the motion, which needs no record (private to
 * analysis/). */
#ifndef NB_ANALYSIS_FIGURE_GRADIENT_ERROR_H
#define NB_ANALYSIS_FIGURE_GRADIENT_ERROR_H

#include <stdio.h>

#include "base/status.h"

/* the motions, in the order of their blocks; NULL-terminated */
extern const char *const nb_gradient_error_curves[];

/* A block a motion, a row a smoothing: rho [J], the largest error of d(velocities at the end)/d(velocities of the last
 * body at the start) against Richardson's extrapolation of central differences, and what these themselves are off by.
 */
nb_status nb_figure_write_gradient_error(FILE *file);

#endif
