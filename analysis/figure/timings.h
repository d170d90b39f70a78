/* Points of a figure from the timings of kernels that a record of `ncpbench bench` holds. */
#ifndef NB_ANALYSIS_FIGURE_TIMINGS_H
#define NB_ANALYSIS_FIGURE_TIMINGS_H

#include "figure/data.h"

/* Each timed Newton iteration as a run of one step and one iteration that took its shares' medians; a panel is
 * a precision, a number of threads and an order. NB_ERROR_INPUT where the record has none. */
nb_status nb_figure_collect_timings(const nb_figure_script *script, nb_record_reader *reader, nb_figure_runs *runs);

#endif
