/* The tables of the figure `profile`: profiles of any set of runs. */
#ifndef NB_ANALYSIS_FIGURE_PROFILE_H
#define NB_ANALYSIS_FIGURE_PROFILE_H

#include "figure/data.h"
#include "figure/source.h"

/* Reads the runs of all records: every step of every scene is a problem, every combination of the other settings a
 * solver (iterations at most that are the scenarios' own aside: nb_compared_runs_settle); a step costs what its run
 * took to reach the accuracy, infinitely much where it did not, and does not count where the solver has no such run.
 * Fills panels (performance profiles in time and in products with the operator, or in linear iterations where a run
 * does not count them; then data profiles), series (the best, where they are too many), costs and caption.
 * NB_ERROR_INPUT where there are no runs. */
nb_status nb_figure_collect_profile(const nb_figure_source *source, nb_figure_runs *runs);

/* x, share, low, high of each solver in panel `panel` (from 0) */
nb_status nb_figure_write_profile(const nb_figure_runs *runs, int panel, FILE *file);

#endif
