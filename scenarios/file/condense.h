/* From a global problem to a local one: the Delassus operator W = K^T M^-1 K (private to scenarios/file). */
#ifndef NB_SCENARIOS_CONDENSE_H
#define NB_SCENARIOS_CONDENSE_H

#include "base/csr.h"

/* W = K^T M^-1 K and q += K^T M^-1 f for M [n x n], K [n x c], f [n], q [c].
 *
 * M falls apart into blocks that share no entry (bodies, as a rule); each is factorised by itself. M need not be
 * symmetric (iteration matrices with a gyroscopic part are not); NB_ERROR_INPUT where it is singular. The caller
 * destroys W. */
nb_status nb_condense(const nb_csr_f64 *m, const nb_csr_f64 *k, const double *f, double *q, nb_csr_f64 **w);

#endif
