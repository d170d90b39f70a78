/* What figures are drawn from beside the runs of a record: the files of other commands (`make` in the head of a
 * script), and studies. */
#ifndef NB_PROGRAM_MADE_H
#define NB_PROGRAM_MADE_H

#include "figure/source.h"

/* The command lines that the figure's files are made by, NULL-terminated; NULL: none. */
const char *const *nb_made_lines(const nb_figure_class *figure, int quick);

/* Runs these lines: NAME-1.h5, NAME-2.h5, ..., `name` with its folder. One that is not solved leaves no file. Nothing
 * more is run after an interrupt. */
nb_status nb_made_write(const nb_figure_class *figure, int quick, int force, const char *name);

/* Makes the figure's study, which the caller frees with free; *study is NULL where it has none. */
nb_status nb_made_study(const nb_figure_class *figure, char **study);

#endif
