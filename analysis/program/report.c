/* report: a record as one HTML page. */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "drawing.h"
#include "file_readers.h"
#include "interrupt.h"
#include "overwrite.h"
#include "record/record.h"
#include "text/plain.h"

enum {
    KEY_REPLAY = 300
};

static const struct argp_option options[] = {
    {.name = "output", .key = 'o', .arg = "FILE.html", .doc = "where to write [FILE.html next to the record]"},
    {.name = "replay", .key = KEY_REPLAY, .doc = "add a player of the states that --store-states kept"},
    NB_FORCE_OPTION(0),
    {0},
};

typedef struct report_arguments {
    const char *record, *output;
    int replay, force;
} report_arguments;

static nb_status set(void *context, int key, const char *text) {
    report_arguments *a = context;
    if (key == ARGP_KEY_ARG) return nb_command_take(&nb_command_report_record, text, &a->record);
    if (key == NB_FORCE_KEY) {
        a->force = 1;
        return NB_OK;
    }
    if (key == KEY_REPLAY) {
        a->replay = 1;
        return NB_OK;
    }
    a->output = text;
    return *text ? NB_OK : nb_fail(NB_ERROR_USAGE, "report: --output is empty");
}

/* the record's name with another ending, unless a name was given */
static nb_status choose_output(const report_arguments *a, char *path, size_t size) {
    size_t length = strlen(a->record);
    if (length > 3 && strcmp(a->record + length - 3, ".h5") == 0) length -= 3;
    int needed =
        a->output ? snprintf(path, size, "%s", a->output) : snprintf(path, size, "%.*s.html", (int)length, a->record);
    if (needed < 0 || (size_t)needed >= size)
        return nb_fail(NB_ERROR_USAGE, "report: the path '%.80s...' is too long", path);
    nb_status status = nb_overwrite_check_input(path, a->record, a->force);
    return status == NB_OK ? nb_overwrite_check(path, NB_WRITTEN_PAGE, a->force) : status;
}

static nb_status report(int argc, char **argv, int *exit_status) {
    report_arguments a = {0};
    nb_report_contents contents;
    nb_record_reader *reader = NULL;
    char path[4096];
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_report_record, argc, argv, set, &a));
    if (!a.record) NB_TRY(nb_fail(NB_ERROR_USAGE, "report: a record is missing: ncpbench report FILE.h5"));
    NB_TRY(choose_output(&a, path, sizeof path));
    NB_TRY(nb_safe_read(a.record, nb_read_record));
    NB_TRY(nb_record_open(a.record, &reader));
    nb_interrupt_catch();
    status = nb_report_write(reader, nb_path_name(a.record), path, a.replay, &nb_interrupted, &contents);
    if (status != NB_OK && nb_interrupted) {
        *exit_status = NB_EXIT_INTERRUPTED;
        status = NB_OK;
        goto out;
    }
    NB_TRY(status);
    nb_print(stdout, "%s\n", path);
    if (contents.undrawn > 0)
        nb_print(stderr, "%d of %d figures could not be drawn; the page says why\n", contents.undrawn,
                 contents.figures + contents.undrawn);
out:
    nb_record_reader_close(reader);
    return status;
}

const nb_command nb_command_report_record = {
    .name = "report",
    .arguments = "FILE.h5",
    .summary = "write a record as one HTML page",
    .details = "The page holds the runs in a table that sorts by its headings, every figure that the record has the "
               "runs of, the recomputed checks, and the provenance. It is one file, and fetches nothing. An earlier "
               "report in its place is replaced, another file is not (--force does). --replay adds a player: runs of "
               "one scene side by side under one camera and one clock, with the error, mode and force of each contact.",
    .options = options,
    .run = report,
};
