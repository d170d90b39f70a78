#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "record/group.h"
#include "record/h5.h"
#include "record/record.h"
#include "record/record_file.h"
#include "record/systems.h"

enum {
    MOST_PROVENANCES = 9999
};

struct nb_record_reader {
    char *path;
    hid_t file, runs;
    int32_t version;           /* of the schema */
    int run_count, digits;     /* of the names of runs */
    nb_provenance *provenance; /* [provenance_count] */
    char **added_by;           /* [provenance_count] the commands; NULL for the first, which is `command` */
    char (*added_at)[64];      /* [provenance_count] when; "" for the first, which is `created` */
    int provenance_count;
    char title[4096], created[64], *command;
    nb_run_head **heads; /* [run_count] those read so far, or NULL */
};

nb_status nb_record_read_sweep(const nb_record_reader *r, nb_sweep *sweep, char **command) {
    nb_status status;
    hid_t group = -1;
    *sweep = (nb_sweep){0};
    *command = NULL;
    if (!nb_h5_has(r->file, "sweep")) return NB_OK;
    NB_TRY(nb_group_open(r->file, "sweep", 1, &group));
    NB_TRY(nb_h5_read_long_text(group, "command", command));
    NB_TRY(nb_h5_read_number(group, "shard", H5T_NATIVE_INT32, &sweep->shard));
    NB_TRY(nb_h5_read_number(group, "shards", H5T_NATIVE_INT32, &sweep->shards));
    NB_TRY(nb_h5_read_number(group, "runs", H5T_NATIVE_INT64, &sweep->runs));
    NB_TRY(nb_h5_read_number(group, "checksum", H5T_NATIVE_UINT64, &sweep->checksum));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* puts the file's name before a fault's message */
static nb_status name_file(nb_status status, const char *path) {
    char message[400];
    if (status == NB_OK || status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "'%.200s': %s", path, message);
}

/* those of commands that added runs: /provenance/NNNN */
static nb_status read_added_provenance(nb_record_reader *r, hid_t all, const char *name) {
    nb_status status;
    char created[64];
    hid_t group = -1;
    int64_t capacity = r->provenance_count, of_commands = capacity, of_moments = capacity;
    NB_TRY(nb_group_open(all, name, 1, &group));
    NB_TRY(NB_RESERVE(capacity + 1, &capacity, &r->provenance));
    NB_TRY(NB_RESERVE(of_commands + 1, &of_commands, &r->added_by));
    NB_TRY(NB_RESERVE(of_moments + 1, &of_moments, &r->added_at));
    nb_provenance *own = &r->provenance[r->provenance_count];
    char **command = &r->added_by[r->provenance_count], *moment = r->added_at[r->provenance_count++];
    memset(own, 0, sizeof *own);
    *command = NULL;
    NB_TRY(nb_h5_read_text(group, "created", created, sizeof created));
    memcpy(moment, created, sizeof created);
    NB_TRY(nb_h5_read_long_text(group, "command", command));
    NB_TRY(nb_group_read(group, &nb_provenance_members, own));
    uint64_t checksum = nb_text_checksum(nb_text_checksum(NB_CHECKSUM_OF_NOTHING, created), *command);
    NB_TRY(nb_group_check_texts(group, "texts_checksum",
                                nb_members_checksum(checksum, &nb_provenance_members, NULL, own)));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* what records of every version of the schema have */
static nb_status read_schema(nb_record_reader *r) {
    char schema[64];
    nb_status status = nb_h5_read_text(r->file, "schema", schema, sizeof schema);
    if (status == NB_ERROR_MEMORY) return status;
    if (status != NB_OK || strcmp(schema, "ncpbench-record") != 0)
        return nb_fail(NB_ERROR_INPUT, "no ncpbench record (its attribute 'schema' is missing or another)");
    NB_TRY(nb_h5_read_number(r->file, "schema_version", H5T_NATIVE_INT32, &r->version));
    NB_TRY(nb_h5_read_text(r->file, "title", r->title, sizeof r->title));
    NB_TRY(nb_h5_read_text(r->file, "created", r->created, sizeof r->created));
    NB_TRY(nb_h5_read_long_text(r->file, "command", &r->command));
out:
    return status;
}

static nb_status read_head(nb_record_reader *r) {
    nb_status status;
    hid_t group = -1;
    NB_TRY(nb_group_open(r->file, "provenance", 1, &group));
    NB_TRY(nb_group_open(r->file, "runs", 1, &r->runs));
    NB_TRY(NB_ALLOCATE(1, &r->provenance));
    NB_TRY(NB_ALLOCATE(1, &r->added_by));
    NB_TRY(NB_ALLOCATE(1, &r->added_at));
    r->provenance_count = 1;
    NB_TRY(nb_group_read(group, &nb_provenance_members, r->provenance));
    uint64_t checksum = nb_text_checksum(nb_text_checksum(NB_CHECKSUM_OF_NOTHING, r->created), r->command);
    checksum = nb_members_checksum(checksum, &nb_provenance_members, NULL, r->provenance);
    NB_TRY(nb_group_check_texts(group, "texts_checksum", nb_text_checksum(checksum, r->title)));
    char name[NB_RUN_NAME] = "0001";
    for (int k = 1; k < MOST_PROVENANCES && nb_h5_has(group, name); snprintf(name, sizeof name, "%04d", ++k))
        NB_TRY(read_added_provenance(r, group, name));
    r->digits = nb_record_digits(r->runs);
    for (nb_record_run_name(name, 0, r->digits); r->run_count < NB_RECORD_MOST_RUNS && nb_h5_has(r->runs, name);)
        nb_record_run_name(name, ++r->run_count, r->digits);
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_record_open_any_version(const char *path, nb_record_reader **reader) {
    nb_status status;
    nb_record_reader *r = NULL;
    *reader = NULL;
    nb_h5_quiet();
    FILE *file;
    NB_TRY(nb_file_open(path, 'r', &file));
    fclose(file);
    if (H5Fis_hdf5(path) <= 0) return nb_fail(NB_ERROR_INPUT, "'%.300s': not an HDF5 file, or a damaged one", path);
    NB_TRY(NB_ALLOCATE(1, &r));
    r->runs = r->file = -1;
    NB_TRY(nb_copy_text(path, &r->path));
    NB_TRY(nb_h5_open_file(path, path, H5F_ACC_RDONLY, &r->file));
    NB_TRY(name_file(read_schema(r), path));
    if (r->version == NB_SCHEMA_VERSION) NB_TRY(name_file(read_head(r), path));
    *reader = r;
out:
    if (status != NB_OK) nb_record_reader_close(r);
    return status;
}

nb_status nb_record_open(const char *path, nb_record_reader **reader) {
    nb_status status = nb_record_open_any_version(path, reader);
    if (status != NB_OK || (*reader)->version == NB_SCHEMA_VERSION) return status;
    status = nb_fail(NB_ERROR_INPUT,
                     "'%.200s': schema version %d, of %s ncpbench; this one reads version %d, and the record's "
                     "attribute 'command' says how to make it again",
                     path, (int)(*reader)->version, (*reader)->version < NB_SCHEMA_VERSION ? "an older" : "a newer",
                     (int)NB_SCHEMA_VERSION);
    nb_record_reader_close(*reader);
    *reader = NULL;
    return status;
}

void nb_record_reader_close(nb_record_reader *reader) {
    if (!reader) return;
    if (reader->runs >= 0) H5Gclose(reader->runs);
    if (reader->file >= 0) H5Fclose(reader->file);
    for (int i = 0; reader->heads && i < reader->run_count; i++) {
        if (reader->heads[i]) nb_free(reader->heads[i]->info.parameters);
        nb_free(reader->heads[i]);
    }
    nb_free(reader->heads);
    for (int k = 0; reader->added_by && k < reader->provenance_count; k++) nb_free(reader->added_by[k]);
    nb_free(reader->added_by);
    nb_free(reader->added_at);
    nb_free(reader->provenance);
    nb_free(reader->command);
    nb_free(reader->path);
    nb_free(reader);
}

int nb_record_version(const nb_record_reader *reader) {
    return reader->version;
}

int nb_record_run_count(const nb_record_reader *reader) {
    return reader->run_count;
}

int nb_record_is_bundled(const nb_record_reader *reader) {
    return nb_h5_begins_at(reader->file) > 0;
}

nb_status nb_record_expect_runs(const nb_record_reader *reader, const char *name) {
    if (reader->run_count > 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT,
                   nb_h5_has(reader->file, "bench") ? "'%.300s' holds timings of kernels (bench), no runs"
                                                    : "'%.300s' holds no runs",
                   name);
}

const nb_provenance *nb_record_provenance(const nb_record_reader *reader) {
    return reader->provenance;
}

int nb_record_provenance_count(const nb_record_reader *reader) {
    return reader->provenance_count;
}

const nb_provenance *nb_record_provenance_at(const nb_record_reader *reader, int place) {
    return &reader->provenance[place];
}

const char *nb_record_command_at(const nb_record_reader *reader, int place) {
    return place == 0 ? reader->command : reader->added_by[place];
}

const char *nb_record_created_at(const nb_record_reader *reader, int place) {
    return place == 0 ? reader->created : reader->added_at[place];
}

hid_t nb_record_reader_runs(const nb_record_reader *reader) {
    return reader->runs;
}

const char *nb_record_attribute(const nb_record_reader *reader, const char *name) {
    if (strcmp(name, "title") == 0) return reader->title;
    if (strcmp(name, "created") == 0) return reader->created;
    if (strcmp(name, "command") == 0) return reader->command;
    return "";
}

/* ---- one run ---- */

void nb_record_run_name(char name[NB_RUN_NAME], int i, int digits) {
    snprintf(name, NB_RUN_NAME, "%0*d", digits, i);
}

int nb_record_digits(hid_t runs) {
    char name[NB_RUN_NAME];
    nb_record_run_name(name, 0, 5);
    return nb_h5_has(runs, name) ? 5 : 4;
}

/* the group of run `i` */
static nb_status open_run(const nb_record_reader *reader, int i, hid_t *group) {
    char name[NB_RUN_NAME];
    nb_record_run_name(name, i, reader->digits);
    const int present = nb_h5_has(reader->runs, name);
    *group = present ? H5Gopen2(reader->runs, name, H5P_DEFAULT) : -1;
    if (*group >= 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT,
                   present ? "'%.200s': run %d cannot be read: the file is damaged" : "'%.200s': there is no run %d",
                   reader->path, i);
}

nb_status nb_record_read_run(nb_record_reader *reader, int i, nb_run **run) {
    nb_status status;
    hid_t group = -1;
    *run = NULL;
    NB_TRY(open_run(reader, i, &group));
    NB_TRY(nb_run_create(run));
    NB_TRY(name_file(nb_group_read(group, &nb_run_usage_members, &(*run)->usage), reader->path));
    NB_TRY(name_file(nb_group_read(group, &nb_run_members, *run), reader->path));
    if ((*run)->provenance < 0 || (*run)->provenance >= reader->provenance_count)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s': run %d is of provenance %d, and there are %d", reader->path, i,
                       (int)(*run)->provenance, reader->provenance_count));
out:
    if (group >= 0) H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    if (status != NB_OK) {
        nb_run_destroy(*run);
        *run = NULL;
    }
    return status;
}

static nb_status read_head_parts(hid_t group, nb_run *run) {
    nb_status status;
    hsize_t dims[1];
    hid_t steps = -1;
    NB_TRY(nb_group_read(group, &nb_run_head_members, run));
    NB_TRY(nb_group_open(group, "steps", 1, &steps));
    NB_TRY(nb_h5_dimensions(steps, nb_step_columns[0].name, 1, dims));
    run->step_count = (int32_t)dims[0];
out:
    if (steps >= 0) H5Gclose(steps);
    return status;
}

nb_status nb_record_read_head(nb_record_reader *reader, int i, const nb_run_head **head) {
    nb_status status;
    nb_run *run = NULL;
    hid_t group = -1;
    if (!reader->heads) NB_TRY(NB_ALLOCATE(reader->run_count, &reader->heads));
    if (i < 0 || i >= reader->run_count) return nb_fail(NB_ERROR_INPUT, "%s: there is no run %d", reader->path, i);
    if (reader->heads[i]) {
        *head = reader->heads[i];
        return NB_OK;
    }
    NB_TRY(open_run(reader, i, &group));
    NB_TRY(NB_ALLOCATE(1, &run));
    NB_TRY(name_file(read_head_parts(group, run), reader->path));
    NB_TRY(NB_ALLOCATE(1, &reader->heads[i]));
    *reader->heads[i] = (nb_run_head){run->info, run->step_count, run->finished, run->sweep_run, run->provenance};
    run->info.parameters = NULL; /* handed on */
    *head = reader->heads[i];
out:
    if (group >= 0) H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    if (run) nb_free(run->info.parameters);
    nb_free(run);
    return status;
}

nb_status nb_record_read_timings(nb_record_reader *reader, nb_timing **timings, int *count) {
    nb_timing_rows rows = {0};
    hid_t group;
    nb_status status = nb_group_open(reader->file, "bench", 0, &group);
    if (status == NB_OK && group >= 0) status = nb_group_read(group, &nb_timing_rows_members, &rows);
    if (group >= 0) H5Gclose(group);
    if (status != NB_OK) nb_members_clear(&nb_timing_rows_members, &rows);
    H5Eclear2(H5E_DEFAULT);
    *timings = rows.items;
    *count = rows.count;
    return name_file(status, reader->path);
}

nb_status nb_record_read_system(nb_record_reader *reader, int run, int32_t step, int32_t newton,
                                nb_stored_system *system) {
    nb_status status;
    hid_t group = -1;
    *system = (nb_stored_system){.step = step, .newton = newton};
    NB_TRY(open_run(reader, run, &group));
    if (!nb_has_system(group, step, newton))
        NB_TRY(nb_fail(NB_ERROR_INPUT, "'%.200s' holds no system %04d_%03d of run %d%s", reader->path, (int)step,
                       (int)newton, run, nb_h5_has(group, "systems") ? "" : ": it was made without --store-systems"));
    NB_TRY(name_file(nb_read_system(group, system), reader->path));
out:
    if (group >= 0) H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    if (status != NB_OK) nb_stored_system_clear(system);
    return status;
}
