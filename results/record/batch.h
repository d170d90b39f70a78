/* A batch: what a run holds of many copies of its scene, made at once. Copy 0 is the scene itself, the others start a
 * little off it, or are the scenes of other seeds. What is kept of each is one row a step, less than of the run itself.
 */
#ifndef NB_RESULTS_BATCH_H
#define NB_RESULTS_BATCH_H

#include <stdint.h>

#include "base/member.h"
#include "base/status.h"
#include "scenario.h"

/* The columns of a copy's step; each is one of a run's steps (run.h), whose name and units it has. */
typedef enum nb_batch_column {
    NB_BATCH_CONTACTS,
    NB_BATCH_NEWTON_ITERATIONS,
    NB_BATCH_OPERATOR_APPLICATIONS,
    NB_BATCH_REASON,
    NB_BATCH_NATURAL_MAP_ERROR,
    NB_BATCH_KINETIC_ENERGY,
    NB_BATCH_POTENTIAL_ENERGY,
    NB_BATCH_STEP_S,
    NB_BATCH_MAX_PENETRATION,
    NB_BATCH_COLUMNS
} nb_batch_column;
extern const int nb_batch_step_column[NB_BATCH_COLUMNS]; /* its nb_step_column */

/* why a copy did not come to its end; its rows from that step on are NaN */
typedef struct nb_batch_fault {
    int32_t scene, step;
    char text[256];
} nb_batch_fault;

typedef struct nb_batch {
    int32_t scenes, steps;  /* copies; 0: the run is no batch. Steps of each */
    double *rows;           /* [scenes][steps][NB_BATCH_COLUMNS]; NaN where an interrupted batch has none */
    int32_t *failed_checks; /* [scenes] of the scenario's checks; 0 where it was not made to its end */
    int32_t pass_count;
    double *pass_s; /* [pass_count] wall time in which all were made [s]: the recorded pass, then each repetition */
    double *device_work_s, *device_transfer_s; /* [pass_count] of it, as in nb_run_usage; NaN on this processor */
    int32_t fault_count;
    nb_batch_fault *faults;              /* [fault_count] of the recorded pass, by scene */
    nb_checks worst;                     /* each check as in the copy that is farthest off */
    int32_t worst_scene[NB_CHECK_MAX];   /* that copy */
    int32_t failed_scenes[NB_CHECK_MAX]; /* copies in which the check fails */
} nb_batch;

extern const nb_members nb_batch_members;

/* Room for the rows; a batch must be zero before. */
nb_status nb_batch_allocate(nb_batch *batch, int32_t scenes, int32_t steps);
void nb_batch_clear(nb_batch *batch);

/* Appends the times of one more pass. */
nb_status nb_batch_add_pass(nb_batch *batch, double seconds, double device_work_s, double device_transfer_s);

/* Notes the fault of a copy; the text is cut where it is too long. */
nb_status nb_batch_add_fault(nb_batch *batch, int32_t scene, int32_t step, const char *text);

/* Takes the checks of a copy into the worst. The result does not depend on the order of the copies. */
void nb_batch_add_checks(nb_batch *batch, int32_t scene, const nb_checks *checks);

#endif
