#include "arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "execute.h"
#include "file/linear_problem.h"
#include "file_readers.h"
#include "isolate.h"
#include "overwrite.h"
#include "plugin_option.h"
#include "resume.h"
#include "run/checkpoint.h"
#include "run/start_state.h"

enum {
    KEY_TITLE = 500,
    KEY_APPEND,
    KEY_RHS,
    KEY_SOLUTION,
    KEY_RESUME,
    KEY_CHECKPOINT
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
#define PLUGIN_OPTIONS {.doc = "Plugins:", .group = 100}, NB_PLUGIN_OPTION(100), NB_PLUGIN_LIMIT_OPTION(100)

const struct argp_option nb_solve_options[] = {
    {.doc = "Matrix Market systems A x = b:", .group = -3},
    {.name = "rhs",
     .key = KEY_RHS,
     .arg = "FILE.mtx",
     .doc = "b, or 'ones': A times ones [NAME_b.mtx next to NAME.mtx, or b.mtx next to A.mtx; else ones]",
     .group = -3},
    {.name = "solution", .key = KEY_SOLUTION, .arg = "FILE.mtx", .doc = "write x", .group = -3},
    RECORD_OPTIONS,
    PLUGIN_OPTIONS,
    {0},
};

const struct argp_option nb_resume_options[] = {
    RECORD_OPTIONS,
    {.name = "resume",
     .key = KEY_RESUME,
     .arg = "FILE.h5",
     .doc = "resume the interrupted command of this record; takes no other option",
     .group = -2},
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

/* every file is read before anything is solved */
static nb_status add_problem(const nb_arguments *a, const char *path) {
    nb_status status = nb_parameter_grid_add_problem(a->grid, path);
    return status == NB_OK ? nb_check_problem(path) : status;
}

static nb_status set_interval(nb_arguments *a, const char *text) {
    char *end;
    a->interval = strtod(text, &end);
    if (end != text && !*end && a->interval >= 0 && isfinite(a->interval)) return NB_OK;
    return nb_fail(NB_ERROR_USAGE, "option --checkpoint takes a number of seconds from 0 on, not '%.80s'", text);
}

static nb_status set(void *context, int key, const char *text) {
    nb_arguments *a = context;
    int known;
    if (key == KEY_RESUME)
        a->resume = text;
    else
        a->others = 1;
    switch (key) {
    case KEY_RESUME: return NB_OK;
    case KEY_CHECKPOINT: return set_interval(a, text);
    case 'o': a->path = text; return NB_OK;
    case KEY_TITLE: a->title = text; return NB_OK;
    case KEY_APPEND: a->append = 1; return NB_OK;
    case NB_FORCE_KEY: a->force = 1; return NB_OK;
    case KEY_RHS: nb_parameter_grid_set_rhs(a->grid, a->rhs = text); return NB_OK;
    case KEY_SOLUTION: a->solution_path = text; return NB_OK;
    case NB_PLUGIN_KEY: return nb_plugin_load(text);
    case NB_PLUGIN_LIMIT_KEY: return nb_isolated_limit(text);
    case ARGP_KEY_ARG:
        if (a->given++ && !a->problems)
            return nb_fail(NB_ERROR_USAGE, "%s: '%.80s' is one argument too many (scenarios are given as A,B)",
                           a->command->name, text);
        return a->problems ? add_problem(a, text) : nb_parameter_grid_add_scenarios(a->grid, text);
    default: return nb_parameter_grid_set(a->grid, key, text, &known);
    }
}

nb_status nb_arguments_parse(nb_arguments *arguments, int argc, char **argv) {
    nb_status status;
    arguments->interval = NB_CHECKPOINT_STANDARD_INTERVAL;
    NB_TRY(nb_parameter_grid_create(&arguments->grid));
    NB_TRY(nb_command_parse(arguments->command, argc, argv, set, arguments));
    if (arguments->path && !*arguments->path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "option --output takes the name of a file, not ''"));
    if (arguments->resume && arguments->others)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "option --resume takes everything else from the interrupted command: "
                                       "ncpbench run --resume FILE.h5"));
    if (arguments->append && !arguments->path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "option --append needs a record to add to: -o FILE.h5"));
out:
    return status;
}

void nb_arguments_clear(nb_arguments *arguments) {
    nb_parameter_grid_destroy(arguments->grid);
    arguments->grid = NULL;
}

