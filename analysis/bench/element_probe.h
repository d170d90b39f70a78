/* Times what elements take in a Newton iteration, in the precision it is in. */
#ifndef NB_BENCH_ELEMENT_PROBE_H
#define NB_BENCH_ELEMENT_PROBE_H

#include "base/real.h"
#include "base/status.h"

#define nb_element_probe NB_REAL_NAME(nb_element_probe)

enum {
    NB_ELEMENT_APPLY,  /* y = A x, A = S J H^-1 J^T S + C + K, without entries */
    NB_ELEMENT_VALUES, /* what an iteration begins with: rotations, strains and compliances, w, weights, b */
    NB_ELEMENT_PROBES
};

/* Fills `seconds` [NB_ELEMENT_PROBES][samples] with those of one application, on a system of Newton's method and the
 * problem that it is of (nb_system and nb_problem of this precision), which are left as they were; each sample is the
 * mean over least_s at least, after one that does not count. */
nb_status nb_element_probe_f32(void *system, void *problem, int samples, double least_s, double *seconds);
nb_status nb_element_probe_f64(void *system, void *problem, int samples, double least_s, double *seconds);

#endif
