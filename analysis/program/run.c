/* run: simulate and record. */
#include "arguments.h"

static const struct argp_option *shared_options(void) {
    return nb_request_arguments(NB_USE_RUNS);
}

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
        "'ncpbench list scenarios NAME' shows them. A scenario is a name or a scene file, NAME.json, as export "
        "--format scene "
        "writes it. Where steps do not converge to the tolerance (without one, to 1e-6 "
        "m/s, or to the --residual-tolerance of smoothed), the last line says how many, and what solves them.\n\n"
        "The record is written next to FILE.h5 and takes its place when the command ends. An existing record of the "
        "same command line is replaced then; one of another command is kept as FILE.h5~ (FILE.h5~2, ...). "
        "What is no record, is write-protected or belongs to an interrupted command is refused. --force writes "
        "over all of these. Ctrl-C stops amid a step, within two seconds, and keeps the runs that were finished "
        "(an earlier record then as FILE.h5~); once more, a second later or more, it ends the program at once.\n\n"
        "An interrupted command (Ctrl-C, kill, a power cut) leaves FILE.h5.checkpoint, unless Ctrl-C came before the "
        "end of its first step. With\n\n"
        "  ncpbench run --resume FILE.h5\n\n"
        "it goes on: finished runs are skipped, the run at hand goes on from its last state kept, and the "
        "numbers are bit for bit those of an uninterrupted command. Runs that wait for several repetitions, "
        "that store systems, or that have processes of their own (--jobs, --time-limit, --plugin) restart.",
    .examples = "  # four runs: all combinations of the values in comma lists\n"
                "  ncpbench run arch --steps 5 --linear-solver pcr,pcg --set mu=0.5,0.6 -o a.h5\n"
                "  # go on after an interrupt\n"
                "  ncpbench run --resume a.h5\n",
    .options = nb_run_options,
    .shared = shared_options,
    .run = run,
};
