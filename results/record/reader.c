#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/stream.h"
#include "record/batches.h"
#include "record/fields.h"
#include "record/h5.h"
#include "record/reader.h"
#include "record/record.h"
#include "record/reference_group.h"
#include "record/timings.h"

enum {
    MOST_RUNS = 9999
};

struct nb_record_reader {
    char *path;
    hid_t file, runs;
    int run_count;
    nb_provenance provenance;
    char title[4096], created[64], *command;
    nb_run_head **heads; /* [run_count] those read so far, or NULL */
};

nb_status nb_read_fields(hid_t object, const nb_field *fields, int count, void *to) {
    nb_status status = NB_OK;
    for (int i = 0; i < count; i++) {
        char *member = (char *)to + fields[i].offset;
        switch (fields[i].kind) {
        case NB_FIELD_TEXT: NB_TRY(nb_h5_read_text(object, fields[i].name, member, fields[i].size)); break;
        case NB_FIELD_REAL: NB_TRY(nb_h5_read_number(object, fields[i].name, H5T_NATIVE_DOUBLE, member)); break;
        case NB_FIELD_INT32: NB_TRY(nb_h5_read_number(object, fields[i].name, H5T_NATIVE_INT32, member)); break;
        case NB_FIELD_UINT64: NB_TRY(nb_h5_read_number(object, fields[i].name, H5T_NATIVE_UINT64, member)); break;
        }
    }
out:
    return status;
}

nb_status nb_check_texts(hid_t object, uint64_t checksum) {
    uint64_t written = checksum;
    nb_status status = NB_OK;
    if (H5Aexists(object, "texts_checksum") > 0)
        status = nb_h5_read_number(object, "texts_checksum", H5T_NATIVE_UINT64, &written);
    if (status != NB_OK || written == checksum) return status;
    return nb_fail(NB_ERROR_INPUT,
                   "a text attribute is damaged (where one was changed on purpose: delete its checksum, "
                   "the attribute 'texts_checksum')");
}

/* puts the file's name before a fault's message */
static nb_status name_file(nb_status status, const char *path) {
    char message[400];
    if (status == NB_OK || status == NB_ERROR_MEMORY) return status;
    snprintf(message, sizeof message, "%s", nb_error_message());
    return nb_fail(status, "'%.200s': %s", path, message);
}

