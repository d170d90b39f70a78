/* Steps of a run that end with more penetration than a solved one may leave. */
#ifndef NB_ANALYSIS_PENETRATING_H
#define NB_ANALYSIS_PENETRATING_H

#include "record/run.h"

typedef struct nb_penetrating {
    int64_t steps, of;     /* such ones of all; those of copies of a batch do not count */
    double worst, allowed; /* of the one that is farthest beyond what it may leave [m] */
} nb_penetrating;

/* Adds the run's to *sum, which starts as all zeros. */
void nb_penetrating_add(const nb_run *run, nb_penetrating *sum);

#endif
