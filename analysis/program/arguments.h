/* What `run`, `solve` and `suite` are given: the grid of runs, how they are made, and where the record goes. */
#ifndef NB_PROGRAM_ARGUMENTS_H
#define NB_PROGRAM_ARGUMENTS_H

#include "command.h"
#include "plan.h"
#include "run/parameter_grid.h"
#include "run_output.h"

/* what stands behind the options */
typedef enum nb_given {
    NB_GIVEN_SCENARIOS, /* one comma list of scenarios */
    NB_GIVEN_PROBLEMS,  /* paths of problem files */
    NB_GIVEN_FOLDER     /* one folder of problem files */
} nb_given;

typedef struct nb_arguments {
    const nb_command *command;
    nb_given of;
    int given; /* arguments so far */
    nb_parameter_grid *grid;
    nb_output output;                /* path, title, command, append, force, jobs, interval, resume */
    double time_limit;               /* [s] of each pass; 0: none */
    const char *rhs, *solution_path; /* of a Matrix Market system, or NULL */
    const char *petsc;               /* option sets of PETSc, or NULL */
    char system_folder[4096];        /* of the last problem that is a folder with a system, or "" */
    const char *resume;              /* of the record to make whole, or NULL */
    int others;                      /* options and arguments beside --resume */
    const char *folder, *standard;   /* of a suite, one of both */
    int32_t shard, shards;           /* of a sweep; 0: the whole */
    int describe, tolerant;          /* of a suite: columns on W; a tolerance is given */

    char *line, **words; /* owned: the command line, and a resumed one's */
    char *sweep;         /* owned: the command line without the shard and its record */
    int whole;           /* 1: there is nothing to resume */
} nb_arguments;

/* What solve, run and suite take beside the options of runs: argp tables. */
extern const struct argp_option nb_solve_options[], nb_run_options[], nb_suite_options[];

/* Parses a command line (argv[0]: the command's name) into *arguments, of which `command` and `of` are set and the
 * rest is zero. Texts are borrowed from argv. */
nb_status nb_arguments_parse(nb_arguments *arguments, int argc, char **argv);

/* The same for a command that makes runs, with its plugins; --resume brings the arguments of the interrupted one. */
nb_status nb_arguments_take(nb_arguments *arguments, int argc, char **argv);
void nb_arguments_clear(nb_arguments *arguments);

/* Sets --relative-tolerance. */
nb_status nb_arguments_tolerance(nb_arguments *arguments, const char *text);

/* The body of the commands run and solve: parses, prepares, runs. */
nb_status nb_arguments_run(const nb_command *command, nb_given of, int argc, char **argv, int *exit_status);

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