/* The command whose checkpoint is beside the record takes the place of this one: its line, its arguments. */
static nb_status recall(nb_arguments *a, char **line, char ***words) {
    nb_status status;
    int count;
    nb_checkpoint *checkpoint = NULL;
    const char *record = a->resume;
    NB_TRY(nb_checkpoint_read(record, &checkpoint));
    nb_free(*line);
    *line = NULL;
    NB_TRY(nb_copy_text(checkpoint->command, line));
    NB_TRY(nb_resume_words(*line, a->command->name, &count, words));
    nb_arguments_clear(a);
    *a = (nb_arguments){.command = a->command};
    NB_TRY(nb_arguments_parse(a, count, *words));
    a->path = a->resume = record; /* the folder may be another one by now */
out:
    nb_checkpoint_destroy(checkpoint);
    return status;
}

/* Linear systems have other outcomes than contact problems, and options of their own. */
static nb_status prepare_linear(const nb_arguments *a, nb_plan *plan) {
    for (int64_t i = 0; i < plan->count; i++) {
        const nb_request *request = plan->requests[i];
        if (request->linear != plan->requests[0]->linear)
            return nb_fail(NB_ERROR_USAGE,
                           "%s: '%.80s' and '%.80s' are a linear system and a contact problem: solve them in two calls",
                           a->command->name, plan->requests[0]->info.scenario, request->info.scenario);
        if ((a->rhs || a->solution_path) && !request->linear)
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
    const char *targets[] = {a->path, a->solution_path};
    char *rhs = NULL, *from = NULL;
    for (int64_t i = 0; i < plan->count; i++) {
        const nb_request *request = plan->requests[i];
        if (request->linear) NB_TRY(nb_linear_problem_find_rhs(request->problem_path, request->rhs, &rhs));
        for (int t = 0; t < 2; t++) {
            NB_TRY(nb_overwrite_check_input(targets[t], rhs, a->force));
            NB_TRY(nb_overwrite_check_input(targets[t], request->problem_path, a->force));
        }
        nb_free(rhs);
        rhs = NULL;
        if (!request->from || a->append) continue;
        NB_TRY(nb_start_state_path(request->from, &from));
        NB_TRY(nb_overwrite_check_input(a->path, from, a->force));
        nb_free(from);
        from = NULL;
    }
    if (a->solution_path) NB_TRY(nb_overwrite_check(a->solution_path, NB_WRITTEN_SOLUTION, a->force));
out:
    nb_free(rhs);
    nb_free(from);
    return status;
}

nb_status nb_arguments_run(const nb_command *command, int problems, int argc, char **argv, int *exit_status) {
    nb_arguments a = {.command = command, .problems = problems};
    nb_plan plan = {0};
    char *line = NULL, **words = NULL;
    int whole = 0;
    nb_status status;
    NB_TRY(nb_command_line(argc, argv, &line)); /* before argp sorts the words */
    NB_TRY(nb_plugin_load_list(getenv("NCPBENCH_PLUGINS")));
    NB_TRY(nb_arguments_parse(&a, argc, argv));
    if (a.resume) NB_TRY(nb_resume_is_whole(a.resume, command->name, &whole));
    if (whole) goto out;
    if (a.resume) NB_TRY(recall(&a, &line, &words));
    if (!a.given && problems)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: a problem is missing: the path of an FCLIB, Siconos or Matrix Market file",
                       command->name));
    if (!a.given)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: a scenario is missing; see 'ncpbench list scenarios'", command->name));
    if (!a.path && !problems)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "%s: the record to write is missing: -o FILE.h5", command->name));
    NB_TRY(nb_plan_add(&plan, a.grid));
    NB_TRY(prepare_linear(&a, &plan));
    NB_TRY(check_targets(&a, &plan));
    nb_plan_note_unused(&plan);
    nb_output output = {.path = a.path,
                        .title = a.title,
                        .command = line,
                        .append = a.append,
                        .force = a.force,
                        .solution = a.solution_path,
                        .resumable = !problems,
                        .resume = a.resume != NULL,
                        .interval = a.interval};
    NB_TRY(nb_execute(&plan, &output, exit_status));
out:
    nb_plan_clear(&plan);
    nb_arguments_clear(&a);
    nb_free(words);
    nb_free(line);
    return status;
}

/* the word for a shell: as it is, or in single quotes */
static char *quote(char *out, const char *word) {
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    if (*word && strspn(word, plain) == strlen(word)) return stpcpy(out, word);
    *out++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *word;
    }
    *out++ = '\'';
    *out = '\0';
    return out;
}

nb_status nb_command_line(int argc, char **argv, char **line) {
    int64_t most = (int64_t)sizeof "ncpbench";
    for (int i = 0; i < argc; i++) most += 4 * (int64_t)strlen(argv[i]) + 3;
    nb_status status = NB_ALLOCATE(most, line);
    if (status != NB_OK) return status;
    char *out = stpcpy(*line, "ncpbench");
    for (int i = 0; i < argc; i++) {
        *out++ = ' ';
        out = quote(out, argv[i]);
    }
    return NB_OK;
}
