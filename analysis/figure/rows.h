/* The lines of a figure's table that are rows and columns of a record (figure/script.h), of one run (private to
 * analysis/). */
#ifndef NB_ANALYSIS_FIGURE_ROWS_H
#define NB_ANALYSIS_FIGURE_ROWS_H

#include <stdio.h>

#include "figure/script.h"

/* The rows of newton/ or linear/ that the table takes of a run, first .. end - 1; none where the run has no such. */
void nb_figure_rows_of(const nb_script_table *table, const nb_run *run, int64_t *first, int64_t *end);

/* Writes the run's lines; of a run that has none, or that is NULL, a line without numbers, which keeps the curves after
 * it at their places. */
nb_status nb_figure_write_rows(const nb_script_table *table, const nb_run *run, FILE *file);

/* What a function over the steps of a run (copy -1), or of a copy of its batch, comes to (nb_script_read_value); NaN
 * where there is no number. */
nb_status nb_figure_value(const nb_script_column *column, const nb_run *run, int32_t copy, double *value);

#endif
