/* The option --petsc: option sets of PETSc, for the linear solvers petsc and petsc-shell. */
#ifndef NB_PROGRAM_PETSC_H
#define NB_PROGRAM_PETSC_H

#include "base/status.h"
#include "run/parameter_grid.h"

enum {
    NB_PETSC_KEY = 610
};

/* a line of an argp table */
#define NB_PETSC_OPTION(group_number)                                                                                \
    {                                                                                                                \
        .name = "petsc", .key = NB_PETSC_KEY, .arg = "OPTIONS,...",                                                  \
        .doc = "option sets of PETSc; \"-ksp_type cr -pc_type sor,@FILE\"; for --linear-solver petsc, petsc-shell; " \
               "@FILE "                                                                                              \
               "reads one set",                                                                                      \
        .group = (group_number)                                                                                      \
    }

/* Where the grid's linear solvers name one of PETSc's: loads them, and sweeps the sets (a comma list; NULL: none were
 * given). NB_ERROR_USAGE where sets are given without such a solver, or PETSc does not use an option. */
nb_status nb_petsc_set(nb_parameter_grid *grid, const char *sets);

#endif
