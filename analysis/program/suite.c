/* suite: every problem file of a folder, with every combination of methods and options. */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/stream.h"
#include "executor.h"
#include "interrupt.h"
#include "overwrite.h"
#include "reason.h"
#include "run_table.h"

/* the suite in progress */
typedef struct session {
    const nb_suite *suite;
    nb_run_output run_output;
    nb_progress_bar bar;
    nb_run_table *table;
    int64_t done;         /* runs recorded before an interruption */
    nb_request *recalled; /* [combinations] of problem `recalled_problem`, while those are gone through */
    int64_t recalled_problem;
    nb_sweep sweep;   /* of which the runs are a shard */
    nb_inputs inputs; /* the files, and what the combinations take */
    int failed;       /* a run did */
    int changed;      /* a problem is not that of the standard set */
} session;

/* ---- runs, by their numbers: those of a problem follow each other ---- */

/* how many of the first `count` runs are to be made: those of the shard */
static int64_t own_of(const session *s, int64_t count) {
    const int64_t skipped = s->sweep.shards > 0 ? s->sweep.shard - 1 : 0,
                  every = s->sweep.shards > 0 ? s->sweep.shards : 1;
    return count > skipped ? (count - skipped + every - 1) / every : 0;
}

/* the number of the shard's k-th run */
static int64_t number_of(const session *s, int64_t k) {
    return s->sweep.shards > 0 ? s->sweep.shard - 1 + k * s->sweep.shards : k;
}

/* ---- runs of before an interruption ---- */

static nb_status show(session *s, const nb_request *request, const nb_run *run, int *solved) {
    nb_status status = nb_run_table_add(s->table, 0, request, run, solved);
    s->failed |= !*solved;
    s->changed |= nb_standard_is_changed(run->fault);
    return status;
}

/* They were recorded in order, so they are the first of all. */
static nb_status take_recorded(void *context, const nb_run *run, int *own) {
    session *s = context;
    nb_status status = NB_OK;
    int solved;
    const int64_t combinations = s->suite->combinations, n = number_of(s, s->done), c = n % combinations;
    const int64_t problem = n / combinations;
    if (problem >= s->suite->files.count)
        return nb_fail(NB_ERROR_INPUT, "the record holds more runs than the folder has problems for: it has changed");
    if (problem != s->recalled_problem) NB_TRY(nb_suite_prepare(s->suite, problem, s->recalled));
    s->recalled_problem = problem;
    if (!nb_resume_is_run_of(&s->recalled[c], &run->info))
        return nb_fail(NB_ERROR_INPUT, "the folder has changed: run %lld is of '%s', and now would be of '%s'",
                       (long long)s->done, run->info.scenario, s->recalled[c].info.scenario);
    NB_TRY(show(s, &s->recalled[c], run, &solved));
    s->done++;
    *own = 1;
out:
    return status;
}

/* ---- problems: a unit of the executor each ---- */

static nb_status open_problem(void *context, nb_unit *unit) {
    const session *s = context;
    const int64_t combinations = s->suite->combinations, before = own_of(s, unit->number * combinations);
    const int64_t first = s->done > before ? s->done : before; /* of the problem that the interruption met */
    nb_status status;
    unit->count = own_of(s, (unit->number + 1) * combinations) - first;
    NB_TRY(NB_ALLOCATE(combinations, &unit->own));
    NB_TRY(NB_ALLOCATE(unit->count, &unit->items));
    NB_TRY(nb_suite_prepare(s->suite, unit->number, unit->own));
    unit->seed = unit->own[0].info.seed + (uint64_t)unit->number;
    for (int64_t k = 0; k < unit->count; k++)
        unit->items[k].request = &unit->own[number_of(s, first + k) - unit->number * combinations];
out:
    return status;
}

static void clear_problem(void *context, nb_unit *unit) {
    const session *s = context;
    nb_suite_clear_requests(s->suite, unit->own);
}

/* What was solved is not the file that the records name: all runs failed. */
static nb_status refuse_changed(const nb_suite_file *file, nb_unit *unit) {
    char fault[256];
    nb_status status = NB_OK;
    snprintf(fault, sizeof fault, "'%.150s' was changed while the suite ran; solve it again", file->path);
    for (int64_t c = 0; c < unit->count; c++) {
        nb_job *job = &unit->items[c];
        nb_run_destroy(job->run);
        job->run = NULL;
        NB_TRY(nb_run_create_failed(&job->request->info, NB_REASON_REFUSED, fault, &job->run));
    }
out:
    return status;
}

