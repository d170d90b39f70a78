/* gradient: derivatives of a scenario's state after some steps. */
#include "run/gradient.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "environment.h"
#include "interrupt.h"
#include "motion.h"
#include "text/plain.h"
#include "text/table.h"

enum {
    KEY_SMOOTHING = 800,
    KEY_OBJECTIVE,
    KEY_INPUTS,
    KEY_BODIES
};

typedef struct arguments {
    nb_motion motion;
    nb_gradient_request what;
} arguments;

/* ---- options ---- */

static nb_status set_smoothing(arguments *a, const char *text) {
    char *end;
    a->what.smoothing = strtod(text, &end);
    if (end == text || *end || !(a->what.smoothing > 0) || !(a->what.smoothing <= 1e6))
        return nb_fail(NB_ERROR_USAGE, "--smoothing '%.80s': expected a number of joules above 0 and up to 1e6", text);
    return NB_OK;
}

static const char *kind_at(const void *table, int i) {
    return ((const nb_gradient_kind *)table)[i].name;
}

/* "BODY:COMPONENT" */
static nb_status set_objective(arguments *a, const char *text) {
    int used = 0, count = sscanf(text, "%6d:%n", &a->what.body, &used);
    if (count != 1 || used == 0 || a->what.body < 0)
        return nb_fail(NB_ERROR_USAGE, "--objective '%.80s': expected BODY:COMPONENT, such as 1:z (bodies from 0)",
                       text);
    return nb_name_choose("--objective's component", text + used, nb_gradient_components, NB_GRADIENT_STATE,
                          &a->what.component);
}

/* the items of a comma list, one after the other: at most so many characters */
static nb_status next_item(const char *option, const char **text, char item[32]) {
    size_t length = strcspn(*text, ",");
    if (length == 0 || length > 31)
        return nb_fail(NB_ERROR_USAGE, "%s '%.80s': an item of the list is empty or too long", option, *text);
    memcpy(item, *text, length);
    item[length] = '\0';
    *text += length;
    if (**text == ',') ++*text;
    return NB_OK;
}

static nb_status set_inputs(arguments *a, const char *text) {
    nb_status status;
    char item[32];
    memset(a->what.with_kind, 0, sizeof a->what.with_kind);
    do {
        NB_TRY(next_item("--inputs", &text, item));
        int kind = nb_name_find(item, NB_GRADIENT_KINDS, kind_at, nb_gradient_kinds);
        if (kind < 0) return nb_name_unknown("--inputs", item, NB_GRADIENT_KINDS, kind_at, nb_gradient_kinds);
        a->what.with_kind[kind] = 1;
    } while (*text);
out:
    return status;
}

static nb_status set_bodies(arguments *a, const char *text) {
    nb_status status;
    char item[32], *end;
    const int most = (int)(sizeof a->what.only / sizeof *a->what.only);
    a->what.only_count = 0;
    do {
        NB_TRY(next_item("--bodies", &text, item));
        long body = strtol(item, &end, 10);
        if (end == item || *end || body < 0 || body > INT32_MAX)
            return nb_fail(NB_ERROR_USAGE, "--bodies '%.31s': expected numbers of bodies from 0, such as 1,2", item);
        if (a->what.only_count == most)
            return nb_fail(NB_ERROR_USAGE, "--bodies: more than %d; without it all are taken", most);
        a->what.only[a->what.only_count++] = (int32_t)body;
    } while (*text);
out:
    return status;
}

static nb_status set(void *context, int key, const char *text) {
    arguments *a = context;
    switch (key) {
    case KEY_SMOOTHING: return set_smoothing(a, text);
    case KEY_OBJECTIVE: return set_objective(a, text);
    case KEY_INPUTS: return set_inputs(a, text);
    case KEY_BODIES: return set_bodies(a, text);
    default: return nb_motion_set(&a->motion, key, text);
    }
}

/* ---- the summary ---- */

