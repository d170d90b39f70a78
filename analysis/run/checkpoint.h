/* Where an interrupted command goes on: FILE.h5.checkpoint beside the record FILE.h5, as long as that is being made.
 *
 * It names the command, the build and the inputs (inputs.h), and holds the state of the run in progress after a whole
 * step. That is every body's state in double, the clock and the scenario's own numbers, the impulses of a warm start,
 * what an integrator keeps of the step before, and the rows recorded so far. Nothing else goes from one step to the
 * next (Newton methods, linear solvers and preconditioners are made again for every step; random numbers are drawn only
 * while a scenario is built), so that a run that goes on from here makes bit for bit the record that it would have
 * made.
 *
 * The file is written beside its place, checked by a checksum, and renamed when it is on the disk: there is always
 * either the last one or the one before. */
#ifndef NB_ANALYSIS_CHECKPOINT_H
#define NB_ANALYSIS_CHECKPOINT_H

#include <stdint.h>

#include "base/stream.h"
#include "model/world.h"
#include "record/run.h"
#include "run/inputs.h"

enum {
    NB_CHECKPOINT_STANDARD_INTERVAL = 30 /* [s] */
};

typedef struct nb_checkpoint {
    char *path, *temporary;
    char *command;     /* the command line that is to be made whole */
    nb_inputs inputs;  /* what it began with (owned) */
    int32_t before;    /* runs that the record held before the command added its own */
    int64_t started;   /* [s since 1970] when the command was first given */
    int64_t process;   /* that wrote it: its id is in the name of the record it was writing */
    int32_t run;       /* the plan's run in progress, or -1 */
    double interval;   /* [s] between checkpoints of a run; 0: after every step, without waiting for the disk */
    double last, cost; /* [s] the clock after the last one, and how long that took */
    int failed;        /* 1: one could not be written; no more are tried */
    nb_stream saved;   /* where `file` is open: the state that run `run` goes on from */
} nb_checkpoint;

/* For a command about to start; nothing is written yet. `command` is copied. */
nb_status nb_checkpoint_create(const char *record, const char *command, nb_checkpoint **checkpoint);

/* Reads and checks the checkpoint of the record that is to be made whole; NB_ERROR_INPUT where it is missing, damaged
 * or another build's. Its state, if any, waits in `saved`. */
nb_status nb_checkpoint_read(const char *record, nb_checkpoint **checkpoint);

void nb_checkpoint_destroy(nb_checkpoint *checkpoint);      /* NULL allowed; the file stays */
void nb_checkpoint_remove(const nb_checkpoint *checkpoint); /* the file: the record is whole */

/* Whether it is time: `interval` has gone by, and a hundred times as long as the last one took, so that checkpoints
 * cost less than one per cent of the time. */
int nb_checkpoint_due(const nb_checkpoint *checkpoint);

/* Writes the state of run `run` by `put`; run -1 has none, and no `put`. What cannot be written costs no result: the
 * fault is kept for a note (`failed`) and the last good checkpoint stays. */
typedef nb_status nb_checkpoint_put(const void *context, nb_stream *stream);
void nb_checkpoint_write(nb_checkpoint *checkpoint, int32_t run, nb_checkpoint_put *put, const void *context);

/* The parts of a state that do not depend on a precision. A world or run that is read must have been made for the same
 * request. */
nb_status nb_checkpoint_put_world(nb_stream *stream, const nb_world *world);
nb_status nb_checkpoint_get_world(nb_stream *stream, nb_world *world);

#endif
