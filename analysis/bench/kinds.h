/* What each kind of item of `ncpbench bench` measures beside its parts (private to analysis/). */
#ifndef NB_ANALYSIS_BENCH_KINDS_H
#define NB_ANALYSIS_BENCH_KINDS_H

#include "bench/parts.h"

/* "elements": products, values, and the three formulations' set-ups and solves on a bar of about item->contacts
 * tetrahedra that is pulled apart; times are a tetrahedron's. */
nb_status nb_bench_elements(const nb_bench_item *item, nb_bench_report *report, void *context);

/* "friction", the laws of smoothed friction, on item->contacts contacts between random particles, half of which are
 * open, sticking or sliding. friction:law is the force from arrays of gaps and velocities. friction:force is the same
 * with velocities gathered from two particles, and forces scattered to them. friction:block has the 3 x 3 block as
 * well, scattered to the diagonal blocks of both particles and to the block between them. */
nb_status nb_bench_friction_f32(const nb_bench_item *item, nb_bench_report *report, void *context);
nb_status nb_bench_friction_f64(const nb_bench_item *item, nb_bench_report *report, void *context);

/* "gradient" on stacks of four blocks with about item->contacts pairs in all (1: a block that slides), for each of
 * newton, interior-point and single-level: a step from zero to 1e-8 m/s, one column of its derivatives, and one row.
 * Times are a pair's. */
nb_status nb_bench_gradients(const nb_bench_item *item, nb_bench_report *report, void *context);

/* steps of the island kernel, which only a device has */
nb_status nb_bench_islands(const nb_bench_item *item, nb_bench_report *report, void *context);

/* "preconditioners", set-up and application, on the stiffness form of a pile of boxes with about item->contacts
 * contacts, in the third Newton iteration of its first step. Times are of a number that the preconditioner is stored in
 * (of `ssor`, which stores none, one of A), in the place of a contact. */
nb_status nb_bench_preconditioners(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
