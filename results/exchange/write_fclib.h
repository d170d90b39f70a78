/* Writes the contact problem of a step in the format of FCLIB 3.1 (Acary, Bremond et al.), spacedim 3, matrices by
 * compressed columns. SI units: velocities in m/s, impulses in N s.
 *
 *     local:   c = W r + V lambda + q,  V^T r + R lambda + s = 0        W, V, R, s: blocks of D + E/h^2 and of q
 *     global:  M v = H r + G lambda + f,  c = H^T v + w,  G^T v + b = 0  bodies without mass left out
 *
 * V, R, s, G and b are left out where there are no joints. */
#ifndef NB_RESULTS_WRITE_FCLIB_H
#define NB_RESULTS_WRITE_FCLIB_H

#include "base/status.h"
#include "contact_problem.h"

/* NB_ERROR_INPUT where the problem has no contacts, NB_ERROR_UNSUPPORTED for a global one with compliant joints or
 * contacts (the format has no place for them), NB_ERROR_IO where writing fails; an earlier file is then left as it was.
 */
nb_status nb_fclib_write(const char *path, const nb_contact_problem *problem, int global, const char *title,
                         const char *description);

#endif
