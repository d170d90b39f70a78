/* The 2-norm of numbers whose squares may be out of range. */
#ifndef NB_BASE_NORM_H
#define NB_BASE_NORM_H

#include <stdint.h>

#include "base/largest.h"

/* NaN where one of them is */
static inline double nb_norm_of(int64_t count, const double *x) {
    double largest = 0, sum = 0;
    for (int64_t i = 0; i < count; i++) nb_raise(&largest, fabs(x[i]));
    if (!(largest > 0) || isinf(largest)) return largest;
    for (int64_t i = 0; i < count; i++) {
        double own = x[i] / largest;
        sum += own * own;
    }
    return largest * sqrt(sum);
}

#endif
