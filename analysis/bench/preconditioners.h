/* What preconditioners take: set-up and application. */
#ifndef NB_BENCH_PRECONDITIONERS_H
#define NB_BENCH_PRECONDITIONERS_H

#include "bench/parts.h"

/* Measures "preconditioners" on the stiffness form of a pile of boxes with about item->contacts contacts, in the third
 * Newton iteration of its first step. Times are of a number that the preconditioner is stored in (of `ssor`, which
 * stores none, one of A), in the place of a contact. */
nb_status nb_bench_preconditioners(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
