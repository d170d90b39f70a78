/* When a linear solver stops: asked for on the command line, and handed on as it is to its loop. */
#ifndef NB_STOP_H
#define NB_STOP_H

#include <stdint.h>

typedef struct nb_linear_stop {
    int32_t iterations; /* at most this many (direct solvers ignore it) */
    double tolerance;   /* stop at ||b - A x|| <= tolerance ||b||, in the norm the solver has at hand; 0: never */
} nb_linear_stop;

#endif
