/* The page of a figure: the formats that it is drawn in, its size on paper, and whether a drawing is whole (private to
 * analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PAGE_H
#define NB_ANALYSIS_FIGURE_PAGE_H

#include <stddef.h>

#include "figure/files.h"
#include "figure/source.h"

/* the style with its defaults filled in */
nb_figure_style nb_page_style(const nb_figure_style *style);

/* The width of the page in whole printer's points. */
int nb_page_points(const nb_figure_style *style);

/* gnuplot's terminal for a file of this ending, where FIGURE_HEIGHT stands for an expression in printer's points.
 * NB_ERROR_USAGE where the ending is none of .svg, .pdf, .png, .tex. */
nb_status nb_page_terminal(const char *path, const nb_figure_style *style, char *terminal, size_t size);

/* Adds what gnuplot drew at `drawn` for `path`, with its size on paper; of a .tex, the .pdf beside it as well.
 * NB_ERROR_IO where it is not whole, which gnuplot does not notice. */
nb_status nb_page_take_drawing(nb_figure_files *files, const char *drawn, const char *path,
                               const nb_figure_style *style);

#endif
