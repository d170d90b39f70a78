#include "record/timing.h"

#define TEXT(member, long_name) \
    { #member, "1", long_name, NB_TIMING_TEXT, offsetof(nb_timing, member), sizeof(((nb_timing *)0)->member) }
#define INTEGER(name, member, long_name) \
    { name, "1", long_name, NB_TIMING_INTEGER, offsetof(nb_timing, member), sizeof(int32_t) }
#define NUMBER(member, units, long_name) \
    { #member, units, long_name, NB_TIMING_NUMBER, offsetof(nb_timing, member), sizeof(double) }

const nb_timing_column nb_timing_columns[] = {
    TEXT(kernel, "what was timed; 'newton:...' is a share of 'newton'"),
    TEXT(device, "where: cpu, cuda; emulated: a device's kernels on the processor, not their speed"),
    TEXT(precision, "f32 or f64"),
    TEXT(order, "how the world lists its bodies: built or shuffled"),
    INTEGER("contacts", contacts, "contacts of all scenes"),
    INTEGER("scenes", scenes, "scenes that were made at once"),
    INTEGER("threads", threads, "threads"),
    INTEGER("count", sample_count, "samples taken"),
    NUMBER(median, "ns", "median of the samples, a contact"),
    NUMBER(least, "ns", "least sample, a contact"),
    NUMBER(most, "ns", "largest sample, a contact"),
    NUMBER(triad, "GB/s", "memory bandwidth: of a triad over as much memory, on a device of a copy"),
    NUMBER(bytes, "B", "memory moved, a contact and application; NaN where none is stated"),
    NUMBER(fraction, "1", "bytes over median, over the triad's bandwidth"),
};
const int nb_timing_column_count = sizeof nb_timing_columns / sizeof *nb_timing_columns;

const nb_timing_column nb_timing_samples = {"samples",
                                            "ns",
                                            "every sample in the order taken, a contact; NaN from count on",
                                            NB_TIMING_NUMBER,
                                            offsetof(nb_timing, samples),
                                            sizeof(double)};

nb_status nb_timings_check(const nb_timing *timings, int count) {
    for (int i = 0; i < count; i++) {
        const nb_timing *t = &timings[i];
        if (t->contacts < 1 || t->scenes < 1 || t->threads < 1 || t->sample_count < 1 ||
            t->sample_count > NB_TIMING_SAMPLES)
            return nb_fail(NB_ERROR_INPUT,
                           "a timing of %d contacts in %d scenes by %d threads with %d samples (row %d)",
                           (int)t->contacts, (int)t->scenes, (int)t->threads, (int)t->sample_count, i);
    }
    return NB_OK;
}
