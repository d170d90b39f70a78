/* Tables of rows scene (figure/tables.h): what happens to a scene over its recorded states, and pictures of the last
 * (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_SCENE_H
#define NB_ANALYSIS_FIGURE_SCENE_H

#include "figure/data.h"

/* Panel `panel`: for each run a line a recorded state, the final one where none is recorded: its time [s], the height
 * of the highest centre of a body or particle with mass [m], the deepest penetration since the state before and so far
 * [m], the height of the first body with mass, the least and the most volumetric strain J - 1 of tetrahedra, and the
 * strain of the strongest colours of the pictures (0 without tetrahedra), the share of the other bodies with mass that
 * are above the first, the centre of mass of what moves [m] (3), and how far its particles are apart along x, y and z
 * [m] (3; NaN without particles). Beside the table a picture of each run's last state, all
 * at one scale: panel_P_S.rgb, raw 8-bit colours. NB_ERROR_INPUT where the record does not fit the scenario.
 */
nb_status nb_figure_write_scene(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

/* The same of moments of the panel's first run, at most four of its recorded states, the first and the last among them:
 * a line and a picture each, time, height, the three strains, and the centre and the widths of the particles as above;
 * panel_P_K.rgb. */
nb_status nb_figure_write_moments(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