static nb_status write_problem(void *context, nb_unit *unit) {
    session *s = context;
    const nb_suite_file *file = &s->suite->files.items[unit->number];
    nb_status status = NB_OK;
    int64_t solved = 0;
    const char *words = "";
    if (unit->count == 0) return NB_OK; /* other shards have them */
    if (nb_suite_file_changed(file)) NB_TRY(refuse_changed(file, unit));
    for (int64_t c = 0; c < unit->count; c++) {
        nb_run *run = unit->items[c].run;
        int fine;
        if (s->sweep.shards > 0)
            run->sweep_run =
                (int32_t)(unit->number * s->suite->combinations + (unit->items[c].request - unit->own)) + 1;
        NB_TRY(nb_run_output_write(&s->run_output, run));
        NB_TRY(show(s, unit->items[c].request, run, &fine));
        solved += fine;
        if (*run->problem_words) words = run->problem_words;
    }
    nb_progress_note(&s->bar, "[%lld/%lld] %s: %lld solved, %lld failed, %.2f s%s%s", (long long)unit->number + 1,
                     (long long)s->suite->files.count, file->name, (long long)solved, (long long)(unit->count - solved),
                     nb_clock_seconds() - unit->begun, *words ? "; " : "", words);
out:
    return status;
}

/* ---- the whole ---- */

/* The files, and what the runs take beside them. */
static nb_status gather_inputs(session *s) {
    nb_status status = NB_OK;
    const nb_suite *suite = s->suite;
    for (int64_t i = 0; i < suite->files.count; i++) {
        char name[NB_NAME_LENGTH + 2];
        snprintf(name, sizeof name, "'%s'", suite->files.items[i].name);
        NB_TRY(nb_inputs_add(&s->inputs, name, suite->files.items[i].sha256));
    }
    for (int64_t c = 0; c < suite->combinations; c++) {
        nb_request of_all = s->recalled[c];
        of_all.problem_path = NULL;
        NB_TRY(nb_inputs_add_request(&s->inputs, &of_all));
    }
out:
    return status;
}

/* what tells the runs of all shards apart: their combinations and files */
static nb_status find_sweep(session *s) {
    nb_status status = NB_OK;
    const nb_suite *suite = s->suite;
    uint64_t checksum = NB_CHECKSUM_OF_NOTHING;
    for (int64_t c = 0; c < suite->combinations; c++) {
        char *identity = NULL;
        NB_TRY(nb_request_identity(&s->recalled[c], &identity));
        checksum = nb_checksum(checksum, identity, strlen(identity));
        nb_free(identity);
    }
    for (int64_t i = 0; i < suite->files.count; i++) {
        const nb_suite_file *file = &suite->files.items[i];
        checksum = nb_checksum(checksum, file->name, strlen(file->name));
        checksum = nb_checksum(checksum, file->sha256, strlen(file->sha256));
    }
    s->sweep.runs = suite->files.count * suite->combinations;
    s->sweep.checksum = checksum;
    s->run_output.sweep = &s->sweep;
out:
    return status;
}

static nb_status begin(session *s) {
    nb_status status;
    const nb_suite *suite = s->suite;
    NB_TRY(NB_ALLOCATE(suite->combinations, &s->recalled));
    NB_TRY(nb_suite_prepare(suite, 0, s->recalled));
    s->run_output.info = &s->recalled[0].info;
    NB_TRY(gather_inputs(s));
    s->run_output.inputs = &s->inputs;
    if (s->sweep.shards > 0) NB_TRY(find_sweep(s));
    NB_TRY(nb_run_table_of_suite(suite, &s->table));
    nb_interrupt_catch();
    NB_TRY(nb_run_output_open(&s->run_output, take_recorded, s));
out:
    return status;
}

/* Makes all runs. What a run does cannot end the suite: a crash, a limit of time exceeded, a file that cannot be read
 * is a failed run by name, in the record as well. Runs are recorded in the order of the files, whatever the jobs.
 * *exit_status: 0; 1 where a run failed or did not reach its tolerance; 3 where a problem is not that of its
 * standard set; 130 after an interrupt. */
