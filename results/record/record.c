#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/memory.h"
#include "base/stream.h"
#include "record/group.h"
#include "record/h5.h"
#include "record/provenance.h"
#include "record/record_file.h"
#include "record/run.h"
#include "record/systems.h"
#include "record/whole.h"
#include "record/write_states.h"

/* Disk space for a run, made sure of before HDF5 touches the record: a library file whose write failed half-way cannot
 * be mended, and would cost the runs that were already in it. */

/* attributes, headers of groups and data sets, partly filled chunks */
static const int64_t overhead_bytes = 1 << 19;

/* what members take as they are, and what rows are padded with beyond that */
typedef struct needs {
    double bytes, padding;
} needs;

static void add_members(const nb_members *members, const void *owner, needs *n);

/* ragged rows are as long as the longest of their range */
static double padded_rows(const nb_member *member, const void *owner) {
    double entries = 1;
    int64_t ranges = 1;
    for (int i = 0; i < nb_member_rank(member); i++) {
        const int ragged = member->shape[i].kind == NB_EXTENT_RAGGED;
        const int64_t *start = ragged ? nb_extent_starts(&member->shape[i], owner) : NULL;
        const int64_t count = ragged ? nb_longest_range(start, ranges) : nb_extent_count(&member->shape[i], owner);
        ranges = ragged ? start[ranges] : ranges * count;
        entries *= (double)count;
    }
    return entries;
}

static void add_member(const nb_member *member, const void *owner, needs *n) {
    const char *data = NULL;
    if (member->kind == NB_MEMBER_PART) add_members(member->part, (const char *)owner + member->offset, n);
    if (nb_member_is_array(member)) data = nb_member_data(member, owner);
    const int64_t entries = data ? nb_member_entries(member, owner, 0) : 0;
    for (int64_t i = 0; member->kind == NB_MEMBER_STRUCTS && i < entries; i++) {
        add_members(member->part, data + (size_t)i * member->part->size, n);
        n->bytes += (double)overhead_bytes / 2;
    }
    if (!data || member->kind == NB_MEMBER_STRUCTS) return;
    const double size = (double)nb_member_entry_size(member, owner);
    n->bytes += (double)entries * size;
    if (member->kind == NB_MEMBER_ROWS) n->padding += padded_rows(member, owner) * size;
}

static void add_members(const nb_members *members, const void *owner, needs *n) {
    for (int i = 0; i < members->count; i++) add_member(&members->items[i], owner, n);
}

/* what VTK has of each frame besides: the points' places and two velocities a cell, each three singles, a strain,
 * and offsets; of contacts twelve singles, offsets, and the numbers of a frame's points */
static double drawn_bytes(const nb_run *run) {
    const int64_t *start = run->frame_contact_start;
    return 8 * (double)run->frame_count * (double)(2 * run->mesh.point_count + 4 * run->mesh.cell_count + 12 + 20) +
           48 * (double)start[run->frame_count] + 8 * (double)nb_longest_range(start, run->frame_count);
}

/* More bytes than the run can take in a record. */
static int64_t disk_space_of_run(const nb_run *run) {
    needs n = {0};
    add_members(&nb_run_members, run, &n);
    n.bytes += drawn_bytes(run);
    /* deflate leaves less than a hundredth of padding, and adds less than a tenth to what it cannot shrink */
    return (int64_t)(1.1 * n.bytes + n.padding / 100) + overhead_bytes;
}

/* Extends the file by so many bytes that are there on the disk. NB_ERROR_IO where they are not (the file is as before);
 * the message names `shown`, the file as the user knows it. */
static nb_status disk_space_reserve(const char *path, const char *shown, int64_t bytes) {
    struct stat info;
    int file = open(path, O_WRONLY | O_CLOEXEC), error = file < 0 ? errno : 0;
    if (!error && fstat(file, &info) != 0) error = errno;
    if (!error) {
        error = posix_fallocate(file, info.st_size, bytes);
        if (error && ftruncate(file, info.st_size) != 0) error = errno;
    }
    if (file >= 0) close(file);
    /* a file system that knows no reserving is left to find out by itself */
    if (error && error != EINVAL && error != EOPNOTSUPP)
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s' (%lld bytes more): %s", shown, (long long)bytes,
                       strerror(error));
    return NB_OK;
}

