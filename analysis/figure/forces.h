/* Tables of rows forces (figure/tables.h): what acts in the contacts of the last states of runs (private to analysis/).
 */
#ifndef NB_ANALYSIS_FIGURE_FORCES_H
#define NB_ANALYSIS_FIGURE_FORCES_H

#include "figure/data.h"

/* Panel `panel`: for each run a line for each contact that carries something, lower bodies first: the two bodies, the
 * lower number first (-1: the world), the point [m] at the start of the step, and the normal force [N]. */
nb_status nb_figure_write_forces(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
