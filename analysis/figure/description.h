/* What a figure states about its runs, in words: their settings, what their times are of, and where they were made
 * (private to analysis/). Each is written to text[size] and cut there. */
#ifndef NB_ANALYSIS_FIGURE_DESCRIPTION_H
#define NB_ANALYSIS_FIGURE_DESCRIPTION_H

#include "figure/data.h"

/* Two lines of settings and one of hardware and version, and, where there are any, how many runs are not drawn or
 * failed, and how many steps of method smoothed are unsolved. */
void nb_figure_describe_runs(const nb_figure_runs *runs, const nb_figure_source *source, char *text, size_t size);

/* Appends a line of what the times are of: repetitions, after the recorded pass has warmed up, or that pass itself.
 * What speaks against them is appended, too, and becomes the figure's note. */
void nb_figure_describe_times(nb_figure_runs *runs, const nb_record_reader *reader, char *text, size_t size);

/* The one line that stands on a figure: what its runs were made with and on, by what, and where they are, and of method
 * smoothed how many steps are unsolved. */
void nb_figure_describe_source(const nb_figure_runs *runs, const nb_figure_source *source, char *text, size_t size);

#endif
