/* optimize: the controls of a scenario for its goal, by derivatives of its motion. */
#include "run/optimize.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "environment.h"
#include "interrupt.h"
#include "motion.h"
#include "reason.h"
#include "text/plain.h"
#include "text/table.h"

enum {
    KEY_SMOOTHING = 800,
    KEY_KNOTS,
    KEY_ITERATIONS,
    KEY_TOLERANCE
};

typedef struct arguments {
    nb_motion motion;
    nb_optimize_request what;
} arguments;

/* ---- options ---- */

static nb_status set_smoothing(arguments *a, const char *text) {
    const char *at = text;
    a->what.smoothing_count = 0;
    do {
        char *end;
        double rho = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(rho > 0) || !(rho <= 1e6))
            return nb_fail(NB_ERROR_USAGE, "--smoothing '%.80s': expected numbers of joules above 0 and up to 1e6",
                           text);
        if (a->what.smoothing_count == NB_OPTIMIZE_SMOOTHINGS)
            return nb_fail(NB_ERROR_USAGE, "--smoothing: more than %d", NB_OPTIMIZE_SMOOTHINGS);
        a->what.smoothing[a->what.smoothing_count++] = rho;
        at = end + 1;
        if (!*end) break;
    } while (1);
    return NB_OK;
}

static nb_status set_tolerance(arguments *a, const char *text) {
    char *end;
    a->what.tolerance = strtod(text, &end);
    if (end == text || *end || !(a->what.tolerance >= 0) || !(a->what.tolerance < 1))
        return nb_fail(NB_ERROR_USAGE, "--tolerance '%.80s': expected a number from 0 to below 1", text);
    return NB_OK;
}

static nb_status set(void *context, int key, const char *text) {
    arguments *a = context;
    switch (key) {
    case KEY_SMOOTHING: return set_smoothing(a, text);
    case KEY_KNOTS: return nb_command_whole("--knots", text, 1, NB_OPTIMIZE_MOST_KNOTS, &a->what.knots);
    case KEY_ITERATIONS:
        return nb_command_whole("--iterations", text, 0, NB_OPTIMIZE_MOST_ITERATIONS, &a->what.iterations);
    case KEY_TOLERANCE: return set_tolerance(a, text);
    default: return nb_motion_set(&a->motion, key, text);
    }
}

/* ---- what is told ---- */

static void tell(void *context, const nb_optimization *o) {
    const int32_t row = o->rows - 1;
    (void)context;
    if (o->step[row] == 0) nb_print(stderr, "smoothing %g J\n", o->smoothing[row]);
    nb_print(stderr, "%4d  cost %.6g%s\n", (int)row, o->cost[row], o->taken[row] ? "" : " (no step)");
}

/* a line a smoothing: where it began and ended */
static nb_status print(const nb_optimization *o) {
    static const char *const titles[] = {"smoothing [J]", ">iterations",  ">cost",
                                         ">distance [m]", ">angle [rad]", ">not smoothed",
                                         ">distance [m]", ">angle [rad]", "reason"};
    nb_status status;
    nb_table *table = NULL;
    NB_TRY(nb_table_create(9, titles, &table));
    for (int32_t row = 0, first = 0; row < o->rows; row++) {
        if (row > 0 && o->step[row] == 0) first = row;
        const int last = row + 1 == o->rows || o->step[row + 1] == 0;
        if (row > 0 && !last) continue; /* the start, and where each smoothing has ended */
        nb_table_cell(table, "%g", o->smoothing[row]);
        nb_table_cell(table, "%d", (int)(row - first));
        nb_table_cell(table, "%.6g", o->cost[row]);
        nb_table_cell(table, "%.4g", o->distance[row]);
        nb_table_cell(table, "%.4g", o->angle[row]);
        nb_table_cell(table, "%.6g", o->exact_cost[row]);
        nb_table_cell(table, "%.4g", o->exact_distance[row]);
        nb_table_cell(table, "%.4g", o->exact_angle[row]);
        nb_table_cell(table, "%s", last ? nb_reason_name((nb_reason)o->reason[row]) : "start");
    }
    nb_print(stdout, "%s, %d steps of %g s by %s; %d controls of %d knots: %d unknowns; %.3g s\n", o->info.scenario,
             (int)o->steps, o->info.time_step, o->info.method, (int)o->controls, (int)o->knots,
             (int)(o->controls * o->knots), o->seconds);
    NB_TRY(nb_table_print(table, stdout));
out:
    nb_table_destroy(table);
    return status;
}

/* ---- the command ---- */

static nb_status optimize(int argc, char **argv, int *exit_status) {
    arguments a = {.motion = {.command = &nb_command_optimize, .writes = NB_WRITTEN_OPTIMIZATION},
                   .what = nb_optimize_standard()};
    nb_optimization o = {0};
    nb_provenance provenance;
    nb_status status;
    int ended;
    NB_TRY(nb_motion_begin(&a.motion, argc, argv, set, &a));
    const nb_request *request = a.motion.request;
    a.what.tell = tell;
    NB_TRY(nb_motion_end(&a.motion, nb_optimize(request, &a.what, &o), &ended, exit_status));
    if (ended) goto out;
    nb_environment(request->info.threads, request->info.seed, &provenance);
    NB_TRY(nb_optimization_write(a.motion.path, &o, a.motion.line, &provenance));
    NB_TRY(print(&o));
out:
    nb_optimization_clear(&o);
    nb_motion_clear(&a.motion);
    return status;
}

static const struct argp_option options[] = {
    {.doc = "Optimization:", .group = -2},
    {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "the file to write", .group = -2},
    NB_FORCE_OPTION(-2),
    {.name = "smoothing",
     .key = KEY_SMOOTHING,
     .arg = "RHO,...",
     .doc = "impulse times velocity of smoothed contacts [J]; one after another [3e-3,3e-4,3e-5]",
     .group = -2},
    {.name = "knots",
     .key = KEY_KNOTS,
     .arg = "N",
     .doc = "points of each trajectory, linear between [10]",
     .group = -2},
    {.name = "iterations",
     .key = KEY_ITERATIONS,
     .arg = "N",
     .doc = "steps tried at most; of each smoothing [50]",
     .group = -2},
    {.name = "tolerance",
     .key = KEY_TOLERANCE,
     .arg = "X",
     .doc = "part of the cost that ten steps lower it by; else a smoothing ends [1e-4]",
     .group = -2},
    {0},
};

const nb_command nb_command_optimize = {
    .name = "optimize",
    .arguments = "SCENARIO -o FILE.h5",
    .summary = "optimize the controls of a scenario for its goal",
    .details =
        "The scenario (grasp) is simulated with the options of run, one value each. What controls it, such as the "
        "places of two hands, is changed until its motion ends at its goal: by Gauss-Newton steps with Levenberg's "
        "damping, whose Jacobian is that of the motion, forward through the steps. The cost is half the squares of the "
        "errors at the end, over their units, and of the changes of the controls from knot to knot. The first "
        "trajectories are those of the scenario's own plan.\n\n"
        "The optimized motion has steps whose contacts are smoothed by RHO, so that what is not touched "
        "yet feels a force, and derivatives are those of this motion. Several RHO are taken one after another. "
        "The cost of the unsmoothed motion with the same controls is printed as well.\n\n"
        "Methods are those of gradient.",
    .options = options,
    .takes = NB_USE_DERIVATIVES,
    .as = &nb_command_run,
    .one_scene = 1,
    .run = optimize,
};
