/* The tables of the figure `field-profile`: methods on problem files, to several accuracies (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_FIELD_H
#define NB_ANALYSIS_FIGURE_FIELD_H

#include "figure/data.h"

/* Reads the runs on problem files of all records. A curve is a method with its preset or coupling, a problem is a file;
 * its class is that of the standard set, or else the record's title. A run counts at each accuracy that its history
 * passes; of several runs of one method the cheapest counts. Left out: infeasible problems, and runs that were refused.
 * Panels: "products" and "time" to each accuracy, then "all" and each class, which compare pairs of methods to the last
 * accuracy. The caption says how the pairs of the first method went, and which runs a limit of time ended.
 * NB_ERROR_INPUT where there are no such runs. */
nb_status nb_figure_collect_field(const nb_figure_script *script, const nb_figure_source *source, nb_figure_runs *runs);

/* Of the first panels, per curve: the cost (products with N; seconds), the share of the problems that are solved at it,
 * and the share's interval. Of the others, per curve and row, a method: how many problems one of the two solves, the
 * share of these on which the curve's method takes less time, and the share's interval. */
nb_status nb_figure_write_field(const nb_figure_runs *runs, int panel, const char *folder, FILE *file);

#endif
