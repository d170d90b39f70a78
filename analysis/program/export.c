/* export: one Newton system of a scenario or a record as Matrix Market files, the contact problem of a step for FCLIB,
 * or the scene itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/memory.h"
#include "exchange/write_fclib.h"
#include "export_folder.h"
#include "export_problem.h"
#include "export_scene.h"
#include "file/scene_file.h"
#include "file_readers.h"
#include "interrupt.h"
#include "isolate.h"
#include "overwrite.h"
#include "plan.h"
#include "reason.h"
#include "record/record.h"
#include "run/blas.h"
#include "table/outcome.h"

enum {
    KEY_AT = 700,
    KEY_FORMAT,
    KEY_STANDARD
};

enum {
    MATRIX_MARKET,
    FCLIB,
    FCLIB_GLOBAL,
    SCENE,
    CHECKSUM,
    FORMATS
};
static const char *const formats[FORMATS] = {"matrix-market", "fclib", "fclib-global", "scene", "checksum"};

typedef struct arguments {
    nb_parameter_grid *grid;
    const char *scenario, *path, *at, *standard;
    char *record;   /* path of a record or, for FCLIB, of a problem, instead of a scenario; or NULL */
    int run;        /* of the record */
    int run_option; /* 1: an option of run was given */
    int format, force;
    int32_t step, newton;
    char *line; /* the command line */
} arguments;

/* "STEP" or "STEP:NEWTON", both from 0 */
static nb_status set_at(arguments *a, const char *text) {
    int step, newton = 0, used = 0;
    int count = sscanf(text, "%7d%n:%7d%n", &step, &used, &newton, &used);
    if (count < 1 || text[used] || step < 0 || newton < 0 || strspn(text, "0123456789:") != strlen(text))
        return nb_fail(NB_ERROR_USAGE, "--at '%.80s': expected STEP:NEWTON, two numbers from 0, such as 3:0", text);
    a->at = text;
    a->step = step;
    a->newton = newton;
    return NB_OK;
}

/* "FILE.h5" or "FILE.h5#RUN"; scenarios have no dot in their name, but for those of scene files */
static nb_status set_source(arguments *a, const char *text) {
    nb_status status;
    char *number, *end;
    NB_TRY(nb_command_take(&nb_command_export, text, &a->scenario));
    if (!strchr(text, '.') || nb_scene_file_is(text)) return nb_parameter_grid_add_scenarios(a->grid, text);
    NB_TRY(nb_copy_text(text, &a->record));
    number = strrchr(a->record, '#');
    if (!number) return NB_OK;
    a->run = (int)strtol(number + 1, &end, 10);
    if (end == number + 1 || *end || a->run < 0 || end - number > 7)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: '%.200s': expected the number of a run after '#', from 0", text));
    *number = '\0';
out:
    return status;
}

static nb_status set(void *context, int key, const char *text) {
    arguments *a = context;
    int known;
    switch (key) {
    case 'o': a->path = text; return NB_OK;
    case KEY_AT: return set_at(a, text);
    case KEY_FORMAT: return nb_name_choose("--format", text, formats, FORMATS, &a->format);
    case KEY_STANDARD: a->standard = text; return NB_OK;
    case NB_FORCE_KEY: a->force = 1; return NB_OK;
    case NB_PLUGIN_KEY: return nb_plugin_load(text);
    case NB_PLUGIN_LIMIT_KEY: return nb_isolated_limit(text);
    case ARGP_KEY_ARG: return set_source(a, text);
    default: a->run_option = 1; return nb_parameter_grid_set(a->grid, key, text, &known);
    }
}

/* what --format checksum takes: the file alone */
static nb_status check_checksum(const arguments *a) {
    if (a->path || a->at || a->run_option || a->force)
        return nb_fail(NB_ERROR_USAGE, "export: --format checksum prints a line for a problem file or a scene file; it "
                                       "takes no other option");
    return NB_OK;
}

/* what --standard takes: --format fclib and a folder */
static nb_status check_standard(const arguments *a) {
    if (a->scenario || a->at || a->run_option || a->format != FCLIB || !a->path || !*a->path)
        return nb_fail(NB_ERROR_USAGE,
                       "export: --standard %.80s takes --format fclib and -o FOLDER, and nothing else "
                       "but --force",
                       a->standard);
    return NB_OK;
}

