/* Where and with what a program runs: the part of a record's provenance that can be seen from here. */
#ifndef NB_RESULTS_PROVENANCE_H
#define NB_RESULTS_PROVENANCE_H

#include "record/record.h"

/* Fills all but blas, blas_core, cholmod, threads and seed, which the program adds. `warnings` names what makes timings
 * unfit to publish, separated by "; ". */
void nb_provenance_fill(nb_provenance *provenance);

/* The present moment in UTC, as ISO 8601 has it. */
void nb_time_now(char text[32]);

/* The program's version, as in "0.1.0". */
const char *nb_version(void);

#endif
