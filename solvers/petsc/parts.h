/* The files of the plugin for PETSc: its solvers (petsc.c), option sets with their trial (option_sets.c), and several
 * processes (ranks.h). */
#ifndef NB_PETSC_PARTS_H
#define NB_PETSC_PARTS_H

#include "ncpbench/plugin.h"

/* the first fault of a call into PETSc, in one line; "" where there is none */
extern char nb_petsc_fault[256];

#define TRY(call)                                                                      \
    do {                                                                               \
        *nb_petsc_fault = '\0';                                                        \
        if (call) return *nb_petsc_fault ? nb_petsc_fault : "PETSc: an unknown fault"; \
    } while (0)

/* the class on the entries of A; values[0]: the number of its option set */
const char *nb_petsc_create(const double *values, int32_t precision, void **own);
void nb_petsc_destroy(void *own); /* NULL allowed */
extern const ncpbench_solver_f64 nb_petsc_functions;

/* Starts PETSc once in a process: `together` with the others that mpirun started, or alone. */
const char *nb_petsc_start(int together);

/* the class on the product alone */
const char *nb_petsc_create_shell(const double *values, int32_t precision, void **own);

/* What rank 0 calls for it: the functions above, on this rank's own rows where several processes joined, which then
 * repeat the call. */
extern const ncpbench_solver_f64 nb_petsc_lead;
void nb_petsc_tell_create(int set); /* to be called before a state is made, or destroyed */
void nb_petsc_tell_destroy(void);

/* 1: several processes have the rows; the sum of a number that each has; how the rows are shared, for the record */
int nb_petsc_joined(void);
double nb_petsc_sum(double own);
const char *nb_petsc_ranks_about(void);

/* the option sets of --petsc, NULL-terminated; texts are borrowed from the command line */
extern const char *nb_petsc_sets[];

/* As ncpbench_plugin has them: takes option sets, and tries those that were taken last on a small grid. */
const char *nb_petsc_take(int32_t count, const char *const *words);
const char *nb_petsc_probe(void);

#endif
