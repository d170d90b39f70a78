#include "record/timing.h"

static const nb_meaning row_axis = {"row", "1", "row of the table, from 0"};
static const nb_meaning sample_axis = {"sample", "1", "sample, from 0"};

#define ROWS \
    { NB_EXTENT_COUNT32, 0, offsetof(nb_timing_rows, count), &row_axis, 0 }
#define SAMPLES \
    { NB_EXTENT_FIXED, 0, NB_TIMING_SAMPLES, &sample_axis, 0 }
#define COLUMN(title, member, KIND, unit, text) \
    NB_LINE(title, nb_timing, member, KIND), .units = (unit), .long_name = (text)

static const nb_member of_timing[] = {
    {COLUMN("kernel", kernel, TEXT, "1", "what was timed; 'newton:...' is a share of 'newton'")},
    {COLUMN("device", device, TEXT, "1",
            "cpu, cuda, or emulated (device kernels on the processor; times are meaningless)")},
    {COLUMN("precision", precision, TEXT, "1", "f32 or f64")},
    {COLUMN("order", order, TEXT, "1", "order of the bodies: built or shuffled")},
    {COLUMN("contacts", contacts, INT32, "1", "contacts of all scenes")},
    {COLUMN("scenes", scenes, INT32, "1", "scenes simulated at once")},
    {COLUMN("threads", threads, INT32, "1", "threads")},
    {COLUMN("count", sample_count, INT32, "1", "samples taken")},
    {COLUMN("median", median, REAL, "ns", "median of the samples, per contact")},
    {COLUMN("least", least, REAL, "ns", "least sample, per contact")},
    {COLUMN("most", most, REAL, "ns", "largest sample, per contact")},
    {COLUMN("triad", triad, REAL, "GB/s", "memory bandwidth: cpu a = b + s c, device a copy; NaN: machine busy")},
    {COLUMN("bytes", bytes, REAL, "B", "memory moved by an application, per contact; NaN: not stated")},
    {COLUMN("fraction", fraction, REAL, "1", "bytes over median, over the triad's bandwidth")},
    {NB_LINE_IN_PLACE("samples", "ns", "every sample in the order taken, per contact; NaN from count on", nb_timing,
                      samples, REAL, SAMPLES)},
};
const nb_members nb_timing_members = NB_MEMBERS(nb_timing, of_timing);

/* no row without contacts, scenes or threads, and a count of samples that is one */
static nb_status check_rows(void *owner) {
    const nb_timing_rows *rows = owner;
    if (rows->count < 1) return nb_fail(NB_ERROR_INPUT, "no timings where 1 to %d belong", NB_TIMING_MOST_ROWS);
    for (int i = 0; i < rows->count; i++) {
        const nb_timing *t = &rows->items[i];
        if (t->contacts < 1 || t->scenes < 1 || t->threads < 1 || t->sample_count < 1 ||
            t->sample_count > NB_TIMING_SAMPLES)
            return nb_fail(NB_ERROR_INPUT,
                           "a timing of %d contacts in %d scenes by %d threads with %d samples (row %d)",
                           (int)t->contacts, (int)t->scenes, (int)t->threads, (int)t->sample_count, i);
    }
    return NB_OK;
}

static const nb_member of_rows[] = {
    {NB_LINE("rows", nb_timing_rows, count, COUNT)},
    {NB_LINE_LIST(nb_timing_rows, items, nb_timing_members, ROWS), .most = NB_TIMING_MOST_ROWS},
    {NB_LINE_CHECK(check_rows)},
};
const nb_members nb_timing_rows_members = NB_MEMBERS(nb_timing_rows, of_rows);
