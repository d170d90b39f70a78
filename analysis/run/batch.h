/* A batch: copies of a scene, made at once over threads, each from beginning to end on one; or, where a device makes
 * whole steps, all step by step together, with one launch a step; or, where it makes trajectories, with a launch for
 * many steps, and the last step alone step by step, which has contacts and forces for the checks. What a copy does
 * depends on its number and the seed alone, not on how many there are or on how many threads. */
#ifndef NB_ANALYSIS_BATCH_H
#define NB_ANALYSIS_BATCH_H

#include "run/request.h"

/* Makes the copies of a prepared request with info.batch > 1 into run->batch; with `repeated` only their time is kept,
 * as one more pass. Interrupted, it stops early, with *done = 0 and NB_OK. A copy that fails by
 * itself (it has no finite place any more, it is too large for the device) is noted in the batch, and the others go on;
 * where none is left, or memory, disk or device fail, the batch has failed. Progress counts copies, after the steps of
 * the run itself; its calls come one at a time. */
nb_status nb_batch_make(const nb_request *request, nb_progress *progress, void *progress_context, int repeated,
                        nb_run *run, int *done);

/* Whether the device takes the scene of a prepared request through trajectories, where these are asked for; else
 * NB_ERROR_UNSUPPORTED with one line. Nothing is written. */
nb_status nb_batch_try(const nb_request *request);

#endif