/* Writes a run into an open record; what stands where: schema.md. */

/* The whole run into the empty group. On a fault the group holds half a run: the caller drops it. */
static nb_status fill_group(hid_t group, const nb_run *run, int32_t provenance) {
    nb_status status;
    double start = nb_clock_seconds();
    nb_run_usage usage = run->usage;
    nb_run shown = *run;
    shown.provenance = provenance;
    if (!run->reference.solution.q) shown.reference = (nb_reference_solution){0}; /* masses alone are none */
    NB_TRY(nb_group_write(group, &nb_run_members, &shown));
    NB_TRY(nb_write_states(group, run));
    NB_TRY(nb_write_systems(group, run));
    usage.record_s += nb_clock_seconds() - start;
    NB_TRY(nb_group_write(group, &nb_run_usage_members, &usage));
out:
    return status;
}

struct nb_record {
    char *path, *partial, *lock_path;
    int lock; /* file descriptor that holds the lock */
    hid_t file, runs;
    int run_count, digits; /* of the names of runs */
    int32_t provenance;    /* place of that of the runs to be written */
    int32_t provenances;   /* that it has */
    int broken;            /* a write failed: HDF5 can neither go on with the file nor close it */
};

/* ---- files ---- */

static nb_status cannot_write(const char *path, const char *why) {
    return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", path, why);
}

static nb_status joined(const char *a, const char *b, char **path) {
    size_t size = strlen(a) + strlen(b) + 1;
    nb_status status = nb_allocate((int64_t)size, 1, path);
    if (status == NB_OK) snprintf(*path, size, "%s%s", a, b);
    return status;
}

/* whether the open file is still the one that has this name */
static int has_name(int file, const char *path) {
    struct stat open_file, named;
    return fstat(file, &open_file) == 0 && stat(path, &named) == 0 && open_file.st_ino == named.st_ino &&
           open_file.st_dev == named.st_dev;
}

