/* Which runs of a record a figure is drawn from, and what of them: the words of the command line. */
#ifndef NB_ANALYSIS_FIGURE_CHOICE_H
#define NB_ANALYSIS_FIGURE_CHOICE_H

#include <stdint.h>

#include "base/status.h"
#include "record/record.h"
#include "record/run.h"

enum {
    NB_CHOICE_CONDITIONS = 16
};

/* what a figure whose head has `y` (figure/script.h) draws along its axis */
typedef enum nb_convergence_axis {
    NB_CONVERGENCE_ITERATION,
    NB_CONVERGENCE_WORK, /* products with A */
    NB_CONVERGENCE_TIME,
    NB_CONVERGENCE_AXES
} nb_convergence_axis;

extern const char *const nb_convergence_axes[NB_CONVERGENCE_AXES]; /* "iteration", "work", "time" */

typedef struct nb_figure_choice {
    const char *conditions[NB_CHOICE_CONDITIONS]; /* "linear_solver=pcr,pcg": all must hold; borrowed */
    int condition_count;
    const char *quantity; /* a column of newton/ or, "linear/residual_l2", of linear/; NULL: as the head says */
    nb_convergence_axis axis;
    int32_t step, newton; /* from 0; -1: as the head says */
} nb_figure_choice;

/* no condition, and what the figure's head says against the iteration */
void nb_figure_choice_standard(nb_figure_choice *choice);

/* Adds "NAME=VALUE[,VALUE...]". NAME is an attribute of a run, with - or _ ("linear-solver", "solver" for short), or a
 * parameter of its scenario or an option of its solver ("count", "omega"). NB_ERROR_USAGE where the text has another
 * form. */
nb_status nb_figure_choice_add(nb_figure_choice *choice, const char *text);

/* What is drawn where nothing was asked for: as the figure's head says (NULL), or, where the chosen runs of the record
 * are of Matrix Market systems, their relative residual. */
nb_status nb_figure_choice_default(const nb_figure_choice *choice, nb_record_reader *reader, const char **quantity);

/* The column of linear/ that the quantity is, or -1: it is one of newton/, whose name this is with _ in place of -. Of
 * the relative residual it is residual_l2. */
int nb_figure_choice_linear(const char *quantity);
/* whether it is the relative residual, linear/residual_l2 over its start */
int nb_figure_choice_relative(const char *quantity);
void nb_figure_choice_name(const char *quantity, char name[NB_NAME_LENGTH]);

/* Whether the run meets every condition; `choice` may be NULL. */
int nb_figure_choice_holds(const nb_figure_choice *choice, const nb_run_info *info);

/* NB_ERROR_INPUT where no run of the record meets a condition, with the values that there are. */
nb_status nb_figure_choice_find(const nb_figure_choice *choice, nb_record_reader *reader);

#endif
