/* Whether runs are those that a figure of a paper takes (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PAPER_H
#define NB_ANALYSIS_FIGURE_PAPER_H

#include "figure/data.h"

/* Compares what the drawn runs were asked for with what `reproduce` runs for the figure, but for threads, repetitions,
 * device and seed. A figure that needs no record is always the paper's; one that draws any runs never is. */
nb_status nb_figure_find_origin(const nb_figure_class *figure, const nb_figure_runs *runs, nb_figure_origin *origin);

/* The paper at the end of a figure's title, " (Macklin et al. 2019, fig. 11)", or NULL. */
const char *nb_figure_paper_in(const char *title);

#endif
