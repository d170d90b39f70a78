/* When a linear solver stops: asked for on the command line, and handed on as it is to its loop. */
#ifndef NB_STOP_H
#define NB_STOP_H

#include <stdint.h>

/* The norm of the residual r = b - A x that a tolerance is of, relative to that of b; P is the preconditioner. */
typedef enum nb_linear_norm {
    NB_NORM_TRUE,           /* |r|; a solver that carries r along by a recurrence forms b - A x before it says so */
    NB_NORM_PRECONDITIONED, /* |P r| */
    NB_NORM_NATURAL,        /* sqrt(r . P r), of which Krylov methods of symmetric systems are made; not verified */
    NB_LINEAR_NORMS
} nb_linear_norm;

typedef struct nb_linear_stop {
    int32_t iterations; /* at most this many (direct solvers ignore it) */
    double tolerance;   /* stop at ||b - A x|| <= tolerance ||b||; 0: never */
    nb_linear_norm norm;
} nb_linear_stop;

#endif
