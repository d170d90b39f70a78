/* merge: the shards of a sweep in one record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "base/memory.h"
#include "command.h"
#include "environment.h"
#include "file_readers.h"
#include "overwrite.h"
#include "record/merge.h"
#include "record/record.h"
#include "record/whole.h"
#include "text/plain.h"

enum {
    KEY_MISSING = 820,
    KEY_PREFER
};

/* a shard, or shards that were merged */
typedef struct shard {
    const char *path;
    nb_record_reader *reader;
    nb_sweep sweep;
    char *command; /* of the sweep */
    int open;      /* 1: its command was interrupted */
} shard;

/* a run of one of them */
typedef struct entry {
    int32_t number; /* in the sweep, from 1 */
    int shard, run, provenance;
} entry;

/* a provenance that runs have */
typedef struct source {
    const char *created, *command;
    int shard, place;
    int32_t added; /* its place in the merged record */
} source;

typedef struct arguments {
    const char *path;
    char **inputs;
    int64_t count, capacity;
    int missing, prefer, force; /* prefer: 1 the first, 2 the last of two that differ */
} arguments;

typedef struct merging {
    const arguments *a;
    shard *shards; /* [a->count] */
    entry *entries;
    int64_t count, capacity;
    source *sources;
    int64_t source_count, source_capacity;
} merging;

/* ---- reading ---- */

static nb_status open_shard(const char *path, const shard *first, shard *s) {
    nb_status status;
    char checkpoint[4200];
    s->path = path;
    NB_TRY(nb_safe_read(path, nb_whole_read)); /* what runs hold matters to whoever reads the merged record */
    NB_TRY(nb_record_open(path, &s->reader));
    NB_TRY(nb_record_read_sweep(s->reader, &s->sweep, &s->command));
    if (s->sweep.runs == 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s' is no shard: it was made without --shard", path));
    if (s->sweep.runs != first->sweep.runs || s->sweep.checksum != first->sweep.checksum)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s' is of another sweep than '%.200s': %.300s", path, first->path,
                       s->command));
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", path);
    s->open = access(checkpoint, F_OK) == 0;
out:
    return status;
}

static nb_status add_runs(merging *m, int k) {
    nb_status status = NB_OK;
    shard *s = &m->shards[k];
    const int runs = nb_record_run_count(s->reader);
    NB_TRY(NB_RESERVE(m->count + runs, &m->capacity, &m->entries));
    for (int i = 0; i < runs; i++) {
        const nb_run_head *run;
        NB_TRY(nb_record_read_head(s->reader, i, &run));
        m->entries[m->count++] = (entry){run->sweep_run, k, i, run->provenance};
        if (run->sweep_run < 1 || run->sweep_run > s->sweep.runs)
            NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s': its run %d has no number in the sweep", s->path, i));
    }
out:
    return status;
}

static int compare_entries(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    return a->shard - b->shard;
}

/* the same run of two shards: one of them, where both came to the same */
static nb_status settle(const merging *m, const entry *kept, const entry *other, int *take_other) {
    const shard *a = &m->shards[kept->shard], *b = &m->shards[other->shard];
    int same;
    nb_status status = nb_record_same_results(a->reader, kept->run, b->reader, other->run, &same);
    *take_other = m->a->prefer == 2;
    if (status != NB_OK || same || m->a->prefer) return status;
    return nb_fail(NB_ERROR_INPUT,
                   "run %d of the sweep has other results in '%.200s' than in '%.200s'; --prefer first|last takes one",
                   (int)kept->number, a->path, b->path);
}

/* each run once, in the order of the sweep */
static nb_status order_runs(merging *m) {
    nb_status status = NB_OK;
    int64_t kept = 0;
    if (m->count > 0) qsort(m->entries, (size_t)m->count, sizeof *m->entries, compare_entries);
    for (int64_t i = 0; i < m->count; i++) {
        int take = 0;
        if (kept == 0 || m->entries[kept - 1].number != m->entries[i].number)
            m->entries[kept++] = m->entries[i];
        else
            NB_TRY(settle(m, &m->entries[kept - 1], &m->entries[i], &take));
        if (take) m->entries[kept - 1] = m->entries[i];
    }
    m->count = kept;
out:
    return status;
}

/* ---- where runs come from ---- */

static int compare_sources(const void *left, const void *right) {
    const source *a = left, *b = right;
    const int by_command = strcmp(a->command, b->command);
    return by_command ? by_command : strcmp(a->created, b->created);
}

static source *find_source(const merging *m, const entry *e) {
    const nb_record_reader *reader = m->shards[e->shard].reader;
    const source key = {nb_record_created_at(reader, e->provenance), nb_record_command_at(reader, e->provenance), 0, 0,
                        0};
    for (int64_t i = 0; i < m->source_count; i++)
        if (compare_sources(&key, &m->sources[i]) == 0) return &m->sources[i];
    return NULL;
}