static nb_status parse(int argc, char **argv, arguments *a) {
    nb_status status;
    int64_t count;
    NB_TRY(nb_command_line(argc, argv, &a->line)); /* before argp sorts the words */
    NB_TRY(nb_plugin_load_list(getenv("NCPBENCH_PLUGINS")));
    NB_TRY(nb_parameter_grid_create(&a->grid));
    NB_TRY(nb_command_parse(&nb_command_export, argc, argv, set, a));
    if (a->standard) return check_standard(a);
    if (!a->scenario) NB_TRY(nb_fail(NB_ERROR_USAGE, "export: a scenario is missing; see 'ncpbench list scenarios'"));
    if (a->format == CHECKSUM) return check_checksum(a);
    int of_problem = a->record && (a->format == FCLIB || a->format == FCLIB_GLOBAL);
    if (!a->at && !of_problem)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: --at STEP:NEWTON is missing: which system to write"));
    if (!a->path || !*a->path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: the %s to write is missing: -o %s",
                       a->format == MATRIX_MARKET ? "folder" : "file", a->format == MATRIX_MARKET ? "DIR" : "FILE"));
    if (of_problem && (a->run_option || a->at))
        NB_TRY(nb_fail(NB_ERROR_USAGE,
                       "export: --format fclib writes a problem file as it is: no options of run, and no --at; a "
                       "record's systems have --format matrix-market"));
    if (a->record && !of_problem && (a->run_option || a->format != MATRIX_MARKET))
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: a record holds systems as they are: no options of run, and no --format "
                                       "but matrix-market"));
    NB_TRY(a->format == MATRIX_MARKET
               ? nb_export_check(a->path, a->force)
               : nb_overwrite_check(a->path, a->format == SCENE ? NB_WRITTEN_SCENE : NB_WRITTEN_PROBLEM, a->force));
    if (of_problem) NB_TRY(nb_overwrite_check_input(a->path, a->record, a->force));
    NB_TRY(nb_parameter_grid_count(a->grid, &count));
    if (!a->record && count != 1)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "export: one run at a time: the lists of values give %lld", (long long)count));
out:
    return status;
}

/* ---- what the run gave ---- */

static nb_status write_system(const arguments *a, const nb_request *request, const nb_run *run) {
    int64_t last =
        run->newton_start[a->step + 1] - run->newton_start[a->step] - 2; /* the last row is the state after */
    if (run->system_count == 0 && last < 0)
        return nb_fail(NB_ERROR_USAGE, "--at %s: step %d was solved without a Newton system", a->at, (int)a->step);
    if (run->system_count == 0)
        return nb_fail(NB_ERROR_USAGE,
                       "--at %s: step %d had the Newton systems 0 to %lld; --newton-iterations sets "
                       "how many there are at most",
                       a->at, (int)a->step, (long long)last);
    if (run->systems[0].rows == 0)
        return nb_fail(NB_ERROR_USAGE, "--at %s: the system of step %d has no rows: nothing touches yet", a->at,
                       (int)a->step);
    return nb_export_folder(a->path, a->force, &run->systems[0], request, a->line);
}

static nb_status write_problem(const arguments *a, const nb_request *request, const nb_contact_problem *problem) {
    char title[160], description[1000];
    snprintf(title, sizeof title, "%s, step %d (ncpbench)", request->info.scenario, (int)a->step);
    snprintf(description, sizeof description, "%.900s; h = %.17g s", a->line, problem->time_step);
    return nb_fclib_write(a->path, problem, a->format == FCLIB_GLOBAL, title, description);
}

/* [s] of the start of the step, to the last bit; NaN: as the scene begins */
static double start_time(const arguments *a, const nb_request *request, const nb_run *run) {
    if (a->step > 0) return run->steps[(int64_t)(a->step - 1) * NB_STEP_COLUMNS + NB_STEP_TIME];
    return request->info.settle > 0 ? run->final.time - run->final.time_step : NAN;
}

