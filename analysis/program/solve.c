/* solve: the method on stored problems, the linear solvers on stored systems. */
#include "arguments.h"

static const struct argp_option *shared_options(void) {
    return nb_request_arguments(NB_USE_PROBLEMS);
}

static nb_status solve(int argc, char **argv, int *exit_status) {
    return nb_arguments_run(&nb_command_solve, NB_GIVEN_PROBLEMS, argc, argv, exit_status);
}

const nb_command nb_command_solve = {
    .name = "solve",
    .arguments = "PROBLEM...",
    .summary = "solve stored problems (FCLIB, Siconos, Matrix Market)",
    .details =
        "PROBLEM is an HDF5 file in FCLIB's format or Siconos's text (.dat), of a local or a global problem in two or "
        "three dimensions, with rolling friction or without; or a scene file (.json, .json.gz), whose problem is that "
        "of the "
        "first step. For each the iterations, the seconds and the natural map "
        "are printed: with impulses as velocities, divided by ||q||, which --relative-tolerance is of and which no "
        "units change; and as published, divided by 1 + sqrt(||q||) (FCLIB) and by the largest of ||q||, ||r||, ||u|| "
        "(Siconos).\n\n"
        "Or PROBLEM is a square matrix A in the Matrix Market format (real or integer, coordinate or array): the "
        "linear solver alone is run on A x = b, and ||b - A x||/||b|| is printed, with which b it was: that of --rhs, "
        "or "
        "of a file next to A (NAME_b.mtx, as the SuiteSparse collection has it, or b.mtx of A.mtx, as export writes "
        "it), or "
        "A times ones. Nothing is added to A, "
        "and each row is one block. Where A is not symmetric, the solver has to be one that takes such "
        "systems (ncpbench list linear-solvers).\n\n"
        "Options of solvers, iteration and measurement take comma lists; all combinations are solved.",
    .examples = "  # two methods on a problem that export writes\n"
                "  ncpbench export incline --at 2 --format fclib -o incline.hdf5\n"
                "  ncpbench solve incline.hdf5 --method newton,interior-point -o solved.h5\n",
    .options = nb_solve_options,
    .shared = shared_options,
    .as = &nb_command_run,
    .run = solve,
};
