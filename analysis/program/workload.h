/* What the runs of a plan are for a forecast: how large their scenes are, and which of them are alike. */
#ifndef NB_PROGRAM_WORKLOAD_H
#define NB_PROGRAM_WORKLOAD_H

#include "plan.h"
#include "run/forecast.h"

/* Fills forecast->runs [plan->count], and works [plan->count] with how much a pass of each is. Scenes are built once
 * each, to see how large they are; one that cannot be counts as a small one (its run will say why). */
nb_status nb_workload(const nb_plan *plan, nb_forecast *forecast, nb_forecast_work *works);

#endif
