/* Order statistics and moments of samples. NaN entries are left out; of an empty sample everything is NaN. */
#ifndef NB_ANALYSIS_STATISTICS_H
#define NB_ANALYSIS_STATISTICS_H

#include <stdint.h>

/* Sorts `sample` [count] ascending in place, NaN last; returns how many are no NaN. */
int64_t nb_sort_sample(double *sample, int64_t count);

/* The quantile p in [0, 1] of a sorted sample without NaN, by linear interpolation between order statistics (Hyndman
 * and Fan's type 7, as in R and numpy). */
double nb_quantile(const double *sorted, int64_t count, double p);

double nb_mean(const double *sample, int64_t count);

/* the unbiased standard deviation; NaN below two values */
double nb_deviation(const double *sample, int64_t count);

#endif
