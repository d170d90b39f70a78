/* Checks of a run by its start and its steps. */
#ifndef NB_ANALYSIS_RUN_CHECKS_H
#define NB_ANALYSIS_RUN_CHECKS_H

#include "record/run.h"
#include "scenario.h"

/* What the run's method makes of contacts, by its recorded options (of one that is not here, what is usual), and
 * whether it begins with a record's state. */
nb_check_premises nb_run_check_premises(const nb_run_info *info);

/* Holds the run's start, and the penetration of all its steps, against what they may be; `last` is a step more, or
 * NULL. What a record of an earlier version does not hold is left out. */
void nb_run_check_steps(const nb_run *run, const double *last, const nb_scenario_class *scenario,
                        const nb_world *initial, nb_checks *checks);

/* Adds the check that energy never grew where nothing drives the scene: by how much it rose the most from one step to a
 * later one [J], beyond what the errors of scheme (measure/energy_room.h) and solutions between them account for. A
 * solution that is off by e [m/s] may add e ((2 M T)^1/2 + M g h + M e/2), M the mass and T the kinetic energy.
 * Errors of the two steps before a rise count, too: what bdf2 loses it pays back in part. Contacts that give way store
 * energy: with these the rise is from the start alone.
 *
 * `initial` is the scene as built, which the first step starts from unless it was settled or begins elsewhere. `row` is
 * that of a last step that the run does not have yet, or NULL. Records of earlier versions have no such rows: no check.
 */
void nb_energy_check(const nb_run *run, const double *row, const nb_scenario_class *scenario, const nb_world *initial,
                     const nb_check_premises *premises, nb_checks *checks);

#endif
