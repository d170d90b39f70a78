/* Figures: drawn from the runs of a record by a gnuplot script each. */
#ifndef NB_ANALYSIS_FIGURE_H
#define NB_ANALYSIS_FIGURE_H

#include "base/status.h"
#include "figure/script.h"
#include "figure/source.h"

/* As nb_figure_draw, from several records. */
nb_status nb_figure_draw_from(const nb_figure_class *figure, const nb_figure_source *source, const char *path);

/* NB_ERROR_IO with one line where gnuplot is missing: to be known before long runs are made for a figure. */
nb_status nb_figure_ready(void);

/* Draws to `path`, whose ending (.svg, .pdf, .png) gives the format; what came out and all settings go beside it, with
 * the ending .txt. `reader` is NULL for figures that need no record.
 * NB_ERROR_INPUT with one line where the record lacks the runs; NB_ERROR_IO where not all of it could be written, and
 * then nothing is left. */
nb_status nb_figure_draw(const nb_figure_class *figure, nb_record_reader *reader, const char *path);

#endif
