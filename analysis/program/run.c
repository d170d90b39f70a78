/* run: simulate and record. solve: the method on stored problems, the linear solvers on stored systems. */
#include "arguments.h"

static nb_status run(int argc, char **argv, int *exit_status) {
    return nb_arguments_run(&nb_command_run, NB_GIVEN_SCENARIOS, argc, argv, exit_status);
}

const nb_command nb_command_run = {
    .name = "run",
    .arguments = "SCENARIO[,SCENARIO...] -o FILE.h5\n--resume FILE.h5",
    .summary = "simulate scenarios and record everything",
    .details =
        "Options of solvers, scenario, iterations, methods and measurement take comma lists; the runs are all "
        "combinations of the values. An option of a scenario, solver, preconditioner or method applies to those in a "
        "list that have it. A line for each run goes to standard output.\n\n"
        "A scenario takes its paper's method, time stepping and law of friction, unless an option says otherwise; "
        "'ncpbench list scenarios NAME' shows them. A scenario is a name, a scene file, NAME.json, as export "
        "--format scene writes it, or the name of a problem of the standard set, as arch-20 or standard/ellipse. "
        "Where steps do not converge to the tolerance (without one, to 1e-6 m/s, or to the "
        "--residual-tolerance of smoothed), the last line says how many, and what solves them.\n\n"
        "The record is written next to FILE.h5 and takes its place when the command ends. An existing record of the "
        "same command line is replaced then; one of another command is kept as FILE.h5~ (FILE.h5~2, ...). What is no "
        "record, is write-protected or belongs to an interrupted command is refused. --force writes over all of "
        "these. Ctrl-C stops amid a step, within two seconds, and keeps the runs that were finished (an earlier "
        "record then as FILE.h5~); once more, a second later or more, it ends the program at once.\n\n"
        "An interrupted command (Ctrl-C, kill, a power cut) leaves FILE.h5.checkpoint, unless Ctrl-C came before the "
        "end of its first step. With\n\n"
        "  ncpbench run --resume FILE.h5\n\n"
        "it goes on: finished runs are skipped, the run at hand goes on from its last state kept, and the numbers are "
        "bit for bit those of an uninterrupted command. Runs that wait for several repetitions, that store systems, "
        "or that have processes of their own (--jobs, --time-limit, --plugin) restart.",
    .examples = "  # four runs: all combinations of the values in comma lists\n"
                "  ncpbench run arch --steps 5 --linear-solver pcr,pcg --set mu=0.5,0.6 -o a.h5\n"
                "  # go on after an interrupt\n"
                "  ncpbench run --resume a.h5\n",
    .options = nb_run_options,
    .takes = NB_USE_RUNS,
    .run = run,
};

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
        "of the first step. For each the iterations, the seconds and the natural map are printed: with impulses as "
        "velocities, divided by ||q||, which --relative-tolerance is of and which no units change; and as published, "
        "divided by 1 + sqrt(||q||) (FCLIB) and by the largest of ||q||, ||r||, ||u|| (Siconos).\n\n"
        "Or PROBLEM is a square matrix A in the Matrix Market format (real or integer, coordinate or array) or in "
        "PETSc's "
        "binary format (.petsc), or a folder with A that export wrote: the "
        "linear solver alone is run on A x = b, and ||b - A x||/||b|| is printed, with which b it was: that of --rhs, "
        "or of a file next to A (NAME_b.mtx, as the SuiteSparse collection has it, or b.mtx of A.mtx, as export "
        "writes it), or A times ones. Nothing is added to A, and each row is one block. Where A is not symmetric, the "
        "solver has to be one that takes such systems (ncpbench list linear-solvers).\n\n"
        "Options of solvers, iteration and measurement take comma lists; all combinations are solved.",
    .examples = "  # two methods on a problem that export writes\n"
                "  ncpbench export incline --at 2 --format fclib -o incline.hdf5\n"
                "  ncpbench solve incline.hdf5 --method newton,interior-point -o solved.h5\n",
    .options = nb_solve_options,
    .takes = NB_USE_PROBLEMS,
    .as = &nb_command_run,
    .run = solve,
};
