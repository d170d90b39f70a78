/* The commands of the program: one file a command, and how their options are parsed. */
#ifndef NB_PROGRAM_COMMAND_H
#define NB_PROGRAM_COMMAND_H

#include <argp.h>

#include "run/options.h"
#include "table/cost.h"

/* exit statuses beside those of nb_status_exit_code */
enum {
    NB_EXIT_OK = 0,
    NB_EXIT_NOT_CONVERGED = 1,
    NB_EXIT_CHECK_FAILED = 2,
    NB_EXIT_INTERRUPTED = 130
};

typedef struct nb_command {
    const char *name;
    const char *arguments;             /* what follows the options, for --help */
    const char *summary;               /* one line */
    const char *details;               /* printed after the options, or NULL */
    const char *examples;              /* lines that run in this order in one folder, or NULL */
    const struct argp_option *options; /* its own options, or NULL */
    nb_request_use takes;              /* which options of runs */
    const struct nb_command *as;       /* the command that has (most of) these, too, or NULL */
    int one_scene;                     /* 1: of these, none of copies of the scene (--batch, ..) */
    nb_status (*run)(int argc, char **argv, int *exit_status);
} nb_command;

extern const nb_command nb_command_list, nb_command_merge, nb_command_bundle, nb_command_run, nb_command_solve,
    nb_command_export, nb_command_figure, nb_command_reproduce, nb_command_report_record, nb_command_check,
    nb_command_compare, nb_command_bench, nb_command_info, nb_command_suite, nb_command_gradient, nb_command_optimize;

enum {
    NB_COMMANDS = 16
};
extern const nb_command *const nb_commands[NB_COMMANDS]; /* as --help lists them */

enum {
    NB_COMMAND_MOST_OPTIONS = 192
};

/* The options of runs that the command takes, or NULL. */
const struct argp_option *nb_command_shared(const nb_command *command);

/* The command's own options, those of runs where it takes them, and --help, as one table with an empty end. */
void nb_command_options(const nb_command *command, struct argp_option list[NB_COMMAND_MOST_OPTIONS]);

/* Adds the option to a list of `count` (which it may be part of), and takes back a heading that has none; returns how
 * many there are. */
int nb_command_add_option(struct argp_option *list, int count, const struct argp_option *option);

extern const char nb_exit_statuses[]; /* two lines */

/* " (an option of run, suite)" for the commands that have a long option of this name; "" where none has. */
void nb_command_owners(const char *name, char *text, size_t size);

/* Receives an option (its argp key) or an argument (ARGP_KEY_ARG). */
typedef nb_status nb_option_setter(void *context, int key, const char *text);

/* Parses argv (argv[0] is the command's name). NB_ERROR_USAGE with one line where an option is unknown, lacks its
 * value or is refused by `set`. */
nb_status nb_command_parse(const nb_command *command, int argc, char **argv, nb_option_setter *set, void *context);

/* What of --help is asked for. Commands that take the options of runs have them in one or two screens of NB_HELP_SHORT,
 * a line an option; others have one --help. */
typedef enum nb_help {
    NB_HELP_SHORT,  /* --help, -h */
    NB_HELP_ALL,    /* --help=all: every option with all that is to be said of it */
    NB_HELP_MANUAL, /* --help=manual, for manual.sh: without the options that another command's section has */
    NB_HELP_LEVELS
} nb_help;

/* Prints the command's --help on standard output. */
void nb_command_help(const nb_command *command, nb_help level);

/* The value of --to of `command`: "X", a natural-map error, or "energy:X" or "residual:X", errors of linear solves. */
nb_status nb_command_accuracy(const char *command, const char *text, double *accuracy, nb_cost_error *error);

/* Takes one argument where `*place` is still NULL; "run: 'x' is one argument too many". */
nb_status nb_command_take(const nb_command *command, const char *text, const char **place);

/* The number that the option --NAME is given [units], or a whole one; NB_ERROR_USAGE where it is none from `least` to
 * `most`. */
nb_status nb_command_number(const char *name, const char *text, const char *units, double least, double most,
                            double *number);
nb_status nb_command_whole(const char *name, const char *text, int32_t least, int32_t most, int32_t *number);

/* The value of --format: *json is 0 for "text", 1 for "json". */
nb_status nb_command_format(const char *text, int *json);

/* Prints "ncpbench: WHERE: MESSAGE" for the last fault as one line on standard error; `where` may be NULL. */
void nb_command_report(const char *where);

#include "command.h"

/* Prints what the last of the words after "ncpbench", which may be begun, can be: a line each, with its meaning after a
 * tab. Returns 1 where the shell is to offer files. */
int nb_complete(int count, char **words);

/* The whole command line as one text that a shell takes as it was; owned by the caller. */
nb_status nb_command_line(int argc, char **argv, char **line);

#endif
