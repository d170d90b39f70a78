#include "timings.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "h5.h"
#include "writer.h"

enum {
    MOST_ROWS = 100000
};

/* one column of the table and its member in nb_timing */
typedef struct column {
    nb_meaning meaning;
    size_t offset, size; /* size: of a text */
} column;

#define TEXT_COLUMN(member, long_name) \
    { {#member, "1", long_name}, offsetof(nb_timing, member), sizeof(((nb_timing *)0)->member) }

static const column texts[] = {
    TEXT_COLUMN(kernel, "what was timed; 'newton:...' is a share of 'newton'"),
    TEXT_COLUMN(precision, "f32 or f64"),
    TEXT_COLUMN(order, "how the world lists its bodies: built or shuffled"),
};
static const column integers[] = {
    {{"contacts", "1", "contacts of the scene"}, offsetof(nb_timing, contacts), 0},
    {{"threads", "1", "threads"}, offsetof(nb_timing, threads), 0},
    {{"count", "1", "samples taken"}, offsetof(nb_timing, sample_count), 0},
};
static const column numbers[] = {
    {{"median", "ns", "median of the samples, a contact"}, offsetof(nb_timing, median), 0},
    {{"least", "ns", "least sample, a contact"}, offsetof(nb_timing, least), 0},
    {{"most", "ns", "largest sample, a contact"}, offsetof(nb_timing, most), 0},
    {{"triad", "GB/s", "memory bandwidth of a triad over as much memory"}, offsetof(nb_timing, triad), 0},
    {{"bytes", "B", "memory moved, a contact and application; NaN where none is stated"},
     offsetof(nb_timing, bytes),
     0},
    {{"fraction", "1", "bytes over median, over the triad's bandwidth"}, offsetof(nb_timing, fraction), 0},
};
static const nb_meaning samples = {"samples", "ns", "every sample in the order taken, a contact; NaN from count on"};
static const nb_meaning row_axis = {"row", "1", "row of the table, from 0"};
static const nb_meaning sample_axis = {"sample", "1", "sample, from 0"};
static const nb_meaning *const axes[2] = {&row_axis, &sample_axis};

enum {
    TEXTS = sizeof texts / sizeof *texts,
    INTEGERS = sizeof integers / sizeof *integers,
    NUMBERS = sizeof numbers / sizeof *numbers
};

/* members of `size` bytes between the rows and a packed column */
static void pack(const nb_timing *timings, int count, size_t offset, size_t size, void *packed) {
    for (int i = 0; i < count; i++) memcpy((char *)packed + (size_t)i * size, (const char *)&timings[i] + offset, size);
}

static void unpack(nb_timing *timings, int count, size_t offset, size_t size, const void *packed) {
    for (int i = 0; i < count; i++) memcpy((char *)&timings[i] + offset, (const char *)packed + (size_t)i * size, size);
}

/* ---- writing ---- */

/* packs one column and writes it with its axes */
static nb_status write_column(hid_t group, const nb_meaning *meaning, hid_t type, int rank, size_t offset,
                              const nb_timing *timings, int count) {
    const hsize_t dims[2] = {(hsize_t)count, NB_TIMING_SAMPLES};
    size_t size = H5Tget_size(type) * (rank == 2 ? NB_TIMING_SAMPLES : 1);
    char *packed;
    nb_status status = nb_allocate(count, size, &packed);
    if (status != NB_OK) return status;
    pack(timings, count, offset, size, packed);
    NB_TRY(nb_h5_write_array(group, meaning, type, rank, dims, packed));
    NB_TRY(nb_attach_axes(group, meaning->name, rank, axes));
out:
    nb_free(packed);
    return status;
}

nb_status nb_write_timings(hid_t group, const nb_timing *timings, int count) {
    nb_status status;
    NB_TRY(nb_write_axis(group, &row_axis, count));
    NB_TRY(nb_write_axis(group, &sample_axis, NB_TIMING_SAMPLES));
    for (int c = 0; c < TEXTS; c++) {
        const char *first = (const char *)timings + texts[c].offset;
        NB_TRY(nb_h5_write_texts(group, &texts[c].meaning, count, first, texts[c].size, sizeof *timings));
        NB_TRY(nb_attach_axes(group, texts[c].meaning.name, 1, axes));
    }
    for (int c = 0; c < INTEGERS; c++)
        NB_TRY(write_column(group, &integers[c].meaning, H5T_NATIVE_INT32, 1, integers[c].offset, timings, count));
    for (int c = 0; c < NUMBERS; c++)
        NB_TRY(write_column(group, &numbers[c].meaning, H5T_NATIVE_DOUBLE, 1, numbers[c].offset, timings, count));
    NB_TRY(write_column(group, &samples, H5T_NATIVE_DOUBLE, 2, offsetof(nb_timing, samples), timings, count));
out:
    return status;
}

/* ---- reading ---- */

static nb_status read_column(hid_t group, const char *name, hid_t type, int rank, size_t offset, nb_timing *timings,
                             int count) {
    const hsize_t dims[2] = {(hsize_t)count, NB_TIMING_SAMPLES};
    char *packed;
    nb_status status = nb_h5_read_array(group, name, type, H5Tget_size(type), rank, dims, &packed);
    if (status != NB_OK) return status;
    unpack(timings, count, offset, H5Tget_size(type) * (rank == 2 ? NB_TIMING_SAMPLES : 1), packed);
    nb_free(packed);
    return NB_OK;
}

static nb_status check_rows(const nb_timing *timings, int count) {
    for (int i = 0; i < count; i++) {
        const nb_timing *t = &timings[i];
        if (t->contacts < 1 || t->threads < 1 || t->sample_count < 1 || t->sample_count > NB_TIMING_SAMPLES)
            return nb_fail(NB_ERROR_INPUT, "a timing of %d contacts by %d threads with %d samples (row %d)",
                           (int)t->contacts, (int)t->threads, (int)t->sample_count, i);
    }
    return NB_OK;
}

nb_status nb_read_timings(hid_t group, nb_timing **timings, int *count) {
    nb_status status;
    hsize_t dims[1];
    nb_timing *rows = NULL;
    NB_TRY(nb_h5_dimensions(group, "contacts", 1, dims));
    if (dims[0] < 1 || dims[0] > MOST_ROWS)
        NB_TRY(nb_fail(NB_ERROR_INPUT, "%llu timings where 1 to %d belong", (unsigned long long)dims[0], MOST_ROWS));
    int rows_count = (int)dims[0];
    NB_TRY(NB_ALLOCATE(rows_count, &rows));
    for (int c = 0; c < TEXTS; c++)
        NB_TRY(nb_h5_read_texts(group, texts[c].meaning.name, rows_count, (char *)rows + texts[c].offset, texts[c].size,
                                sizeof *rows));
    for (int c = 0; c < INTEGERS; c++)
        NB_TRY(read_column(group, integers[c].meaning.name, H5T_NATIVE_INT32, 1, integers[c].offset, rows, rows_count));
    for (int c = 0; c < NUMBERS; c++)
        NB_TRY(read_column(group, numbers[c].meaning.name, H5T_NATIVE_DOUBLE, 1, numbers[c].offset, rows, rows_count));
    NB_TRY(read_column(group, samples.name, H5T_NATIVE_DOUBLE, 2, offsetof(nb_timing, samples), rows, rows_count));
    NB_TRY(check_rows(rows, rows_count));
    *timings = rows;
    *count = rows_count;
    rows = NULL;
out:
    nb_free(rows);
    return status;
}
