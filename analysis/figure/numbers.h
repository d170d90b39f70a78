/* The numbers of a figure's tables that its script is told, for sentences, markers, axes and the legend (private to
 * analysis/). */
#ifndef NB_ANALYSIS_FIGURE_NUMBERS_H
#define NB_ANALYSIS_FIGURE_NUMBERS_H

#include "figure/data.h"

/* Writes variables of gnuplot, of every panel P, series S (0: the whole panel) and column C of the tables in the
 * folder:
 *
 *   rows_P_S, last_P_S_C         how many rows a series has, and the last of them
 *   has_P_S_C, has_P_S           1 where the column has a number; where a column but the first has one
 *   first_, least_, most_, sum_, low_, high_P_S_C   of its numbers; low and high of those that a logarithmic axis shows
 *   number_NAME_P_S              what a line `number` of the head comes to, where that is a number
 */
nb_status nb_figure_write_numbers(const nb_figure_script *script, const nb_record_table *table,
                                  const nb_figure_runs *runs, const char *folder, FILE *file);

#endif
