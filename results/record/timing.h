/* A timing of one kernel, as `ncpbench bench` makes it: a row of the record's /bench, and of a text of timings. */
#ifndef NB_RESULTS_TIMING_H
#define NB_RESULTS_TIMING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
    NB_TIMING_SAMPLES = 15,
    NB_TIMING_MOST_ROWS = 100000
};

typedef struct nb_timing {
    char kernel[32];    /* or a share of "newton": "newton:solve", ... */
    char device[16];    /* where: "cpu", "cuda"; "emulated": a device's kernels on this processor, not their speed */
    char precision[16]; /* "f32", "f64" */
    char order[16];     /* how the world lists its bodies: "built", "shuffled" */
    int32_t contacts;   /* of all scenes */
    int32_t scenes;     /* that were made at once */
    int32_t threads, sample_count;
    double samples[NB_TIMING_SAMPLES]; /* [ns a contact] in the order taken; NaN from sample_count on */
    double median, least, most;        /* of the samples [ns a contact] */
    double triad;    /* memory bandwidth: a triad's over a working set of this size; a device's copy's [GB/s] */
    double bytes;    /* a contact and application; NaN where none is stated */
    double fraction; /* of that bandwidth, or NaN */
} nb_timing;

/* One column of the table; the samples, several numbers a row, are another: nb_timing_samples. */
typedef enum nb_timing_kind {
    NB_TIMING_TEXT,    /* char [size] */
    NB_TIMING_INTEGER, /* int32_t */
    NB_TIMING_NUMBER   /* double */
} nb_timing_kind;

typedef struct nb_timing_column {
    const char *name, *units, *long_name;
    nb_timing_kind kind;
    size_t offset, size;
} nb_timing_column;

extern const nb_timing_column nb_timing_columns[];
extern const int nb_timing_column_count;
extern const nb_timing_column nb_timing_samples; /* of NB_TIMING_SAMPLES doubles */

/* NB_ERROR_INPUT where a row that was read cannot be one: no contacts, scenes or threads, or a count of samples that is
 * none.
 */
nb_status nb_timings_check(const nb_timing *timings, int count);

#endif
