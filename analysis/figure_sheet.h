/* Sheets of paper: the formats that figures are drawn in, their size on paper, and whether a file was written whole
 * (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_SHEET_H
#define NB_ANALYSIS_FIGURE_SHEET_H

#include <stddef.h>

#include "figure.h"

/* the style with its defaults filled in */
nb_figure_style nb_sheet_style(const nb_figure_style *style);

/* The width of the sheet in whole printer's points. */
int nb_sheet_points(const nb_figure_style *style);

/* gnuplot's terminal for a file of this ending, where FIGURE_HEIGHT stands for an expression in printer's points.
 * NB_ERROR_USAGE where the ending is none of .svg, .pdf, .png. */
nb_status nb_sheet_terminal(const char *path, const nb_figure_style *style, char *terminal, size_t size);

/* Copies what gnuplot drew at `drawn` to `path`, with its size on paper. NB_ERROR_IO where it is not whole, which
 * gnuplot does not notice, or cannot be written: then nothing of it is at `path`, where an older file stays. */
nb_status nb_sheet_finish(const char *drawn, const char *path, const nb_figure_style *style);

/* Writes a text beside the figure `path`, in place of its ending ".txt". NB_ERROR_IO where a file of this name is there
 * that does not start like `text`, up to its first space, and is therefore someone else's. */
nb_status nb_sheet_write_text(const char *path, const char *text);

/* NB_ERROR_IO as nb_sheet_write_text, before anything is drawn. */
nb_status nb_sheet_check_text(const char *path, const char *text);

#endif
