/* The settings of runs, attributes and parameters, as comparisons see them: their kinds, their values, and those in
 * which runs differ.
 *
 * A setting that belongs to a scenario, a linear solver, a preconditioner or a method is compared among the runs of
 * that one alone: an arch has other parameters than a wall, which does not make them differ. A setting that a run does
 * not heed (heed.h) is not compared in that run. How often a run was timed is no setting. */
#ifndef NB_ANALYSIS_STATISTICS_SETTINGS_H
#define NB_ANALYSIS_STATISTICS_SETTINGS_H

#include "base/status.h"
#include "record/run.h"

enum {
    NB_COMPARED_PROBLEM = 1,
    NB_COMPARED_SOLVER = 2
};

/* What kind of setting an attribute is: NB_COMPARED_PROBLEM, NB_COMPARED_SOLVER; 0: none, or no attribute. */
int nb_setting_kind(const char *name);
/* The same of a parameter, which always is of one kind. */
int nb_setting_parameter_kind(const char *name);

/* The value of an attribute or a parameter; 0 where the run has none of this name. Older records lack parameters that
 * are standard. */
int nb_setting_value(const nb_run_info *info, const char *name, char value[NB_NAME_LENGTH]);

/* those in which runs differ */
typedef struct nb_differing nb_differing;

nb_status nb_differing_create(nb_differing **differing);
void nb_differing_destroy(nb_differing *differing); /* NULL allowed */

/* Takes the settings of one run more. */
nb_status nb_differing_add(nb_differing *differing, const nb_run_info *info);

/* Whether the setting ("time_step", "mu", "linear-solver.variant") differs among the runs that this one is compared
 * with. */
int nb_differing_in(const nb_differing *differing, const nb_run_info *info, const char *name);

/* The name of setting `i` of those that differ, each once, in the order of the runs; NULL after the last. */
const char *nb_differing_at(const nb_differing *differing, int64_t i);

#endif
