/* Data of kind scene (figure/data.h): what becomes of a scene over its recorded states, and pictures of the last
 * (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_SCENE_H
#define NB_ANALYSIS_FIGURE_SCENE_H

#include "figure/data.h"

/* A line a recorded state; the final one where none is recorded. NB_ERROR_INPUT where the record does not fit the
 * scenario. */
nb_status nb_figure_write_states(const nb_run *run, FILE *file);

/* A picture of each run of panel p, panel_P_S.rgb, all at one scale. */
nb_status nb_figure_write_scenes(const nb_figure_runs *runs, int p, const char *folder);

#endif
