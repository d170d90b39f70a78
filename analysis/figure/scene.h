/* Tables of rows scene (figure/tables.h): what happens to a scene over its recorded states, and pictures of the last
 * (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_SCENE_H
#define NB_ANALYSIS_FIGURE_SCENE_H

#include "figure/data.h"

/* Panel `panel`: for each run a line a recorded state, the final one where none is recorded: its time [s], the height
 * of the highest centre of a body with mass [m], the deepest penetration since the state before and so far [m]. Beside
 * the table a picture of each run's last state, all at one scale: panel_P_S.rgb, raw 8-bit colours. NB_ERROR_INPUT
 * where the record does not fit the scenario. */
nb_status nb_figure_write_scene(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

/* Panel `panel`: for each run up to NB_SCENE_FRAMES of its recorded states, evenly spread over them, the first and the
 * last one among them: a line with the time [s] of each, and pictures, panel_P_S_FRAME.rgb, seen from one place. */
nb_status nb_figure_write_frames(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
