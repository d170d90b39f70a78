/* Siconos's own non-smooth Gauss-Seidel on a problem with rolling friction in three dimensions, to be timed beside
 * interior-point (rolling_pyramids.py): siconos_rolling FILE.dat [ITERATIONS]. Prints its iterations, milliseconds and
 * error in its own measure. W goes from blocks to a sparse matrix first, since blocks of five stop it. */
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

int main(int count, char **words) {
    if (count < 2) return 64;
    RollingFrictionContactProblem *problem = rollingFrictionContact_new_from_filename(words[1]);
    size_t rows = 5 * (size_t)problem->numberOfContacts;
    double *r = calloc(rows, sizeof *r), *u = calloc(rows, sizeof *u);
    if (!r || !u) return 1;
    NumericsMatrix *sparse = NM_create(NM_SPARSE, problem->M->size0, problem->M->size1);
    NM_copy_to_sparse(problem->M, sparse, 0);
    NM_clear(problem->M);
    free(problem->M);
    problem->M = sparse;
    SolverOptions *options = solver_options_create(SICONOS_ROLLING_FRICTION_3D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-8;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = count > 2 ? atoi(words[2]) : 5000;
    double start = nb_clock_seconds();
    rolling_fc3d_driver(problem, r, u, options);
    double seconds = nb_clock_seconds() - start;
    printf("%d\t%.3g\t%.1e\n", options->iparam[SICONOS_IPARAM_ITER_DONE], 1e3 * seconds,
           options->dparam[SICONOS_DPARAM_RESIDU]);
    solver_options_delete(options);
    free(options);
    rollingFrictionContactProblem_free(problem);
    free(r);
    free(u);
    return 0;
}
