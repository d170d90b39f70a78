/* Which settings a run depends on: others that were asked for change nothing, so that runs that differ in these alone
 * are one. */
#ifndef NB_ANALYSIS_SETTING_EFFECT_H
#define NB_ANALYSIS_SETTING_EFFECT_H

#include <stdio.h>

#include "run/parameter_grid.h"
#include "run/request.h"

/* what leaves a setting without effect */
typedef struct nb_ignored {
    char by[2 * NB_NAME_LENGTH]; /* as the user knows it: the method, the linear solver or another setting and its value
                                    ("batch 1"); "": the run depends on the setting */
    char remedy[2 * NB_NAME_LENGTH]; /* what would let it act: "another --batch" */
} nb_ignored;

/* Of a setting: an attribute of a run ("linear_iterations"), an option ("linear-iterations") or a parameter
 * ("preconditioner.omega"). Of a solver that is not in the tables, such as a plugin's that is not loaded, everything
 * may matter. */
nb_ignored nb_info_ignored(const nb_run_info *info, const char *name);
int nb_info_uses(const nb_run_info *info, const char *name);

/* The same of a prepared request, which knows linear systems and what is not recorded, too. */
nb_ignored nb_request_ignored(const nb_request *request, const char *name);
int nb_request_uses(const nb_request *request, const char *name);

/* Whether steps start as nobody asked for (nb_default_warm_start); of methods that are not in the tables, from zero. */
int nb_info_starts_as_usual(const nb_run_info *info);

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
