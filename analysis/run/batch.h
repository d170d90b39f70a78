/* A batch: copies of a scene, made at once over threads, each from beginning to end on one; or, where a device makes
 * whole steps, all step by step together, with one launch a step. What a copy does depends on its number and the seed
 * alone, not on how many there are or on how many threads. */
#ifndef NB_ANALYSIS_BATCH_H
#define NB_ANALYSIS_BATCH_H

#include "run/simulate.h"

enum {
    NB_BATCH_MOST = 65536,
    NB_BATCH_MOST_STEPS = 100000000 /* of all copies: their rows are held in memory, 64 bytes each */
};

/* Moves every dynamic body a little, as copy `copy` of a batch starts: each component of its place by a uniform number
 * within +-size r, of its velocity within +-size r/s, of its angular velocity within +-size rad/s; r is the radius of
 * its shape (1 m without one). Copy 0 is left as it is. */
void nb_batch_perturb(nb_world *world, double size, uint64_t seed, int32_t copy);

/* NB_ERROR_USAGE with one line where the request asks for a batch that is not offered. */
nb_status nb_batch_check(const nb_request *request, int has_plugin);

/* Makes the copies of a prepared request with info.batch > 1 into run->batch; with `repeated` only their time is kept,
 * as one more pass. Stops early, with *done = 0 and NB_OK, when *interrupted becomes non-zero. A copy that fails by
 * itself (it has no finite place any more, it is too large for the device) is noted in the batch, and the others go on;
 * where none is left, or memory, disk or device fail, the batch has failed. Progress counts copies, after the steps of
 * the run itself; its calls come one at a time. */
nb_status nb_batch_make(const nb_request *request, nb_progress *progress, void *progress_context,
                        const volatile sig_atomic_t *interrupted, int repeated, nb_run *run, int *done);

#endif
