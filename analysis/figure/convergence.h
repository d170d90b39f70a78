/* What figure convergence draws: a quantity of one step against iterations, work or time, of any runs; a panel a scene,
 * a curve whatever else differs (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_CONVERGENCE_H
#define NB_ANALYSIS_FIGURE_CONVERGENCE_H

#include "figure/data.h"

/* Reads the runs that the source's choice selects. Scenes are told apart by scenario and, where runs of one scenario
 * differ in them, by parameters, time step and steps to settle; curves by the attributes in which the runs of a panel
 * differ, of which those that follow from others are left out. NB_ERROR_INPUT where there are none. */
nb_status nb_figure_collect_convergence(const nb_figure_source *source, nb_figure_runs *runs);

/* Writes a line an iteration: iteration, work, time [ms], the quantity. */
void nb_figure_write_convergence(const nb_figure_runs *runs, const nb_run *run, FILE *file);

#endif
