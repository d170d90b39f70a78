/* Makes the runs of a plan, shows progress, prints a table and writes the record. */
#ifndef NB_PROGRAM_EXECUTE_H
#define NB_PROGRAM_EXECUTE_H

#include "plan.h"
#include "run_output.h"

/* Runs everything. A run that fails is reported on standard error and left out of the record; the others are made.
 * After an interrupt the record keeps the runs that were finished. *exit_status: 0; 1 where a tolerance was asked for
 * and not met; that of the first failed run; 130 after an interrupt. */
nb_status nb_execute(const nb_plan *plan, const nb_output *output, int *exit_status);

#endif
