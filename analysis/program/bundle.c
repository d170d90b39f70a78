/* bundle: a record with what others need to judge and repeat it, in one archive. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/named_values.h"
#include "base/sha256.h"
#include "base/stream.h"
#include "citation.h"
#include "command.h"
#include "exchange/write_tar.h"
#include "file/scene_file.h"
#include "file_readers.h"
#include "overwrite.h"
#include "record/record.h"
#include "run_output.h"
#include "text/plain.h"

typedef struct arguments {
    const char *record, *path;
    int force;
} arguments;

/* a file that runs read, or the state that they began with */
typedef struct input {
    const char *kind, *measure; /* measure: of what the checksum is */
    char *path, checksum[NB_SHA256_TEXT];
    int provenance; /* of the first run that read it */
    int64_t runs;
} input;

typedef struct bundling {
    const arguments *a;
    nb_record_reader *reader;
    nb_sweep sweep;
    char *sweep_command;
    int64_t *runs; /* [provenances] */
    input *inputs;
    int64_t count, capacity;
} bundling;

/* ---- what runs read ---- */

/* of the parameters of a run: where a checksum stands, and the path of which it is ("": the scenario's name) */
static const struct kind {
    const char *kind, *checksum, *path, *measure;
} kinds[] = {
    {"scene", "scene-file", "scene-path", "FNV-1a"},
    {"problem", "problem-sha256", "", "SHA-256"},
    {"right-hand sides", "rhs-sha256", "rhs", "SHA-256"},
    {"plugin", "method.plugin-sha256", "method.plugin", "SHA-256"},
    {"plugin", "linear-solver.plugin-sha256", "linear-solver.plugin", "SHA-256"},
    {"plugin", "preconditioner.plugin-sha256", "preconditioner.plugin", "SHA-256"},
    {"state", "from", "from", "FNV-1a"}, /* NAME#CHECKSUM */
};
enum {
    KINDS = sizeof kinds / sizeof *kinds
};

typedef struct found {
    char checksum[KINDS][NB_SHA256_TEXT], path[KINDS][NB_FILE_NAME];
} found;

static nb_status take_parameter(void *context, const nb_named_value *parameter) {
    found *f = context;
    for (int k = 0; k < KINDS; k++) {
        const char *mark = strcmp(kinds[k].checksum, "from") == 0 ? strrchr(parameter->text, '#') : NULL;
        if (strcmp(parameter->name, kinds[k].checksum) == 0)
            snprintf(f->checksum[k], sizeof f->checksum[k], "%s", mark ? mark + 1 : parameter->text);
        if (strcmp(parameter->name, kinds[k].path) == 0)
            snprintf(f->path[k], sizeof f->path[k], "%.*s", mark ? (int)(mark - parameter->text) : NB_FILE_NAME,
                     parameter->text);
    }
    return NB_OK;
}

static nb_status add_input(bundling *b, const struct kind *kind, const char *path, const char *checksum,
                           int provenance) {
    nb_status status;
    for (int64_t i = 0; i < b->count; i++)
        if (strcmp(b->inputs[i].checksum, checksum) == 0 && strcmp(b->inputs[i].path, path) == 0) {
            b->inputs[i].runs++;
            return NB_OK;
        }
    NB_TRY(NB_RESERVE(b->count + 1, &b->capacity, &b->inputs));
    input *own = &b->inputs[b->count++];
    *own = (input){.kind = kind->kind, .measure = kind->measure, .provenance = provenance, .runs = 1};
    snprintf(own->checksum, sizeof own->checksum, "%s", checksum);
    NB_TRY(nb_copy_text(path, &own->path));
out:
    return status;
}

static nb_status gather(bundling *b) {
    nb_status status;
    found *f = NULL; /* too large for a stack */
    NB_TRY(NB_ALLOCATE(1, &f));
    NB_TRY(NB_ALLOCATE(nb_record_provenance_count(b->reader), &b->runs));
    for (int i = 0; i < nb_record_run_count(b->reader); i++) {
        const nb_run_head *run;
        NB_TRY(nb_record_read_head(b->reader, i, &run));
        if (run->provenance < 0 || run->provenance >= nb_record_provenance_count(b->reader))
            NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': run %d has no provenance", b->a->record, i));
        b->runs[run->provenance]++;
        memset(f, 0, sizeof *f);
        NB_TRY(nb_named_values_read(run->info.parameters, take_parameter, f));
        for (int k = 0; k < KINDS; k++)
            if (*f->checksum[k])
                NB_TRY(add_input(b, &kinds[k], *f->path[k] ? f->path[k] : run->info.scenario, f->checksum[k],
                                 run->provenance));
    }
out:
    nb_free(f);
    return status;
}

/* ---- whether they are as they were ---- */

