/* What soft bodies take: products, values, and the three formulations' set-ups and solves. */
#ifndef NB_BENCH_ELEMENTS_H
#define NB_BENCH_ELEMENTS_H

#include "bench/parts.h"

/* Measures "elements" on a bar of about item->contacts tetrahedra that is pulled apart; times are a tetrahedron's. */
nb_status nb_bench_elements(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
