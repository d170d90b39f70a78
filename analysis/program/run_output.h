/* The record that a command writes run by run, and the checkpoint by which an interrupted command is made whole: what
 * `run`, `solve` and `suite` have in common. */
#ifndef NB_PROGRAM_RUN_OUTPUT_H
#define NB_PROGRAM_RUN_OUTPUT_H

#include "progress.h"
#include "record/record.h"
#include "record/run.h"
#include "run/checkpoint.h"
#include "run/simulate.h"

typedef struct nb_output {
    const char *path;     /* of the record; NULL: none */
    const char *title;    /* or NULL */
    const char *command;  /* the command line */
    const char *sweep;    /* of a shard: the command line of the whole sweep; else NULL */
    int append;           /* add to the record at `path`, where there is one */
    int force;            /* write over what is there (overwrite.h) */
    const char *solution; /* Matrix Market file for x of a linear system; NULL: none */
    int continued;        /* more is to be done with the record when its runs are made: the checkpoint stays */
    const char *again;    /* how to go on after an interrupt; NULL: ncpbench COMMAND --resume FILE.h5 */
    int resumable;        /* leave checkpoints, so that the command can be made whole after an interruption */
    int resume;           /* make whole the command whose checkpoint is beside `path` */
    double interval;      /* [s] between checkpoints */
    int32_t jobs;         /* passes at a time; 0: one */
    int isolated;         /* each pass in a process of its own */
    int quiet;            /* no table of the runs on standard output */
    const char *made;     /* [runs of the plan] 1: not to be made, as a record has it; NULL: all are made */
    int accept_unmet;     /* a tolerance that a run does not meet is a result to show, not a failure of the command */
} nb_output;

/* The caller sets what stands above the empty line, and the rest to zero. */
typedef struct nb_run_output {
    const nb_output *output;
    const char *command;     /* its name, for "go on with: ncpbench run --resume FILE.h5" */
    nb_progress_bar *bar;    /* where notes go */
    int64_t count;           /* of all runs that the command shall make */
    const nb_run_info *info; /* of the first of them: seed and threads for the provenance */
    const nb_inputs *inputs; /* of all runs */
    const nb_sweep *sweep;   /* of which the runs are a shard, or NULL */

    nb_record *record;         /* NULL: none asked for */
    nb_checkpoint *checkpoint; /* NULL: the command leaves none */
    char *source;              /* the file that has the runs finished before an interruption, or NULL */
    int keeps;                 /* a record of another command is at `path` and is to be kept under another name */
    int64_t written;           /* runs by now, those from before an interruption included */
} nb_run_output;

/* Told of each run that an interrupted command has recorded; *own: it is taken for one of those that it is to make. */
typedef nb_status nb_resume_visitor(void *context, const nb_run *run, int *own);

/* Opens the record, and with --resume shows `visit` the runs that were finished before */
nb_status nb_run_output_open(nb_run_output *run_output, nb_resume_visitor *visit, void *context);

/* Adds a run, which is then safe. */
nb_status nb_run_output_write(nb_run_output *run_output, const nb_run *run);

/* Closes the record, with `status` how the command went; what was finished is kept. Returns the fault of closing, or
 * `status`. It holds nothing afterwards. */
nb_status nb_run_output_close(nb_run_output *run_output, nb_status status);

/* The words of the command `name` from a line that nb_command_line made, the program's name left out; words[0 .. count
 * - 1] and their text are one piece of memory, given back with nb_free(words). */
nb_status nb_resume_words(const char *line, const char *name, int *count, char ***words);

/* Whether there is nothing to go on with since the record is whole: no checkpoint is beside it, and the command `name`
 * wrote it. This is said on standard error. */
nb_status nb_resume_is_whole(const char *record, const char *name, int *whole);

/* whether a run that was recorded is what this request asks for */
int nb_resume_is_run_of(const nb_request *request, const nb_run_info *info);

#endif
