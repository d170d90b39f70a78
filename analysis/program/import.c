/* import: the text of timings that another machine left, as a record. */
#include <stdio.h>

#include "command.h"
#include "exchange/timing_text.h"
#include "overwrite.h"
#include "record/record.h"

typedef struct import_arguments {
    const char *text, *path;
    int force;
} import_arguments;

static const struct argp_option options[] = {
    {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "the record to write"},
    NB_FORCE_OPTION(0),
    {0},
};

static nb_status set(void *context, int key, const char *text) {
    import_arguments *a = context;
    if (key == ARGP_KEY_ARG) return nb_command_take(&nb_command_import, text, &a->text);
    if (key == NB_FORCE_KEY)
        a->force = 1;
    else
        a->path = text;
    return NB_OK;
}

static nb_status write_record(const nb_timing_text *text, const char *path, int force) {
    nb_record *record;
    nb_status status = nb_record_create_at(path, text->title, text->command, text->created, &text->provenance, &record);
    if (status != NB_OK) return status;
    status = nb_overwrite_check_interrupted(path, force);
    if (status == NB_OK) status = nb_record_write_timings(record, text->rows, (int)text->count);
    if (status == NB_OK)
        return nb_overwrite_close(record, path, nb_overwrite_keeps(path, NB_WRITTEN_RECORD, text->command, 0, force));
    nb_record_close(record, 0);
    return status;
}

static nb_status import(int argc, char **argv, int *exit_status) {
    nb_status status;
    import_arguments arguments = {0};
    nb_timing_text text = {0};
    (void)exit_status;
    NB_TRY(nb_command_parse(&nb_command_import, argc, argv, set, &arguments));
    if (!arguments.text)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "import: a text of timings is missing (ncpbench bench -o FILE.tsv)"));
    if (!arguments.path || !*arguments.path)
        NB_TRY(nb_fail(NB_ERROR_USAGE, "import: the record's name is missing; add -o FILE.h5"));
    NB_TRY(nb_overwrite_check_input(arguments.path, arguments.text, arguments.force));
    NB_TRY(nb_overwrite_check(arguments.path, NB_WRITTEN_RECORD, arguments.force));
    NB_TRY(nb_timing_text_read(arguments.text, &text));
    NB_TRY(write_record(&text, arguments.path, arguments.force));
    printf("%lld timings of %s in %s\n", (long long)text.count, text.created, arguments.path);
out:
    nb_timing_text_clear(&text);
    return status;
}

const nb_command nb_command_import = {
    .name = "import",
    .arguments = "FILE.tsv -o FILE.h5",
    .summary = "make a record of timings from another machine",
    .details =
        "FILE.tsv is what 'ncpbench bench -o FILE.tsv' left, on a machine without HDF5 for example. The record is "
        "the one that 'ncpbench bench -o FILE.h5' would have written there: its provenance, command and time "
        "are those of the measurement.",
    .options = options,
    .run = import,
};
