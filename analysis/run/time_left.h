/* How long a command will still take, where the runs that are done tell: no run is judged by one that differs from it
 * in more than its seed. Else nothing is known: the sizes of scenes and the limits of iterations say too little. Plain
 * arithmetic; nothing is measured here. */
#ifndef NB_ANALYSIS_TIME_LEFT_H
#define NB_ANALYSIS_TIME_LEFT_H

#include <stdint.h>

/* one run of a command */
typedef struct nb_timed_run {
    int64_t kind;            /* the first run that is like it but for the seed */
    int64_t passes, repeats; /* to be begun yet: recorded passes and warm-ups; repetitions */
    double pass_s, repeat_s; /* [s] what those of its kind took, kept with the kind's first run; 0: none is done */
} nb_timed_run;

/* [s] until all runs [count] are made; NaN where that is unknown. Run `at` (-1: none) is being made, `repeat` once
 * more, for `elapsed` seconds by now, and takes `rest` more by its own steps (NaN: they do not tell). */
double nb_time_left(const nb_timed_run *runs, int64_t count, int64_t at, int repeat, double elapsed, double rest);

#endif
