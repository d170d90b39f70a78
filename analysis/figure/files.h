/* The files that a figure is written to: all of them, or none (private to analysis/). */
#ifndef NB_ANALYSIS_FIGURE_FILES_H
#define NB_ANALYSIS_FIGURE_FILES_H

#include <stddef.h>

#include "base/status.h"

/* The files of one figure, in memory until all of them are whole. */
typedef struct nb_figure_file {
    char *path;  /* owned, as the next */
    char *bytes; /* [count] */
    size_t count;
} nb_figure_file;

typedef struct nb_figure_files {
    nb_figure_file file[4];
    int count;
} nb_figure_files;

/* Adds *bytes [count] for `path`, and takes them over, also on a fault: *bytes is NULL afterwards. NB_ERROR_IO where no
 * file can be there. */
nb_status nb_figure_files_add(nb_figure_files *files, const char *path, char **bytes, size_t count);

/* Adds a text for `path`. */
nb_status nb_figure_files_add_text(nb_figure_files *files, const char *path, const char *text);

/* "FOLDER/NAME.txt" for the figure "FOLDER/NAME.svg" */
nb_status nb_figure_files_text_path(const char *path, char *text_path, size_t size);

/* NB_ERROR_IO where no file can be put at `path` (nb_file_check_target), or none be written beside it. */
nb_status nb_figure_files_check_place(const char *path);

/* NB_ERROR_IO where a file of this name is there that does not start with `text`, and is therefore someone else's; or
 * where none can be put there. */
nb_status nb_figure_files_check_text(const char *path, const char *text);

/* Writes all files beside their places, then renames them; a link to a file stays a link. NB_ERROR_IO where one cannot
 * be written: then nothing is left, and older files stay. */
nb_status nb_figure_files_put(const nb_figure_files *files);
void nb_figure_files_clear(nb_figure_files *files);

#endif
