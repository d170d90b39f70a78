/* What the laws of smoothed friction take, a contact of two particles. */
#ifndef NB_BENCH_FRICTION_H
#define NB_BENCH_FRICTION_H

#include "base/real.h"
#include "bench/parts.h"

/* Measures "friction" on item->contacts contacts between random particles, half of which are open, sticking or sliding.
 * friction:law is the force from arrays of gaps and velocities. friction:force is the same with velocities gathered
 * from two particles, and forces scattered to them. friction:block has the 3 x 3 block as well, scattered to the
 * diagonal blocks of both particles and to the block between them. */
nb_status nb_bench_friction_f32(const nb_bench_item *item, nb_bench_report *report, void *context);
nb_status nb_bench_friction_f64(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
