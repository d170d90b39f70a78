#include "record/batches.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "record/h5.h"
#include "record/writer.h"

/* ---- checks ---- */

nb_status nb_write_checks(hid_t parent, const nb_checks *checks) {
    nb_status status;
    hid_t group = -1;
    double numbers[3][NB_CHECK_MAX];
    int32_t passed[NB_CHECK_MAX];
    hsize_t dims[1] = {(hsize_t)checks->count};
    static const nb_meaning name = {"name", "1", "what is held against a known value"},
                            units = {"units", "1", "units of the values and the tolerance"},
                            whether = {"passed", "1", "1 where the check holds"},
                            meanings[3] = {{"expected", "see units", "known value"},
                                           {"actual", "see units", "value found"},
                                           {"tolerance", "see units", "difference allowed"}};
    for (int i = 0; i < checks->count; i++) {
        const nb_check *check = &checks->items[i];
        numbers[0][i] = check->expected;
        numbers[1][i] = check->actual;
        numbers[2][i] = check->tolerance;
        passed[i] = check->passed;
    }
    NB_TRY(nb_h5_create_group(parent, "checks", &group));
    NB_TRY(nb_h5_write_texts(group, &name, checks->count, checks->items[0].name, sizeof checks->items[0].name,
                             sizeof checks->items[0]));
    NB_TRY(nb_h5_write_texts(group, &units, checks->count, checks->items[0].units, sizeof checks->items[0].units,
                             sizeof checks->items[0]));
    for (int c = 0; c < 3; c++) NB_TRY(nb_h5_write_array(group, &meanings[c], H5T_NATIVE_DOUBLE, 1, dims, numbers[c]));
    NB_TRY(nb_h5_write_array(group, &whether, H5T_NATIVE_INT32, 1, dims, passed));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

nb_status nb_read_checks(hid_t parent, nb_checks *checks) {
    nb_status status;
    static const char *const names[3] = {"expected", "actual", "tolerance"};
    double *numbers[3] = {NULL};
    int32_t *passed = NULL;
    hsize_t dims[1];
    hid_t group = nb_h5_has(parent, "checks") ? H5Gopen2(parent, "checks", H5P_DEFAULT) : -1;
    if (group < 0) return nb_fail(NB_ERROR_INPUT, "the group 'checks' is missing");
    NB_TRY(nb_h5_dimensions(group, "passed", 1, dims));
    if (dims[0] > NB_CHECK_MAX) NB_TRY(nb_fail(NB_ERROR_INPUT, "more than %d checks", NB_CHECK_MAX));
    for (int c = 0; c < 3; c++)
        NB_TRY(nb_h5_read_array(group, names[c], H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, &numbers[c]));
    NB_TRY(nb_h5_read_array(group, "passed", H5T_NATIVE_INT32, sizeof *passed, 1, dims, &passed));
    nb_check *items = checks->items;
    int count = (int)dims[0];
    NB_TRY(nb_h5_read_texts(group, "name", count, items->name, sizeof items->name, sizeof *items));
    NB_TRY(nb_h5_read_texts(group, "units", count, items->units, sizeof items->units, sizeof *items));
    for (int i = 0; i < count; i++) {
        items[i].expected = numbers[0][i];
        items[i].actual = numbers[1][i];
        items[i].tolerance = numbers[2][i];
        items[i].passed = passed[i] == 1;
    }
    checks->count = count;
out:
    for (int c = 0; c < 3; c++) nb_free(numbers[c]);
    nb_free(passed);
    H5Gclose(group);
    return status;
}

/* ---- the batch ---- */

static const nb_meaning scene_axis = {"scene", "1", "copy of the scene; 0 is the scene itself"};
static const nb_meaning step_axis = {"step", "1", "recorded time step, from 0"};
static const nb_meaning pass_axis = {"pass", "1", "0: the recorded pass; from 1 on the timed repetitions"};
static const nb_meaning *const row_axes[2] = {&scene_axis, &step_axis};
static const nb_meaning *const pass_axes[1] = {&pass_axis};
static const nb_meaning penetration = {"max_penetration", "m", "deepest penetration of each copy at the end"};
static const nb_meaning failed = {"failed_checks", "1", "how many of a copy's checks fail"};
static const nb_meaning passes = {"pass_s", "s", "wall time in which all copies were made"};
static const nb_meaning device_times[2] = {
    {"device_work_s", "s", "of pass_s, time of the device's kernels; NaN on this processor"},
    {"device_transfer_s", "s", "of pass_s, time of copies to the device and back; NaN on this processor"}};
static const nb_meaning fault_scene = {"fault_scene", "1", "copies that did not come to their end"};
static const nb_meaning fault_step = {"fault_step", "1", "the step that each of them failed in; it has no row"};
static const nb_meaning fault_text = {"fault", "1", "why"};
static const nb_meaning worst_scene = {"worst_scene", "1",
                                       "the copy that each check is shown of: the one farthest off"};
static const nb_meaning failed_scenes = {"failed_scenes", "1", "copies in which each check fails"};

/* one column of the rows */
typedef struct column {
    const nb_batch *batch;
    int index;
} column;

static void pack_column(const void *context, int64_t first, int64_t count, void *data) {
    const column *c = context;
    const double *rows = c->batch->rows + first * c->batch->steps * NB_BATCH_COLUMNS + c->index;
    for (int64_t i = 0; i < count * c->batch->steps; i++) ((double *)data)[i] = rows[i * NB_BATCH_COLUMNS];
}

static nb_status write_rows(hid_t group, const nb_batch *batch) {
    nb_status status = NB_OK;
    const hsize_t dims[2] = {(hsize_t)batch->scenes, (hsize_t)batch->steps};
    for (column c = {batch, 0}; c.index < NB_BATCH_COLUMNS; c.index++) {
        const nb_column *of_step = &nb_step_columns[nb_batch_step_column[c.index]];
        const nb_meaning meaning = {of_step->name, of_step->units, of_step->long_name};
        NB_TRY(nb_h5_write_rows(group, &meaning, H5T_NATIVE_DOUBLE, 2, dims, pack_column, &c));
        NB_TRY(nb_attach_axes(group, meaning.name, 2, row_axes));
    }
out:
    return status;
}

/* of a batch that has faults alone */
static nb_status write_faults(hid_t group, const nb_batch *batch) {
    nb_status status;
    const hsize_t dims[1] = {(hsize_t)batch->fault_count};
    int32_t *numbers = NULL, count = batch->fault_count;
    if (count == 0) return NB_OK;
    NB_TRY(NB_ALLOCATE(count, &numbers));
    for (int32_t i = 0; i < count; i++) numbers[i] = batch->faults[i].scene;
    NB_TRY(nb_h5_write_array(group, &fault_scene, H5T_NATIVE_INT32, 1, dims, numbers));
    for (int32_t i = 0; i < count; i++) numbers[i] = batch->faults[i].step;
    NB_TRY(nb_h5_write_array(group, &fault_step, H5T_NATIVE_INT32, 1, dims, numbers));
    NB_TRY(nb_h5_write_texts(group, &fault_text, count, batch->faults->text, sizeof batch->faults->text,
                             sizeof *batch->faults));
out:
    nb_free(numbers);
    return status;
}

static nb_status write_passes(hid_t group, const nb_batch *batch) {
    nb_status status = NB_OK;
    const hsize_t dims[1] = {(hsize_t)batch->pass_count};
    const nb_meaning *const meanings[3] = {&passes, &device_times[0], &device_times[1]};
    const double *const times[3] = {batch->pass_s, batch->device_work_s, batch->device_transfer_s};
    for (int i = 0; i < 3; i++) {
        NB_TRY(nb_h5_write_array(group, meanings[i], H5T_NATIVE_DOUBLE, 1, dims, times[i]));
        NB_TRY(nb_attach_axes(group, meanings[i]->name, 1, pass_axes));
    }
out:
    return status;
}

nb_status nb_write_batch(hid_t run_group, const nb_run *run) {
    nb_status status;
    const nb_batch *batch = &run->batch;
    const hsize_t scenes[1] = {(hsize_t)batch->scenes};
    const hsize_t checks[1] = {(hsize_t)batch->worst.count};
    hid_t group = -1;
    if (batch->scenes == 0) return NB_OK;
    NB_TRY(nb_h5_create_group(run_group, "batch", &group));
    NB_TRY(nb_write_axis(group, &scene_axis, batch->scenes));
    NB_TRY(nb_write_axis(group, &step_axis, batch->steps));
    NB_TRY(nb_write_axis(group, &pass_axis, batch->pass_count));
    NB_TRY(write_rows(group, batch));
    NB_TRY(nb_h5_write_array(group, &penetration, H5T_NATIVE_DOUBLE, 1, scenes, batch->max_penetration));
    NB_TRY(nb_attach_axes(group, penetration.name, 1, row_axes));
    NB_TRY(nb_h5_write_array(group, &failed, H5T_NATIVE_INT32, 1, scenes, batch->failed_checks));
    NB_TRY(nb_attach_axes(group, failed.name, 1, row_axes));
    NB_TRY(write_passes(group, batch));
    NB_TRY(write_faults(group, batch));
    NB_TRY(nb_write_checks(group, &batch->worst));
    NB_TRY(nb_h5_write_array(group, &worst_scene, H5T_NATIVE_INT32, 1, checks, batch->worst_scene));
    NB_TRY(nb_h5_write_array(group, &failed_scenes, H5T_NATIVE_INT32, 1, checks, batch->failed_scenes));
out:
    if (group >= 0) H5Gclose(group);
    return status;
}

static nb_status read_rows(hid_t group, nb_batch *batch) {
    nb_status status = NB_OK;
    const hsize_t dims[2] = {(hsize_t)batch->scenes, (hsize_t)batch->steps};
    double *packed = NULL;
    for (int c = 0; c < NB_BATCH_COLUMNS; c++) {
        const char *name = nb_step_columns[nb_batch_step_column[c]].name;
        NB_TRY(nb_h5_read_array(group, name, H5T_NATIVE_DOUBLE, sizeof *packed, 2, dims, &packed));
        for (int64_t i = 0; i < (int64_t)batch->scenes * batch->steps; i++)
            batch->rows[i * NB_BATCH_COLUMNS + c] = packed[i];
        nb_free(packed);
        packed = NULL;
    }
out:
    return status;
}

/* an array of fixed length in the batch */
static nb_status read_into(hid_t group, const char *name, hid_t type, size_t size, hsize_t count, void *to) {
    const hsize_t dims[1] = {count};
    char *data;
    nb_status status = nb_h5_read_array(group, name, type, size, 1, dims, &data);
    if (status != NB_OK) return status;
    memcpy(to, data, (size_t)count * size);
    nb_free(data);
    return NB_OK;
}

static nb_status read_faults(hid_t group, nb_batch *batch) {
    nb_status status;
    hsize_t dims[1];
    int32_t *numbers = NULL;
    if (!nb_h5_has(group, fault_scene.name)) return NB_OK;
    NB_TRY(nb_h5_dimensions(group, fault_scene.name, 1, dims));
    if (dims[0] < 1 || dims[0] > (hsize_t)batch->scenes)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "faults of %llu copies of %d", (unsigned long long)dims[0], (int)batch->scenes));
    int32_t count = (int32_t)dims[0];
    NB_TRY(NB_ALLOCATE(count, &batch->faults));
    batch->fault_count = count;
    NB_TRY(nb_h5_read_array(group, fault_scene.name, H5T_NATIVE_INT32, sizeof *numbers, 1, dims, &numbers));
    for (int32_t i = 0; i < count; i++) batch->faults[i].scene = numbers[i];
    nb_free(numbers);
    numbers = NULL;
    NB_TRY(nb_h5_read_array(group, fault_step.name, H5T_NATIVE_INT32, sizeof *numbers, 1, dims, &numbers));
    for (int32_t i = 0; i < count; i++) batch->faults[i].step = numbers[i];
    NB_TRY(nb_h5_read_texts(group, fault_text.name, count, batch->faults->text, sizeof batch->faults->text,
                            sizeof *batch->faults));
