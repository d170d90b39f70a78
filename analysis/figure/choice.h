/* What of its runs a figure draws: the words of the command line. */
#ifndef NB_ANALYSIS_FIGURE_CHOICE_H
#define NB_ANALYSIS_FIGURE_CHOICE_H

#include <stdint.h>

#include "base/status.h"
#include "record/record.h"
#include "record/run.h"
#include "table/conditions.h"

/* what a figure whose head has `y` (figure/script.h) draws along its axis */
typedef enum nb_convergence_axis {
    NB_CONVERGENCE_ITERATION,
    NB_CONVERGENCE_WORK, /* products with A */
    NB_CONVERGENCE_TIME,
    NB_CONVERGENCE_AXES
} nb_convergence_axis;

extern const char *const nb_convergence_axes[NB_CONVERGENCE_AXES]; /* "iteration", "work", "time" */

typedef struct nb_figure_choice {
    const char *quantity; /* a column of newton/ or, "linear/residual_l2", of linear/; NULL: as the head says */
    nb_convergence_axis axis;
    int32_t step, newton; /* from 0; -1: as the head says */
} nb_figure_choice;

/* what the figure's head says against the iteration */
void nb_figure_choice_standard(nb_figure_choice *choice);

/* What is drawn where nothing was asked for: as the figure's head says (NULL), or, where the chosen runs of the record
 * are of Matrix Market systems, their relative residual. */
nb_status nb_figure_choice_default(const nb_conditions *where, nb_record_reader *reader, const char **quantity);

/* The column of linear/ that the quantity is, or -1: it is one of newton/, whose name this is with _ in place of -. Of
 * the relative residual it is residual_l2. */
int nb_figure_choice_linear(const char *quantity);
/* whether it is the relative residual, linear/residual_l2 over its start */
int nb_figure_choice_relative(const char *quantity);
void nb_figure_choice_name(const char *quantity, char name[NB_NAME_LENGTH]);

#endif
