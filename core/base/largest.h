/* The largest of several numbers, in which a NaN is not lost: once seen it stays. */
#ifndef NB_BASE_LARGEST_H
#define NB_BASE_LARGEST_H

#include <math.h>

/* *largest = the larger one of *largest and x; NaN where either is */
static inline void nb_raise(double *largest, double x) {
    if (x > *largest || isnan(x)) *largest = x;
}

#endif
