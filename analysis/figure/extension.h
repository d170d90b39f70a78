/* Tables of rows extension (figure/tables.h): how soft bodies are stretched in the last states of runs, and the lines
 * of their surfaces (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_EXTENSION_H
#define NB_ANALYSIS_FIGURE_EXTENSION_H

#include "figure/data.h"

/* Panel `panel`: for each run a line with its length along x over that at rest, its volume over that at rest, and the
 * least and the largest volume of an element over its own at rest. Beside the table panel_P_S_surface.tsv of each run:
 * the edges of its surface that face the viewer, two lines of x, y [m] and that volume of the element behind them for
 * each, then an empty one. NB_ERROR_INPUT where the record does not fit the scenario, or has no tetrahedra. */
nb_status nb_figure_write_extension(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
