/* A timing of one kernel, as `ncpbench bench` makes it: a row of the record's /bench, and of a text of timings. */
#ifndef NB_RESULTS_TIMING_H
#define NB_RESULTS_TIMING_H

#include <stddef.h>
#include <stdint.h>

#include "base/member.h"
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

/* Rows, as /bench of a record holds them. */
typedef struct nb_timing_rows {
    int32_t count;
    nb_timing *items; /* [count] */
} nb_timing_rows;

extern const nb_members nb_timing_members, nb_timing_rows_members;

/* NB_ERROR_INPUT where a row that was read cannot be one: no contacts, scenes or threads, or a count of samples that is
 * none.
 */
nb_status nb_timings_check(const nb_timing *timings, int count);

#endif
