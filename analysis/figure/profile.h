/* The tables of the figure `profile`: profiles of any set of runs. */
#ifndef NB_ANALYSIS_FIGURE_PROFILE_H
#define NB_ANALYSIS_FIGURE_PROFILE_H

#include "figure/data.h"
#include "figure/source.h"

/* Reads the runs of all records: every scene with its steps is a problem (after the first step solvers go different
 * ways, so that later steps are no problems that they share), every combination of the other settings a solver
 * (iterations at most that are the scenarios' own aside: nb_compared_runs_settle). A problem costs what its run took to
 * reach the accuracy, in all steps together; infinitely much where one did not, or where the run has fewer steps than
 * another of the problem; and does not count where the solver has no such run.
 * Fills panels (performance profiles in time and in products with the operator, or in linear iterations where a run
 * does not count them; then data profiles), series (the best, where they are too many), costs, title and caption.
 * NB_ERROR_INPUT where there are no runs. */
nb_status nb_figure_collect_profile(const nb_figure_script *script, const nb_figure_source *source,
                                    nb_figure_runs *runs);

/* x, share, low, high of each solver in panel `panel` (from 0) */
nb_status nb_figure_write_profile(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
