/* Whether runs that are made one after the other stay on one trajectory. */
#ifndef NB_ANALYSIS_PARTING_H
#define NB_ANALYSIS_PARTING_H

#include "statistics/trace.h"

/* zero at first; the caller clears it */
typedef struct nb_parting {
    char *problem;   /* of the first of the latest runs of one problem (nb_compared_key) */
    nb_trace *trace; /* [steps] its trajectory */
    int32_t steps;
    int64_t runs;  /* how many runs of a problem were not on the trajectory of its first */
    int32_t first; /* of these, the first step, from 0, that began with another state */
} nb_parting;

/* Holds a run against the first of those before it that solve the same problem; else later ones are held against it. */
nb_status nb_parting_add(nb_parting *parting, const nb_run *run);
void nb_parting_clear(nb_parting *parting);

#endif
