/* Whether two runs of one problem are on one trajectory: their k-th steps are the same problem only where they begin
 * with the same state. Held against each other are, at the end of every step, the energies, and where states are
 * recorded (--store-states) these, too. */
#ifndef NB_ANALYSIS_TRACE_H
#define NB_ANALYSIS_TRACE_H

#include "base/status.h"
#include "record/run.h"

typedef struct nb_trace {
    double kinetic, potential; /* [J] at the end of the step */
    /* a sum of all coordinates with random signs [m, 1], and what round-off may make of it; NaN: no state is recorded
     */
    double place, round_off;
} nb_trace;

/* of each step; the caller frees it (nb_free) */
nb_status nb_trace_take(const nb_run *run, nb_trace **trace);

/* The first step, from 0, that the two begin with states that differ beyond round-off; -1 where no step does. */
int32_t nb_trace_parting(const nb_trace *a, int32_t a_steps, const nb_trace *b, int32_t b_steps);

#endif
