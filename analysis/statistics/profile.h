/* Performance profiles (Dolan and More 2002) and data profiles (More and Wild 2009) of solvers over problems. */
#ifndef NB_ANALYSIS_PROFILE_H
#define NB_ANALYSIS_PROFILE_H

#include <stdint.h>

#include "base/status.h"

/* ratio[i] = cost[i] / the least cost of its problem; both [problems][solvers]. A cost of INFINITY is a failure: its
 * ratio is INFINITY, also where all fail. Where the least cost is 0, those that cost 0 have 1 and others INFINITY. NaN:
 * never tried, and so is the ratio. */
void nb_profile_ratios(const double *cost, int64_t problems, int solvers, double *ratio);

typedef struct nb_profile_point {
    double x, share;  /* of the problems that were tried, whose quantity is at most x */
    double low, high; /* its 95 % bootstrap interval, point by point; NaN where there are too few problems */
} nb_profile_point;

enum {
    NB_PROFILE_DRAWS = 1000,
    NB_PROFILE_LEAST = 5 /* problems that an interval needs at least: with fewer it would not be one of 95 % */
};

/* The share of the problems whose quantity[p * stride] (a ratio or a cost) is at most x, at the ascending
 * curve[k].x, which the caller sets. INFINITY counts among the problems and is never reached, NaN does not count. The
 * bootstrap draws problems, which are to be independent of each other. */
nb_status nb_profile_curve(const double *quantity, int64_t problems, int stride, uint64_t seed, int points,
                           nb_profile_point *curve);

#endif