static nb_status make_runs(const nb_suite *suite, const nb_arguments *a, int *exit_status) {
    const nb_output *output = &a->output;
    session s = {.suite = suite,
                 .sweep = {.shard = a->shard, .shards = a->shards},
                 .run_output = {.output = output, .command = "suite", .bar = &s.bar}};
    s.run_output.count = own_of(&s, suite->files.count * suite->combinations);
    nb_executor executor = {.context = &s,
                            .units = suite->files.count,
                            .jobs = output->jobs,
                            .isolated = 1,
                            .records_faults = 1,
                            .open = open_problem,
                            .close = write_problem,
                            .clear = clear_problem};
    nb_status status;
    NB_TRY(begin(&s));
    executor.first = number_of(&s, s.done) / suite->combinations;
    NB_TRY(nb_executor_make(&executor));
    NB_TRY(nb_run_table_end(s.table));
out:
    status = nb_run_output_close(&s.run_output, status);
    nb_suite_clear_requests(suite, s.recalled);
    nb_inputs_clear(&s.inputs);
    nb_run_table_destroy(s.table);
    *exit_status = nb_interrupted ? NB_EXIT_INTERRUPTED
                   : s.changed    ? nb_status_exit_code(NB_ERROR_INPUT)
                   : s.failed     ? NB_EXIT_NOT_CONVERGED
                                  : NB_EXIT_OK;
    return status;
}

/* ---- the command ---- */

static nb_status run_suite(int argc, char **argv, int *exit_status) {
    nb_arguments a = {.command = &nb_command_suite, .of = NB_GIVEN_FOLDER};
    nb_suite suite = {0};
    nb_status status;
    NB_TRY(nb_arguments_take(&a, argc, argv));
    if (a.whole) goto out;
    if (!a.tolerant) NB_TRY(nb_arguments_tolerance(&a, "1e-8"));
    suite.grid = a.grid;
    suite.time_limit = a.time_limit;
    suite.describe = a.describe;
    if (!a.output.resume)
        NB_TRY(nb_overwrite_check(a.output.path, NB_WRITTEN_RECORD, a.output.force || a.output.append));
    NB_TRY(a.standard ? nb_suite_files_of_set(a.standard, &suite.files)
                      : nb_suite_files_find(a.folder, a.output.path, &suite.files));
    NB_TRY(nb_suite_combine(&suite));
    NB_TRY(make_runs(&suite, &a, exit_status));
out:
    nb_suite_files_clear(&suite.files);
    nb_free(suite.which);
    nb_arguments_clear(&a);
    return status;
}

const nb_command nb_command_suite = {
    .name = "suite",
    .arguments = "FOLDER -o FILE.h5\n--standard SET -o FILE.h5\n--resume FILE.h5",
    .summary = "solve every problem file of a folder, or the standard set",
    .details =
        "Every file in FOLDER and its sub-folders whose name ends in .hdf5, .h5 (FCLIB), .dat (Siconos), .json or "
        ".json.gz (scenes, of which it is the problem of the first step) is solved with every combination of the "
        "values that options give as comma lists. Each pass of a run has a process of its own: a crash, a limit of "
        "time exceeded, a file that cannot be read is a failed run by name, and nothing else.\n\n"
        "Of a standard set every problem has the name and class of its table, and its numbers W, q and mu are held to "
        "the SHA-256 there before it is solved: one that is another by a bit is refused by name, a failed run, and "
        "the others go on; the exit status is 3. Where the table says that a problem is infeasible, a method solves "
        "it that ends with this reason.\n\n"
        "A tab-separated table goes to standard output: the flag (converged where the harness finds the tolerance "
        "met, whatever the solver says), contacts, with --describe the rank of W (its singular values above n units "
        "of round-off of the largest), rows over rank and its condition (the largest over the least of these), the "
        "natural map with impulses as velocities, divided by ||q||, which the tolerance is of, and as published, "
        "divided by 1 + sqrt(||q||) (FCLIB) and by the largest of ||q||, ||r||, ||u|| (Siconos), iterations, "
        "factorisations, and the seconds of a solve (the median of the repetitions); then, after an empty line, the "
        "failed runs and why. The exit status is 1 where there are some.\n\n"
        "Runs are recorded in the order of the files, whatever --jobs is. Repetitions (--repeat) of the runs of a "
        "problem follow its recorded passes, in random order. An interrupted suite goes on with\n\n"
        "  ncpbench suite --resume FILE.h5",
    .options = nb_suite_options,
    .takes = NB_USE_PROBLEMS,
    .as = &nb_command_solve,
    .run = run_suite,
};
