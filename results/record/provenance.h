/* Where and with what a program runs: the part of a record's provenance that can be seen from here. */
#ifndef NB_RESULTS_PROVENANCE_H
#define NB_RESULTS_PROVENANCE_H

#include <stdint.h>

#include "base/member.h"

/* where and with what the runs were made: /provenance */
typedef struct nb_provenance {
    char ncpbench_version[32], git_commit[64], compiler[128], compiler_flags[512], build_type[32], os[128],
        cpu_model[128], blas[128], blas_core[64], cholmod[64], hdf5[64], cuda[128], gpu[128], clocks[128],
        warnings[1024], simd[64], gpu_kernels[4096];
    int32_t git_dirty, cores, threads;
    uint64_t seed;
} nb_provenance;

extern const nb_members nb_provenance_members; /* as attributes of /provenance */

/* Whether a figure can name both as one: processor, cores, program and build. */
int nb_provenance_alike(const nb_provenance *a, const nb_provenance *b);

/* Whether times of both compare: one model of processor, and one instruction set of the kernels. */
int nb_provenance_same_processor(const nb_provenance *a, const nb_provenance *b);

/* Whether the same program made both: its version, its commit, and whether its sources were changed beside that. */
int nb_provenance_same_program(const nb_provenance *a, const nb_provenance *b);

/* Fills all but blas, blas_core, cholmod, threads and seed, which the program adds. `warnings` names what makes timings
 * unfit to publish, separated by "; ". */
void nb_provenance_fill(nb_provenance *provenance);

/* The present moment in UTC, as ISO 8601 has it. */
void nb_time_now(char text[32]);

/* The program's version, as in "1.0.0". */
const char *nb_version(void);

#endif
