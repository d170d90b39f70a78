/* A command that looks into the motion of one scene and writes what it finds into a file of its own (gradient,
 * optimize): the words that such commands have in common, their one run, and how they end. */
#ifndef NB_PROGRAM_MOTION_H
#define NB_PROGRAM_MOTION_H

#include "command.h"
#include "overwrite.h"
#include "plan.h"

typedef struct nb_motion {
    const nb_command *command; /* these two from the command */
    nb_written writes;
    nb_parameter_grid *grid;
    nb_plan plan;
    const char *scenario, *path; /* words of the command line: borrowed */
    int force;
    char *line;                /* the command line */
    const nb_request *request; /* the run: of the plan */
} nb_motion;

/* Takes the scenario, -o, --force and the options of runs. */
nb_status nb_motion_set(nb_motion *m, int key, const char *text);

/* Parses the command line by `set`, which leaves to nb_motion_set what is not its own, and prepares the run; from then
 * on an interrupt is caught. NB_ERROR_USAGE or NB_ERROR_UNSUPPORTED where a word is missing, the file may not be
 * written over, the options give several runs, or they ask for repetitions or a device. nb_motion_clear, even then. */
nb_status nb_motion_begin(nb_motion *m, int argc, char **argv, nb_option_setter *set, void *context);
void nb_motion_clear(nb_motion *m);

/* What a run that ended with this status means to the command: where it was interrupted, that is said and becomes the
 * exit status, and *ended is 1. */
nb_status nb_motion_end(const nb_motion *m, nb_status status, int *ended, int *exit_status);

#endif
