/* Functions of a verdict's expressions that need no run: the complementarity functions (claims/measure.h; private to
 * the folder). */
#ifndef NB_ANALYSIS_CLAIMS_FUNCTION_H
#define NB_ANALYSIS_CLAIMS_FUNCTION_H

#include "base/status.h"

/* "friction_error" of "minimum-map, 5"; NB_ERROR_USAGE or NB_ERROR_INPUT where there is none of this name, or the
 * argument is another. */
nb_status nb_claim_function(const char *name, const char *argument, double *value);

#endif
