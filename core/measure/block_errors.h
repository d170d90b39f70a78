/* Errors and modes of single blocks of rows (private to core/measure and solvers/step). */
#ifndef NB_MEASURE_BLOCK_ERRORS_H
#define NB_MEASURE_BLOCK_ERRORS_H

#include "base/real.h"
#include "constraint/law.h"
#include "measure/largest_error.h"

#define nb_block_errors NB_REAL_NAME(nb_block_errors)
#define nb_block_mode NB_REAL_NAME(nb_block_mode)

/* The errors of block `i` of the range alone. */
nb_law_errors nb_block_errors(const nb_law_range *range, int32_t i, const nb_law_state *state);

/* What it does, an nb_contact_mode; -1 where it is no contact. */
int nb_block_mode(const nb_law_range *range, int32_t i, const nb_law_state *state);

#endif
