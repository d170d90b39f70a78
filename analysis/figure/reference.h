/* What a figure's script learns of the reference of a run, as variables. */
#ifndef NB_FIGURE_REFERENCE_H
#define NB_FIGURE_REFERENCE_H

#include <stdio.h>

#include "record/run.h"

/* For panel P and series S, both from 1, of a run or NULL: reference_P_S, the error of the reference itself [m/s],
 * below which true errors say nothing; or of a reference that was not found, unsolved_P_S, how far the search for it
 * came [m/s]; or of two solutions, apart_P_S, their distance [m/s], and solution_P_S, which the run came to (the number
 * of an nb_solution_taken). */
void nb_figure_write_reference(int panel, int series, const nb_run *run, FILE *file);

#endif
