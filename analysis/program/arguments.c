#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "execute.h"
#include "executor.h"
#include "file/linear_problem.h"
#include "file_readers.h"
#include "isolate.h"
#include "overwrite.h"
#include "petsc.h"
#include "ranks.h"
#include "run/checkpoint.h"
#include "run/start_state.h"
#include "run_output.h"
#include "shard.h"
#include "text/plain.h"

enum {
    KEY_TITLE = 500,
    KEY_APPEND,
    KEY_RHS,
    KEY_SOLUTION,
    KEY_RESUME,
    KEY_CHECKPOINT,
    KEY_TIME_LIMIT,
    KEY_JOBS,
    KEY_STANDARD,
    KEY_TOLERANCE,
    KEY_DESCRIBE,
    KEY_SHARD
};

#define RECORD_OPTIONS                                                                               \
    {.doc = "Record:", .group = -2},                                                                 \
        {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "the record to write", .group = -2}, \
        {.name = "append",                                                                           \
         .key = KEY_APPEND,                                                                          \
         .doc = "add to the record instead of replacing it; begins one where there is none",         \
         .group = -2},                                                                               \
        NB_FORCE_OPTION(-2), {                                                                       \
        .name = "title", .key = KEY_TITLE, .arg = "TEXT", .doc = "title of the record", .group = -2  \
    }
#define RESUME_OPTION                                                                              \
    {                                                                                              \
        .name = "resume", .key = KEY_RESUME, .arg = "FILE.h5",                                     \
        .doc = "resume the interrupted command of this record; takes no other option", .group = -2 \
    }
#define PLUGIN_OPTIONS \
    {.doc = "Plugins:", .group = 100}, NB_PLUGIN_OPTION(100), NB_PLUGIN_LIMIT_OPTION(100), NB_PETSC_OPTION(100)
#define PROCESS_OPTIONS                                                                                               \
    {.name = "time-limit",                                                                                            \
     .key = KEY_TIME_LIMIT,                                                                                           \
     .arg = "S",                                                                                                      \
     .doc = "end a run after so many seconds; it is recorded as failed; of each pass: recorded, warm-up, repetition " \
            "[never]",                                                                                                \
     .group = -3},                                                                                                    \
    {                                                                                                                 \
        .name = "jobs", .key = KEY_JOBS, .arg = "N",                                                                  \
        .doc = "runs at a time; their times are then those of a busy machine [1]", .group = -3                        \
    }

const struct argp_option nb_solve_options[] = {
    {.doc = "Processes:", .group = -3},
    PROCESS_OPTIONS,
    {.doc = "Matrix Market systems A x = b:", .group = -3},
    {.name = "rhs",
     .key = KEY_RHS,
     .arg = "FILE.mtx,...",
     .doc = "right-hand sides: the columns of these files; the solver is set up once for all. Or 'ones': A times ones "
            "[NAME_b.mtx next to NAME.mtx, or b.mtx next to A.mtx; else ones]",
     .group = -3},
    {.name = "solution",
     .key = KEY_SOLUTION,
     .arg = "FILE.mtx",
     .doc = "write x, a column per right-hand side",
     .group = -3},
    RECORD_OPTIONS,
    PLUGIN_OPTIONS,
    {0},
};

const struct argp_option nb_run_options[] = {
    {.doc = "Processes:", .group = -3},
    PROCESS_OPTIONS,
    RECORD_OPTIONS,
    RESUME_OPTION,
    NB_SHARD_OPTION(-2),
    {.name = "checkpoint",
     .key = KEY_CHECKPOINT,
     .arg = "SECONDS",
     .doc =
         "between the states kept for --resume; longer where keeping one takes more than a hundredth of it; 0: after "
         "every step [30]",
     .group = -2},
    PLUGIN_OPTIONS,
    {0},
};

const struct argp_option nb_suite_options[] = {
    {.doc = "Suite:", .group = -3},
    {.name = "standard",
     .key = KEY_STANDARD,
     .arg = "small|full|failures|FOLDER",
     .doc = "solve the problems of the standard set; FOLDER: of a set of your own, with its standard.tsv",
     .group = -3},
    {.name = "tolerance",
     .key = KEY_TOLERANCE,
     .arg = "X",
     .doc = "a natural map of X ||q||; as the harness computes it; the same as --relative-tolerance [1e-8]",
     .group = -3},
    PROCESS_OPTIONS,
    {.name = "describe",
     .key = KEY_DESCRIBE,
     .doc = "three more columns, for W of up to 2000 rows; its rank, how many rows there are to each that counts, and "
            "its condition",
     .group = -3},
    RECORD_OPTIONS,
    RESUME_OPTION,
    NB_SHARD_OPTION(-2),
    PLUGIN_OPTIONS,
    {0},
};

