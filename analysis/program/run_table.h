/* The tables of runs on standard output, a line a run: aligned for `run` and `solve`, with tabs for `suite`. */
#ifndef NB_PROGRAM_RUN_TABLE_H
#define NB_PROGRAM_RUN_TABLE_H

#include "plan.h"
#include "record/run.h"
#include "suite_requests.h"

typedef struct nb_run_table nb_run_table;

/* A table for each group of the plan (borrowed), with columns for the scene, the linear solver and whatever varies
 * within the group, then the outcome: for stored problems with the natural map in its three normalisations. */
nb_status nb_run_table_of_plan(const nb_plan *plan, nb_run_table **table);

/* One table of a suite (borrowed), with columns for the method, the linear solver and options that were given several
 * values, then the outcome; with `describe` how singular W is. */
nb_status nb_run_table_of_suite(const nb_suite *suite, nb_run_table **table);

void nb_run_table_destroy(nb_run_table *table); /* NULL allowed */

/* Prints the line of run `i` of the plan (of a suite any). *solved: it has a result, and met the tolerance where there
 * is one. */
nb_status nb_run_table_add(nb_run_table *table, int64_t i, const nb_request *request, const nb_run *run, int *solved);

/* After the last line of a suite: which runs failed, and why. */
nb_status nb_run_table_end(nb_run_table *table);

/* 0 where the run was asked to reach a tolerance and a step did not, or a copy of a batch failed */
int nb_run_converged(const nb_request *request, const nb_run *run);

#endif
