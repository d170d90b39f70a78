#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "fields.h"
#include "h5.h"
#include "reason.h"
#include "space.h"

struct nb_record {
    char *path, *partial, *lock_path;
    int lock; /* file descriptor that holds the lock */
    hid_t file, runs;
    int run_count;
};

/* ---- files ---- */

static nb_status joined(const char *a, const char *b, char **path) {
    nb_status status = nb_allocate((int64_t)(strlen(a) + strlen(b) + 1), 1, path);
    if (status == NB_OK) sprintf(*path, "%s%s", a, b);
    return status;
}

/* refuses what cannot be replaced by a file: a folder, a device, a pipe */
static nb_status check_target(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s': it is %s", path,
                       S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
    return NB_OK;
}

/* One writer a path: the second one is refused. The lock dies with its process. */
static nb_status lock_target(nb_record *record) {
    record->lock = open(record->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (record->lock < 0) return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", record->path, strerror(errno));
    if (flock(record->lock, LOCK_EX | LOCK_NB) == 0) return NB_OK;
    close(record->lock);
    record->lock = -1;
    return nb_fail(NB_ERROR_IO, "cannot write '%.300s': another process is writing it", record->path);
}

static void release(nb_record *record, int keep_partial) {
    if (record->runs >= 0) H5Gclose(record->runs);
    if (record->file >= 0) H5Fclose(record->file);
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
    NB_TRY(check_target(path));
    NB_TRY(NB_ALLOCATE(1, &r));
    r->lock = -1;
    r->file = r->runs = -1;
    NB_TRY(nb_copy_text(path, &r->path));
    NB_TRY(joined(path, suffix, &r->partial));
    NB_TRY(joined(path, ".lock", &r->lock_path));
    NB_TRY(lock_target(r));
    *record = r;
    return NB_OK;
out:
    if (r) {
        nb_free(r->partial);
        r->partial = NULL; /* nothing there yet */
        release(r, 1);
    }
    return status;
}

/* ---- attributes ---- */

static nb_status write_fields(hid_t object, const nb_field *fields, int count, const void *from) {
    nb_status status = NB_OK;
    for (int i = 0; i < count; i++) {
        const char *member = (const char *)from + fields[i].offset;
        double x;
        switch (fields[i].kind) {
        case NB_FIELD_TEXT: NB_TRY(nb_h5_write_text(object, fields[i].name, member)); break;
        case NB_FIELD_REAL:
            memcpy(&x, member, sizeof x);
            NB_TRY(nb_h5_write_real(object, fields[i].name, x));
            break;
        case NB_FIELD_INT32: NB_TRY(nb_h5_write_integer(object, fields[i].name, H5T_NATIVE_INT32, member)); break;
        case NB_FIELD_UINT64: NB_TRY(nb_h5_write_integer(object, fields[i].name, H5T_NATIVE_UINT64, member)); break;
        }
    }
out:
    return status;
}

static nb_status write_head(nb_record *record, const char *title, const char *command,
                            const nb_provenance *provenance) {
    nb_status status;
    hid_t group = -1;
    int32_t version = 1;
    char now[32];
    time_t seconds = time(NULL);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    NB_TRY(nb_h5_write_text(record->file, "schema", "ncpbench-record"));
    NB_TRY(nb_h5_write_integer(record->file, "schema_version", H5T_NATIVE_INT32, &version));
    NB_TRY(nb_h5_write_text(record->file, "title", title));
    NB_TRY(nb_h5_write_text(record->file, "created", now));
    NB_TRY(nb_h5_write_text(record->file, "command", command));
    NB_TRY(nb_h5_create_group(record->file, "provenance", &group));
    NB_TRY(write_fields(group, nb_provenance_fields, nb_provenance_field_count, provenance));
    NB_TRY(nb_h5_create_group(record->file, "runs", &record->runs));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_record_create(const char *path, const char *title, const char *command, const nb_provenance *provenance,
                           nb_record **record) {
    nb_status status = begin(path, record);
    if (status != NB_OK) return status;
    nb_record *r = *record;
    r->file = H5Fcreate(r->partial, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (r->file < 0) {
        char what[400];
        snprintf(what, sizeof what, "cannot write '%.300s'", path);
        status = nb_h5_fault(what);
    } else {
        status = write_head(r, title, command, provenance);
    }
    if (status != NB_OK) {
        release(r, 0);
        *record = NULL;
    }
    return status;
}

static nb_status copy_file(const char *from, const char *to) {
    nb_status status = NB_OK;
    static char buffer[1 << 16];
    size_t count;
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
    if (!in || !out) status = nb_fail(NB_ERROR_IO, "cannot copy '%.200s': %s", from, strerror(errno));
    while (status == NB_OK && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (fwrite(buffer, 1, count, out) != count)
            status = nb_fail(NB_ERROR_IO, "cannot write '%.200s': %s", to, strerror(errno));
    if (in) fclose(in);
    if (out && fclose(out) != 0 && status == NB_OK)
        status = nb_fail(NB_ERROR_IO, "cannot write '%.200s': %s", to, strerror(errno));
    return status;
}

nb_status nb_record_append(const char *path, nb_record **record) {
    return nb_record_continue(path, path, record);
}

nb_status nb_record_continue(const char *path, const char *source, nb_record **record) {
    nb_status status;
    nb_record_reader *reader = NULL;
    nb_record *r = NULL;
    *record = NULL;
    NB_TRY(nb_record_open(source, &reader)); /* is it a record at all? */
    NB_TRY(begin(path, &r));
    r->run_count = nb_record_run_count(reader);
    NB_TRY(copy_file(source, r->partial));
    r->file = H5Fopen(r->partial, H5F_ACC_RDWR, H5P_DEFAULT);
    r->runs = r->file < 0 ? -1 : H5Gopen2(r->file, "runs", H5P_DEFAULT);
    if (r->runs < 0) NB_TRY(nb_h5_fault("cannot open the record to append to"));
    *record = r;
out:
    nb_record_reader_close(reader);
    if (status != NB_OK && r) release(r, 0);
    return status;
}

/* ---- one run ---- */

static nb_meaning meaning_of(const nb_column *column) {
    return (nb_meaning){column->name, column->units, column->long_name};
}

/* the legend of the reasons: 'none' is 0, and so on */
static nb_status write_legend(hid_t group, const char *dataset) {
    char legend[512] = "";
    for (int i = 0; i < NB_REASON_COUNT; i++) {
        size_t used = strlen(legend);
        snprintf(legend + used, sizeof legend - used, "%s%d=%s", i ? " " : "", i, nb_reason_name((nb_reason)i));
    }
    hid_t object = H5Dopen2(group, dataset, H5P_DEFAULT);
    if (object < 0) return nb_h5_fault("cannot write a legend");
    nb_status status = nb_h5_write_text(object, "legend", legend);
    H5Dclose(object);
    return status;
}

/* the axis 0, 1, 2, ... as a dimension scale */
static nb_status write_axis(hid_t group, const char *name, int64_t count) {
    int32_t *axis;
    nb_status status = NB_ALLOCATE(count, &axis);
    if (status != NB_OK) return status;
    for (int64_t i = 0; i < count; i++) axis[i] = (int32_t)i;
    hsize_t dims[1] = {(hsize_t)count};
    nb_meaning meaning = {name, "1", name};
    status = nb_h5_write_array(group, &meaning, H5T_NATIVE_INT32, 1, dims, axis);
    nb_free(axis);
    return status;
}

static nb_status attach_axes(hid_t group, const char *name, int rank, const char *const axes[]) {
    nb_status status = NB_OK;
    for (int i = 0; i < rank; i++) NB_TRY(nb_h5_attach_scale(group, name, axes[i], (unsigned)i));
out:
    return status;
}

static const char *const axis_names[3] = {"step", "newton", "iteration"};

static nb_status write_steps(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    double *column = NULL;
    hsize_t dims[1] = {(hsize_t)run->step_count};
    NB_TRY(nb_h5_create_group(run_group, "steps", &group));
    NB_TRY(write_axis(group, "step", run->step_count));
    NB_TRY(NB_ALLOCATE(run->step_count, &column));
    for (int c = 0; c < NB_STEP_COLUMNS; c++) {
        nb_meaning meaning = meaning_of(&nb_step_columns[c]);
        for (int32_t s = 0; s < run->step_count; s++) column[s] = run->steps[(int64_t)s * NB_STEP_COLUMNS + c];
        NB_TRY(nb_h5_write_array(group, &meaning, H5T_NATIVE_DOUBLE, 1, dims, column));
        NB_TRY(attach_axes(group, meaning.name, 1, axis_names));
    }
    NB_TRY(write_legend(group, "reason"));
out:
    nb_free(column);
    if (group >= 0) H5Gclose(group);
    return status;
}

/* how many rows the longest of the ranges start[i] .. start[i + 1] has */
static int64_t longest(const int64_t *start, int64_t count) {
    int64_t most = 0;
    for (int64_t i = 0; i < count; i++)
        if (start[i + 1] - start[i] > most) most = start[i + 1] - start[i];
    return most;
}

static void fill_nan(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] = NAN;
}

/* newton/: [step, newton], ragged rows padded with NaN; count [step] holds their true lengths */
static nb_status write_newton(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    double *column = NULL;
    int64_t *counts = NULL, most = longest(run->newton_start, run->step_count);
    hsize_t dims[2] = {(hsize_t)run->step_count, (hsize_t)most};
    NB_TRY(nb_h5_create_group(run_group, "newton", &group));
    NB_TRY(write_axis(group, "step", run->step_count));
    NB_TRY(write_axis(group, "newton", most));
    NB_TRY(NB_ALLOCATE(run->step_count, &counts));
    for (int32_t s = 0; s < run->step_count; s++) counts[s] = run->newton_start[s + 1] - run->newton_start[s];
    nb_meaning meaning = {"count", "1", "rows of the step: its Newton iterations and the state after the last"};
    NB_TRY(nb_h5_write_array(group, &meaning, H5T_NATIVE_INT64, 1, dims, counts));
    NB_TRY(attach_axes(group, meaning.name, 1, axis_names));
    NB_TRY(NB_ALLOCATE(run->step_count * most, &column));
    for (int c = 0; c < NB_NEWTON_COLUMNS; c++) {
        fill_nan(column, run->step_count * most);
        for (int32_t s = 0; s < run->step_count; s++)
            for (int64_t k = 0; k < counts[s]; k++)
                column[s * most + k] = run->newton[(run->newton_start[s] + k) * NB_NEWTON_COLUMNS + c];
        meaning = meaning_of(&nb_newton_columns[c]);
        NB_TRY(nb_h5_write_array(group, &meaning, H5T_NATIVE_DOUBLE, 2, dims, column));
        NB_TRY(attach_axes(group, meaning.name, 2, axis_names));
    }
    NB_TRY(write_legend(group, "linear_reason"));
out:
    nb_free(column);
    nb_free(counts);
    if (group >= 0) H5Gclose(group);
    return status;
}

/* linear/: [step, newton, iteration], likewise; count [step, newton] */
static nb_status write_linear(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    double *column = NULL;
    int64_t *counts = NULL, newtons = run->newton_start[run->step_count],
            wide = longest(run->newton_start, run->step_count);
    int64_t most = longest(run->linear_start, newtons), cells = run->step_count * wide;
    hsize_t dims[3] = {(hsize_t)run->step_count, (hsize_t)wide, (hsize_t)most};
    if (most == 0) return NB_OK; /* no history was kept */
    NB_TRY(nb_h5_create_group(run_group, "linear", &group));
    NB_TRY(write_axis(group, "step", run->step_count));
    NB_TRY(write_axis(group, "newton", wide));
    NB_TRY(write_axis(group, "iteration", most));
    NB_TRY(NB_ALLOCATE(cells, &counts));
    NB_TRY(NB_ALLOCATE(cells * most, &column));
    for (int c = -1; c < NB_LINEAR_COLUMNS; c++) { /* the counts first */
        fill_nan(column, c < 0 ? 0 : cells * most);
        for (int32_t s = 0; s < run->step_count; s++)
            for (int64_t r = run->newton_start[s]; r < run->newton_start[s + 1]; r++) {
                int64_t cell = s * wide + r - run->newton_start[s], first = run->linear_start[r];
                counts[cell] = run->linear_start[r + 1] - first;
                for (int64_t k = 0; c >= 0 && k < counts[cell]; k++)
                    column[cell * most + k] = run->linear[(first + k) * NB_LINEAR_COLUMNS + c];
            }
        nb_meaning meaning = {"count", "1", "rows of the Newton iteration: its linear iterations and the start"};
        if (c >= 0) meaning = meaning_of(&nb_linear_columns[c]);
        NB_TRY(nb_h5_write_array(group, &meaning, c < 0 ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, c < 0 ? 2 : 3, dims,
                                 c < 0 ? (void *)counts : (void *)column));
        NB_TRY(attach_axes(group, meaning.name, c < 0 ? 2 : 3, axis_names));
    }
out:
    nb_free(column);
    nb_free(counts);
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_repeats(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    hsize_t dims[2] = {(hsize_t)run->repeat_count, (hsize_t)run->step_count};
    const nb_meaning meanings[4] = {{"setup_s", "s", "time of linear solvers' set-up"},
                                    {"solve_s", "s", "time of linear solves"},
                                    {"assembly_s", "s", "time of assembly and updates"},
                                    {"step_s", "s", "time of the step"}};
    const double *arrays[4] = {run->repeat_setup_s, run->repeat_solve_s, run->repeat_assembly_s, run->repeat_step_s};
    const nb_meaning order = {"order", "1", "repetitions of any run that were made before this one"};
    static const char *const axes[2] = {"repeat", "step"};
    if (run->repeat_count == 0) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "repeats", &group));
    NB_TRY(write_axis(group, "repeat", run->repeat_count));
    NB_TRY(write_axis(group, "step", run->step_count));
    for (int i = 0; i < 4; i++) {
        NB_TRY(nb_h5_write_array(group, &meanings[i], H5T_NATIVE_DOUBLE, 2, dims, arrays[i]));
        NB_TRY(attach_axes(group, meanings[i].name, 2, axes));
    }
    if (run->repeat_order) {
        NB_TRY(nb_h5_write_array(group, &order, H5T_NATIVE_DOUBLE, 1, dims, run->repeat_order));
        NB_TRY(attach_axes(group, order.name, 1, axes));
    }
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_solution(hid_t group, const nb_run *run) {
    nb_status status = NB_OK;
    hsize_t dims[1] = {(hsize_t)run->reaction_count};
    const nb_meaning reaction = {"reaction", "file", "reactions of the contacts in the file's own order and units"};
    const nb_meaning velocity = {"velocity", "file", "velocities of the contacts in the file's own order and units"};
    if (!run->reaction) return NB_OK;
    NB_TRY(nb_h5_write_array(group, &reaction, H5T_NATIVE_DOUBLE, 1, dims, run->reaction));
    NB_TRY(nb_h5_write_array(group, &velocity, H5T_NATIVE_DOUBLE, 1, dims, run->velocity));
out:
    return status;
}

static nb_status write_final(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    const nb_snapshot *final = &run->final;
    const int32_t extents[] = {final->bodies, final->bilaterals, final->contacts};
    NB_TRY(nb_h5_create_group(run_group, "final", &group));
    NB_TRY(nb_h5_write_integer(group, "step_count", H5T_NATIVE_INT32, &final->step_count));
    NB_TRY(nb_h5_write_real(group, "time", final->time));
    NB_TRY(nb_h5_write_real(group, "time_step", final->time_step));
    NB_TRY(nb_h5_write_real(group, "error", final->error));
    for (int i = 0; final->q && i < nb_final_array_count; i++) {
        const nb_final_array *a = &nb_final_arrays[i];
        hsize_t dims[3] = {(hsize_t)extents[a->extent], (hsize_t)a->width, (hsize_t)a->inner};
        int rank = a->inner > 0 ? 3 : a->width > 1 ? 2 : 1;
        void *data;
        memcpy(&data, (const char *) final + a->offset, sizeof data);
        nb_meaning meaning = {a->name, a->units, a->long_name};
        NB_TRY(nb_h5_write_array(group, &meaning, a->integer ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE, rank, dims, data));
    }
    NB_TRY(write_solution(group, run));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_states(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    hsize_t dims[3] = {(hsize_t)run->frame_count, (hsize_t)run->info.bodies, 7};
    const nb_meaning time = {"time", "s", "time of each frame"};
    const nb_meaning q = {"q", "m, 1", "centre of mass and quaternion w x y z of each body in each frame"};
    if (run->frame_count == 0) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "states", &group));
    NB_TRY(nb_h5_write_array(group, &time, H5T_NATIVE_DOUBLE, 1, dims, run->frame_time));
    NB_TRY(nb_h5_write_array(group, &q, H5T_NATIVE_DOUBLE, 3, dims, run->frames));
    NB_TRY(nb_h5_attach_scale(group, "q", "time", 0));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_matrix(hid_t parent, const char *name, const nb_stored_matrix *matrix) {
    nb_status status;
    hid_t group = -1;
    hsize_t rows[1] = {(hsize_t)matrix->rows + 1}, nonzeros[1] = {(hsize_t)matrix->nonzeros};
    const nb_meaning start = {"start", "1", "row i is start[i] .. start[i + 1] - 1"};
    const nb_meaning column = {"column", "1", "column of each entry"}, value = {"value", "SI", "entries"};
    if (!matrix->start) return NB_OK;
    NB_TRY(nb_h5_create_group(parent, name, &group));
    NB_TRY(nb_h5_write_integer(group, "rows", H5T_NATIVE_INT64, &matrix->rows));
    NB_TRY(nb_h5_write_integer(group, "columns", H5T_NATIVE_INT64, &matrix->columns));
    NB_TRY(nb_h5_write_array(group, &start, H5T_NATIVE_INT64, 1, rows, matrix->start));
    NB_TRY(nb_h5_write_array(group, &column, H5T_NATIVE_INT32, 1, nonzeros, matrix->column));
    NB_TRY(nb_h5_write_array(group, &value, H5T_NATIVE_DOUBLE, 1, nonzeros, matrix->value));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_system(hid_t parent, const nb_stored_system *system) {
    nb_status status;
    hid_t group = -1;
    char name[32];
    hsize_t rows[1] = {(hsize_t)system->rows}, velocities[1] = {(hsize_t)system->velocities};
    const nb_meaning b = {"b", "m/s", "right-hand side"}, g = {"g", "N s", "momentum residual"},
                     h = {"h", "m/s", "residual of the weighted rows: b = S J H^-1 g - h"},
                     weights = {"s", "1", "row weights S"};
    snprintf(name, sizeof name, "%04d_%03d", (int)system->step, (int)system->newton);
    NB_TRY(nb_h5_create_group(parent, name, &group));
    NB_TRY(write_matrix(group, "A", &system->a));
    NB_TRY(write_matrix(group, "H", &system->h));
    NB_TRY(write_matrix(group, "J", &system->j));
    NB_TRY(write_matrix(group, "C", &system->c));
    NB_TRY(nb_h5_write_array(group, &b, H5T_NATIVE_DOUBLE, 1, rows, system->b));
    NB_TRY(nb_h5_write_array(group, &weights, H5T_NATIVE_DOUBLE, 1, rows, system->s));
    if (system->g) NB_TRY(nb_h5_write_array(group, &g, H5T_NATIVE_DOUBLE, 1, velocities, system->g));
    if (system->residual_h) NB_TRY(nb_h5_write_array(group, &h, H5T_NATIVE_DOUBLE, 1, rows, system->residual_h));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_systems(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    if (run->system_count == 0) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "systems", &group));
    for (int32_t i = 0; i < run->system_count; i++) NB_TRY(write_system(group, &run->systems[i]));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

/* checks/: one attribute set a check would hide them; columns with fixed-length names are easy to read */
static nb_status write_checks(hid_t run_group, const nb_checks *checks) {
    nb_status status;
    hid_t group = -1;
    double column[NB_CHECK_MAX];
    hsize_t dims[1] = {(hsize_t)checks->count};
    NB_TRY(nb_h5_create_group(run_group, "checks", &group));
    for (int c = 0; c < 4; c++) {
        static const nb_meaning meanings[4] = {{"expected", "see units", "known value"},
                                               {"actual", "see units", "value found"},
                                               {"tolerance", "see units", "difference allowed"},
                                               {"passed", "1", "1 where the check holds"}};
        for (int i = 0; i < checks->count; i++) {
            const nb_check *check = &checks->items[i];
            column[i] = c == 0 ? check->expected : c == 1 ? check->actual : c == 2 ? check->tolerance : check->passed;
        }
        NB_TRY(nb_h5_write_array(group, &meanings[c], H5T_NATIVE_DOUBLE, 1, dims, column));
    }
    for (int i = 0; i < checks->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "name_%02d", i);
        NB_TRY(nb_h5_write_text(group, name, checks->items[i].name));
        snprintf(name, sizeof name, "units_%02d", i);
        NB_TRY(nb_h5_write_text(group, name, checks->items[i].units));
    }
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_parts(hid_t group, const nb_run *run) {
    nb_status status;
    int32_t finished = run->finished;
    NB_TRY(write_fields(group, nb_info_fields, nb_info_field_count, &run->info));
    NB_TRY(nb_h5_write_text(group, "parameters", run->info.parameters ? run->info.parameters : "{}"));
    NB_TRY(nb_h5_write_integer(group, "finished", H5T_NATIVE_INT32, &finished));
    NB_TRY(write_steps(group, run));
    NB_TRY(write_newton(group, run));
    NB_TRY(write_linear(group, run));
    NB_TRY(write_repeats(group, run));
    NB_TRY(write_final(group, run));
    NB_TRY(write_states(group, run));
    NB_TRY(write_systems(group, run));
    NB_TRY(write_checks(group, &run->checks));
out:
    return status;
}

/* gives back what was reserved and not needed */
static nb_status return_space(const nb_record *record) {
    hsize_t bytes;
    if (H5Fget_filesize(record->file, &bytes) < 0) return nb_h5_fault("cannot tell the size of the record");
    if (truncate(record->partial, (off_t)bytes) == 0) return NB_OK;
    return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", record->path, strerror(errno));
}

nb_status nb_record_write_run(nb_record *record, const nb_run *run) {
    nb_status status;
    char name[16];
    hid_t group = -1;
    snprintf(name, sizeof name, "%04d", record->run_count);
    NB_TRY(nb_space_reserve(record->partial, record->path, nb_space_of_run(run)));
    NB_TRY(nb_h5_create_group(record->runs, name, &group));
    NB_TRY(write_parts(group, run));
    if (H5Gclose(group) < 0 || H5Fflush(record->file, H5F_SCOPE_GLOBAL) < 0) {
        group = -1;
        NB_TRY(nb_h5_fault("cannot write the record"));
    }
    group = -1;
    NB_TRY(return_space(record));
    record->run_count++;
out:
    if (group >= 0) H5Gclose(group);
    if (status != NB_OK) H5Ldelete(record->runs, name, H5P_DEFAULT); /* earlier runs stay; half a run does not */
    return status;
}

int nb_record_count(const nb_record *record) {
    return record->run_count;
}

/* the file's content on the disk before its name: fsync, then rename */
static nb_status put_in_place(const nb_record *record) {
    int descriptor = open(record->partial, O_RDONLY | O_CLOEXEC);
    int failed = descriptor < 0 || fsync(descriptor) != 0;
    if (descriptor >= 0) close(descriptor);
    if (failed || rename(record->partial, record->path) != 0)
        return nb_fail(NB_ERROR_IO, "cannot write '%.300s': %s", record->path, strerror(errno));
    return NB_OK;
}

nb_status nb_record_close(nb_record *record, int keep) {
    nb_status status = NB_OK;
    if (!record) return NB_OK;
    H5Gclose(record->runs);
    record->runs = -1;
    if (H5Fclose(record->file) < 0 && keep) status = nb_h5_fault("cannot finish the record");
    record->file = -1;
    if (keep && status == NB_OK) status = put_in_place(record);
    release(record, keep && status != NB_OK); /* what could not be put in place stays beside it */
    return status;
}