static double largest(const double *x, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* of a kind's columns, in part `part` (places, turns, velocities, angular velocities) of any body's state */
static double largest_of_kind(const nb_gradient *g, const nb_gradient_kind *kind, int part) {
    double most = 0;
    for (int32_t k = 0; k < g->columns; k++) {
        int own = g->column_input[k] >= kind->first && g->column_input[k] < kind->first + kind->count;
        for (int32_t body = 0; own && body < g->bodies; body++)
            for (int n = 0; n < 3; n++) {
                int64_t row = (int64_t)body * NB_GRADIENT_STATE + 3 * part + n;
                most = fmax(most, fabs(g->derivative[row * g->columns + k]));
            }
    }
    return most;
}

static nb_status print_columns(const nb_gradient *g) {
    static const char *const titles[] = {"largest d/d", ">place", ">turn", ">velocity", ">angular velocity"};
    nb_status status;
    nb_table *table = NULL;
    NB_TRY(nb_table_create(5, titles, &table));
    for (int k = 0; k < NB_GRADIENT_KINDS; k++) {
        int any = 0;
        for (int32_t n = 0; n < g->columns; n++)
            any |= g->column_input[n] >= nb_gradient_kinds[k].first &&
                   g->column_input[n] < nb_gradient_kinds[k].first + nb_gradient_kinds[k].count;
        if (!any) continue;
        nb_table_cell(table, "%s", nb_gradient_kinds[k].name);
        for (int part = 0; part < 4; part++)
            nb_table_cell(table, "%.6g", largest_of_kind(g, &nb_gradient_kinds[k], part));
    }
    NB_TRY(nb_table_print(table, stdout));
out:
    nb_table_destroy(table);
    return status;
}

static nb_status print_objective(const nb_gradient *g) {
    static const char *const titles[] = {"body", "d/d", ">x", ">y", ">z", ">about x", ">about y", ">about z"};
    const int most = 20; /* lines of bodies */
    nb_status status;
    nb_table *table = NULL;
    NB_TRY(nb_table_create(8, titles, &table));
    for (int32_t body = 0, shown = 0; body < g->bodies && shown < most; body++)
        for (int k = 0; k < NB_GRADIENT_KINDS; k++) {
            const nb_gradient_kind *kind = &nb_gradient_kinds[k];
            const double *x = g->by_input + NB_INPUTS * (int64_t)body + kind->first;
            if (!(largest(x, kind->count) > 0)) continue;
            nb_table_cell(table, "%d", (int)body);
            nb_table_cell(table, "%s", kind->name);
            for (int n = 0; n < 6; n++)
                nb_table_cell(table, n < kind->count ? "%.9g" : "", n < kind->count ? x[n] : 0.0);
            shown++;
        }
    NB_TRY(nb_table_print(table, stdout));
out:
    nb_table_destroy(table);
    return status;
}

static nb_status print(const nb_gradient *g) {
    int32_t iterations = 0;
    for (int32_t k = 0; k < g->steps; k++) iterations = g->iterations[k] > iterations ? g->iterations[k] : iterations;
    nb_print(stdout,
             "%s, %d steps of %g s by %s; smoothing %g J: velocities moved by %.2g m/s at most, residual %.1e, %d "
             "iterations per step at most\n",
             g->info.scenario, (int)g->steps, g->info.time_step, g->info.method, g->smoothing,
             largest(g->distance, g->steps), largest(g->residual, g->steps), (int)iterations);
    if (g->columns > 0)
        nb_print(stdout, "%d columns; steps %.3g s, derivatives %.3g s\n", (int)g->columns, g->steps_s, g->gradient_s);
    else if (isnan(g->value))
        nb_print(stdout, "objective %s; steps %.3g s, derivatives %.3g s\n", g->objective, g->steps_s, g->gradient_s);
    else
        nb_print(stdout, "objective %s = %.9g; steps %.3g s, derivatives %.3g s\n", g->objective, g->value, g->steps_s,
                 g->gradient_s);
    return g->columns > 0 ? print_columns(g) : print_objective(g);
}

/* says where there is nothing to differentiate, on standard error */
static void warn_of_open_steps(const nb_gradient *g) {
    int32_t count = 0, first = 0;
    for (int32_t k = g->steps - 1; k >= 0; k--)
        if (g->open[k] == 1) count++, first = k;
    if (count == 0) return;
    nb_print(stderr,
             "warning: no derivatives exist in %d of %d steps, the first one %d: velocities are held by the smoothing "
             "alone, as where a face slides and turns on redundant contacts; those given are of the velocities that "
             "the smoothing selects, not of the motion's\n",
             (int)count, (int)g->steps, (int)first);
}

/* ---- the command ---- */

static nb_status gradient(int argc, char **argv, int *exit_status) {
    arguments a = {.motion = {.command = &nb_command_gradient, .writes = NB_WRITTEN_GRADIENT}, .what = {.body = -1}};
    nb_gradient g = {0};
    nb_provenance provenance;
    nb_status status;
    int ended;
    for (int k = 0; k < NB_GRADIENT_KINDS; k++) a.what.with_kind[k] = 1;
    NB_TRY(nb_motion_begin(&a.motion, argc, argv, set, &a));
    const nb_request *request = a.motion.request;
    NB_TRY(nb_motion_end(&a.motion, nb_gradient_run(request, &a.what, &g), &ended, exit_status));
    if (ended) goto out;
    nb_environment(request->info.threads, request->info.seed, &provenance);
    NB_TRY(nb_gradient_write(a.motion.path, &g, a.motion.line, &provenance));
    NB_TRY(print(&g));
    warn_of_open_steps(&g);
out:
    nb_gradient_clear(&g);
    nb_motion_clear(&a.motion);
    return status;
}

static const struct argp_option options[] = {
    {.doc = "Gradient:", .group = -2},
    {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "the file to write", .group = -2},
    NB_FORCE_OPTION(-2),
    {.name = "smoothing",
     .key = KEY_SMOOTHING,
     .arg = "RHO",
     .doc = "impulse times velocity of smoothed contacts [J]; of single-level what its motion is smoothed by; none of "
            "method smoothed [1e-08]",
     .group = -2},
    {.name = "objective",
     .key = KEY_OBJECTIVE,
     .arg = "BODY:COMPONENT",
     .doc =
         "the gradient of this number alone; of the last state, by the adjoint: x, y, z, rx, ry, rz (turns), vx, vy, "
         "vz, wx, wy or wz of a body from 0",
     .group = -2},
    {.name = "inputs",
     .key = KEY_INPUTS,
     .arg = "KIND,...",
     .doc = "columns of these alone; place, velocity, force, mass, inertia, size, friction [all]",
     .group = -2},
    {.name = "bodies", .key = KEY_BODIES, .arg = "BODY,...", .doc = "columns of these bodies alone [all]", .group = -2},
    {0},
};

const nb_command nb_command_gradient = {
    .name = "gradient",
    .arguments = "SCENARIO -o FILE.h5",
    .summary = "compute derivatives of the state after some steps",
    .details =
        "The scenario is simulated with the options of run (one value each), and every step is differentiated. The "
        "file holds d(state after the final step)/d(inputs): state and inputs of every body, a column an input; or "
        "with --objective the gradient of one number, at a cost that does not depend on how many inputs there are, "
        "with the forces of each step apart.\n\n"
        "A body's state is its place, a small turn in the world's axes, its velocity and its angular velocity. Inputs "
        "are these at the start; forces and torques, the same over all steps; the mass with the moments of inertia in "
        "proportion (another density); the logarithm of the moments, the mass as it is; the logarithm of the shape's "
        "scale about the center of mass, mass and moments as they are; and the body's friction coefficient. A size at "
        "constant density is size + 3 m mass + 2 inertia.\n\n"
        "Where contacts open, close, stick and slide the motion has kinks. Derivatives are those of a step whose "
        "contacts are smoothed by RHO: impulse times velocity is RHO in each. As it goes to 0 they become those of "
        "the step, wherever there are any; they cost digits where it is small. The motion itself is not smoothed, but "
        "by single-level: without --smoothing derivatives are those of its motion, smoothed by --rho. They may be "
        "smoothed more, not less. Of method smoothed they are those of its motion alone, with --friction-coupling "
        "implicit.\n\n"
        "Where a face slides and turns on redundant contacts its velocities are open: several solve the step, and "
        "they have no derivatives. A warning says so, and the file says in which steps (open).\n\n"
        "Methods newton, interior-point, auto, single-level and smoothed have derivatives; particles, linearized time "
        "steps, polyhedral friction, friction that depends on the direction, motors and joints with damping have none. "
        "Of "
        "single-level impulse times gap is RHO times the time step.",
    .examples = "  # of a block's state after three steps, with respect to its inputs\n"
                "  ncpbench gradient incline --steps 3 -o gradient.h5\n",
    .options = options,
    .takes = NB_USE_DERIVATIVES,
    .as = &nb_command_run,
    .one_scene = 1,
    .run = gradient,
};
