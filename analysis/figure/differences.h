/* Panels and curves by whatever runs differ in ("panel: *", "series: *"; private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_DIFFERENCES_H
#define NB_ANALYSIS_FIGURE_DIFFERENCES_H

#include "figure/data.h"

/* Reads the runs that the source's choice selects and that have rows of the table. A panel is a scene: scenario and,
 * where runs of one scenario differ in them, parameters, time step and steps to settle. A curve is the attributes in
 * which the runs of a panel differ, of which those that follow from others are left out. NB_ERROR_INPUT where there are
 * none. */
nb_status nb_figure_collect_differences(const nb_figure_script *script, const nb_record_table *table,
                                        const nb_figure_source *source, nb_figure_runs *runs);

#endif
