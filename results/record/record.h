/* The record: the HDF5 file that holds runs. Schema `ncpbench-record` (schema.md).
 *
 * Writing is safe: a new record is written beside its place under a temporary name, flushed after every run, and
 * read to its end and renamed into place by nb_record_close; a run that is still going on is never half in a good file.
 * After Ctrl-C the program closes the record, so that what was finished is kept. */
#ifndef NB_RESULTS_RECORD_H
#define NB_RESULTS_RECORD_H

#include <stddef.h>

#include "base/status.h"
#include "record/provenance.h"
#include "record/run.h"
#include "record/timing.h"

/* A sweep that is made in shards: what the record of each says of the whole. */
typedef struct nb_sweep {
    int32_t shard, shards; /* the shard's number, from 1, of so many; number 0: shards that were merged */
    int64_t runs;          /* of the whole sweep */
    uint64_t checksum;     /* of what tells its runs apart, in their order */
} nb_sweep;

enum {
    NB_SCHEMA_VERSION = 3 /* of the records that are written and read; results/schema.md */
};

typedef struct nb_record nb_record;

/* Fails with NB_ERROR_IO and one clear line where the folder is missing or not writable. `command` is the command line.
 */
nb_status nb_record_create(const char *path, const char *title, const char *command, const nb_provenance *provenance,
                           nb_record **record);
/* Opens the record in `source` to add runs: that of `path`, or another one, such as a writer of `path` left when it was
 * killed, which stays. It is written to a copy that takes the place of `path` on close. The runs have this provenance,
 * which the record keeps beside those that it has (schema.md), and are of this command. */
nb_status nb_record_continue(const char *path, const char *source, const char *command, const nb_provenance *provenance,
                             nb_record **record);
/* Writes /sweep: of which sweep it is a shard, and the command of the whole. Its runs have their number (sweep_run). */
nb_status nb_record_write_sweep(nb_record *record, const nb_sweep *sweep, const char *command);
/* Of a record without runs: how many it is to have. With more than 10,000 their names have five digits, so that they
 * sort. */
void nb_record_expect(nb_record *record, int64_t runs);
/* How many runs it holds by now. */
int nb_record_count(const nb_record *record);
/* Writes the run as /runs/NNNN and flushes. Whatever happens, earlier runs stay whole. */
nb_status nb_record_write_run(nb_record *record, const nb_run *run);
/* Writes the timings as /bench, once a record. */
nb_status nb_record_write_timings(nb_record *record, const nb_timing *timings, int count);
/* Keeps the file that stands at `path` under the name PATH~ (or PATH~2, ...: what was kept before stays), too, so that
 * a record can take its place; 1 where there was one, and kept = "" where not. */
int nb_record_set_aside(const char *path, char *kept, size_t size);
/* Where nothing took its place, the file gets its name back; returns 1 then. */
int nb_record_restore(const char *path, const char *kept);
/* Reads the finished file to its end and renames it into place; destroys *record in every case. What cannot be read is
 * NB_ERROR_IO and stays beside the earlier file under its temporary name. With `keep` = 0 the file is dropped. */
nb_status nb_record_close(nb_record *record, int keep);

/* Reading. Every size and type is checked before it is used: a hostile file gives NB_ERROR_INPUT and one line. */
typedef struct nb_record_reader nb_record_reader;
nb_status nb_record_open(const char *path, nb_record_reader **reader);
/* Takes a record of another version of the schema as well. Such a reader has the version and the attributes, no runs.
 */
nb_status nb_record_open_any_version(const char *path, nb_record_reader **reader);
int nb_record_version(const nb_record_reader *reader); /* NB_SCHEMA_VERSION, or another one */
int nb_record_run_count(const nb_record_reader *reader);
/* Whether the record is the first file of an archive (exchange/write_tar.h), and the file is this archive. */
int nb_record_is_bundled(const nb_record_reader *reader);
/* NB_OK where it has any; else a fault that says what it has instead; `name`: the file as the user knows it. */
nb_status nb_record_expect_runs(const nb_record_reader *reader, const char *name);
/* Of the command that began the record, which timings have, too; and of each command that added runs, from 0, which is
 * that one: a run says its place (nb_run.provenance). */
const nb_provenance *nb_record_provenance(const nb_record_reader *reader);
int nb_record_provenance_count(const nb_record_reader *reader);
const nb_provenance *nb_record_provenance_at(const nb_record_reader *reader, int place);
const char *nb_record_command_at(const nb_record_reader *reader, int place);
const char *nb_record_created_at(const nb_record_reader *reader, int place);
const char *nb_record_attribute(const nb_record_reader *reader, const char *name); /* title, created, command; or "" */
/* /sweep of the record; *command is the caller's to free. Both are zero where the record is no shard. */
nb_status nb_record_read_sweep(const nb_record_reader *reader, nb_sweep *sweep, char **command);
/* What a run is, without what it did: far faster to read. */
typedef struct nb_run_head {
    nb_run_info info;
    int32_t step_count;
    int finished;
    int32_t sweep_run, provenance; /* as in nb_run */
} nb_run_head;
/* Run `i`'s, which is read once and kept by the reader; borrowed. */
nb_status nb_record_read_head(nb_record_reader *reader, int i, const nb_run_head **head);
/* Reads run `i` without its stored systems; the caller destroys it. */
nb_status nb_record_read_run(nb_record_reader *reader, int i, nb_run **run);
/* Reads /runs/RUN/systems/STEP_NEWTON into *system, which the caller clears. */
nb_status nb_record_read_system(nb_record_reader *reader, int run, int32_t step, int32_t newton,
                                nb_stored_system *system);
/* The rows of /bench, for the caller to free; *count = 0 where the record has none. */
nb_status nb_record_read_timings(nb_record_reader *reader, nb_timing **timings, int *count);
void nb_record_reader_close(nb_record_reader *reader);

#endif