/* in the measure of the kind; "" where the file is not here */
static void checksum_of(const char *path, const char *measure, char text[NB_SHA256_TEXT]) {
    char buffer[1 << 14];
    uint64_t sum = NB_CHECKSUM_OF_NOTHING;
    size_t got;
    FILE *file;
    *text = '\0';
    if (strcmp(measure, "SHA-256") == 0) {
        (void)nb_sha256_file(path, text);
    } else if (nb_file_open(path, 'r', &file) == NB_OK) {
        while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) sum = nb_checksum(sum, buffer, got);
        if (!ferror(file)) snprintf(text, NB_SHA256_TEXT, "%016llx", (unsigned long long)sum);
        fclose(file);
    }
}

/* A problem of a suite is named within its folder, which is the first word of the command that is one. */
static void find_file(const bundling *b, const input *own, char path[NB_FILE_NAME]) {
    char **words = NULL;
    int count = 0;
    struct stat info;
    snprintf(path, NB_FILE_NAME, "%s", own->path);
    if (stat(path, &info) == 0 || strcmp(own->kind, "problem") != 0 ||
        nb_resume_words(nb_record_command_at(b->reader, own->provenance), "suite", &count, &words) != NB_OK)
        return;
    for (int i = 1; i < count; i++)
        if (stat(words[i], &info) == 0 && S_ISDIR(info.st_mode)) {
            snprintf(path, NB_FILE_NAME, "%s/%s", words[i], own->path);
            break;
        }
    nb_free(words);
}

/* not a state, or right-hand sides, which may be several; nor a scene of the standard set, which comes with the program
 */
static int is_one_file(const input *own) {
    if (strcmp(own->kind, "scene") == 0) return nb_scene_file_is(own->path);
    return strcmp(own->kind, "problem") == 0 || strcmp(own->kind, "plugin") == 0;
}

static void check_inputs(const bundling *b) {
    int64_t absent = 0;
    char path[NB_FILE_NAME], now[NB_SHA256_TEXT];
    for (int64_t i = 0; i < b->count; i++) {
        const input *own = &b->inputs[i];
        if (!is_one_file(own)) continue;
        find_file(b, own, path);
        checksum_of(path, own->measure, now);
        absent += !*now;
        if (*now && strcmp(now, own->checksum) != 0)
            nb_print(stderr, "warning: '%s' has changed since %lld run%s read it (%s: now %.16s, then %.16s)\n", path,
                     (long long)own->runs, own->runs == 1 ? "" : "s", own->measure, now, own->checksum);
    }
    if (absent > 0)
        nb_print(stderr, "%lld input file%s not here, and not checked\n", (long long)absent,
                 absent == 1 ? " is" : "s are");
}

/* ---- the texts ---- */

static void put_commands(const bundling *b, FILE *file) {
    const long long runs = nb_record_run_count(b->reader);
    char checkpoint[4200];
    snprintf(checkpoint, sizeof checkpoint, "%s.checkpoint", b->a->record);
    if (access(checkpoint, F_OK) == 0) nb_print(file, "# interrupted: not all runs of the command are here\n");
    if (b->sweep.runs > 0)
        nb_print(file, "# sweep in %d shards: %lld of its %lld runs are here\n%s\n", (int)b->sweep.shards, runs,
                 (long long)b->sweep.runs, b->sweep_command);
    for (int k = 0; k < nb_record_provenance_count(b->reader); k++) {
        if (b->runs[k] == 0 && k + 1 < nb_record_provenance_count(b->reader)) continue; /* of merge */
        nb_print(file, "# %s, %lld run%s\n%s\n", nb_record_created_at(b->reader, k), (long long)b->runs[k],
                 b->runs[k] == 1 ? "" : "s", nb_record_command_at(b->reader, k));
    }
}

static void put_inputs(const bundling *b, FILE *file) {
    nb_print(file, "input\tmeasure\tchecksum\truns\tpath\n");
    for (int64_t i = 0; i < b->count; i++)
        nb_print(file, "%s\t%s\t%s\t%lld\t%s\n", b->inputs[i].kind, b->inputs[i].measure, b->inputs[i].checksum,
                 (long long)b->inputs[i].runs, b->inputs[i].path);
}

/* a column a provenance, a line an attribute */
static void put_versions(const bundling *b, FILE *file) {
    const int count = nb_record_provenance_count(b->reader);
    char text[4200];
    nb_print(file, "provenance");
    for (int k = 0; k < count; k++) nb_print(file, "\t%d", k);
    nb_print(file, "\nruns");
    for (int k = 0; k < count; k++) nb_print(file, "\t%lld", (long long)b->runs[k]);
    for (int f = 0; f < nb_provenance_members.count; f++) {
        const nb_member *field = &nb_provenance_members.items[f];
        nb_print(file, "\n%s", field->name);
        for (int k = 0; k < count; k++) {
            nb_member_text(field, nb_record_provenance_at(b->reader, k), 9, text, sizeof text);
            nb_print(file, "\t%s", text);
        }
    }
    nb_print(file, "\n");
}

static void put_citation(const bundling *b, FILE *file) {
    (void)b;
    for (int i = 0; nb_citation[i]; i++) fputs(nb_citation[i], file);
}

/* ---- the archive ---- */