static nb_status make(arguments *a, nb_request *request, int *exit_status) {
    nb_status status;
    nb_run *run = NULL;
    nb_contact_problem problem = {0};
    const int32_t steps = request->info.steps; /* of a run from the scene that is written */
    request->store_step = a->step;
    request->store_newton = a->newton;
    request->store_one = request->store_systems = a->format == MATRIX_MARKET;
    request->contact_problem = a->format == FCLIB || a->format == FCLIB_GLOBAL ? &problem : NULL;
    request->linear_history = 0;
    request->frame_interval = 0;
    request->info.steps = a->step + 1;
    if (a->format == SCENE && a->step + request->info.settle == 0) /* as it begins: no step leads there */
        return nb_export_scene(a->path, request, NULL, NAN, 0, steps, a->line);
    nb_interrupt_catch();
    nb_blas_set_threads(request->info.threads);
    NB_TRY(nb_isolated_simulate(request, &run));
    if (*run->fault)
        status = nb_fail(strcmp(nb_run_reason(run), nb_reason_name(NB_REASON_REFUSED)) == 0 ? NB_ERROR_UNSUPPORTED
                                                                                            : NB_ERROR_NUMERIC,
                         "%s", run->fault);
    else if (run->usage.settle_unsolved > 0)
        status = nb_settle_fault(run->usage.settle_unsolved, request->info.settle, request->info.settle_tolerance,
                                 run->usage.settle_error);
    else if (!run->finished)
        *exit_status = NB_EXIT_INTERRUPTED;
    else if (a->format == MATRIX_MARKET)
        NB_TRY(write_system(a, request, run));
    else if (a->format == SCENE)
        NB_TRY(nb_export_scene(a->path, request, &run->final, start_time(a, request, run), a->step, steps, a->line));
    else
        NB_TRY(write_problem(a, request, &problem));
out:
    nb_contact_problem_clear(&problem);
    nb_run_destroy(run);
    return status;
}

/* ---- from a record ---- */

static const arguments *wanted; /* what read_stored reads: nb_safe_read hands it the path alone */

static nb_status read_record(const arguments *a, nb_run **run, nb_stored_system *system) {
    nb_status status;
    nb_record_reader *reader = NULL;
    NB_TRY(nb_record_open(a->record, &reader));
    NB_TRY(nb_record_read_run(reader, a->run, run));
    NB_TRY(nb_record_read_system(reader, a->run, a->step, a->newton, system));
out:
    nb_record_reader_close(reader);
    return status;
}

static nb_status read_stored(const char *path) {
    nb_run *run = NULL;
    nb_stored_system system = {0};
    (void)path;
    nb_status status = read_record(wanted, &run, &system);
    nb_stored_system_clear(&system);
    nb_run_destroy(run);
    return status;
}

static nb_status copy_from_record(const arguments *a) {
    nb_status status;
    nb_run *run = NULL;
    nb_stored_system system = {0};
    nb_request *request = NULL;
    wanted = a;
    NB_TRY(nb_safe_read(a->record, read_stored));
    NB_TRY(read_record(a, &run, &system));
    NB_TRY(NB_ALLOCATE(1, &request));
    nb_request_standard(request);
    request->info = run->info; /* its parameters stay the run's */
    NB_TRY(nb_export_folder(a->path, a->force, &system, request, a->line));
out:
    nb_free(request);
    nb_stored_system_clear(&system);
    nb_run_destroy(run);
    return status;
}

/* whose start of a step is no state that is kept */
static nb_status refuse_stages(const nb_request *request, int32_t step) {
    const nb_integrator integrator = nb_request_scene(request).integrator;
    if (integrator == NB_INTEGRATOR_BE || step + request->info.settle == 0) return NB_OK;
    return nb_fail(NB_ERROR_UNSUPPORTED,
                   "--format scene requires --at 0 without --settle, or --integrator be (got %s), whose steps have one "
                   "stage",
                   nb_integrator_names[integrator]);
}

