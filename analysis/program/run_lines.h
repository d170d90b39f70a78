/* Runs that are written as lines, as figures and claims have them: arguments of `ncpbench run`. */
#ifndef NB_PROGRAM_RUN_LINES_H
#define NB_PROGRAM_RUN_LINES_H

#include "plan.h"

enum {
    NB_MOST_RUN_LINES = 256
};

/* Zero is a plan of no runs. */
typedef struct nb_run_lines {
    nb_plan plan;                                /* each run once */
    nb_parameter_grid *grids[NB_MOST_RUN_LINES]; /* of each line, which the plan borrows from */
    int count;
} nb_run_lines;

/* Adds the runs of one line that are not there yet. */
nb_status nb_run_lines_add(nb_run_lines *lines, const char *line);
void nb_run_lines_clear(nb_run_lines *lines);

#endif
