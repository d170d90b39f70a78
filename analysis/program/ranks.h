/* Processes that mpirun started together. The program has no MPI; the plugin for PETSc brings it (solvers/petsc). They
 * can do one thing: solve the system of a folder with petsc-shell. Rank 0 is the program as ever, and the others serve
 * it. */
#ifndef NB_PROGRAM_RANKS_H
#define NB_PROGRAM_RANKS_H

#include "base/status.h"

/* How many processes there are, 1 where the program was started alone; which of them this one is, from 0. Read from the
 * environment that Open MPI and MPICH give. */
int nb_ranks_count(void);
int nb_ranks_own(void);

/* Of several: ranks other than 0 have no standard output. NB_ERROR_USAGE where the command is another than solve. */
nb_status nb_ranks_begin(const char *command);

/* Of several: shares the system in the folder out. Ranks other than 0 serve, and do not return. NB_ERROR_INPUT where
 * the folder has no factors, or fewer bodies than there are ranks. */
nb_status nb_ranks_join(const char *folder);

/* To be called before a fault is told: rank 0 has the same as a rule, and when it has told it, mpirun ends the others.
 */
void nb_ranks_wait(void);

/* The others end, too; to be called before the program ends without a fault. */
void nb_ranks_leave(void);

#endif
