/* Where and with what runs are made: the record's provenance, and what `info` prints. */
#ifndef NB_PROGRAM_ENVIRONMENT_H
#define NB_PROGRAM_ENVIRONMENT_H

#include <stdint.h>

#include "record/record.h"

/* Everything that results/record/provenance.h knows, and what only the program sees: BLAS, CHOLMOD, devices, threads
 * and seed of the runs, and the warnings that follow. */
void nb_environment(int32_t threads, uint64_t seed, nb_provenance *provenance);

#endif