static const char *last_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static nb_status write_bundle(const bundling *b) {
    static const struct part {
        const char *name;
        void (*put)(const bundling *b, FILE *file);
    } parts[] = {{"commands.txt", put_commands},
                 {"inputs.tsv", put_inputs},
                 {"versions.tsv", put_versions},
                 {"CITATION.cff", put_citation}};
    enum {
        PARTS = sizeof parts / sizeof *parts
    };
    nb_status status = NB_OK;
    char *texts[PARTS] = {NULL}, folder[NB_FILE_NAME];
    nb_tar_file files[PARTS + 1] = {{.name = last_name(b->a->record), .path = b->a->record}};
    struct stat info;
    size_t length;
    for (int i = 0; i < PARTS; i++) {
        FILE *file = open_memstream(&texts[i], &length);
        if (!file) NB_TRY(nb_fail(NB_ERROR_MEMORY, "out of memory for the texts of a bundle"));
        parts[i].put(b, file);
        if (fclose(file) != 0) NB_TRY(nb_fail(NB_ERROR_MEMORY, "out of memory for the texts of a bundle"));
        files[i + 1] = (nb_tar_file){.name = parts[i].name, .text = texts[i]};
    }
    snprintf(folder, sizeof folder, "%s", last_name(b->a->path));
    *strrchr(folder, '.') = '\0';
    if (stat(b->a->record, &info) != 0) info.st_mtime = 0;
    NB_TRY(nb_tar_write(b->a->path, folder, info.st_mtime, PARTS + 1, files));
out:
    for (int i = 0; i < PARTS; i++) free(texts[i]);
    return status;
}

/* ---- the command ---- */

static nb_status set(void *context, int key, const char *text) {
    arguments *a = context;
    switch (key) {
    case 'o': a->path = text; return NB_OK;
    case NB_FORCE_KEY: a->force = 1; return NB_OK;
    default: return nb_command_take(&nb_command_bundle, text, &a->record);
    }
}

static nb_status check(const arguments *a) {
    nb_status status;
    const char *end = a->path ? strrchr(last_name(a->path), '.') : NULL;
    if (!a->record) return nb_fail(NB_ERROR_USAGE, "bundle: the record is missing: FILE.h5");
    if (!a->path) return nb_fail(NB_ERROR_USAGE, "bundle: the archive to write is missing: -o FILE.tar");
    if (!end || end == last_name(a->path) || strcmp(end, ".tar") != 0)
        return nb_fail(NB_ERROR_USAGE, "bundle: -o requires a name that ends in .tar (got '%.300s')", a->path);
    NB_TRY(nb_overwrite_check_input(a->path, a->record, 0));
    NB_TRY(nb_safe_read(a->record, nb_read_whole_record));
    if (!a->force && access(a->path, F_OK) == 0) /* whatever it is, it may hold the only copy of a record */
        status = nb_fail(NB_ERROR_USAGE, "'%.300s' is there; name another file (--force replaces it)", a->path);
out:
    return status;
}

static nb_status bundle(int argc, char **argv, int *exit_status) {
    (void)exit_status;
    arguments a = {0};
    bundling b = {.a = &a};
    nb_status status;
    NB_TRY(nb_command_parse(&nb_command_bundle, argc, argv, set, &a));
    NB_TRY(check(&a));
    NB_TRY(nb_record_open(a.record, &b.reader));
    if (nb_record_is_bundled(b.reader))
        NB_TRY(nb_fail(NB_ERROR_USAGE, "bundle: '%.300s' is a bundle already", a.record));
    NB_TRY(nb_record_read_sweep(b.reader, &b.sweep, &b.sweep_command));
    NB_TRY(gather(&b));
    check_inputs(&b);
    NB_TRY(write_bundle(&b));
out:
    nb_record_reader_close(b.reader);
    for (int64_t i = 0; i < b.count; i++) nb_free(b.inputs[i].path);
    nb_free(b.inputs);
    nb_free(b.runs);
    nb_free(b.sweep_command);
    return status;
}

static const struct argp_option options[] = {
    {.name = "output", .key = 'o', .arg = "FILE.tar", .doc = "the archive to write"},
    {.name = "force", .key = NB_FORCE_KEY, .doc = "write over whatever is there"},
    {0},
};

const nb_command nb_command_bundle = {
    .name = "bundle",
    .arguments = "FILE.h5 -o FILE.tar",
    .summary = "put a record into an archive with all that it takes to judge and repeat it",
    .details = "The archive holds the record; commands.txt, the commands that made its runs; inputs.tsv, checksums of "
               "scenes, problems, right-hand sides and plugins; versions.tsv, program, compiler, libraries and "
               "processor; and CITATION.cff. Commands that read a record read the archive as well. A file that has "
               "changed since the runs is named.",
    .examples = "  ncpbench run arch --steps 2 -o sweep.h5\n"
                "  ncpbench bundle sweep.h5 -o sweep.tar\n"
                "  ncpbench compare sweep.tar --rank\n",
    .options = options,
    .run = bundle,
};
