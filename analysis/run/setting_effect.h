/* Which settings a run depends on: others that were asked for change nothing, so that runs that differ in these alone
 * are one. */
#ifndef NB_ANALYSIS_SETTING_EFFECT_H
#define NB_ANALYSIS_SETTING_EFFECT_H

#include "run/request.h"

/* NULL where the run depends on this setting: an attribute of a run ("linear_iterations"), an option
 * ("linear-iterations") or a parameter ("preconditioner.omega"). Else what makes the setting useless, as the user knows
 * it: the linear solver, the method or another setting's value. Of a solver that is not in the tables, such as a
 * plugin's that is not loaded, everything may matter. */
const char *nb_info_why_ignored(const nb_run_info *info, const char *name);
int nb_info_uses(const nb_run_info *info, const char *name);

/* The same of a prepared request, which knows linear systems, too. */
const char *nb_request_why_ignored(const nb_request *request, const char *name);
int nb_request_uses(const nb_request *request, const char *name);

/* Whether steps start as nobody asked for (nb_default_warm_start); of methods that are not in the tables, from zero. */
int nb_info_starts_as_usual(const nb_run_info *info);

#endif
