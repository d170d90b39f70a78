/* Which processor OpenBLAS takes this one for, what to do when it is wrong, and threads: its own and how OpenMP's wait.
 *
 * OpenBLAS 0.3.21 (Debian 12) takes recent Intel processors for a "Prescott" of 2004, with SSE3 only; its dense kernels
 * are then about nine times slower, which would make direct solvers look bad unfairly. */
#ifndef NB_ANALYSIS_BLAS_H
#define NB_ANALYSIS_BLAS_H

/* To be called first thing in main: where OpenBLAS took the processor for an old one, sets OPENBLAS_CORETYPE and starts
 * the program again, once. Likewise where address space is limited (ulimit -v), without OpenBLAS's threads, whatever
 * OPENBLAS_NUM_THREADS says: these wait for ever for memory that is not there. Returns where that is not needed, not
 * possible, or was done; the user's own OPENBLAS_CORETYPE is left alone, and OPENBLAS_NUM_THREADS where space has no
 * limit. With --threads above 1, also so that threads of OpenMP sleep after some microseconds in vain (GOMP_SPINCOUNT,
 * unless it or OMP_WAIT_POLICY is set). */
void nb_blas_restart(char **argv);

const char *nb_blas_core(void);   /* the core type OpenBLAS works with */
const char *nb_blas_config(void); /* version and build options of OpenBLAS */
int nb_blas_restarted(void);      /* 1: the core type was set by nb_blas_restart */

/* The core type that suits this processor where OpenBLAS works with one far below it, else NULL. */
const char *nb_blas_better_core(void);

/* So many threads; one where address space is limited and has no room to spare for more (base/dense_room.h). */
void nb_blas_set_threads(int threads);

#endif