/* One writer a path, where there are locks: the second one is refused. The lock dies with its process. */
static nb_status lock_target(nb_record *record) {
    struct stat info;
    for (;;) {
        if (stat(record->lock_path, &info) == 0 && !S_ISREG(info.st_mode))
            return cannot_write(record->path, "what stands at its name with .lock is not a regular file");
        record->lock = open(record->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (record->lock < 0) return cannot_write(record->path, strerror(errno));
        nb_file_lock lock = nb_file_lock_take(record->lock, 1);
        /* a writer that ended just now may have taken the name away: then the lock would bar nobody */
        if (lock == NB_FILE_LOCK_OURS && has_name(record->lock, record->lock_path)) return NB_OK;
        close(record->lock);
        record->lock = -1;
        if (lock == NB_FILE_LOCK_ELSEWHERE) return cannot_write(record->path, "another process is writing it");
        if (lock == NB_FILE_LOCK_NONE) { /* every writer has a partial file of its own: the last one's record stays */
            unlink(record->lock_path);
            return NB_OK;
        }
    }
}

/* A file whose write failed stays open: the disk has it as it was, and HDF5 could only make that worse. */
static nb_status close_file(nb_record *record) {
    nb_status status = NB_OK;
    if (record->broken) return NB_OK;
    if (record->runs >= 0) H5Gclose(record->runs);
    if (record->file >= 0 && H5Fclose(record->file) < 0) {
        record->broken = 1;
        status = nb_h5_fault("cannot close the file");
    }
    record->runs = record->file = -1;
    return status;
}

static void release(nb_record *record, int keep_partial) {
    close_file(record);
    if (!keep_partial && record->partial) unlink(record->partial);
    if (record->lock >= 0) {
        unlink(record->lock_path);
        close(record->lock);
    }
    nb_free(record->path);
    nb_free(record->partial);
    nb_free(record->lock_path);
    nb_free(record);
}

static nb_status begin(const char *path, nb_record **record) {
    nb_status status;
    char suffix[32];
    nb_record *r = NULL;
    *record = NULL;
    nb_h5_quiet();
    snprintf(suffix, sizeof suffix, ".partial-%ld", (long)getpid());
    NB_TRY(nb_file_check_target(path));
    NB_TRY(NB_ALLOCATE(1, &r));
    r->lock = -1;
    r->digits = 4;
    r->file = r->runs = -1;
    NB_TRY(nb_file_resolve(path, &r->path));
    NB_TRY(joined(r->path, ".lock", &r->lock_path));
    NB_TRY(lock_target(r));
    NB_TRY(joined(r->path, suffix, &r->partial));
out:
    if (status != NB_OK && r) {
        release(r, 0);
        r = NULL;
    }
    *record = r;
    return status;
}

/* ---- creating and opening ---- */

static nb_status write_head(nb_record *record, const char *title, const char *command, const char *created,
                            const nb_provenance *provenance) {
    nb_status status;
    hid_t group = -1;
    int32_t version = NB_SCHEMA_VERSION;
    NB_TRY(nb_h5_write_text(record->file, "schema", "ncpbench-record"));
    NB_TRY(nb_h5_write_integer(record->file, "schema_version", H5T_NATIVE_INT32, &version));
    NB_TRY(nb_h5_write_text(record->file, "title", title));
    NB_TRY(nb_h5_write_text(record->file, "created", created));
    NB_TRY(nb_h5_write_text(record->file, "command", command));
    uint64_t checksum = nb_text_checksum(nb_text_checksum(NB_CHECKSUM_OF_NOTHING, created), command);
    checksum = nb_text_checksum(nb_members_checksum(checksum, &nb_provenance_members, NULL, provenance), title);
    NB_TRY(nb_h5_create_group(record->file, "provenance", &group));
    NB_TRY(nb_group_write(group, &nb_provenance_members, provenance));
    NB_TRY(nb_h5_write_integer(group, "texts_checksum", H5T_NATIVE_UINT64, &checksum));
    NB_TRY(nb_h5_create_list(record->file, "runs", &record->runs));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_record_create(const char *path, const char *title, const char *command, const nb_provenance *provenance,
                           nb_record **record) {
    nb_status status;
    char now[32];
    nb_record *r = NULL;
    nb_time_now(now);
    NB_TRY(begin(path, &r));
    NB_TRY(nb_h5_create_file(r->partial, path, &r->file));
    NB_TRY(write_head(r, title, command, now, provenance));
    r->provenances = 1;
out:
    if (status != NB_OK && r) {
        release(r, 0);
        r = NULL;
    }
    *record = r;
    return status;
}

/* ---- provenance of runs that are added ---- */

static int same_provenance(const nb_provenance *a, const nb_provenance *b) {
    return nb_members_checksum(NB_CHECKSUM_OF_NOTHING, &nb_provenance_members, NULL, a) ==
               nb_members_checksum(NB_CHECKSUM_OF_NOTHING, &nb_provenance_members, NULL, b) &&
           a->git_dirty == b->git_dirty && a->cores == b->cores && a->threads == b->threads && a->seed == b->seed;
}

nb_status nb_record_file_add_provenance(nb_record *record, const char *created, const char *command,
                                        const nb_provenance *provenance, int32_t *place) {
    nb_status status;
    char name[16];
    hid_t all = -1, group = -1;
    *place = record->provenances;
    snprintf(name, sizeof name, "%04d", (int)*place);
    uint64_t checksum = nb_text_checksum(nb_text_checksum(NB_CHECKSUM_OF_NOTHING, created), command);
    checksum = nb_members_checksum(checksum, &nb_provenance_members, NULL, provenance);
    NB_TRY(nb_group_open(record->file, "provenance", 1, &all));
    NB_TRY(nb_h5_create_group(all, name, &group));
    NB_TRY(nb_h5_write_text(group, "created", created));
    NB_TRY(nb_h5_write_text(group, "command", command));
    NB_TRY(nb_group_write(group, &nb_provenance_members, provenance));
    NB_TRY(nb_h5_write_integer(group, "texts_checksum", H5T_NATIVE_UINT64, &checksum));
    record->provenances++;
out:
    if (group >= 0) H5Gclose(group);
    if (all >= 0) H5Gclose(all);
    return status;
}

/* Finds the provenance among those that the record has, or adds it as /provenance/NNNN. */
static nb_status add_provenance(nb_record *record, const nb_record_reader *reader, const char *command,
                                const nb_provenance *provenance) {
    char now[32];
    record->provenances = nb_record_provenance_count(reader);
    for (record->provenance = 0; record->provenance < record->provenances; record->provenance++)
        if (same_provenance(nb_record_provenance_at(reader, record->provenance), provenance)) return NB_OK;
    nb_time_now(now);
    return nb_record_file_add_provenance(record, now, command, provenance, &record->provenance);
}

static nb_status copy_file(const char *from, const char *to) {
    nb_status status = NB_OK;
    char buffer[1 << 14];
    size_t count;
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
    if (!in || !out) status = nb_fail(NB_ERROR_IO, "cannot copy '%.300s': %s", from, strerror(errno));
    while (status == NB_OK && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (fwrite(buffer, 1, count, out) != count) status = cannot_write(from, strerror(errno));
    if (status == NB_OK && ferror(in)) status = nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", from, strerror(errno));
    if (in) fclose(in);
    if (out && fclose(out) != 0 && status == NB_OK) status = cannot_write(from, strerror(errno));
    return status;
}

nb_status nb_record_continue(const char *path, const char *source, const char *command, const nb_provenance *provenance,
                             nb_record **record) {
    nb_status status;
    nb_record_reader *reader = NULL;
    nb_record *r = NULL;
    NB_TRY(begin(path, &r));
    NB_TRY(nb_record_open(source, &reader)); /* is it a record at all? */
    if (nb_record_is_bundled(reader))
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.300s' is a bundle; add runs to the record in it (tar -xf)", source));
    r->run_count = nb_record_run_count(reader);
    NB_TRY(copy_file(source, r->partial));
    NB_TRY(nb_h5_open_file(r->partial, path, H5F_ACC_RDWR, &r->file));
    r->runs = H5Gopen2(r->file, "runs", H5P_DEFAULT);
    if (r->runs < 0) NB_TRY(nb_h5_fault("cannot open the record to append to"));
    r->digits = nb_record_digits(r->runs);
    NB_TRY(add_provenance(r, reader, command, provenance));
out:
    nb_record_reader_close(reader);
    if (status != NB_OK && r) {
        release(r, 0);
        r = NULL;
    }
    *record = r;
    return status;
}

/* ---- writing a run ---- */

/* gives back what was reserved and not needed; where that fails it only lies there */
static void return_space(const nb_record *record) {
    hsize_t bytes;
    if (H5Fget_filesize(record->file, &bytes) >= 0 && truncate(record->partial, (off_t)bytes) != 0) errno = 0;
}

static nb_status flush(const nb_record *record) {
    return H5Fflush(record->file, H5F_SCOPE_GLOBAL) < 0 ? nb_h5_fault("cannot write the record") : NB_OK;
}

typedef nb_status filling(hid_t group, const void *context);

/* The group is written under no name and is on the disk before it gets one: whenever the process is killed or a write
 * fails, the names in the file are those of what is whole. */
static nb_status write_whole(nb_record *record, hid_t parent, const char *name, filling *fill, const void *context) {
    nb_status status;
    hid_t group = -1;
    NB_TRY(nb_h5_create_nameless_group(record->file, &group));
    NB_TRY(fill(group, context));
    NB_TRY(flush(record));
    NB_TRY(nb_h5_name_group(group, parent, name));
    H5Gclose(group);
    return NB_OK;
out:
    if (group >= 0) nb_h5_drop_nameless_group(group);
    return status;
}

typedef struct filled_run {
    const nb_run *run;
    int32_t provenance;
} filled_run;

static nb_status fill_run(hid_t group, const void *context) {
    const filled_run *f = context;
    return fill_group(group, f->run, f->provenance);
}

void nb_record_next_name(const nb_record *record, char name[NB_RUN_NAME]) {
    nb_record_run_name(name, record->run_count, record->digits);
}

static nb_status write_run(nb_record *record, const nb_run *run) {
    nb_status status;
    char name[NB_RUN_NAME];
    const filled_run filled = {run, record->provenance};
    nb_record_next_name(record, name);
    NB_TRY(write_whole(record, record->runs, name, fill_run, &filled));
    NB_TRY(nb_record_file_counted(record));
    NB_TRY(nb_record_file_flush(record));
out:
    return status;
}

nb_status nb_record_file_flush(nb_record *record) {
    const nb_status status = flush(record);
    if (status == NB_OK) return_space(record);
    return status;
}

nb_status nb_record_file_counted(nb_record *record) {
    nb_status status;
    char name[NB_RUN_NAME];
    nb_record_next_name(record, name);
    NB_TRY(nb_link_states(record->file, name));
    record->run_count++;
out:
    return status;
}

hid_t nb_record_file_runs(const nb_record *record) {
    return record->runs;
}

nb_status nb_record_file_reserve(const nb_record *record, int64_t bytes) {
    return disk_space_reserve(record->partial, record->path, bytes + overhead_bytes);
}

/* after a failed write the file is looked at before it is put in its place */
nb_status nb_record_file_outcome(nb_record *record, nb_status status) {
    char cause[256];
    if (status != NB_ERROR_IO) return status;
    record->broken = 1;
    snprintf(cause, sizeof cause, "%s", nb_error_message());
    return cannot_write(record->path, cause);
}

nb_status nb_record_write_run(nb_record *record, const nb_run *run) {
    nb_status status = disk_space_reserve(record->partial, record->path, disk_space_of_run(run));
    return status == NB_OK ? nb_record_file_outcome(record, write_run(record, run)) : status;
}

static nb_status fill_timings(hid_t group, const void *context) {
    return nb_group_write(group, &nb_timing_rows_members, context);
}

nb_status nb_record_write_timings(nb_record *record, const nb_timing *timings, int count) {
    const nb_timing_rows rows = {count, (nb_timing *)(uintptr_t)timings};
    nb_status status;
    NB_TRY(write_whole(record, record->file, "bench", fill_timings, &rows));
    NB_TRY(flush(record));
out:
    return nb_record_file_outcome(record, status);
}

nb_status nb_record_write_sweep(nb_record *record, const nb_sweep *sweep, const char *command) {
    nb_status status;
    hid_t group = -1;
    NB_TRY(nb_h5_create_group(record->file, "sweep", &group));
    NB_TRY(nb_h5_write_text(group, "command", command));
    NB_TRY(nb_h5_write_integer(group, "shard", H5T_NATIVE_INT32, &sweep->shard));
    NB_TRY(nb_h5_write_integer(group, "shards", H5T_NATIVE_INT32, &sweep->shards));
    NB_TRY(nb_h5_write_integer(group, "runs", H5T_NATIVE_INT64, &sweep->runs));
    NB_TRY(nb_h5_write_integer(group, "checksum", H5T_NATIVE_UINT64, &sweep->checksum));
out:
    if (group >= 0) H5Gclose(group);
    return nb_record_file_outcome(record, status);
}

void nb_record_expect(nb_record *record, int64_t runs) {
    if (record->run_count == 0 && runs > 10000) record->digits = 5;
}

int nb_record_count(const nb_record *record) {
    return record->run_count;
}

/* the file's content on the disk before its name: fsync, then rename */
static nb_status rename_into_place(const nb_record *record) {
    nb_status status = nb_whole_written(record->partial, record->path);
    if (status != NB_OK) return status;
    int descriptor = open(record->partial, O_RDONLY | O_CLOEXEC);
    int error = descriptor < 0 || fsync(descriptor) != 0 ? errno : 0;
    if (descriptor >= 0) close(descriptor);
    if (!error && rename(record->partial, record->path) != 0) error = errno;
    if (!error) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot write '%.200s': %s; what was finished is in '%.200s'", record->path,
                   strerror(error), record->partial);
}

nb_status nb_record_close(nb_record *record, int keep) {
    nb_status status, placed = NB_OK;
    char cause[256];
    if (!record) return NB_OK;
    status = close_file(record);
    if (keep && status != NB_OK) {
        snprintf(cause, sizeof cause, "%s", nb_error_message());
        status = cannot_write(record->path, cause);
    }
    if (keep) placed = rename_into_place(record);
    release(record, placed != NB_OK); /* what could not be put in place stays beside it */
    if (!keep) return NB_OK;
    return placed != NB_OK ? placed : status;
}
