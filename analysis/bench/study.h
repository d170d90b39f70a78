/* Studies that figures show: how good derivatives are, by many short runs, which no record holds. */
#ifndef NB_BENCH_STUDY_H
#define NB_BENCH_STUDY_H

#include <stdio.h>

#include "base/status.h"

/* Makes the study of this name ("gradient-error"), a line "study" in the head of a figure's script. *text is
 * tab-separated rows, two empty lines after each curve; the caller frees it with free. NB_ERROR_INPUT where there is no
 * such study. */
nb_status nb_study_make(const char *name, char **text);

/* Derivatives of smoothed steps against differences of the motion (private to study.c). A block a motion
 * (figure/script.c names them), a row a smoothing: rho [J], the largest error of d(velocities at the end)/d(velocities
 * of the last body at the start) against Richardson's extrapolation of central differences, and the error of these
 * themselves. */
nb_status nb_study_gradient_error(FILE *file);

/* Derivatives of a stopping distance against differences of hard contacts' motion (private to study.c). A block of 1 kg
 * slides down a slope of 10 degrees and stops after 20 of 200 steps; r is the share of its friction that it needs on
 * the slope. A block of rows a method, a row an r: 1 - r, the error of d(position at the end)/d(force down the slope)
 * over that of the hard motion [1], what creep comes to [1] (NaN: of no known law), and the error of the hard motion's
 * from its closed form. */
nb_status nb_study_gradient_friction(FILE *file);

#endif
