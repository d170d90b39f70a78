/* Steps that are made before those of a run: they bring every run of a comparison to the same state, whatever method,
 * solver or precision it compares. */
#ifndef NB_ANALYSIS_SETTLE_H
#define NB_ANALYSIS_SETTLE_H

#include "run/scene_run.h"

/* Puts the scene into the state that the request begins with (start_state.h; NB_ERROR_INPUT where that is of other
 * counts), and makes the request's info.settle steps with method `auto` in double, each to a natural map of
 * info.settle_tolerance [m/s], by Coulomb's law and with implicit steps. scene->settling receives what came of them.
 * The scene's own method then starts from the velocities and impulses of the last one. A step that is not solved to the
 * tolerance is counted, and the next one goes on from it. NB_ERROR_NUMERIC: a step diverged; NB_ERROR_UNSUPPORTED:
 * contact detection does not know a pair of the scene's shapes; NB_ERROR_INTERRUPTED. */
nb_status nb_scene_run_settle(nb_scene_run *scene);

/* The same, where a step that is not solved is a fault, too (NB_ERROR_NUMERIC). */
nb_status nb_scene_run_settle_all(nb_scene_run *scene);

/* Adds what came of it to the run's usage, in which the copies of a batch are counted together. */
void nb_run_add_settling(nb_run *run, const nb_settling *settling);

#endif
