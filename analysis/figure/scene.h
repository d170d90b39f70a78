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

/* Pictures of the same kind with the contacts on pale bodies (figure/marks.h), of the state after step runs->step: a
 * line a run, of its time [s], how many contacts there are, and how many of them are open, sticking and sliding, the
 * largest force of a pair of bodies [N] or error of a contact [m/s], what the ends of the colours or the longest arrow
 * stand for, and the two bodies and the point of the largest. Errors are on one scale in all panels, forces in all
 * pictures of a panel. NB_ERROR_INPUT where a record has no such state, or nothing of its contacts. */
nb_status nb_figure_write_scene_forces(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);
nb_status nb_figure_write_scene_errors(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);
nb_status nb_figure_write_scene_modes(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

/* Of each run the contacts of that state, the one with the largest error first: the share of contacts [%] whose error
 * is at least as large, the error [m/s], the height [m], the force [N], the mode (nb_contact_mode), the two bodies, and
 * runs->iteration. Where that is -1 and iterates were kept, the same of their errors after at most 1, 10 and 100
 * iterations, which is the last number, with the forces and modes of the state. */
nb_status nb_figure_write_contacts(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
