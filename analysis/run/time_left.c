#include "run/time_left.h"

#include <math.h>

/* what takes so many times as long as those of its kind is like none of them */
static const double slack = 1.2;

/* [s] of so many passes of `each` seconds */
static double times(int64_t passes, double each) {
    if (passes == 0) return 0;
    return each > 0 ? (double)passes * each : NAN;
}

double nb_time_left(const nb_timed_run *runs, int64_t count, int64_t at, int repeat, double elapsed, double rest) {
    double left = 0;
    if (at >= 0 && isnan(rest)) {
        const nb_timed_run *kind = &runs[runs[at].kind];
        double whole = repeat && kind->repeat_s > 0 ? kind->repeat_s : kind->pass_s;
        rest = elapsed < slack * whole ? fmax(whole - elapsed, 0) : NAN;
    }
    if (at >= 0) left += rest;
    for (int64_t i = 0; i < count; i++) {
        const nb_timed_run *run = &runs[i], *kind = &runs[run->kind];
        double pass = kind->pass_s, repetition;
        if (pass <= 0 && at >= 0 && !repeat && runs[at].kind == run->kind) pass = elapsed + rest;
        repetition = kind->repeat_s > 0 ? kind->repeat_s : pass; /* which records besides */
        left += times(run->passes, pass) + times(run->repeats, repetition);
    }
    return left;
}
