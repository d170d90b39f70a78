/* Sheets of paper: the formats that figures are drawn in, their size on paper, and whether a file was written whole
 * (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_PAGE_H
#define NB_ANALYSIS_FIGURE_PAGE_H

#include <stddef.h>

#include "figure/source.h"

/* the style with its defaults filled in */
nb_figure_style nb_page_style(const nb_figure_style *style);

/* The width of the sheet in whole printer's points. */
int nb_page_points(const nb_figure_style *style);

/* gnuplot's terminal for a file of this ending, where FIGURE_HEIGHT stands for an expression in printer's points.
 * NB_ERROR_USAGE where the ending is none of .svg, .pdf, .png, .tex. */
nb_status nb_page_terminal(const char *path, const nb_figure_style *style, char *terminal, size_t size);

/* The files of one figure, in memory until all of them are whole. */
typedef struct nb_page_file {
    char *path;  /* owned, as the next */
    char *bytes; /* [count] */
    size_t count;
} nb_page_file;

typedef struct nb_page_files {
    nb_page_file file[4];
    int count;
} nb_page_files;

/* Takes what gnuplot drew at `drawn` for `path`, with its size on paper; of a .tex, the .pdf beside it as well.
 * NB_ERROR_IO where it is not whole, which gnuplot does not notice. */
nb_status nb_page_take_drawing(nb_page_files *files, const char *drawn, const char *path, const nb_figure_style *style);

/* Takes a text for `path`. */
nb_status nb_page_take_text(nb_page_files *files, const char *path, const char *text);

/* "FOLDER/NAME.txt" for the figure "FOLDER/NAME.svg" */
nb_status nb_page_text_path(const char *path, char *text_path, size_t size);

/* NB_ERROR_IO where no file can be put at `path` (nb_file_check_target), or none be written beside it. */
nb_status nb_page_check_place(const char *path);

/* NB_ERROR_IO where a file of this name is there that does not start with `text`, and is therefore someone else's; or
 * where none can be put there. */
nb_status nb_page_check_text(const char *path, const char *text);

/* Writes all files beside their places, then renames them; a link to a file stays a link. NB_ERROR_IO where one cannot
 * be written: then nothing is left, and older files stay. */
nb_status nb_page_put(const nb_page_files *files);
void nb_page_clear(nb_page_files *files);

#endif
