/* Speed of the kernels that runs are made of, beside the memory bandwidth measured in the same run. */
#ifndef NB_ANALYSIS_BENCH_H
#define NB_ANALYSIS_BENCH_H

#include <stdint.h>

#include "base/status.h"

enum {
    NB_BENCH_SAMPLES = 15
};

/* what can be measured, NULL-terminated: "operator", "pcr", "assembly", "newton" */
extern const char *const nb_bench_kernels[];
extern const char *const nb_bench_summaries[];

/* one row of the table */
typedef struct nb_bench_result {
    char kernel[32]; /* or a share of "newton": "newton:solve", ... */
    const char *precision;
    int32_t contacts, threads;
    double ns, least_ns, most_ns; /* a contact: the median of the samples, and their range */
    double triad;                 /* memory bandwidth over a working set of this size [GB/s] */
    double bytes;                 /* a contact and application; NaN where none is stated */
} nb_bench_result;

typedef nb_status nb_bench_report(void *context, const nb_bench_result *result);

/* Measures one kernel on a pile of boxes with about `contacts` contacts ("f32" or "f64"), in the third Newton iteration
 * of its first step, where contacts are open, stuck and sliding. `shuffled`: the world lists its bodies in random
 * order. */
nb_status nb_bench(const char *kernel, int32_t contacts, const char *precision, int32_t threads, int shuffled,
                   nb_bench_report *report, void *context);

#endif
