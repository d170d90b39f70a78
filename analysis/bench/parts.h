/* What is measured, and what the measurements share. */
#ifndef NB_ANALYSIS_BENCH_PARTS_H
#define NB_ANALYSIS_BENCH_PARTS_H

#include <stdint.h>

#include "base/status.h"
#include "device.h"
#include "record/timing.h"
#include "run/simulate.h"

/* one thing to measure */
typedef struct nb_bench_item {
    const char *kernel, *precision, *device; /* names */
    const char *const *preconditioners;      /* of accuracy (probe.h), NULL-terminated */
    int32_t contacts, threads;
    int shuffled; /* 1: the world lists its bodies in random order */
} nb_bench_item;

/* receives one row of the table */
typedef nb_status nb_bench_report(void *context, const nb_timing *timing);

/* The request of a pile of boxes with about so many contacts, prepared; the caller frees info.parameters. */
nb_status nb_bench_pile(const nb_bench_item *item, int32_t contacts, nb_request *request);

/* Memory bandwidth over a working set of `bytes`: of a triad here, of a copy on a device (NULL: this processor). It is
 * measured again, up to a few times, while it is less than `least_gb_s`, what was seen already; the best counts. */
nb_status nb_bench_bandwidth(const nb_device *device, double bytes, double least_gb_s, double *gb_s);
/* what samples [s] of a row say of the bandwidth: its bytes over their median; 0 where they are not stated */
double nb_bench_rate(const nb_timing *row, const double *samples, int count);

/* A row of the item, of one scene, with bodies in the order built and bytes that are not stated; nothing measured yet.
 */
nb_timing nb_bench_begin_row(const nb_bench_item *item);

/* Fills the row with those of `count` samples [s] that are not negative, and what follows from them, and reports it.
 * NB_ERROR_NUMERIC where most are negative. Where the row's bytes pass at more than twice the bandwidth, which caches
 * do not explain, that one was disturbed: it is NaN. */
nb_status nb_bench_row(nb_timing *row, const double *samples, int count, nb_bench_report *report, void *context);

#endif
