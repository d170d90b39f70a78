#include "record/writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/stream.h"
#include "reason.h"
#include "record/batches.h"
#include "record/h5.h"
#include "record/reference_group.h"
#include "record/write_states.h"

nb_status nb_write_fields(hid_t object, const nb_field *fields, int count, const void *from) {
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

nb_status nb_write_texts_checksum(hid_t object, uint64_t checksum) {
    return nb_h5_write_integer(object, "texts_checksum", H5T_NATIVE_UINT64, &checksum);
}

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

nb_status nb_write_axis(hid_t group, const nb_meaning *meaning, int64_t count) {
    int32_t *axis;
    nb_status status = NB_ALLOCATE(count, &axis);
    if (status != NB_OK) return status;
    for (int64_t i = 0; i < count; i++) axis[i] = (int32_t)i;
    hsize_t dims[1] = {(hsize_t)count};
    status = nb_h5_write_array(group, meaning, H5T_NATIVE_INT32, 1, dims, axis);
    nb_free(axis);
    return status;
}

static const nb_meaning step_axis = {"step", "1", "recorded time step, from 0"};
static const nb_meaning newton_axis = {"newton", "1", "Newton iteration of the step, from 0"};
static const nb_meaning iteration_axis = {"iteration", "1", "linear iteration, 0 is the start"};
static const nb_meaning repeat_axis = {"repeat", "1", "timed repetition, from 0"};
static const nb_meaning *const row_axes[3] = {&step_axis, &newton_axis, &iteration_axis};

nb_status nb_attach_axes(hid_t group, const char *name, int rank, const nb_meaning *const axes[]) {
    nb_status status = NB_OK;
    for (int i = 0; i < rank; i++) NB_TRY(nb_h5_attach_scale(group, name, axes[i]->name, (unsigned)i));
out:
    return status;
}

/* the axes of all columns, each of `rank` axes, and of `count` where there is one, which lacks the last */
static nb_status attach_row_axes(hid_t group, int rank, int has_count, const nb_column *columns, int column_count) {
    enum {
        MOST = 1 + NB_STEP_COLUMNS + NB_NEWTON_COLUMNS
    };
    const char *names[NB_HDF5_MAX_RANK];
    nb_h5_scaled datasets[MOST];
    int count = 0;
    for (int i = 0; i < rank; i++) names[i] = row_axes[i]->name;
    if (has_count) datasets[count++] = (nb_h5_scaled){"count", rank - 1};
    for (int c = 0; c < column_count; c++) datasets[count++] = (nb_h5_scaled){columns[c].name, rank};
    return nb_h5_attach_scales(group, rank, names, count, datasets);
}

static nb_status write_steps(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    double *column = NULL;
    hsize_t dims[1] = {(hsize_t)run->step_count};
    NB_TRY(nb_h5_create_group(run_group, "steps", &group));
    NB_TRY(nb_write_axis(group, &step_axis, run->step_count));
    NB_TRY(NB_ALLOCATE(run->step_count, &column));
    for (int c = 0; c < NB_STEP_COLUMNS; c++) {
        nb_meaning meaning = meaning_of(&nb_step_columns[c]);
        for (int32_t s = 0; s < run->step_count; s++) column[s] = run->steps[(int64_t)s * NB_STEP_COLUMNS + c];
        NB_TRY(nb_h5_write_array(group, &meaning, H5T_NATIVE_DOUBLE, 1, dims, column));
    }
    NB_TRY(attach_row_axes(group, 1, 0, nb_step_columns, NB_STEP_COLUMNS));
    NB_TRY(write_legend(group, "reason"));
out:
    nb_free(column);
    if (group >= 0) H5Gclose(group);
    return status;
}

/* one column of ragged rows, to be padded with NaN */
typedef struct ragged {
    const nb_run *run;
    int64_t wide, most; /* Newton rows of a step, linear rows of a Newton row: at most */
    int column;
} ragged;

static void fill_nan(double *x, int64_t count) {
    for (int64_t i = 0; i < count; i++) x[i] = NAN;
}

/* [step, newton] */
static void pack_newton(const void *context, int64_t first, int64_t count, void *data) {
    const ragged *r = context;
    double *to = data;
    fill_nan(to, count * r->wide);
    for (int64_t s = first; s < first + count; s++, to += r->wide)
        for (int64_t begin = r->run->newton_start[s], k = begin; k < r->run->newton_start[s + 1]; k++)
            to[k - begin] = r->run->newton[k * NB_NEWTON_COLUMNS + r->column];
    nb_run_rest(r->run);
}

/* [step, newton] how many linear rows there are */
static void pack_linear_counts(const void *context, int64_t first, int64_t count, void *data) {
    const ragged *r = context;
    int64_t *to = data;
    memset(to, 0, (size_t)(count * r->wide) * sizeof *to);
    for (int64_t s = first; s < first + count; s++, to += r->wide)
        for (int64_t begin = r->run->newton_start[s], k = begin; k < r->run->newton_start[s + 1]; k++)
            to[k - begin] = r->run->linear_start[k + 1] - r->run->linear_start[k];
    nb_run_rest(r->run);
}

/* [step, newton, iteration] */
static void pack_linear(const void *context, int64_t first, int64_t count, void *data) {
    const ragged *r = context;
    double *to = data;
    fill_nan(to, count * r->wide * r->most);
    for (int64_t s = first; s < first + count; s++, to += r->wide * r->most)
        for (int64_t begin = r->run->newton_start[s], k = begin; k < r->run->newton_start[s + 1]; k++)
            for (int64_t start = r->run->linear_start[k], i = start; i < r->run->linear_start[k + 1]; i++)
                to[(k - begin) * r->most + i - start] = r->run->linear[i * NB_LINEAR_COLUMNS + r->column];
    nb_run_rest(r->run);
}

/* newton/: [step, newton], ragged rows padded with NaN; count [step] holds their true lengths */
static nb_status write_newton(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    int64_t *counts = NULL;
    ragged r = {.run = run, .wide = nb_run_most_newton(run)};
    hsize_t dims[2] = {(hsize_t)run->step_count, (hsize_t)r.wide};
    NB_TRY(nb_h5_create_group(run_group, "newton", &group));
    NB_TRY(nb_write_axis(group, &step_axis, run->step_count));
    NB_TRY(nb_write_axis(group, &newton_axis, r.wide));
    NB_TRY(NB_ALLOCATE(run->step_count, &counts));
    for (int32_t s = 0; s < run->step_count; s++) counts[s] = run->newton_start[s + 1] - run->newton_start[s];
    nb_meaning meaning = {"count", "1", "rows of the step: its Newton iterations and the state after the last"};
    NB_TRY(nb_h5_write_array(group, &meaning, H5T_NATIVE_INT64, 1, dims, counts));
    for (r.column = 0; r.column < NB_NEWTON_COLUMNS; r.column++) {
        meaning = meaning_of(&nb_newton_columns[r.column]);
        NB_TRY(nb_h5_write_rows(group, &meaning, H5T_NATIVE_DOUBLE, 2, dims, pack_newton, &r));
    }
    NB_TRY(attach_row_axes(group, 2, 1, nb_newton_columns, NB_NEWTON_COLUMNS));
    NB_TRY(write_legend(group, "linear_reason"));
out:
    nb_free(counts);
    if (group >= 0) H5Gclose(group);
    return status;
}

/* linear/: [step, newton, iteration], ragged rows padded with NaN; count [step, newton] */
static nb_status write_linear(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    ragged r = {.run = run, .wide = nb_run_most_newton(run), .most = nb_run_most_linear(run)};
    hsize_t dims[3] = {(hsize_t)run->step_count, (hsize_t)r.wide, (hsize_t)r.most};
    if (r.most == 0) return NB_OK; /* no history was kept */
    NB_TRY(nb_h5_create_group(run_group, "linear", &group));
    NB_TRY(nb_write_axis(group, &step_axis, run->step_count));
    NB_TRY(nb_write_axis(group, &newton_axis, r.wide));
    NB_TRY(nb_write_axis(group, &iteration_axis, r.most));
    nb_meaning meaning = {"count", "1", "rows of the Newton iteration: its linear iterations and the start"};
    NB_TRY(nb_h5_write_rows(group, &meaning, H5T_NATIVE_INT64, 2, dims, pack_linear_counts, &r));
    for (r.column = 0; r.column < NB_LINEAR_COLUMNS; r.column++) {
        meaning = meaning_of(&nb_linear_columns[r.column]);
        NB_TRY(nb_h5_write_rows(group, &meaning, H5T_NATIVE_DOUBLE, 3, dims, pack_linear, &r));
    }
    NB_TRY(attach_row_axes(group, 3, 1, nb_linear_columns, NB_LINEAR_COLUMNS));
out:
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
    static const nb_meaning *const axes[2] = {&repeat_axis, &step_axis};
    if (run->repeat_count == 0) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "repeats", &group));
    NB_TRY(nb_write_axis(group, &repeat_axis, run->repeat_count));
    NB_TRY(nb_write_axis(group, &step_axis, run->step_count));
    for (int i = 0; i < 4; i++) {
        NB_TRY(nb_h5_write_array(group, &meanings[i], H5T_NATIVE_DOUBLE, 2, dims, arrays[i]));
        NB_TRY(nb_attach_axes(group, meanings[i].name, 2, axes));
    }
    NB_TRY(nb_h5_write_array(group, &order, H5T_NATIVE_DOUBLE, 1, dims, run->repeat_order));
    NB_TRY(nb_attach_axes(group, order.name, 1, axes));
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

