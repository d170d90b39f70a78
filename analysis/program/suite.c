/* suite: every problem file of a folder, with every combination of methods and options. */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "base/memory.h"
#include "base/options.h"
#include "isolate.h"
#include "overwrite.h"
#include "plugin_option.h"
#include "run/checkpoint.h"

enum {
    KEY_TITLE = 500,
    KEY_APPEND,
    KEY_RESUME,
    KEY_TIME_LIMIT,
    KEY_JOBS,
    KEY_TOLERANCE,
    KEY_DESCRIBE,
    KEY_STANDARD
};

static const struct argp_option own_options[] = {
    {.doc = "Suite:", .group = -3},
    {.name = "standard",
     .key = KEY_STANDARD,
     .arg = "small|full|FOLDER",
     .doc = "solve the problems of the standard set; FOLDER: of a set of your own, with its standard.tsv",
     .group = -3},
    {.name = "tolerance",
     .key = KEY_TOLERANCE,
     .arg = "X",
     .doc = "a natural map of X ||q||; as the harness computes it; the same as --relative-tolerance [1e-8]",
     .group = -3},
    {.name = "time-limit",
     .key = KEY_TIME_LIMIT,
     .arg = "S",
     .doc = "end a run after so many seconds; it is recorded as failed; of each pass: recorded, warm-up, repetition "
            "[never]",
     .group = -3},
    {.name = "jobs",
     .key = KEY_JOBS,
     .arg = "N",
     .doc = "problems at a time; their times are then those of a busy machine [1]",
     .group = -3},
    {.name = "describe",
     .key = KEY_DESCRIBE,
     .doc = "three more columns, for W of up to 2000 rows; its rank, how many rows there are to each that counts, and "
            "its condition",
     .group = -3},
    {.doc = "Record:", .group = -2},
    {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "the record to write", .group = -2},
    {.name = "append",
     .key = KEY_APPEND,
     .doc = "add to the record instead of replacing it; begins one where there is none",
     .group = -2},
    NB_FORCE_OPTION(-2),
    {.name = "title", .key = KEY_TITLE, .arg = "TEXT", .doc = "title of the record", .group = -2},
    {.name = "resume",
     .key = KEY_RESUME,
     .arg = "FILE.h5",
     .doc = "go on with the interrupted suite of this record; takes no other option",
     .group = -2},
    {.doc = "Plugins:", .group = 100},
    NB_PLUGIN_OPTION(100),
    NB_PLUGIN_LIMIT_OPTION(100),
    {0},
};

/* what the command is given */
typedef struct given {
    nb_suite suite;
    nb_output output;
    const char *folder;
    const char *standard; /* the set, instead of a folder */
    const char *resume;
    int tolerant; /* a tolerance is given */
    int others;   /* options and arguments beside --resume */
} given;

/* the key of --relative-tolerance */
static int tolerance_key(void) {
    const struct argp_option *o = nb_request_arguments(NB_USE_PROBLEMS);
    while (!o->name || strcmp(o->name, "relative-tolerance") != 0) o++;
    return o->key;
}

static nb_status set_tolerance(given *g, const char *text) {
    int known;
    g->tolerant = 1;
    return nb_parameter_grid_set(g->suite.grid, tolerance_key(), text, &known);
}

static nb_status set_number(const nb_option *option, const char *text, double *value) {
    return nb_options_set(option, 1, "command line", option->name, text, value);
}

static nb_status set(void *context, int key, const char *text) {
    static const nb_option limit = {"--time-limit", "s", 0, 1e-3, 1e9, 0, NULL, ""};
    static const nb_option jobs = {"--jobs", "1", 1, 1, 256, 1, NULL, ""};
    given *g = context;
    double number = 1;
    int known;
    nb_status status;
    g->others |= key != KEY_RESUME;
    switch (key) {
    case KEY_RESUME: g->resume = text; return NB_OK;
    case KEY_TITLE: g->output.title = text; return NB_OK;
    case KEY_APPEND: g->output.append = 1; return NB_OK;
    case KEY_STANDARD: g->standard = text; return NB_OK;
    case KEY_DESCRIBE: g->suite.describe = 1; return NB_OK;
    case NB_FORCE_KEY: g->output.force = 1; return NB_OK;
    case KEY_TOLERANCE: return set_tolerance(g, text);
    case KEY_TIME_LIMIT: return set_number(&limit, text, &g->suite.time_limit);
    case KEY_JOBS:
        status = set_number(&jobs, text, &number);
        g->suite.jobs = (int32_t)number;
        return status;
    case 'o': g->output.path = text; return NB_OK;
    case NB_PLUGIN_KEY: return nb_plugin_load(text);
    case NB_PLUGIN_LIMIT_KEY: return nb_isolated_limit(text);
    case ARGP_KEY_ARG: return nb_command_take(&nb_command_suite, text, &g->folder);
    default:
        if (key == tolerance_key()) return set_tolerance(g, text);
        return nb_parameter_grid_set(g->suite.grid, key, text, &known);
    }
}

