/* A timing of one kernel, as `ncpbench bench` makes it: a row of the record's /bench. */
#ifndef NB_RESULTS_TIMING_H
#define NB_RESULTS_TIMING_H

#include <stdint.h>

enum {
    NB_TIMING_SAMPLES = 15
};

typedef struct nb_timing {
    char kernel[32];    /* or a share of "newton": "newton:solve", ... */
    char precision[16]; /* "f32", "f64" */
    char order[16];     /* how the world lists its bodies: "built", "shuffled" */
    int32_t contacts, threads, sample_count;
    double samples[NB_TIMING_SAMPLES]; /* [ns a contact] in the order taken; NaN from sample_count on */
    double median, least, most;        /* of the samples [ns a contact] */
    double triad;                      /* memory bandwidth over a working set of this size [GB/s] */
    double bytes;                      /* a contact and application; NaN where none is stated */
    double fraction;                   /* of that bandwidth, or NaN */
} nb_timing;

#endif
