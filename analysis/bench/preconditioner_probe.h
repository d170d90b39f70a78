/* Times the preconditioners on a Newton system, in the precision it is in. */
#ifndef NB_BENCH_PRECONDITIONER_PROBE_H
#define NB_BENCH_PRECONDITIONER_PROBE_H

#include <stdint.h>

#include "base/real.h"
#include "base/status.h"
#include "record/timing.h"

#define nb_preconditioner_probe NB_REAL_NAME(nb_preconditioner_probe)

/* what one of them takes */
typedef struct nb_preconditioner_times {
    const char *name;
    int64_t nonzeros;   /* numbers of its own; of one that works on those of A, those */
    double apply_bytes; /* that one application moves at least; NaN: not known */
    int set_ups;        /* samples of set-up; 0: it has none */
    double set_up[NB_TIMING_SAMPLES], apply[NB_TIMING_SAMPLES]; /* [s] of one */
} nb_preconditioner_times;

typedef nb_status nb_preconditioner_heard(void *context, const nb_preconditioner_times *times);

/* Hears of the product with A, as "product", and of each preconditioner of the table that is not another one of
 * symmetric systems, with its standard options that takes the system (nb_system of this precision, of the stiffness
 * form): of those that factorise all of A only where A has at most `most` rows. A sample is the mean over least_s at
 * least, after one that does not count; set-ups end after a second. */
nb_status nb_preconditioner_probe_f32(void *system, int32_t most, double least_s, nb_preconditioner_heard *hear,
                                      void *context);
nb_status nb_preconditioner_probe_f64(void *system, int32_t most, double least_s, nb_preconditioner_heard *hear,
                                      void *context);

#endif