static nb_status read_head(nb_record_reader *r) {
    nb_status status;
    char schema[64];
    int32_t version;
    hid_t group = -1;
    status = nb_h5_read_text(r->file, "schema", schema, sizeof schema);
    if (status == NB_ERROR_MEMORY) return status;
    if (status != NB_OK || strcmp(schema, "ncpbench-record") != 0)
        return nb_fail(NB_ERROR_INPUT, "no ncpbench record (its attribute 'schema' is missing or another)");
    NB_TRY(nb_h5_read_number(r->file, "schema_version", H5T_NATIVE_INT32, &version));
    if (version != 1) return nb_fail(NB_ERROR_INPUT, "schema version %d; this program reads version 1", (int)version);
    NB_TRY(nb_h5_read_text(r->file, "title", r->title, sizeof r->title));
    NB_TRY(nb_h5_read_text(r->file, "created", r->created, sizeof r->created));
    NB_TRY(nb_h5_read_long_text(r->file, "command", &r->command));
    group = nb_h5_has(r->file, "provenance") ? H5Gopen2(r->file, "provenance", H5P_DEFAULT) : -1;
    r->runs = nb_h5_has(r->file, "runs") ? H5Gopen2(r->file, "runs", H5P_DEFAULT) : -1;
    if (group < 0 || r->runs < 0) NB_TRY(nb_fail(NB_ERROR_INPUT, "the groups 'provenance' and 'runs' are missing"));
    NB_TRY(nb_read_fields(group, nb_provenance_fields, nb_provenance_field_count, &r->provenance));
    uint64_t checksum = nb_text_checksum(nb_text_checksum(NB_CHECKSUM_OF_NOTHING, r->created), r->command);
    checksum = nb_fields_checksum(checksum, nb_provenance_fields, nb_provenance_field_count, &r->provenance);
    NB_TRY(nb_check_texts(group, nb_text_checksum(checksum, r->title)));
    char name[16];
    for (snprintf(name, sizeof name, "%04d", 0); r->run_count <= MOST_RUNS && nb_h5_has(r->runs, name);)
        snprintf(name, sizeof name, "%04d", ++r->run_count);
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_record_open(const char *path, nb_record_reader **reader) {
    nb_status status;
    nb_record_reader *r = NULL;
    *reader = NULL;
    nb_h5_quiet();
    FILE *file = fopen(path, "rb");
    if (!file) return nb_fail(NB_ERROR_IO, "cannot read '%.300s': %s", path, strerror(errno));
    fclose(file);
    if (H5Fis_hdf5(path) <= 0) return nb_fail(NB_ERROR_INPUT, "'%.300s': not an HDF5 file, or a damaged one", path);
    NB_TRY(NB_ALLOCATE(1, &r));
    r->runs = r->file = -1;
    NB_TRY(nb_copy_text(path, &r->path));
    NB_TRY(nb_h5_open_file(path, path, H5F_ACC_RDONLY, &r->file));
    NB_TRY(name_file(read_head(r), path));
    *reader = r;
out:
    if (status != NB_OK) nb_record_reader_close(r);
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
    nb_free(reader->command);
    nb_free(reader->path);
    nb_free(reader);
}

int nb_record_run_count(const nb_record_reader *reader) {
    return reader->run_count;
}

nb_status nb_record_expect_runs(const nb_record_reader *reader, const char *name) {
    if (reader->run_count > 0) return NB_OK;
    return nb_fail(NB_ERROR_INPUT,
                   nb_h5_has(reader->file, "bench") ? "'%.300s' holds timings of kernels (bench), no runs"
                                                    : "'%.300s' holds no runs",
                   name);
}

const nb_provenance *nb_record_provenance(const nb_record_reader *reader) {
    return &reader->provenance;
}

const char *nb_record_attribute(const nb_record_reader *reader, const char *name) {
    if (strcmp(name, "title") == 0) return reader->title;
    if (strcmp(name, "created") == 0) return reader->created;
    if (strcmp(name, "command") == 0) return reader->command;
    return "";
}

/* ---- one run ---- */

static hid_t open_group(hid_t parent, const char *name) {
    return nb_h5_has(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
}

/* a group that need not be there (then *group < 0), but is no less readable for that */
static nb_status open_optional(hid_t parent, const char *name, hid_t *group) {
    *group = open_group(parent, name);
    return *group < 0 && H5Lexists(parent, name, H5P_DEFAULT) != 0
               ? nb_fail(NB_ERROR_INPUT, "group '%s' cannot be read: the file is damaged", name)
               : NB_OK;
}

static nb_status missing(const char *group) {
    return nb_fail(NB_ERROR_INPUT, "the group '%s' is missing", group);
}

static nb_status read_steps(hid_t run_group, nb_run *run) {
    nb_status status;
    double *column = NULL;
    hsize_t dims[1];
    hid_t group = open_group(run_group, "steps");
    if (group < 0) return missing("steps");
    NB_TRY(nb_h5_dimensions(group, nb_step_columns[0].name, 1, dims));
    run->step_count = (int32_t)dims[0];
    NB_TRY(NB_ALLOCATE(run->step_count * (int64_t)NB_STEP_COLUMNS, &run->steps));
    run->step_capacity = run->step_count;
    for (int c = 0; c < NB_STEP_COLUMNS; c++) {
        NB_TRY(nb_h5_read_array(group, nb_step_columns[c].name, H5T_NATIVE_DOUBLE, sizeof *column, 1, dims, &column));
        for (int32_t s = 0; s < run->step_count; s++) run->steps[(int64_t)s * NB_STEP_COLUMNS + c] = column[s];
        nb_free(column);
        column = NULL;
    }
out:
    nb_free(column);
    H5Gclose(group);
    return status;
}

/* offsets from counts, each of which must lie in 0 .. most */
static nb_status sum_counts(const int64_t *counts, int64_t count, int64_t most, int64_t *start) {
    start[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        if (counts[i] < 0 || counts[i] > most)
            return nb_fail(NB_ERROR_INPUT, "a row count of %lld where at most %lld fit", (long long)counts[i],
                           (long long)most);
        start[i + 1] = start[i] + counts[i];
    }
    return NB_OK;
}

static nb_status read_newton(hid_t run_group, nb_run *run, hsize_t dims[2]) {
    nb_status status;
    double *column = NULL;
    int64_t *counts = NULL;
    hid_t group = open_group(run_group, "newton");
    if (group < 0) return missing("newton");
    NB_TRY(nb_h5_dimensions(group, nb_newton_columns[0].name, 2, dims));
    dims[0] = (hsize_t)run->step_count;
    NB_TRY(nb_h5_read_array(group, "count", H5T_NATIVE_INT64, sizeof *counts, 1, dims, &counts));
    NB_TRY(NB_ALLOCATE(run->step_count + 2, &run->newton_start));
    NB_TRY(sum_counts(counts, run->step_count, (int64_t)dims[1], run->newton_start));
    int64_t rows = run->newton_start[run->step_count];
    NB_TRY(NB_ALLOCATE(rows * NB_NEWTON_COLUMNS, &run->newton));
    run->newton_start[run->step_count + 1] = rows; /* no row of a next step yet */
    run->newton_start_capacity = run->step_count + 2;
    run->newton_capacity = rows;
    for (int c = 0; c < NB_NEWTON_COLUMNS; c++) {
        NB_TRY(nb_h5_read_array(group, nb_newton_columns[c].name, H5T_NATIVE_DOUBLE, sizeof *column, 2, dims, &column));
        for (int32_t s = 0; s < run->step_count; s++)
            for (int64_t k = 0; k < counts[s]; k++)
                run->newton[(run->newton_start[s] + k) * NB_NEWTON_COLUMNS + c] = column[s * (int64_t)dims[1] + k];
        nb_free(column);
        column = NULL;
    }
out:
    nb_free(column);
    nb_free(counts);
    H5Gclose(group);
    return status;
}

static nb_status read_linear(hid_t run_group, nb_run *run, const hsize_t newton_dims[2]) {
    nb_status status;
    double *column = NULL;
    int64_t *counts = NULL, *packed = NULL, rows = run->newton_start[run->step_count];
    hsize_t dims[3];
    hid_t group = -1;
    NB_TRY(open_optional(run_group, "linear", &group));
    NB_TRY(NB_ALLOCATE(rows + 2, &run->linear_start));
    run->linear_start_capacity = rows + 2;
    if (group < 0) goto out; /* no history was kept */
    NB_TRY(nb_h5_dimensions(group, nb_linear_columns[0].name, 3, dims));
    dims[0] = newton_dims[0];
    dims[1] = newton_dims[1];
    NB_TRY(nb_h5_read_array(group, "count", H5T_NATIVE_INT64, sizeof *counts, 2, dims, &counts));
    NB_TRY(NB_ALLOCATE(rows, &packed));
    for (int32_t s = 0; s < run->step_count; s++)
        for (int64_t r = run->newton_start[s]; r < run->newton_start[s + 1]; r++)
            packed[r] = counts[s * (int64_t)dims[1] + r - run->newton_start[s]];
    NB_TRY(sum_counts(packed, rows, (int64_t)dims[2], run->linear_start));
    NB_TRY(NB_ALLOCATE(run->linear_start[rows] * NB_LINEAR_COLUMNS, &run->linear));
    run->linear_start[rows + 1] = run->linear_capacity = run->linear_start[rows];
    for (int c = 0; c < NB_LINEAR_COLUMNS; c++) {
        NB_TRY(nb_h5_read_array(group, nb_linear_columns[c].name, H5T_NATIVE_DOUBLE, sizeof *column, 3, dims, &column));
        for (int32_t s = 0; s < run->step_count; s++)
            for (int64_t r = run->newton_start[s]; r < run->newton_start[s + 1]; r++)
                for (int64_t k = 0; k < packed[r]; k++)
                    run->linear[(run->linear_start[r] + k) * NB_LINEAR_COLUMNS + c] =
                        column[(s * (int64_t)dims[1] + r - run->newton_start[s]) * (int64_t)dims[2] + k];
        nb_free(column);
        column = NULL;
    }
out:
    nb_free(column);
    nb_free(counts);
    nb_free(packed);
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status read_repeats(hid_t run_group, nb_run *run) {
    nb_status status;
    hsize_t dims[2];
    static const char *const names[4] = {"setup_s", "solve_s", "assembly_s", "step_s"};
    double **arrays[4] = {&run->repeat_setup_s, &run->repeat_solve_s, &run->repeat_assembly_s, &run->repeat_step_s};
    hid_t group;
    NB_TRY(open_optional(run_group, "repeats", &group));
    if (group < 0) return NB_OK;
    NB_TRY(nb_h5_dimensions(group, names[0], 2, dims));
    dims[1] = (hsize_t)run->step_count;
    for (int i = 0; i < 4; i++)
        NB_TRY(nb_h5_read_array(group, names[i], H5T_NATIVE_DOUBLE, sizeof(double), 2, dims, arrays[i]));
    NB_TRY(nb_h5_read_array(group, "order", H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, &run->repeat_order));
    run->repeat_count = (int32_t)dims[0];
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* bodies in range, so that nobody indexes beyond them */
static nb_status check_contact_bodies(const nb_snapshot *final) {
    for (int64_t i = 0; i < 2 * (int64_t) final->contacts; i++)
        if (final->contact_bodies[i] < -1 || final->contact_bodies[i] >= final->bodies)
            return nb_fail(NB_ERROR_INPUT, "contact_bodies names body %d of %d", (int) final->contact_bodies[i],
                           (int) final->bodies);
    return NB_OK;
}

nb_status nb_read_snapshot(hid_t group, nb_snapshot *final) {
    nb_status status;
    hsize_t dims[3];
    if (!nb_h5_has(group, "q")) return NB_OK; /* a problem file has no bodies */
    NB_TRY(nb_h5_dimensions(group, "q", 2, dims));
    final->bodies = (int32_t)dims[0];
    NB_TRY(nb_h5_dimensions(group, "lambda_bilateral", 1, dims));
    final->bilaterals = (int32_t)dims[0];
    NB_TRY(nb_h5_dimensions(group, "lambda_normal", 1, dims));
    final->contacts = (int32_t)dims[0];
    const int32_t extents[] = {final->bodies, final->bilaterals, final->contacts};
    for (int i = 0; i < nb_final_array_count; i++) {
        const nb_final_array *a = &nb_final_arrays[i];
        const hsize_t shape[3] = {(hsize_t)extents[a->extent], (hsize_t)a->width, (hsize_t)a->inner};
        NB_TRY(nb_h5_read_array(group, a->name, a->integer ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE,
                                a->integer ? sizeof(int32_t) : sizeof(double),
                                a->inner > 0   ? 3
                                : a->width > 1 ? 2
                                               : 1,
                                shape, (char *) final + a->offset));
    }
    NB_TRY(check_contact_bodies(final));
out:
    return status;
}

static nb_status read_final(hid_t run_group, nb_run *run) {
    nb_status status;
    nb_snapshot *final = &run->final;
    hsize_t dims[1];
    hid_t group = open_group(run_group, "final");
    if (group < 0) return missing("final");
    NB_TRY(nb_h5_read_number(group, "step_count", H5T_NATIVE_INT32, &final->step_count));
    NB_TRY(nb_h5_read_number(group, "time", H5T_NATIVE_DOUBLE, &final->time));
    NB_TRY(nb_h5_read_number(group, "time_step", H5T_NATIVE_DOUBLE, &final->time_step));
    NB_TRY(nb_h5_read_number(group, "error", H5T_NATIVE_DOUBLE, &final->error));
    NB_TRY(nb_read_snapshot(group, final));
    if (nb_h5_has(group, "reaction")) {
        NB_TRY(nb_h5_dimensions(group, "reaction", 1, dims));
        NB_TRY(nb_h5_read_array(group, "reaction", H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, &run->reaction));
        NB_TRY(nb_h5_read_array(group, "velocity", H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, &run->velocity));
        run->reaction_count = (int64_t)dims[0];
    }
out:
    H5Gclose(group);
    return status;
}

static nb_status read_states(hid_t run_group, nb_run *run) {
    nb_status status;
    hsize_t dims[3];
    hid_t group;
    NB_TRY(open_optional(run_group, "states", &group));
    if (group < 0) return NB_OK;
    NB_TRY(nb_h5_dimensions(group, "q", 3, dims));
    dims[1] = (hsize_t)run->info.bodies;
    dims[2] = 7;
    NB_TRY(nb_h5_read_array(group, "q", H5T_NATIVE_DOUBLE, sizeof(double), 3, dims, &run->frames));
    NB_TRY(nb_h5_read_array(group, "time", H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, &run->frame_time));
    dims[2] = 6;
    NB_TRY(nb_h5_read_array(group, "u", H5T_NATIVE_DOUBLE, sizeof(double), 3, dims, &run->frame_u));
    run->frame_capacity = run->frame_time_capacity = run->frame_u_capacity = run->frame_count = (int32_t)dims[0];
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* a text that most runs do not have, and its part of the checksum */
static nb_status read_optional_text(hid_t group, const char *name, char *text, size_t size, uint64_t *checksum) {
    if (H5Aexists(group, name) <= 0) return NB_OK;
    nb_status status = nb_h5_read_text(group, name, text, size);
    if (status == NB_OK) *checksum = nb_text_checksum(*checksum, text);
    return status;
}

/* the attributes that say what was asked for, and the texts of those runs that have some */
static nb_status read_info(hid_t group, nb_run_info *info, char *fault, size_t fault_size, char *words,
                           size_t words_size) {
    nb_status status;
    NB_TRY(nb_read_fields(group, nb_info_fields, nb_info_field_count, info));
    NB_TRY(nb_h5_read_long_text(group, "parameters", &info->parameters));
    uint64_t checksum = nb_text_checksum(NB_CHECKSUM_OF_NOTHING, info->parameters);
    checksum = nb_fields_checksum(checksum, nb_info_fields, nb_info_field_count, info);
    NB_TRY(read_optional_text(group, "fault", fault, fault_size, &checksum));
    NB_TRY(read_optional_text(group, "method_words", words, words_size, &checksum));
    NB_TRY(nb_check_texts(group, checksum));
out:
    return status;
}

static nb_status read_parts(hid_t group, nb_run *run) {
    nb_status status;
    hsize_t newton_dims[2];
    int32_t finished;
    NB_TRY(read_info(group, &run->info, run->fault, sizeof run->fault, run->words, sizeof run->words));
    NB_TRY(nb_h5_read_number(group, "finished", H5T_NATIVE_INT32, &finished));
    run->finished = finished;
    NB_TRY(nb_read_fields(group, nb_usage_fields, nb_usage_field_count, &run->usage));
    if (run->info.bodies < 0) return nb_fail(NB_ERROR_INPUT, "a run of %d bodies", (int)run->info.bodies);
    NB_TRY(read_steps(group, run));
    NB_TRY(read_newton(group, run, newton_dims));
    NB_TRY(read_linear(group, run, newton_dims));
    NB_TRY(read_repeats(group, run));
    NB_TRY(read_final(group, run));
    NB_TRY(nb_read_reference(group, run));
    NB_TRY(read_states(group, run));
    NB_TRY(nb_read_checks(group, &run->checks));
    NB_TRY(nb_read_batch(group, run));
out:
    return status;
}

/* the group of run `i` */
static nb_status open_run(const nb_record_reader *reader, int i, hid_t *group) {
    char name[16];
    snprintf(name, sizeof name, "%04d", i);
    *group = open_group(reader->runs, name);
    return *group < 0 ? nb_fail(NB_ERROR_INPUT, "'%.200s': there is no run %d", reader->path, i) : NB_OK;
}

nb_status nb_record_read_run(nb_record_reader *reader, int i, nb_run **run) {
    nb_status status;
    hid_t group = -1;
    *run = NULL;
    NB_TRY(open_run(reader, i, &group));
    NB_TRY(NB_ALLOCATE(1, run));
    NB_TRY(name_file(read_parts(group, *run), reader->path));
out:
    if (group >= 0) H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    if (status != NB_OK) {
        nb_run_destroy(*run);
        *run = NULL;
    }
    return status;
}

static nb_status read_head_parts(hid_t group, nb_run_head *head) {
    nb_status status;
    char fault[sizeof((nb_run *)0)->fault] = "", words[sizeof((nb_run *)0)->words] = "";
    int32_t finished;
    hsize_t dims[1];
    hid_t steps = -1;
    NB_TRY(read_info(group, &head->info, fault, sizeof fault, words, sizeof words));
    NB_TRY(nb_h5_read_number(group, "finished", H5T_NATIVE_INT32, &finished));
    head->finished = finished;
    steps = open_group(group, "steps");
    if (steps < 0) NB_TRY(missing("steps"));
    NB_TRY(nb_h5_dimensions(steps, nb_step_columns[0].name, 1, dims));
    head->step_count = (int32_t)dims[0];
out:
    if (steps >= 0) H5Gclose(steps);
    return status;
}

nb_status nb_record_read_head(nb_record_reader *reader, int i, const nb_run_head **head) {
    nb_status status;
    nb_run_head *read = NULL;
    hid_t group = -1;
    if (!reader->heads) NB_TRY(NB_ALLOCATE(reader->run_count, &reader->heads));
    if (i >= 0 && i < reader->run_count && reader->heads[i]) {
        *head = reader->heads[i];
        return NB_OK;
    }
    NB_TRY(open_run(reader, i, &group));
    NB_TRY(NB_ALLOCATE(1, &read));
    NB_TRY(name_file(read_head_parts(group, read), reader->path));
    *head = reader->heads[i] = read;
    read = NULL;
out:
    if (group >= 0) H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    if (read) nb_free(read->info.parameters);
    nb_free(read);
    return status;
}

nb_status nb_record_read_timings(nb_record_reader *reader, nb_timing **timings, int *count) {
    hid_t group = open_group(reader->file, "bench");
    *timings = NULL;
    *count = 0;
    if (group < 0) return NB_OK;
    nb_status status = name_file(nb_read_timings(group, timings, count), reader->path);
    H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    return status;
}

nb_status nb_record_read_systems(nb_record_reader *reader, int i, nb_run *run) {
    nb_status status;
    hid_t group = -1;
    NB_TRY(open_run(reader, i, &group));
    NB_TRY(name_file(nb_read_systems(group, run), reader->path));
out:
    if (group >= 0) H5Gclose(group);
    H5Eclear2(H5E_DEFAULT);
    return status;
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
