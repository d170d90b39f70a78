/* Which of a grid's options act: each that was given is looked for in every run. One that acts in no run is refused;
 * one that acts in some is named, so that a sweep does not take runs for different that are one. */
#ifndef NB_ANALYSIS_UNUSED_OPTIONS_H
#define NB_ANALYSIS_UNUSED_OPTIONS_H

#include <stdio.h>

#include "run/parameter_grid.h"

typedef struct nb_unused_options nb_unused_options;

/* `grid` is borrowed. */
nb_status nb_unused_options_create(const nb_parameter_grid *grid, nb_unused_options **unused);
void nb_unused_options_destroy(nb_unused_options *unused); /* NULL allowed */

/* Looks at a prepared run of the grid. */
void nb_unused_options_look(nb_unused_options *unused, const nb_request *request);

/* After all runs: NB_ERROR_USAGE with one line where an option acts in none. */
nb_status nb_unused_options_check(const nb_unused_options *unused);

/* Writes to the stream where options do not act that do so elsewhere: of those of one value, a line each; of those that
 * vary, " linear-iterations means nothing to cholesky" with "; " between them, and how many these are. */
void nb_unused_options_note(const nb_unused_options *unused, FILE *stream);
int nb_unused_options_note_varying(const nb_unused_options *unused, FILE *stream);

#endif
