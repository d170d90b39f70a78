/* What `run` and `solve` are given: the grid of runs, and where the record goes. */
#ifndef NB_PROGRAM_ARGUMENTS_H
#define NB_PROGRAM_ARGUMENTS_H

#include "command.h"
#include "run/parameter_grid.h"

typedef struct nb_arguments {
    const nb_command *command;
    int problems; /* 1: the arguments are paths of problem files; 0: one comma list of scenarios */
    int given;    /* arguments so far */
    nb_parameter_grid *grid;
    const char *path; /* of the record, or NULL */
    const char *title;
    const char *rhs, *solution_path; /* of a Matrix Market system, or NULL */
    int append, force;
    const char *resume; /* of the record to make whole, or NULL */
    double interval;    /* [s] between checkpoints */
    int others;         /* options and arguments beside --resume */
} nb_arguments;

/* What solve and run take beside the options of runs: argp tables. */
extern const struct argp_option nb_solve_options[], nb_resume_options[];

/* Parses a command line (argv[0]: the command's name) into *arguments, of which `command` and `problems` are set and
 * the rest is zero. Texts are borrowed from argv. */
nb_status nb_arguments_parse(nb_arguments *arguments, int argc, char **argv);
void nb_arguments_clear(nb_arguments *arguments);

/* The body of the commands run and solve: parses, prepares, runs. */
nb_status nb_arguments_run(const nb_command *command, int problems, int argc, char **argv, int *exit_status);

/* The whole command line as one text that a shell takes as it was; owned by the caller. */
nb_status nb_command_line(int argc, char **argv, char **line);

#endif
