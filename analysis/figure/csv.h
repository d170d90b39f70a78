/* The numbers that a figure draws, as one table of comma-separated values (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_CSV_H
#define NB_ANALYSIS_FIGURE_CSV_H

#include "figure/data.h"

/* Makes one text of the tables in `folder` that the figure is drawn from: a line of names, then a line a point, which
 * starts with figure, panel and curve. The caller frees *text with free. */
nb_status nb_figure_csv(const char *figure, const nb_record_table *table, const nb_figure_runs *runs,
                        const char *folder, char **text);

#endif