nb_status nb_write_snapshot(hid_t group, const nb_snapshot *snapshot) {
    nb_status status = NB_OK;
    const int32_t extents[] = {snapshot->bodies, snapshot->bilaterals, snapshot->contacts};
    for (int i = 0; snapshot->q && i < nb_final_array_count; i++) {
        const nb_final_array *a = &nb_final_arrays[i];
        hsize_t dims[3] = {(hsize_t)extents[a->extent], (hsize_t)a->width, (hsize_t)a->inner};
        int rank = a->inner > 0 ? 3 : a->width > 1 ? 2 : 1;
        void *data;
        memcpy(&data, (const char *)snapshot + a->offset, sizeof data);
        nb_meaning meaning = {a->name, a->units, a->long_name};
        NB_TRY(nb_h5_write_array(group, &meaning, a->integer ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE, rank, dims, data));
    }
out:
    return status;
}

static nb_status write_final(hid_t run_group, const nb_run *run) {
    nb_status status;
    hid_t group = -1;
    const nb_snapshot *final = &run->final;
    NB_TRY(nb_h5_create_group(run_group, "final", &group));
    NB_TRY(nb_h5_write_integer(group, "step_count", H5T_NATIVE_INT32, &final->step_count));
    NB_TRY(nb_h5_write_real(group, "time", final->time));
    NB_TRY(nb_h5_write_real(group, "time_step", final->time_step));
    NB_TRY(nb_h5_write_real(group, "error", final->error));
    NB_TRY(nb_write_snapshot(group, final));
    NB_TRY(write_solution(group, run));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status write_matrix(hid_t parent, const nb_meaning *entries, const nb_stored_matrix *matrix) {
    nb_status status;
    hid_t group = -1;
    hsize_t rows[1] = {(hsize_t)matrix->rows + 1}, nonzeros[1] = {(hsize_t)matrix->nonzeros};
    const nb_meaning start = {"start", "1", "row i is start[i] .. start[i + 1] - 1"};
    const nb_meaning column = {"column", "1", "column of each entry"};
    const nb_meaning value = {"value", entries->units, entries->long_name};
    if (!matrix->start) return NB_OK;
    NB_TRY(nb_h5_create_group(parent, entries->name, &group));
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
    const nb_meaning a = {"A", "1/kg", "entries of A = S J H^-1 J^T S + C + K"},
                     c = {"C", "1/kg", "entries of C, the regularisation included"},
                     k = {"K", "1/kg", "entries of K, block diagonal and perhaps not symmetric"},
                     mass = {"H", "kg, kg m^2", "entries of H, the mass matrix"},
                     jacobian = {"J", "1, m", "entries of J, the rows' Jacobian"},
                     weights = {"s", "1", "row weights S"}, b = {"b", "m/s", "right-hand side"},
                     g = {"g", "N s, N m s", "momentum residual"},
                     h = {"h", "m/s", "residual of the weighted rows: b = S J H^-1 g - h"};
    snprintf(name, sizeof name, "%04d_%03d", (int)system->step, (int)system->newton);
    NB_TRY(nb_h5_create_group(parent, name, &group));
    NB_TRY(write_matrix(group, &a, &system->a));
    NB_TRY(write_matrix(group, &mass, &system->h));
    NB_TRY(write_matrix(group, &jacobian, &system->j));
    NB_TRY(write_matrix(group, &c, &system->c));
    NB_TRY(write_matrix(group, &k, &system->k));
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

/* a text that most runs do not have, and its part of the checksum */
static nb_status write_optional_text(hid_t group, const char *name, const char *text, uint64_t *checksum) {
    if (!*text) return NB_OK;
    *checksum = nb_text_checksum(*checksum, text);
    return nb_h5_write_text(group, name, text);
}

static nb_status write_info(hid_t group, const nb_run *run) {
    nb_status status;
    const nb_run_info *info = &run->info;
    const char *parameters = info->parameters ? info->parameters : "{}";
    uint64_t checksum = nb_text_checksum(NB_CHECKSUM_OF_NOTHING, parameters);
    checksum = nb_fields_checksum(checksum, nb_info_fields, nb_info_field_count, info);
    NB_TRY(nb_write_fields(group, nb_info_fields, nb_info_field_count, info));
    NB_TRY(nb_h5_write_text(group, "parameters", parameters));
    NB_TRY(write_optional_text(group, "fault", run->fault, &checksum));
    NB_TRY(write_optional_text(group, "method_words", run->words, &checksum));
    NB_TRY(nb_write_texts_checksum(group, checksum));
out:
    return status;
}

nb_status nb_write_run(hid_t group, const nb_run *run) {
    nb_status status;
    int32_t finished = run->finished;
    double start = nb_clock_seconds();
    nb_run_usage usage = run->usage;
    NB_TRY(write_info(group, run));
    NB_TRY(nb_h5_write_integer(group, "finished", H5T_NATIVE_INT32, &finished));
    NB_TRY(write_steps(group, run));
    NB_TRY(write_newton(group, run));
    NB_TRY(write_linear(group, run));
    NB_TRY(write_repeats(group, run));
    NB_TRY(write_final(group, run));
    NB_TRY(nb_write_reference(group, &run->reference));
    NB_TRY(nb_write_states(group, run));
    NB_TRY(write_systems(group, run));
    NB_TRY(nb_write_checks(group, &run->checks));
    NB_TRY(nb_write_batch(group, run));
    usage.record_s += nb_clock_seconds() - start;
    NB_TRY(nb_write_fields(group, nb_usage_fields, nb_usage_field_count, &usage));
out:
    return status;
}
