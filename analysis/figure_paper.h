/* Whether runs are those that a figure of a paper takes (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PAPER_H
#define NB_ANALYSIS_FIGURE_PAPER_H

#include "figure_data.h"

typedef enum nb_figure_origin {
    NB_ORIGIN_OTHER, /* runs of someone's own: the figure does not name the paper's */
    NB_ORIGIN_QUICK, /* all are of the figure's smaller runs */
    NB_ORIGIN_PAPER  /* all are of its runs */
} nb_figure_origin;

/* Compares what the drawn runs were asked for with what `reproduce` runs for the figure, but for threads, repetitions,
 * device and seed. A figure that needs no record is always the paper's; one that draws any runs never is. */
nb_status nb_figure_find_origin(const nb_figure_class *figure, const nb_figure_runs *runs, nb_figure_origin *origin);

#endif