/* the key of --relative-tolerance */
static int tolerance_key(void) {
    const struct argp_option *o = nb_request_arguments(NB_USE_PROBLEMS);
    while (!o->name || strcmp(o->name, "relative-tolerance") != 0) o++;
    return o->key;
}

static nb_status set_field(nb_arguments *a, int key, const char *text) {
    int known;
    a->tolerant |= key == tolerance_key();
    return nb_parameter_grid_set(a->grid, key, text, &known);
}

nb_status nb_arguments_tolerance(nb_arguments *arguments, const char *text) {
    return set_field(arguments, tolerance_key(), text);
}

static nb_status add_argument(nb_arguments *a, const char *text) {
    if (a->of == NB_GIVEN_PROBLEMS) { /* every file is read before anything is solved */
        char name[NB_FILE_NAME], matrix[NB_FILE_NAME];
        nb_status status = NB_OK;
        while (status == NB_OK && nb_file_list_next(&text, name)) {
            const char *path = nb_linear_problem_in_folder(name, matrix, sizeof matrix) ? matrix : name;
            if (path == matrix) snprintf(a->system_folder, sizeof a->system_folder, "%s", name);
            status = nb_parameter_grid_add_problem(a->grid, path);
            if (status == NB_OK && nb_ranks_own() == 0) status = nb_check_problem(path);
        }
        return status;
    }
    if (a->given > 1)
        return nb_fail(NB_ERROR_USAGE, "%s: '%.80s' is one argument too many%s", a->command->name, text,
                       a->of == NB_GIVEN_SCENARIOS ? " (scenarios are given as A,B)" : "");
    if (a->of == NB_GIVEN_SCENARIOS) return nb_parameter_grid_add_scenarios(a->grid, text);
    a->folder = text;
    return NB_OK;
}

static nb_status set(void *context, int key, const char *text) {
    nb_arguments *a = context;
    a->others |= key != KEY_RESUME;
    switch (key) {
    case KEY_RESUME: a->resume = text; return NB_OK;
    case KEY_CHECKPOINT: return nb_command_number("--checkpoint", text, "s", 0, 1e9, &a->output.interval);
    case KEY_TIME_LIMIT: return nb_command_number("--time-limit", text, "s", 1e-3, 1e9, &a->time_limit);
    case KEY_JOBS: return nb_command_whole("--jobs", text, 1, NB_MOST_JOBS, &a->output.jobs);
    case KEY_STANDARD: a->standard = text; return NB_OK;
    case KEY_TOLERANCE: return nb_arguments_tolerance(a, text);
    case KEY_DESCRIBE: a->describe = 1; return NB_OK;
    case NB_SHARD_KEY: return nb_shard_parse(text, &a->shard, &a->shards);
    case 'o': a->output.path = text; return NB_OK;
    case KEY_TITLE: a->output.title = text; return NB_OK;
    case KEY_APPEND: a->output.append = 1; return NB_OK;
    case NB_FORCE_KEY: a->output.force = 1; return NB_OK;
    case KEY_RHS: nb_parameter_grid_set_rhs(a->grid, a->rhs = text); return NB_OK;
    case KEY_SOLUTION: a->solution_path = text; return NB_OK;
    case NB_PLUGIN_KEY: return nb_plugin_load(text);
    case NB_PLUGIN_LIMIT_KEY: return nb_isolated_limit(text);
    case NB_PETSC_KEY: a->petsc = text; return NB_OK;
    case ARGP_KEY_ARG: a->given++; return add_argument(a, text);
    default: return set_field(a, key, text);
    }
}

nb_status nb_arguments_parse(nb_arguments *arguments, int argc, char **argv) {
    nb_status status;
    const nb_output *output = &arguments->output;
    arguments->output.interval = NB_CHECKPOINT_STANDARD_INTERVAL;
    arguments->output.jobs = 1;
    NB_TRY(nb_parameter_grid_create(&arguments->grid));
    NB_TRY(nb_command_parse(arguments->command, argc, argv, set, arguments));
    NB_TRY(nb_petsc_set(arguments->grid, arguments->petsc));
    if (output->path && !*output->path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "option --output takes the name of a file, not ''"));
    if (arguments->resume && arguments->others)
        NB_TRY(nb_fail(NB_ERROR_USAGE,
                       "option --resume takes everything else from the interrupted command: ncpbench %s --resume "
                       "FILE.h5",
                       arguments->command->name));
    if (output->append && !output->path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "option --append needs a record to add to: -o FILE.h5"));
out:
    return status;
}