out:
    nb_free(numbers);
    return status;
}

static nb_status read_parts(hid_t group, nb_batch *batch) {
    nb_status status;
    hsize_t scenes = (hsize_t)batch->scenes, dims[1];
    NB_TRY(read_rows(group, batch));
    NB_TRY(read_into(group, penetration.name, H5T_NATIVE_DOUBLE, sizeof(double), scenes, batch->max_penetration));
    NB_TRY(read_into(group, failed.name, H5T_NATIVE_INT32, sizeof(int32_t), scenes, batch->failed_checks));
    NB_TRY(nb_h5_dimensions(group, passes.name, 1, dims));
    NB_TRY(nb_h5_read_array(group, passes.name, H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, &batch->pass_s));
    batch->pass_count = (int32_t)dims[0];
    double **times[2] = {&batch->device_work_s, &batch->device_transfer_s};
    for (int i = 0; i < 2; i++)
        NB_TRY(nb_h5_read_array(group, device_times[i].name, H5T_NATIVE_DOUBLE, sizeof(double), 1, dims, times[i]));
    NB_TRY(read_faults(group, batch));
    NB_TRY(nb_read_checks(group, &batch->worst));
    hsize_t checks = (hsize_t)batch->worst.count;
    NB_TRY(read_into(group, worst_scene.name, H5T_NATIVE_INT32, sizeof(int32_t), checks, batch->worst_scene));
    NB_TRY(read_into(group, failed_scenes.name, H5T_NATIVE_INT32, sizeof(int32_t), checks, batch->failed_scenes));
out:
    return status;
}

nb_status nb_read_batch(hid_t run_group, nb_run *run) {
    nb_status status;
    hsize_t dims[2];
    if (!nb_h5_has(run_group, "batch")) return NB_OK;
    hid_t group = H5Gopen2(run_group, "batch", H5P_DEFAULT);
    if (group < 0) return nb_fail(NB_ERROR_INPUT, "group 'batch' cannot be read: the file is damaged");
    NB_TRY(nb_h5_dimensions(group, nb_step_columns[nb_batch_step_column[0]].name, 2, dims));
    NB_TRY(nb_batch_allocate(&run->batch, (int32_t)dims[0], (int32_t)dims[1]));
    NB_TRY(read_parts(group, &run->batch));
out:
    H5Gclose(group);
    return status;
}
