/* What a figure whose head has `y` (figure/script.h) draws: its column, and the words for it (private to the folder).
 */
#ifndef NB_FIGURE_QUANTITY_H
#define NB_FIGURE_QUANTITY_H

#include <stddef.h>

#include "figure/choice.h"
#include "figure/data.h"
#include "figure/script.h"

/* The column that is drawn, as the first run that has it names it; NULL: none has. */
const nb_column *nb_figure_y_column(const nb_record_table *table, const nb_figure_runs *runs);

/* NB_ERROR_USAGE where no run has the column that is to be drawn, with the nearest of those that the first has. */
nb_status nb_figure_y_check(const nb_record_table *table, const nb_figure_runs *runs);

/* "natural map error [m/s]"; residuals of Matrix Market systems have the unit of their right-hand side, which nothing
 * is said of. */
void nb_figure_y_name(const nb_record_table *table, const nb_figure_runs *runs, char *text, size_t size);

/* a sentence on what it is of, and on what the axis is of single linear iterations */
void nb_figure_y_about(const nb_record_table *table, const nb_figure_runs *runs, nb_convergence_axis axis, char *text,
                       size_t size);

#endif
