/* Makes runs: warm-ups, the recorded pass and timed repetitions; one after the other in this process, or `jobs` at a
 * time, each pass in a process of its own. What `run`, `solve`, `suite`, `reproduce` and claims have in common.
 *
 * Runs come in units, which are opened and closed in order, whatever the jobs. The repetitions of a unit follow its
 * recorded passes, each round in a new random order, so that no solver is always the one that runs warm. */
#ifndef NB_PROGRAM_EXECUTOR_H
#define NB_PROGRAM_EXECUTOR_H

#include "isolate.h"
#include "progress.h"
#include "run/checkpoint.h"

enum {
    NB_MOST_JOBS = 256
};

/* a run to make */
typedef struct nb_job {
    const nb_request *request; /* prepared */
    int64_t number;            /* of the run in the command's plan */
    nb_run *run;               /* what came of it; NULL: nothing */
    int32_t passes;            /* up to the recorded one that were made */
    int over;                  /* 1: those passes are made, or the run was dropped */
    int busy;                  /* 1: a pass is under way */
} nb_job;

/* Runs whose repetitions are made together. The caller of nb_executor_make sets what stands above the empty line. */
typedef struct nb_unit {
    nb_job *items; /* [count] request and number set, the rest zero; owned by the unit */
    int64_t count;
    uint64_t seed;     /* of the order of repetitions */
    int64_t *repeated; /* counts the repetitions, for their order in the record; NULL: those of the unit alone */
    nb_request *own;   /* the requests that are the unit's, or NULL; given back by `clear` */

    int64_t number;
    double begun; /* clock [s] */
    int64_t *order, made, at;
    int32_t round, rounds;
} nb_unit;

typedef struct nb_executor {
    void *context;
    int64_t first, units;      /* those before the first are not made */
    int32_t jobs;              /* passes at a time; more than one are isolated */
    int isolated;              /* 1: each pass in a process of its own (isolate.h), without checkpoints of its state */
    int records_faults;        /* 1: a run that fails is a failed run of the record; 0: only one that took too long */
    nb_checkpoint *checkpoint; /* of recorded passes, or NULL */
    nb_progress_bar *bar;      /* shows passes, by the labels of its plan; NULL: they are not shown */
    /* fills the unit of number unit->number; after a fault it is cleared, too */
    nb_status (*open)(void *context, nb_unit *unit);
    /* Takes the runs of the next unit, of which those that were dropped are NULL. After an interrupt the units that
     * were begun are closed as far as they came, or with `close_interrupted` 0 not at all. */
    nb_status (*close)(void *context, nb_unit *unit);
    int close_interrupted;
    /* a pass failed: NB_OK where the others are to be made; NULL: never called, as records_faults */
    nb_status (*dropped)(void *context, const nb_job *job, nb_status fault);
    void (*clear)(void *context, nb_unit *unit); /* NULL allowed */
} nb_executor;

/* Makes all runs, or until an interrupt. A fault of `open`, `close` or `dropped`, or of this machine, ends it. */
nb_status nb_executor_make(const nb_executor *executor);

#endif
