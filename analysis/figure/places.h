/* Where the errors of the drawn Newton iterations are (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PLACES_H
#define NB_ANALYSIS_FIGURE_PLACES_H

#include <stdio.h>

#include "figure/data.h"
#include "table/rows.h"

/* A table of the drawn runs' iterations: their natural map, where it is largest, and what the contacts do. Nothing
 * where the figure draws no Newton iterations of one step, or its record does not tell. */
nb_status nb_figure_print_places(const nb_record_table *table, const nb_figure_runs *runs, FILE *stream);

#endif
