/* Hands a run or a contact problem from one process to another of the same program, through a file, exactly as
 * it is in memory. */
#ifndef NB_RESULTS_TRANSFER_H
#define NB_RESULTS_TRANSFER_H

#include <stdio.h>

#include "contact_problem.h"
#include "record/run.h"

/* Writes the run at the stream's place. NB_ERROR_IO where it does not take it. */
nb_status nb_run_send(FILE *stream, const nb_run *run);

/* Reads a run that nb_run_send wrote; the caller destroys it. Sizes are held against what the file holds:
 * NB_ERROR_INPUT where it ends early or makes no sense. */
nb_status nb_run_receive(FILE *stream, nb_run **run);

/* The same for a contact problem, which the caller clears; on a fault it is empty. */
nb_status nb_contact_problem_send(FILE *stream, const nb_contact_problem *problem);
nb_status nb_contact_problem_receive(FILE *stream, nb_contact_problem *problem);

#endif