static nb_status parse(given *g, int argc, char **argv) {
    nb_status status;
    g->suite.jobs = 1;
    g->output.interval = NB_CHECKPOINT_STANDARD_INTERVAL;
    NB_TRY(nb_parameter_grid_create(&g->suite.grid));
    NB_TRY(nb_command_parse(&nb_command_suite, argc, argv, set, g));
    if (!g->tolerant) NB_TRY(set_tolerance(g, "1e-8"));
    if (g->resume && g->others)
        return nb_fail(NB_ERROR_USAGE, "option --resume takes everything else from the interrupted command: "
                                       "ncpbench suite --resume FILE.h5");
    if (!g->resume && !g->folder == !g->standard)
        return nb_fail(NB_ERROR_USAGE, "suite: %s",
                       g->folder ? "a folder of problem files, or --standard: not both"
                                 : "the folder of problem files is missing, or --standard");
    if (!g->resume && (!g->output.path || !*g->output.path))
        return nb_fail(NB_ERROR_USAGE, "suite: the record to write is missing: -o FILE.h5");
out:
    return status;
}

/* The command whose checkpoint is beside the record takes the place of this one. */
static nb_status recall(given *g, char **line, char ***words) {
    nb_status status;
    int count;
    nb_checkpoint *checkpoint = NULL;
    const char *record = g->resume;
    NB_TRY(nb_checkpoint_read(record, &checkpoint));
    nb_free(*line);
    *line = NULL;
    NB_TRY(nb_copy_text(checkpoint->command, line));
    NB_TRY(nb_resume_words(*line, nb_command_suite.name, &count, words));
    nb_parameter_grid_destroy(g->suite.grid);
    *g = (given){0};
    NB_TRY(parse(g, count, *words));
    g->output.path = record; /* the folder of the record may be another one by now */
    g->output.resume = 1;
out:
    nb_checkpoint_destroy(checkpoint);
    return status;
}

static nb_status suite(int argc, char **argv, int *exit_status) {
    given g = {0};
    char *line = NULL, **words = NULL;
    int whole = 0;
    nb_status status;
    NB_TRY(nb_command_line(argc, argv, &line)); /* before argp sorts the words */
    NB_TRY(nb_plugin_load_list(getenv("NCPBENCH_PLUGINS")));
    NB_TRY(parse(&g, argc, argv));
    if (g.resume) NB_TRY(nb_resume_is_whole(g.resume, nb_command_suite.name, &whole));
    if (whole) goto out;
    if (g.resume) NB_TRY(recall(&g, &line, &words));
    if (!g.resume) NB_TRY(nb_overwrite_check(g.output.path, NB_WRITTEN_RECORD, g.output.force || g.output.append));
    NB_TRY(g.standard ? nb_suite_files_of_set(g.standard, &g.suite.files)
                      : nb_suite_files_find(g.folder, g.output.path, &g.suite.files));
    NB_TRY(nb_suite_combine(&g.suite));
    g.output.command = line;
    g.output.resumable = 1;
    NB_TRY(nb_suite_run(&g.suite, &g.output, exit_status));
out:
    nb_suite_files_clear(&g.suite.files);
    nb_free(g.suite.which);
    nb_parameter_grid_destroy(g.suite.grid);
    nb_free(words);
    nb_free(line);
    return status;
}

static const struct argp_option *shared_options(void) {
    return nb_request_arguments(NB_USE_PROBLEMS);
}

const nb_command nb_command_suite = {
    .name = "suite",
    .arguments = "FOLDER -o FILE.h5\n--standard SET -o FILE.h5\n--resume FILE.h5",
    .summary = "solve every problem file of a folder, or the standard set",
    .details =
        "Every file in FOLDER and its sub-folders whose name ends in .hdf5, .h5 (FCLIB), .dat (Siconos), .json or "
        ".json.gz "
        "(scenes, of which it is the problem of the first step) is solved "
        "with every combination of the values that options give as comma lists. A process solves a problem, and one of "
        "its own makes each pass of a run: a crash, a limit of time exceeded, a file that cannot be read is a failed "
        "run by name, and nothing else.\n\n"
        "Of a standard set every problem has the name and class of its table, and its numbers W, q and mu are held to "
        "the SHA-256 there before it is solved: one that is another by a bit is refused by name, a failed run, and the "
        "others go on; the exit status is 3. Where the table says that a problem is infeasible, a method solves it "
        "that ends with this reason.\n\n"
        "A tab-separated table goes to standard output: the flag (converged where the harness finds the tolerance met, "
        "whatever the solver says), contacts, with --describe the rank of W (its singular values above n units of "
        "round-off "
        "of the largest), rows over rank and its condition (the largest over the least of these), the natural map "
        "with impulses as velocities, divided by ||q||, which the tolerance is of, and as published, divided by "
        "1 + sqrt(||q||) (FCLIB) and by the largest of ||q||, ||r||, ||u|| (Siconos), iterations, factorisations, and "
        "the seconds of a solve (the median of the repetitions); "
        "then, after an empty line, the failed runs and why. The exit status is 1 where there are some.\n\n"
        "Runs are recorded in the order of the files, whatever --jobs is. Repetitions (--repeat) of the runs of a "
        "problem follow its recorded passes, in random order. An interrupted suite goes on with\n\n"
        "  ncpbench suite --resume FILE.h5",
    .options = own_options,
    .shared = shared_options,
    .as = &nb_command_solve,
    .run = suite,
};
