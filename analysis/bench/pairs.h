/* What the single-level method takes, by pairs of convex sets. */
#ifndef NB_BENCH_PAIRS_H
#define NB_BENCH_PAIRS_H

#include "bench/parts.h"
#include "model/world.h"

enum {
    NB_BENCH_BLOCKS = 4 /* of a stack, each with one pair: with the block below, or with the ground */
};

/* Stacks side by side on the ground, a block's width apart, their blocks aside in turn, in a world that is empty. */
nb_status nb_bench_stacks(int32_t stacks, int blocks, nb_world *world);

/* Measures "pairs" on stacks of four blocks with about item->contacts pairs in all; times are a pair's. */
nb_status nb_bench_pairs(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