void nb_arguments_clear(nb_arguments *arguments) {
    nb_parameter_grid_destroy(arguments->grid);
    nb_free(arguments->words);
    nb_free(arguments->line);
    nb_free(arguments->sweep);
    *arguments = (nb_arguments){.command = arguments->command, .of = arguments->of};
}

/* The command whose checkpoint is beside the record takes the place of this one: its line, its arguments. */
static nb_status recall(nb_arguments *a) {
    nb_status status;
    int count;
    nb_checkpoint *checkpoint = NULL;
    const char *record = a->resume;
    NB_TRY(nb_checkpoint_read(record, &checkpoint));
    nb_arguments_clear(a);
    NB_TRY(nb_copy_text(checkpoint->command, &a->line));
    NB_TRY(nb_resume_words(a->line, a->command->name, &count, &a->words));
    NB_TRY(nb_shard_sweep(count, a->words, &a->sweep));
    NB_TRY(nb_arguments_parse(a, count, a->words));
    a->output.path = record; /* the folder may be another one by now */
    a->output.resume = 1;
out:
    nb_checkpoint_destroy(checkpoint);
    return status;
}

nb_status nb_arguments_take(nb_arguments *a, int argc, char **argv) {
    nb_status status;
    NB_TRY(nb_command_line(argc, argv, &a->line)); /* before argp sorts the words */
    NB_TRY(nb_shard_sweep(argc, argv, &a->sweep));
    NB_TRY(nb_plugin_load_list(getenv("NCPBENCH_PLUGINS")));
    NB_TRY(nb_arguments_parse(a, argc, argv));
    if (a->resume) NB_TRY(nb_resume_is_whole(a->resume, a->command->name, &a->whole));
    if (a->whole) return NB_OK;
    if (a->resume) NB_TRY(recall(a));
    if (!a->given && a->of == NB_GIVEN_PROBLEMS)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: a problem is missing: the path of an FCLIB, Siconos or Matrix Market file",
                       a->command->name));
    if (!a->given && a->of == NB_GIVEN_SCENARIOS)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: a scenario is missing; see 'ncpbench list scenarios'", a->command->name));
    if (a->of == NB_GIVEN_FOLDER && !a->folder == !a->standard)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: %s", a->command->name,
                       a->folder ? "a folder of problem files, or --standard: not both"
                                 : "the folder of problem files is missing, or --standard"));
    if (!a->output.path && a->of != NB_GIVEN_PROBLEMS)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: the record to write is missing: -o FILE.h5", a->command->name));
    a->output.command = a->line;
    a->output.sweep = a->sweep;
    if (a->shards > 0 && a->output.append)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "--shard does not support --append: a shard has a record of its own"));
    if (a->shards > 0 && !a->output.resume)
        NB_TRY(nb_shard_resume(a->command->name, a->line, a->shard, a->shards, &a->output, &a->whole));
    a->output.resumable = a->of != NB_GIVEN_PROBLEMS;
out:
    return status;
}

/* Linear systems have other outcomes than contact problems, and options of their own. */
static nb_status prepare_linear(const nb_arguments *a, nb_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++) {
        const nb_request *request = plan->requests[i];
        if (request->subject->has_contacts != plan->requests[0]->subject->has_contacts)
            return nb_fail(NB_ERROR_USAGE,
                           "%s: '%.80s' and '%.80s' are a linear system and a contact problem: solve them in two calls",
                           a->command->name, plan->requests[0]->info.scenario, request->info.scenario);
        if ((a->rhs || a->solution_path) && request->subject->has_contacts)
            return nb_fail(NB_ERROR_USAGE, "--rhs and --solution require a Matrix Market system (got '%.80s')",
                           request->info.scenario);
    }
    if (a->solution_path && plan->count > 1)
        return nb_fail(NB_ERROR_USAGE, "--solution requires one solve (got %lld)", (long long)plan->count);
    return NB_OK;
}

/* None of the files to write is one that is read. */
static nb_status check_targets(const nb_arguments *a, const nb_plan *plan) {
    nb_status status = NB_OK;
    const char *targets[] = {a->output.path, a->solution_path};
    char *rhs = NULL, *from = NULL;
    for (int64_t i = 0; i < plan->count; i++) {
        const nb_request *request = plan->requests[i];
        if (!request->subject->has_contacts)
            NB_TRY(nb_linear_problem_find_rhs(request->problem_path, request->rhs, &rhs));
        for (int t = 0; t < 2; t++) {
            const char *rest = rhs;
            char name[NB_FILE_NAME];
            while (nb_file_list_next(&rest, name)) NB_TRY(nb_overwrite_check_input(targets[t], name, a->output.force));
            NB_TRY(nb_overwrite_check_input(targets[t], request->problem_path, a->output.force));
        }
        nb_free(rhs);
        rhs = NULL;
        if (!request->from || a->output.append) continue;
        NB_TRY(nb_start_state_path(request->from, &from));
        NB_TRY(nb_overwrite_check_input(a->output.path, from, a->output.force));
        nb_free(from);
        from = NULL;
    }
    if (a->solution_path) NB_TRY(nb_overwrite_check(a->solution_path, NB_WRITTEN_SOLUTION, a->output.force));
out:
    nb_free(rhs);
    nb_free(from);
    return status;
}