/* In the order of their commands, whatever the order of the files. */
static nb_status gather_sources(merging *m) {
    nb_status status = NB_OK;
    for (int64_t i = 0; i < m->count; i++) {
        const entry *e = &m->entries[i];
        const nb_record_reader *reader = m->shards[e->shard].reader;
        if (find_source(m, e)) continue;
        NB_TRY(NB_RESERVE(m->source_count + 1, &m->source_capacity, &m->sources));
        m->sources[m->source_count++] =
            (source){nb_record_created_at(reader, e->provenance), nb_record_command_at(reader, e->provenance), e->shard,
                     e->provenance, 0};
    }
    if (m->source_count > 0) qsort(m->sources, (size_t)m->source_count, sizeof *m->sources, compare_sources);
out:
    return status;
}

/* ---- writing ---- */

/* one that was cut into the most parts, whatever the order of the files */
static const shard *most_parts(const merging *m) {
    const shard *most = &m->shards[0];
    for (int64_t k = 1; k < m->a->count; k++)
        if (m->shards[k].sweep.shards > most->sweep.shards) most = &m->shards[k];
    return most;
}

/* and some, for copies fill files in another way */
static int64_t bytes_of_inputs(const arguments *a) {
    int64_t bytes = 0;
    struct stat info;
    for (int64_t k = 0; k < a->count; k++)
        if (stat(a->inputs[k], &info) == 0) bytes += info.st_size;
    return bytes + bytes / 8;
}

static nb_status write_runs(merging *m, nb_record *record) {
    nb_status status;
    nb_sweep sweep = most_parts(m)->sweep;
    sweep.shard = 0;
    NB_TRY(nb_record_write_sweep(record, &sweep, m->shards[0].command));
    nb_record_expect(record, m->count);
    NB_TRY(nb_record_reserve(record, bytes_of_inputs(m->a)));
    for (int64_t i = 0; i < m->source_count; i++)
        NB_TRY(nb_record_copy_provenance(record, m->shards[m->sources[i].shard].reader, m->sources[i].place,
                                         &m->sources[i].added));
    for (int64_t i = 0; i < m->count; i++) {
        const entry *e = &m->entries[i];
        NB_TRY(nb_record_copy_run(record, m->shards[e->shard].reader, e->run, find_source(m, e)->added));
    }
    NB_TRY(nb_record_end_copies(record));
out:
    return status;
}

static nb_status write_record(merging *m) {
    nb_status status;
    char cause[512];
    nb_record *record = NULL;
    nb_provenance provenance;
    nb_environment(1, 0, &provenance);
    NB_TRY(nb_overwrite_check(m->a->path, NB_WRITTEN_RECORD, m->a->force));
    NB_TRY(nb_record_create(m->a->path, nb_record_attribute(m->shards[0].reader, "title"), m->shards[0].command,
                            &provenance, &record));
    status = write_runs(m, record);
    if (status == NB_OK) return nb_overwrite_close(record, m->a->path, 1);
    snprintf(cause, sizeof cause, "%s", nb_error_message());
    nb_record_close(record, 0); /* an earlier file is left as it was */
    return nb_fail(status, "%s", cause);
out:
    return status;
}

/* ---- what is missing ---- */

