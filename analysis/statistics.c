#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

int64_t nb_sort_sample(double *sample, int64_t count) {
    if (count > 0) qsort(sample, (size_t)count, sizeof *sample, compare);
    while (count > 0 && isnan(sample[count - 1])) count--;
    return count;
}

double nb_quantile(const double *sorted, int64_t count, double p) {
    if (count == 0) return NAN;
    double place = p * (double)(count - 1);
    int64_t below = (int64_t)place;
    if (below >= count - 1) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

double nb_mean(const double *sample, int64_t count) {
    double sum = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(sample[i])) {
            sum += sample[i];
            used++;
        }
    return used > 0 ? sum / (double)used : NAN;
}

double nb_deviation(const double *sample, int64_t count) {
    double mean = nb_mean(sample, count), sum = 0;
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(sample[i])) {
            sum += (sample[i] - mean) * (sample[i] - mean);
            used++;
        }
    return used > 1 ? sqrt(sum / (double)(used - 1)) : NAN;
}
