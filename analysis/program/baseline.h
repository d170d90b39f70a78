/* The run that `compare --baseline` names. */
#ifndef NB_PROGRAM_BASELINE_H
#define NB_PROGRAM_BASELINE_H

#include "statistics/compared_run.h"

/* Cuts "RECORD/RUN" in two where what stands before the last '/' is a file: *path (nb_free) is NULL where no record is
 * named; *run is the rest of `text`. */
nb_status nb_baseline_split(const char *text, char **path, const char **run);

/* The run of this name: its number as check counts ("0003" or "3"), or settings with commas between them, each
 * NAME=VALUE or a value alone ("arch,pcr,mu=0.6"). NB_ERROR_USAGE where none has them, or two of one scenario, or runs
 * of several solvers; with `any_problem` of several solvers alone. The labels of `set` have to be settled. */
nb_status nb_baseline_find(const nb_compared_runs *set, const char *path, const char *run, int any_problem,
                           int64_t *index);

#endif