static int has_run(const merging *m, int32_t number) {
    const entry key = {number, 0, 0, 0};
    int64_t low = 0, high = m->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (m->entries[middle].number < key.number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->entries[low].number == number;
}

/* An interrupted shard goes on by its record's name. `reproduce` names records itself, in a folder. */
static nb_status print_command(const shard *model, const shard *open, int32_t i, int64_t missing) {
    nb_status status;
    char *line = NULL, where[4200], part[32], name[16] = "";
    char *resumed[] = {name, "--resume", (char *)(uintptr_t)(open ? open->path : "")};
    char *parts[] = {"--shard", part, "-o", where};
    const int reproduces =
        sscanf(model->command, "ncpbench %15s", name) == 1 && strcmp(name, nb_command_reproduce.name) == 0;
    const char *end = strrchr(model->path, '/');
    snprintf(part, sizeof part, "%d/%d", (int)i, (int)model->sweep.shards);
    if (reproduces)
        snprintf(where, sizeof where, "%.*s", end ? (int)(end - model->path) : 1, end ? model->path : ".");
    else
        snprintf(where, sizeof where, "shard-%d.h5", (int)i);
    if (open && !reproduces)
        NB_TRY(nb_command_line(3, resumed, &line));
    else
        NB_TRY(nb_command_line(4, parts, &line));
    nb_print(stdout, "%s%s  # %lld run%s\n", open && !reproduces ? "ncpbench" : model->command,
             line + strlen("ncpbench"), (long long)missing, missing == 1 ? "" : "s");
out:
    nb_free(line);
    return status;
}

/* the parts of which runs are missing, each with the command that makes it */
static nb_status print_missing(const merging *m) {
    nb_status status = NB_OK;
    const shard *model = most_parts(m);
    for (int32_t i = 1; i <= model->sweep.shards; i++) {
        const shard *open = NULL;
        int64_t missing = 0;
        for (int32_t number = i; number <= model->sweep.runs; number += model->sweep.shards)
            missing += !has_run(m, number);
        for (int64_t k = 0; k < m->a->count; k++)
            if (m->shards[k].open && m->shards[k].sweep.shard == i && m->shards[k].sweep.shards == model->sweep.shards)
                open = &m->shards[k];
        if (missing == 0) continue;
        NB_TRY(print_command(model, open, i, missing));
    }
out:
    return status;
}

static void say_what_is_there(const merging *m) {
    const int64_t runs = m->shards[0].sweep.runs;
    for (int64_t k = 0; k < m->a->count; k++)
        if (m->shards[k].open) nb_print(stderr, "%s: its command is not finished\n", m->shards[k].path);
    nb_print(stderr, "%lld of %lld runs%s\n", (long long)m->count, (long long)runs,
             m->count < runs && !m->a->missing ? "; --missing prints the commands that make the others" : "");
}

/* ---- the command ---- */

static nb_status set(void *context, int key, const char *text) {
    static const char *const preferred[] = {"first", "last"};
    arguments *a = context;
    nb_status status;
    switch (key) {
    case 'o': a->path = text; return NB_OK;
    case KEY_MISSING: a->missing = 1; return NB_OK;
    case NB_FORCE_KEY: a->force = 1; return NB_OK;
    case KEY_PREFER:
        status = nb_name_choose("--prefer", text, preferred, 2, &a->prefer);
        a->prefer++;
        return status;
    default: break;
    }
    status = NB_RESERVE(a->count + 1, &a->capacity, &a->inputs);
    if (status == NB_OK) a->inputs[a->count++] = (char *)(uintptr_t)text;
    return status;
}

static nb_status check(const arguments *a) {
    nb_status status = NB_OK;
    if (a->count == 0) return nb_fail(NB_ERROR_USAGE, "merge: the shards are missing: FILE.h5 ...");
    if (!a->path && !a->missing) return nb_fail(NB_ERROR_USAGE, "merge: the record to write is missing: -o FILE.h5");
    for (int64_t k = 0; k < a->count && status == NB_OK; k++)
        if (a->path) status = nb_overwrite_check_input(a->path, a->inputs[k], a->force);
    return status;
}

static nb_status merge(int argc, char **argv, int *exit_status) {
    (void)exit_status;
    arguments a = {0};
    merging m = {.a = &a};
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_merge, argc, argv, set, &a));
    NB_TRY(check(&a));
    NB_TRY(NB_ALLOCATE(a.count, &m.shards));
    for (int64_t k = 0; k < a.count; k++) NB_TRY(open_shard(a.inputs[k], &m.shards[0], &m.shards[k]));
    for (int64_t k = 0; k < a.count; k++) NB_TRY(add_runs(&m, (int)k));
    NB_TRY(order_runs(&m));
    NB_TRY(gather_sources(&m));
    if (a.path) NB_TRY(write_record(&m));
    say_what_is_there(&m);
    if (a.missing) NB_TRY(print_missing(&m));
out:
    for (int64_t k = 0; m.shards && k < a.count; k++) {
        nb_record_reader_close(m.shards[k].reader);
        nb_free(m.shards[k].command);
    }
    nb_free(m.shards);
    nb_free(m.entries);
    nb_free(m.sources);
    nb_free(a.inputs);
    return status;
}

static const struct argp_option options[] = {
    {.name = "output", .key = 'o', .arg = "FILE.h5", .doc = "the record to write"},
    {.name = "missing", .key = KEY_MISSING, .doc = "print the commands that make the runs which no shard has"},
    {.name = "prefer",
     .key = KEY_PREFER,
     .arg = "first|last",
     .doc = "which of two runs with other results to take; they are refused otherwise"},
    NB_FORCE_OPTION(0),
    {0},
};

const nb_command nb_command_merge = {
    .name = "merge",
    .arguments = "FILE.h5... -o FILE.h5\nFILE.h5... --missing",
    .summary = "put the shards of a sweep (run --shard) into one record",
    .details =
        "Runs are copied whole, in the order of the sweep. A run that two shards have is taken once where its results "
        "are equal, times apart; else it is refused, with exit status 3. An unfinished shard is taken as far as it "
        "is. Shards of another sweep are refused. Merged records merge again; the order of files does not matter.",
    .examples = "  # a sweep in two parts, on two machines\n"
                "  ncpbench run arch --seed 1,2,3,4 --shard 1/2 -o part-1.h5\n"
                "  ncpbench run arch --seed 1,2,3,4 --shard 2/2 -o part-2.h5\n"
                "  ncpbench merge part-1.h5 part-2.h5 -o sweep.h5\n",
    .options = options,
    .run = merge,
};
