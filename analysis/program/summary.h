/* The table that `run` and `solve` print: one line a run. */
#ifndef NB_PROGRAM_SUMMARY_H
#define NB_PROGRAM_SUMMARY_H

#include "plan.h"
#include "record/run.h"

typedef struct nb_summary nb_summary;

/* A table for each group of the plan (borrowed), with columns for the scene, the linear solver and whatever varies
 * within the group, then the outcome: for stored problems with the natural map in its three normalisations. */
nb_status nb_summary_create(const nb_plan *plan, nb_summary **summary);
void nb_summary_destroy(nb_summary *summary); /* NULL allowed */

/* Prints the line of run `i` of the plan on standard output. */
nb_status nb_summary_print(nb_summary *summary, int64_t i, const nb_run *run);

/* 0 where the run was asked to reach a tolerance and a step did not, or a copy of a batch failed */
int nb_run_converged(const nb_request *request, const nb_run *run);

#endif
