/* A suite: every combination of methods and options on every problem file of a folder. What the files of the command
 * `suite` share: suite.c (the command), suite_run.c (the order of things), suite_worker.c (a process a problem),
 * suite_requests.c (what is asked of it) and suite_table.c (what is printed). */
#ifndef NB_PROGRAM_SUITE_H
#define NB_PROGRAM_SUITE_H

#include <stdio.h>

#include "base/child.h"
#include "run/parameter_grid.h"
#include "run_output.h"
#include "suite_files.h"

typedef struct nb_suite {
    nb_parameter_grid *grid; /* methods and options; the problem is put in by nb_suite_prepare */
    nb_suite_files files;
    int64_t combinations; /* of options, for each file; those that come down to the same run are one */
    int64_t *which;       /* [combinations] their numbers in the grid */
    double time_limit;    /* [s] of each pass of a run; 0: none */
    int32_t jobs;         /* problems at a time */
    int describe;         /* 1: the table says how singular W is */
} nb_suite;

/* Fills `combinations` and `which` from the grid; the caller frees `which`. What is wrong with the options is said
 * here, before anything is run. */
nb_status nb_suite_combine(nb_suite *suite);

/* The runs of file `problem`: requests[combinations], which the caller clears. */
nb_status nb_suite_prepare(const nb_suite *suite, int64_t problem, nb_request *requests);
void nb_suite_clear_requests(const nb_suite *suite, nb_request *requests);

/* Makes all runs. What a run does cannot end the suite: a crash, a limit of time exceeded, a file that cannot be read
 * is a failed run by name, in the record as well. Runs are recorded in the order of the files, whatever the jobs.
 * *exit_status: 0; 1 where a run failed or did not reach its tolerance; 3 where a problem is not that of its
 * standard set; 130 after an interrupt. */
nb_status nb_suite_run(const nb_suite *suite, const nb_output *output, int *exit_status);

/* ---- a process for a problem ---- */

typedef struct nb_suite_worker {
    int64_t problem;
    nb_request *requests; /* [combinations], owned */
    int64_t first;        /* the combinations before it are not to be run */
    nb_child child;
    double started; /* [s] */
} nb_suite_worker;

/* Starts the process: for every combination warm-ups, the recorded pass and the timed repetitions, each in a process of
 * its own (isolate.h). The requests are taken over, also on a fault. */
nb_status nb_suite_worker_start(const nb_suite *suite, int64_t problem, int64_t first, nb_request *requests,
                                nb_suite_worker *worker);

/* Its runs, runs[combinations] of which those before `first` are NULL; the caller destroys them. Runs that it did not
 * hand on because it died are failed ones. */
nb_status nb_suite_worker_collect(const nb_suite *suite, nb_suite_worker *worker, nb_run **runs);

/* Ends it, where it is still there, and gives back what it has. */
void nb_suite_worker_clear(const nb_suite *suite, nb_suite_worker *worker);

/* ---- the table ---- */

typedef struct nb_suite_table nb_suite_table;

/* Options that were given several values have columns; with `describe` W has some. Borrows the suite. */
nb_status nb_suite_table_create(const nb_suite *suite, nb_suite_table **table);
void nb_suite_table_destroy(nb_suite_table *table); /* NULL allowed */

/* A line for a run; *solved: it has a result, and met the tolerance where there is one. */
nb_status nb_suite_table_add(nb_suite_table *table, const nb_request *request, const nb_run *run, int *solved);

/* After the last line: which runs failed, and why. */
void nb_suite_table_end(const nb_suite_table *table);

#endif
