#include "record/timings.h"

#include <string.h>

#include "base/memory.h"
#include "record/h5.h"
#include "record/writer.h"

static const nb_meaning row_axis = {"row", "1", "row of the table, from 0"};
static const nb_meaning sample_axis = {"sample", "1", "sample, from 0"};
static const nb_meaning *const axes[2] = {&row_axis, &sample_axis};

static nb_meaning meaning_of(const nb_timing_column *column) {
    return (nb_meaning){column->name, column->units, column->long_name};
}

static hid_t type_of(const nb_timing_column *column) {
    return column->kind == NB_TIMING_INTEGER ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
}

/* members of `size` bytes between the rows and a packed column */
static void pack(const nb_timing *timings, int count, size_t offset, size_t size, void *packed) {
    for (int i = 0; i < count; i++) memcpy((char *)packed + (size_t)i * size, (const char *)&timings[i] + offset, size);
}

static void unpack(nb_timing *timings, int count, size_t offset, size_t size, const void *packed) {
    for (int i = 0; i < count; i++) memcpy((char *)&timings[i] + offset, (const char *)packed + (size_t)i * size, size);
}

/* ---- writing ---- */

/* packs one column and writes it with its axes */
static nb_status write_numbers(hid_t group, const nb_timing_column *column, int rank, const nb_timing *timings,
                               int count) {
    const hsize_t dims[2] = {(hsize_t)count, NB_TIMING_SAMPLES};
    nb_meaning meaning = meaning_of(column);
    size_t size = column->size * (rank == 2 ? NB_TIMING_SAMPLES : 1);
    char *packed;
    nb_status status = nb_allocate(count, size, &packed);
    if (status != NB_OK) return status;
    pack(timings, count, column->offset, size, packed);
    NB_TRY(nb_h5_write_array(group, &meaning, type_of(column), rank, dims, packed));
    NB_TRY(nb_attach_axes(group, meaning.name, rank, axes));
out:
    nb_free(packed);
    return status;
}

static nb_status write_texts(hid_t group, const nb_timing_column *column, const nb_timing *timings, int count) {
    nb_status status;
    nb_meaning meaning = meaning_of(column);
    const char *first = (const char *)timings + column->offset;
    NB_TRY(nb_h5_write_texts(group, &meaning, count, first, column->size, sizeof *timings));
    NB_TRY(nb_attach_axes(group, meaning.name, 1, axes));
out:
    return status;
}

nb_status nb_write_timings(hid_t group, const nb_timing *timings, int count) {
    nb_status status;
    NB_TRY(nb_write_axis(group, &row_axis, count));
    NB_TRY(nb_write_axis(group, &sample_axis, NB_TIMING_SAMPLES));
    for (int c = 0; c < nb_timing_column_count; c++) {
        const nb_timing_column *column = &nb_timing_columns[c];
        NB_TRY(column->kind == NB_TIMING_TEXT ? write_texts(group, column, timings, count)
                                              : write_numbers(group, column, 1, timings, count));
    }
    NB_TRY(write_numbers(group, &nb_timing_samples, 2, timings, count));
out:
    return status;
}

/* ---- reading ---- */

static nb_status read_numbers(hid_t group, const nb_timing_column *column, int rank, nb_timing *timings, int count) {
    const hsize_t dims[2] = {(hsize_t)count, NB_TIMING_SAMPLES};
    char *packed;
    nb_status status = nb_h5_read_array(group, column->name, type_of(column), column->size, rank, dims, &packed);
    if (status != NB_OK) return status;
    unpack(timings, count, column->offset, column->size * (rank == 2 ? NB_TIMING_SAMPLES : 1), packed);
    nb_free(packed);
    return NB_OK;
}

static nb_status read_texts(hid_t group, const nb_timing_column *column, nb_timing *timings, int count) {
    return nb_h5_read_texts(group, column->name, count, (char *)timings + column->offset, column->size,
                            sizeof *timings);
}

nb_status nb_read_timings(hid_t group, nb_timing **timings, int *count) {
    nb_status status;
    hsize_t dims[1];
    nb_timing *rows = NULL;
    NB_TRY(nb_h5_dimensions(group, "contacts", 1, dims));
    if (dims[0] < 1 || dims[0] > NB_TIMING_MOST_ROWS)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "%llu timings where 1 to %d belong", (unsigned long long)dims[0],
                       NB_TIMING_MOST_ROWS));
    int rows_count = (int)dims[0];
    NB_TRY(NB_ALLOCATE(rows_count, &rows));
    for (int c = 0; c < nb_timing_column_count; c++) {
        const nb_timing_column *column = &nb_timing_columns[c];
        NB_TRY(column->kind == NB_TIMING_TEXT ? read_texts(group, column, rows, rows_count)
                                              : read_numbers(group, column, 1, rows, rows_count));
    }
    NB_TRY(read_numbers(group, &nb_timing_samples, 2, rows, rows_count));
    NB_TRY(nb_timings_check(rows, rows_count));
    *timings = rows;
    *count = rows_count;
    rows = NULL;
out:
    nb_free(rows);
    return status;
}
