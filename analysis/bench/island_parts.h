/* An iteration of interior-point's island loop, and its parts (private to analysis/). */
#ifndef NB_ANALYSIS_BENCH_ISLAND_PARTS_H
#define NB_ANALYSIS_BENCH_ISLAND_PARTS_H

#include "bench/parts.h"

/* On a column of cubes with item->contacts contacts, four a pair: the iterations to 1e-4 m/s from no impulses, a
 * contact and iteration, and the parts that these are made of, a contact and call. NB_ERROR_UNSUPPORTED for other
 * precisions than f64, and for more bodies than an island may have. */
nb_status nb_bench_island_parts(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
