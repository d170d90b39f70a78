/* Runs one combination (scenario or problem file, method, solver, ...) and fills an nb_run. */
#ifndef NB_ANALYSIS_SIMULATE_H
#define NB_ANALYSIS_SIMULATE_H

#include <stdint.h>

#include "base/status.h"
#include "run/checkpoint.h"
#include "run/prepare.h"
#include "run/request.h"

/* Runs a prepared request. On a fault *run holds the steps that were finished (finished = 0) and still belongs to the
 * caller. Interrupted (base/interrupt.h), it stops early, amid a step, with finished = 0, the steps before that one,
 * and NB_OK. */
nb_status nb_simulate(const nb_request *request, nb_progress *progress, void *progress_context, nb_run **run);

/* The same, leaving checkpoints as run `index` of a plan, of the state after a whole step: when one is due, and on an
 * interrupt. Where the checkpoint was read and holds this run's state, the run goes on from there; the state is used up
 * by that. A run that stores systems, or that is a problem file, leaves none. */
nb_status nb_simulate_resumable(const nb_request *request, nb_progress *progress, void *progress_context,
                                nb_checkpoint *checkpoint, int32_t index, nb_run **run);

/* Leaves a run that was finished, but for its repetition, as the state of run `index`: whoever goes on from there has
 * it as it is. */
void nb_simulate_keep_complete(nb_checkpoint *checkpoint, int32_t index, const nb_run *run);

/* Runs one more timed repetition (no recording) and appends its times to run->repeat_*, and to run->batch.
 * NB_ERROR_INTERRUPTED: the run is as it was. */
nb_status nb_simulate_repeat(const nb_request *request, nb_run *run);

#endif
