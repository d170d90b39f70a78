/* Order statistics and moments of samples. NaN entries are left out; of an empty sample everything is NaN. */
#ifndef NB_ANALYSIS_STATISTICS_H
#define NB_ANALYSIS_STATISTICS_H

#include <stdint.h>

#include "base/status.h"

/* Sorts `sample` [count] ascending in place, NaN last; returns how many are no NaN. */
int64_t nb_sort_sample(double *sample, int64_t count);

/* The quantile p in [0, 1] of a sorted sample without NaN, by linear interpolation between order statistics (Hyndman
 * and Fan's type 7, as in R and numpy). */
double nb_quantile(const double *sorted, int64_t count, double p);

double nb_mean(const double *sample, int64_t count);

/* An estimate with its 95 % interval. */
typedef struct nb_interval {
    double value, low, high;
} nb_interval;

enum {
    NB_BOOTSTRAP_DRAWS = 2000,
    NB_BOOTSTRAP_LEAST = 5
};

/* The percentile bootstrap (Efron 1979) from the given seed: the same sample and seed give the same interval. Of fewer
 * than NB_BOOTSTRAP_LEAST values low and high are NaN: an interval of so few would not be one of 95 %. Between samples
 * of one distribution, ratios of medians of two values would leave 1 out in 30 pairs of 100, of three in 10, of four in
 * 7, of five in 4. */
nb_status nb_bootstrap_median(const double *sample, int64_t count, uint64_t seed, nb_interval *interval);
/* of median(b) / median(a), the two drawn independently */
nb_status nb_bootstrap_ratio(const double *a, int64_t a_count, const double *b, int64_t b_count, uint64_t seed,
                             nb_interval *interval);

/* The score interval of a share of `count` independent outcomes (Wilson 1927), of 95 %. */
void nb_share_interval(double share, int64_t count, nb_interval *interval);

#endif
