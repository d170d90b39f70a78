/* Tables of rows course (figure/tables.h): how the controls of a run's scenario are optimised, and pictures of the
 * motion that comes of it (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_OPTIMIZATION_H
#define NB_ANALYSIS_FIGURE_OPTIMIZATION_H

#include "figure/data.h"

/* Panel `panel`, of its first run: a block for the smoothings that `optimize` takes unless told, one after another, and
 * one for hardly any. A line an evaluation: its number, smoothing [J], cost; cost, distance from the goal [m] and angle
 * [rad] of the motion that is not smoothed. Then a block of the times of four pictures of the first motion of these,
 * not smoothed: panel_P_K.rgb. Then a block as the first for each of the panel's runs, by its method, with smoothings
 * that are all small. */
nb_status nb_figure_write_optimization(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
