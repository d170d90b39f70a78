/* Tables of rows course (figure/tables.h): how the controls of a run's scenario are optimized, and pictures of the
 * motion that comes of it (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_OPTIMIZATION_H
#define NB_ANALYSIS_FIGURE_OPTIMIZATION_H

#include "figure/data.h"

/* Panel `panel`, from the files of `ncpbench optimize` in the source's folder: a block for the standard smoothings of
 * the panel's first run, and one for 1e-6 J. A line an evaluation: its number, smoothing [J], cost; cost, distance from
 * the goal [m] and angle [rad] of the unsmoothed motion. Then a block of the times of four pictures of the first of
 * these, unsmoothed: panel_P_K.rgb. Then a block as the first for each of the panel's runs with smoothings from 1e-4 J,
 * without numbers where there is no such file. NB_ERROR_INPUT where the first is missing. */
nb_status nb_figure_write_optimization(const nb_figure_source *source, const nb_figure_runs *runs, int panel,
                                       const char *folder, FILE *file);

#endif
