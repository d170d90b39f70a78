/* Kernels that only a device has: steps of the island kernel (private to analysis/). */
#ifndef NB_ANALYSIS_BENCH_ISLANDS_H
#define NB_ANALYSIS_BENCH_ISLANDS_H

#include "bench/parts.h"

nb_status nb_bench_islands(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
