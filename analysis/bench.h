/* Speed of the kernels that runs are made of, beside the memory bandwidth measured in the same run. */
#ifndef NB_ANALYSIS_BENCH_H
#define NB_ANALYSIS_BENCH_H

#include <stdint.h>

#include "base/status.h"
#include "timing.h"

/* what can be measured, NULL-terminated: "operator", "pcr", "assembly", "newton" */
extern const char *const nb_bench_kernels[];
extern const char *const nb_bench_summaries[];

/* receives one row of the table */
typedef nb_status nb_bench_report(void *context, const nb_timing *timing);

/* Measures one kernel on a pile of boxes with about `contacts` contacts ("f32" or "f64"), in the third Newton iteration
 * of its first step, where contacts are open, stuck and sliding. `shuffled`: the world lists its bodies in random
 * order. */
nb_status nb_bench(const char *kernel, int32_t contacts, const char *precision, int32_t threads, int shuffled,
                   nb_bench_report *report, void *context);

#endif
