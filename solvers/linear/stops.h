/* When iterative solvers stop: one source for conjugate.c, relaxations and kernels on a GPU. Krylov methods stop at
 * round-off: further iterations would only add noise from the null space of these often singular systems. */
#ifndef NB_LINEAR_STOPS_H
#define NB_LINEAR_STOPS_H

#include <stdint.h>

#include "base/features.h"
#include "reason.h"

#define nb_stops NB_REAL_NAME(nb_stops)

typedef struct nb_stops {
    double tolerance; /* relative, of sqrt(r . P r); 0: never */
    double epsilon;   /* round-off of a number */
    double tiny;      /* relative size of a residual that is round-off */
    double start;     /* r . P r at the start */
    double least;     /* r . P r so far */
    double largest;   /* Rayleigh quotient of P A so far */
    int elsewhere;    /* 1: the caller measures another norm, and by it stops at its tolerance and at round-off */
} nb_stops;

/* Why to stop after `iterations` of at most `most`, at a residual of squared norm `weighted` = r . P r; or none. */
NB_FN nb_reason nb_stops_at_residual(nb_stops *s, double weighted, int32_t iterations, int32_t most) {
    double tolerance = s->tolerance > s->tiny ? s->tolerance : s->tiny;
    s->least = iterations > 0 && s->least < weighted ? s->least : weighted;
    if (!s->elsewhere && weighted > tolerance * tolerance * s->start && weighted < 1e16 * s->start && iterations < most)
        return NB_REASON_NONE; /* as nearly always, without a look at each reason */
    if (!isfinite(weighted)) return NB_REASON_DIVERGED;
    if (weighted < 0) /* P is positive, up to round-off */
        return -weighted <= s->tiny * s->start ? NB_REASON_ROUND_OFF : NB_REASON_INDEFINITE;
    if (weighted <= s->tolerance * s->tolerance * s->start) return NB_REASON_CONVERGED;
    if (!s->elsewhere && weighted <= s->tiny * s->tiny * s->start) return NB_REASON_ROUND_OFF;
    /* nothing is left that P sees: it is worth a look at the residual */
    if (s->elsewhere && weighted <= s->tiny * s->tiny * s->tiny * s->tiny * s->start) return NB_REASON_CONVERGED;
    if (weighted > 1e16 * s->start) return NB_REASON_DIVERGED;
    return iterations >= most ? NB_REASON_ITERATIONS : NB_REASON_NONE;
}

/* Why to stop at `curvature` = v . A v of a direction of squared length `square` = v . P^-1 v, at a residual of squared
 * norm `weighted`; or none. A Rayleigh quotient that is round-off against the largest one seen says that the residual
 * lies in the null space: a step along it would only blow up x. A negative one says that A is indefinite. */
NB_FN nb_reason nb_stops_at_curvature(nb_stops *s, double curvature, double square, double weighted) {
    double largest = s->largest * square;
    if (curvature > s->epsilon * largest && curvature <= largest) return NB_REASON_NONE; /* in most cases no division */
    double quotient = curvature / square, size = fabs(quotient);
    if (size > s->largest) s->largest = size;
    if (quotient > s->epsilon * s->largest) return NB_REASON_NONE;
    /* conjugate gradients on a right-hand side outside the range of A */
    if (!isfinite(quotient) || weighted > 100 * s->least) return NB_REASON_DIVERGED;
    return size <= 1e3 * s->epsilon * s->largest ? NB_REASON_ROUND_OFF : NB_REASON_INDEFINITE;
}

/* The same of a relaxation, which knows no curvature, after a sweep. */
NB_FN nb_reason nb_stops_at_sweep(double start, double tolerance, double weighted, int32_t sweeps, int32_t most) {
    if (!isfinite(weighted) || weighted > 1e16 * start) return NB_REASON_DIVERGED;
    if (weighted <= tolerance * tolerance * start) return NB_REASON_CONVERGED;
    return sweeps >= most ? NB_REASON_ITERATIONS : NB_REASON_NONE;
}

#endif
