/* check: each run's invariants against their known values. */
#include <stdio.h>

#include "base/memory.h"
#include "command.h"
#include "file_readers.h"
#include "record/record.h"
#include "statistics/check_reason.h"
#include "table/recheck.h"
#include "table/settings.h"
#include "text/plain.h"
#include "text/table.h"

static nb_status set(void *context, int key, const char *text) {
    (void)key; /* there are no options */
    return nb_command_take(&nb_command_check, text, context);
}

enum {
    MOST_REASONS = 10 /* named on standard error */
};

/* the table, how many checks there were, and how many failed */
typedef struct tally {
    nb_table *table;
    const char *settings[NB_DIFFERING_COLUMNS]; /* in which runs differ */
    int setting_count;
    int checks, failed;
    int runs; /* with failed checks */
    char reasons[MOST_REASONS][768];
} tally;

/* all cells of a row but the last */
static void begin_row(int number, const nb_run *run, const nb_check *c, tally *sum) {
    nb_table *table = sum->table;
    nb_table_cell(table, "%04d", number);
    nb_table_cell(table, "%s", run->info.scenario);
    nb_table_cell(table, "%s", run->info.linear_solver);
    for (int i = 0; i < sum->setting_count; i++) {
        char value[NB_NAME_LENGTH];
        nb_setting_text(&run->info, sum->settings[i], value);
        nb_table_cell(table, "%s", value);
    }
    nb_table_cell(table, "%s", c->name);
    nb_table_cell(table, "%.9g", c->actual);
    nb_table_cell(table, "%.9g", c->expected);
    nb_table_cell(table, "%.3g", c->tolerance);
    nb_table_cell(table, "%s", c->units);
    sum->checks++;
    sum->failed += !c->passed;
}

static void add_rows(int number, const nb_run *run, const nb_checks *checks, tally *sum) {
    for (int i = 0; i < checks->count; i++) {
        begin_row(number, run, &checks->items[i], sum);
        if (*checks->items[i].premise)
            nb_table_cell(sum->table, "does not apply: presupposes that %s", checks->items[i].premise);
        else
            nb_table_cell(sum->table, "%s", checks->items[i].passed ? "passed" : "FAILED");
    }
}

/* the worst of a batch's copies, as recorded: their states are not kept */
static void add_batch(int number, const nb_run *run, tally *sum) {
    const nb_batch *batch = &run->batch;
    for (int i = 0; i < batch->worst.count; i++) {
        begin_row(number, run, &batch->worst.items[i], sum);
        if (batch->failed_scenes[i] > 0)
            nb_table_cell(sum->table, "FAILED in %d of %d copies, worst in copy %d", (int)batch->failed_scenes[i],
                          (int)batch->scenes, (int)batch->worst_scene[i]);
        else if (*batch->worst.items[i].premise)
            nb_table_cell(sum->table, "does not apply in %d copies: presupposes that %s", (int)batch->scenes,
                          batch->worst.items[i].premise);
        else
            nb_table_cell(sum->table, "passed in %d copies, least in copy %d", (int)batch->scenes,
                          (int)batch->worst_scene[i]);
    }
}

static void add_reason(int number, const nb_run *run, int failed, tally *sum) {
    char reason[512];
    if (sum->runs++ >= MOST_REASONS) return;
    nb_check_reason(run, reason, sizeof reason);
    snprintf(sum->reasons[sum->runs - 1], sizeof *sum->reasons, "run %04d (%s, %s): %d failed; %s", number,
             run->info.scenario, run->info.linear_solver, failed, reason);
}

static void print_reasons(const tally *sum) {
    for (int i = 0; i < sum->runs && i < MOST_REASONS; i++) nb_print(stderr, "%s\n", sum->reasons[i]);
    if (sum->runs > MOST_REASONS) nb_print(stderr, "and %d more runs\n", sum->runs - MOST_REASONS);
}

/* checks run `i` of the record into the table */
static nb_status check_run(nb_record_reader *reader, int i, tally *sum) {
    nb_run *run = NULL;
    nb_checks checks;
    int recomputed;
    nb_status status;
    NB_TRY(nb_record_read_run(reader, i, &run));
    NB_TRY(nb_run_recheck(run, &checks, &recomputed));
    if (checks.count == 0) nb_print(stderr, "run %04d (%s): no reference values; not checked\n", i, run->info.scenario);
    int before = sum->failed;
    add_rows(i, run, &checks, sum);
    if (sum->failed > before) add_reason(i, run, sum->failed - before, sum);
    add_batch(i, run, sum);
out:
    nb_run_destroy(run);
    return status;
}

/* the columns: of the settings those in which runs differ */
static nb_status create_table(const nb_differing *differing, tally *sum) {
    static const char *const outcome[] = {"check", ">actual", ">expected", ">tolerance", "unit", "outcome"};
    const char *titles[3 + NB_DIFFERING_COLUMNS + 6] = {"run", "scenario", "linear solver"};
    int count = 3;
    sum->setting_count = nb_differing_columns(differing, sum->settings);
    for (int i = 0; i < sum->setting_count; i++) titles[count++] = sum->settings[i];
    for (int i = 0; i < 6; i++) titles[count++] = outcome[i];
    return nb_table_create(count, titles, &sum->table);
}

static nb_status check(int argc, char **argv, int *exit_status) {
    const char *path = NULL;
    nb_record_reader *reader = NULL;
    nb_differing *differing = NULL;
    tally sum = {0};
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_check, argc, argv, set, &path));
    if (!path) NB_TRY(nb_fail(NB_ERROR_USAGE, "check: a record is missing: ncpbench check FILE.h5"));
    NB_TRY(nb_safe_read(path, nb_read_whole_record));
    NB_TRY(nb_record_open(path, &reader));
    NB_TRY(nb_record_expect_runs(reader, path));
    NB_TRY(nb_differing_read(reader, &differing));
    NB_TRY(create_table(differing, &sum));
    for (int i = 0; i < nb_record_run_count(reader); i++) NB_TRY(check_run(reader, i, &sum));
    NB_TRY(nb_table_print(sum.table, stdout));
    if (sum.failed > 0) {
        fflush(stdout);
        print_reasons(&sum);
        nb_print(stderr, "%d of %d checks failed\n", sum.failed, sum.checks);
        *exit_status = NB_EXIT_CHECK_FAILED;
    }
out:
    nb_table_destroy(sum.table);
    nb_differing_destroy(differing);
    nb_record_reader_close(reader);
    return status;
}

const nb_command nb_command_check = {
    .name = "check",
    .arguments = "FILE.h5",
    .summary = "compare a record's runs with their reference values",
    .details =
        "The record is read to its end first; a damaged one is refused with the first object that cannot be read. The "
        "checks are recomputed from each run's recorded final state; those of a batch's copies are as recorded, each "
        "in the copy that is farthest off. Exit status 2 where one fails; standard error then says of each run why "
        "that may be. A known value that presupposes what the run is not, such as rest after one step, does not "
        "apply: the outcome says what it presupposes. The settings in which runs of a scenario differ have columns; "
        "'-' stands where a setting does not affect a run.",
    .examples = "  ncpbench check a.h5\n",
    .run = check,
};
