/* What the single-level method takes, by pairs of convex sets. */
#ifndef NB_BENCH_PAIRS_H
#define NB_BENCH_PAIRS_H

#include "bench/parts.h"

/* Measures "pairs" on stacks of four blocks with about item->contacts pairs in all; times are a pair's. */
nb_status nb_bench_pairs(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
