/* A suite: every combination of methods and options on every problem file of a folder, and what is asked of each. */
#ifndef NB_PROGRAM_SUITE_REQUESTS_H
#define NB_PROGRAM_SUITE_REQUESTS_H

#include "run/parameter_grid.h"
#include "suite_files.h"

typedef struct nb_suite {
    nb_parameter_grid *grid; /* methods and options; the problem is put in by nb_suite_prepare */
    nb_suite_files files;
    int64_t combinations; /* of options, for each file; those that come down to the same run are one */
    int64_t *which;       /* [combinations] their numbers in the grid */
    double time_limit;    /* [s] of each pass of a run; 0: none */
    int describe;         /* 1: the table says how singular W is */
} nb_suite;

/* Fills `combinations` and `which` from the grid; the caller frees `which`. What is wrong with the options is said
 * here, before anything is run. */
nb_status nb_suite_combine(nb_suite *suite);

/* The runs of file `problem`: requests[combinations], which the caller clears. */
nb_status nb_suite_prepare(const nb_suite *suite, int64_t problem, nb_request *requests);
void nb_suite_clear_requests(const nb_suite *suite, nb_request *requests);

#endif
