/* Speed of the kernels that runs are made of, beside the memory bandwidth measured in the same run. */
#ifndef NB_ANALYSIS_BENCH_H
#define NB_ANALYSIS_BENCH_H

#include "bench/parts.h"

/* what can be measured, NULL-terminated: "operator", "pcr", ..., and in a line what that is */
extern const char *const nb_bench_kernels[];
extern const char *const nb_bench_summaries[];

/* Whether there is such a kernel on this device ("cpu": this processor). */
int nb_bench_offers(const char *kernel, const char *device);

/* Whether `text` is what accuracy takes for a preconditioner: a name, or NAME=VALUE with its first option. */
nb_status nb_bench_check_preconditioner(const char *text);

/* Measures one kernel on a pile of boxes with about item->contacts contacts, in the third Newton iteration of its first
 * step, where contacts are open, stuck and sliding; "island" and "batch" as a whole, from the step's beginning;
 * "elements" on a soft bar.
 * NB_ERROR_UNSUPPORTED where the device cannot be used or does not take the scene, and after the rows of those
 * accuracies that are reached. */
nb_status nb_bench(const nb_bench_item *item, nb_bench_report *report, void *context);

#endif