static nb_status export(int argc, char **argv, int *exit_status) {
    arguments a = {0};
    nb_plan plan = {0};
    nb_status status;
    NB_TRY(parse(argc, argv, &a));
    if (a.standard)
        NB_TRY(nb_export_standard(a.standard, a.path, a.force, a.line));
    else if (a.format == CHECKSUM)
        NB_TRY(nb_export_checksum(a.scenario));
    else if (a.record)
        NB_TRY(a.format == MATRIX_MARKET ? copy_from_record(&a)
                                         : nb_export_problem(a.record, a.path, a.format == FCLIB_GLOBAL, a.line));
    if (a.standard || a.format == CHECKSUM || a.record) goto out;
    NB_TRY(nb_plan_add(&plan, a.grid));
    if (a.format == SCENE) NB_TRY(refuse_stages(plan.requests[0], a.step));
    NB_TRY(make(&a, plan.requests[0], exit_status));
out:
    nb_plan_clear(&plan);
    nb_parameter_grid_destroy(a.grid);
    nb_free(a.line);
    nb_free(a.record);
    return status;
}

static const struct argp_option options[] = {
    {.doc = "Export:", .group = -2},
    {.name = "at", .key = KEY_AT, .arg = "STEP:NEWTON", .doc = "which Newton system, counted from 0", .group = -2},
    {.name = "output",
     .key = 'o',
     .arg = "PATH",
     .doc = "the new folder to write; for fclib and scene the file",
     .group = -2},
    NB_FORCE_OPTION(-2),
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "matrix-market|fclib|fclib-global|scene|checksum",
     .doc = "fclib: the step's problem, local; fclib-global: with the bodies' velocities; scene: the scene, as JSON; "
            "checksum: a line [matrix-market]",
     .group = -2},
    {.name = "standard",
     .key = KEY_STANDARD,
     .arg = "small|full|FOLDER",
     .doc = "instead of a scenario; all problems of this standard set (suite), with --format fclib into the folder -o",
     .group = -2},
    {.doc = "Plugins:", .group = 100},
    NB_PLUGIN_OPTION(100),
    NB_PLUGIN_LIMIT_OPTION(100),
    {0},
};

const nb_command nb_command_export = {
    .name = "export",
    .arguments = "SCENARIO|RECORD.h5[#RUN]|PROBLEM --at STEP:NEWTON -o PATH\n--standard SET --format fclib -o FOLDER",
    .summary = "write a Newton system for other programs",
    .details =
        "The scenario is simulated up to this step with the options of run (one value each). In the Matrix Market "
        "format the folder holds A, b and the factors H, J, C, S, g, h of\n\n"
        "  A x = b,   A = S J H^-1 J^T S + C,   b = S J H^-1 g - h\n\n"
        "and system.json, which says what each is. With another --form, and of methods with other systems, it "
        "holds A and b alone, over the unknowns that system.json names. For FCLIB the file holds the frictional "
        "contact problem of the "
        "whole "
        "step with its geometry frozen at the start, as --geometry frozen solves it: W, q, mu (fclib) or M, H, f, w, "
        "mu (fclib-global), in SI units and impulses; NEWTON may be left out. Of format scene is a JSON file with the "
        "scene at the start of the step, which commands take in the place of a scenario (scenarios/scene.schema.json); "
        "it has no history, such as impulses.\n\n"
        "Of a problem file, in FCLIB's format or Siconos's text, --format fclib writes the problem, and fclib-global a "
        "global one in its global form: rolling friction, two dimensions and W as it stands included; no --at.\n\n"
        "Of a problem file, or of the first step of a scene file, --format checksum prints the SHA-256 of the numbers "
        "W, "
        "q and mu, which no format changes (core/file_data.h says of which bytes); no --at, no -o.\n\n"
        "With --standard every problem of the set becomes FOLDER/NAME.hdf5, held to the SHA-256 of the table first.\n\n"
        "Of a record that was made with --store-systems the system is taken as it stands; RUN counts from 0.",
    .examples = "  # A, b and its factors of the first Newton iteration of step 2, in a folder\n"
                "  ncpbench export arch --at 2:0 -o system\n",
    .options = options,
    .takes = NB_USE_RUNS,
    .as = &nb_command_run,
    .run = export,
};
