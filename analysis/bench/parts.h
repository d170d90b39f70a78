/* What the measurements of `bench` share (private to analysis/). */
#ifndef NB_ANALYSIS_BENCH_PARTS_H
#define NB_ANALYSIS_BENCH_PARTS_H

#include "bench/bench.h"
#include "device.h"
#include "run/simulate.h"

/* The request of a pile of boxes with about so many contacts, prepared; the caller frees info.parameters. */
nb_status nb_bench_pile(const nb_bench_item *item, int32_t contacts, nb_request *request);

/* Memory bandwidth over a working set of `bytes`: of a triad here, of a copy on a device (NULL: this processor). */
nb_status nb_bench_bandwidth(const nb_device *device, double bytes, double *gb_s);

/* Fills the row with the first `count` samples [s] and what follows from them, and reports it. */
nb_status nb_bench_row(nb_timing *row, const double *samples, int count, nb_bench_report *report, void *context);

/* Kernels that only a device has: steps of the island kernel. */
nb_status nb_bench_islands(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
