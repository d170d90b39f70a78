/* A suite: every combination of methods and options on every problem file of a folder, and what is asked of each. */
#ifndef NB_PROGRAM_SUITE_REQUESTS_H
#define NB_PROGRAM_SUITE_REQUESTS_H

#include "base/sha256.h"
#include "base/status.h"
#include "record/run.h"
#include "run/parameter_grid.h"
#include "run/standard_set.h"

typedef struct nb_suite_file {
    char *path;
    /* as the record names it: the path within the folder; of a longer one a checksum and its end */
    char name[NB_NAME_LENGTH];
    char sha256[NB_SHA256_TEXT];         /* of its bytes when the suite began; "" where they cannot be read */
    const nb_standard_problem *standard; /* of a standard set; else NULL */
} nb_suite_file;

typedef struct nb_suite_files {
    nb_suite_file *items;
    int64_t count, capacity;
    nb_standard_set set; /* where the files are of one */
} nb_suite_files;

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

/* Every file below `folder` whose name ends in .hdf5, .h5, .dat, .json or .json.gz, whether it can be read or not, but
 * for the file `except` (or NULL); sorted by path, so that the order is always the same. Links to folders are not
 * followed. NB_ERROR_IO where a folder cannot be read, NB_ERROR_INPUT where there is no such file. */
nb_status nb_suite_files_find(const char *folder, const char *except, nb_suite_files *files);
/* 1: the file has other bytes by now. */
int nb_suite_file_changed(const nb_suite_file *file);
/* The files of a standard set (run/standard_set.h), by the names and in the order of its table. */
nb_status nb_suite_files_of_set(const char *which, nb_suite_files *files);
void nb_suite_files_clear(nb_suite_files *files);

#endif