/* A limit of time and side by side: in processes, to which an open device cannot be handed on. */
static nb_status isolate_runs(nb_arguments *a, nb_plan *plan) {
    a->output.isolated = a->time_limit > 0 || a->output.jobs > 1;
    for (int64_t i = 0; i < plan->count; i++) {
        plan->requests[i]->info.time_limit = a->time_limit;
        if (a->output.isolated && plan->requests[i]->choices.device)
            return nb_fail(NB_ERROR_UNSUPPORTED, "device %s does not support --jobs and --time-limit",
                           plan->requests[i]->info.device);
    }
    return NB_OK;
}

/* Several processes solve the system of one folder together. */
static nb_status join_ranks(const nb_arguments *a) {
    int64_t solvers;
    char *const *solver = nb_parameter_grid_values(a->grid, "--linear-solver", &solvers);
    if (nb_ranks_count() < 2) return NB_OK;
    if (!*a->system_folder || a->given != 1 || solvers != 1 || strcmp(solver[0], "petsc-shell") != 0)
        return nb_fail(NB_ERROR_USAGE,
                       "solve: %d processes require one FOLDER of export --format petsc, and --linear-solver "
                       "petsc-shell",
                       nb_ranks_count());
    if (a->output.jobs > 1 || a->time_limit > 0 || a->output.append)
        return nb_fail(NB_ERROR_USAGE, "solve: several processes do not support --jobs, --time-limit and --append");
    return nb_ranks_join(a->system_folder);
}

nb_status nb_arguments_run(const nb_command *command, nb_given of, int argc, char **argv, int *exit_status) {
    nb_arguments a = {.command = command, .of = of};
    nb_plan plan = {0};
    nb_status status;
    NB_TRY(nb_arguments_take(&a, argc, argv));
    if (a.whole) goto out;
    NB_TRY(join_ranks(&a));
    plan.shard = plan.sweep.shard = a.shard;
    plan.shards = plan.sweep.shards = a.shards;
    NB_TRY(nb_plan_add(&plan, a.grid));
    if (plan.count == 0) { /* an array of jobs may be larger than the sweep */
        nb_print(stderr, "--shard %d/%d has no run: the sweep has %lld\n", (int)a.shard, (int)a.shards,
                 (long long)plan.sweep.runs);
        goto out;
    }
    NB_TRY(prepare_linear(&a, &plan));
    NB_TRY(isolate_runs(&a, &plan));
    NB_TRY(check_targets(&a, &plan));
    nb_plan_note_unused(&plan);
    a.output.solution = a.solution_path;
    NB_TRY(nb_execute(&plan, &a.output, exit_status));
out:
    nb_plan_clear(&plan);
    nb_arguments_clear(&a);
    return status;
}

/* Runs that are written as lines, as figures and claims have them: arguments of `ncpbench run`. */

nb_status nb_run_lines_add(nb_run_lines *lines, const char *line) {
    static const char start[] = "ncpbench run ";
    nb_arguments arguments = {.command = &nb_command_run};
    int count;
    nb_status status;
    NB_TRY(nb_allocate((int64_t)(sizeof start + strlen(line)), 1, &arguments.line));
    stpcpy(stpcpy(arguments.line, start), line);
    NB_TRY(nb_resume_words(arguments.line, "run", &count, &arguments.words));
    NB_TRY(nb_arguments_parse(&arguments, count, arguments.words));
    NB_TRY(nb_plan_add(&lines->plan, arguments.grid));
    if (lines->count == NB_MOST_RUN_LINES)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "reproduce: more than %d lines of runs", (int)NB_MOST_RUN_LINES));
    lines->grids[lines->count++] = arguments.grid;
    arguments.grid = NULL;
out:
    nb_arguments_clear(&arguments);
    return status;
}

void nb_run_lines_clear(nb_run_lines *lines) {
    nb_plan_clear(&lines->plan);
    for (int i = 0; i < lines->count; i++) nb_parameter_grid_destroy(lines->grids[i]);
    *lines = (nb_run_lines){.count = 0};
}
