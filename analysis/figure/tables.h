/* The tables that a figure is drawn from: what its head says (figure/script.h), collected from a record and written as
 * tab-separated text that gnuplot reads, one file a panel, one index block a series (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_TABLES_H
#define NB_ANALYSIS_FIGURE_TABLES_H

#include "figure/data.h"

/* Reads what the table takes of the source's records. NB_ERROR_INPUT where there is none of it. */
nb_status nb_figure_collect(const nb_figure_script *script, const nb_record_table *table,
                            const nb_figure_source *source, nb_figure_runs *runs);

/* Writes the table of every panel into `folder`: "panel_1.tsv", ... */
nb_status nb_figure_write_tables(const nb_record_table *table, const nb_figure_source *source,
                                 const nb_figure_runs *runs, const char *folder);

#endif
