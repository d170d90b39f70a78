/* What `figure` and `reproduce` share: figures by name, and where a drawing goes. */
#ifndef NB_PROGRAM_DRAWING_H
#define NB_PROGRAM_DRAWING_H

#include <stddef.h>

#include "figure/figure.h"

enum {
    NB_MOST_FIGURES = 128,
    NB_FORMATS = 4
};

/* the endings of drawings: "svg", "pdf", "png", "tex" */
extern const char *const nb_formats[NB_FORMATS];

typedef struct nb_figure_list {
    const nb_figure_class *figures[NB_MOST_FIGURES];
    int count;
} nb_figure_list;

/* Looks up a comma list of figures. "all": every one that has runs of its own or needs none, but for those that stand
 * apart; with `any_runs` these, too, and those that are of all figures of a record. "PAPER" alone: all of its figures
 * "PAPER-...". NB_ERROR_USAGE with the nearest name where one is unknown. */
nb_status nb_figures_parse(const char *names, int any_runs, nb_figure_list *list);

/* Marks the formats of a comma list "svg,pdf". NB_ERROR_USAGE where one is unknown. */
nb_status nb_formats_parse(const char *text, int wanted[NB_FORMATS]);

/* 1 where the path ends in one of nb_formats */
int nb_path_is_drawing(const char *path);

/* 1 where there is a folder of this name */
int nb_path_is_folder(const char *path);

/* the last part of a path: what stands after its last slash */
const char *nb_path_name(const char *path);

/* Makes the folder where it is missing. NB_ERROR_IO with one line where that fails. */
nb_status nb_folder_make(const char *path);

/* Whether the drawing, and the .pdf that stands beside one for LaTeX, may be put there: as nb_overwrite_check. */
nb_status nb_drawing_check(const char *path, int force);

/* "FOLDER/NAME.ENDING" */
nb_status nb_drawing_path(const char *folder, const char *name, const char *ending, char *path, size_t size);

#endif
