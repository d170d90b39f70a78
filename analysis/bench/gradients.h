/* What derivatives of a step take beside the step. */
#ifndef NB_BENCH_GRADIENTS_H
#define NB_BENCH_GRADIENTS_H

#include "bench/parts.h"

/* Measures "gradient" on stacks of four blocks with about item->contacts pairs in all (1: a block that slides), for
 * each of newton, interior-point and single-level: a step from zero to 1e-8 m/s, one column of its derivatives, and one
 * row. Times are a pair's. */
nb_status nb_bench_gradients(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
