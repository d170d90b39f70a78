/* Why an iteration ended: a result, not an error. Recorded by name. */
#ifndef NB_REASON_H
#define NB_REASON_H

typedef enum nb_reason {
    NB_REASON_NONE = 0,
    NB_REASON_CONVERGED,             /* the tolerance was met */
    NB_REASON_EXACT,                 /* a direct method finished */
    NB_REASON_ROUND_OFF,             /* no further progress is possible in this precision */
    NB_REASON_ITERATIONS,            /* the iteration limit was reached */
    NB_REASON_DIVERGED,              /* the residual grew beyond use (1e8 times its start) or became NaN */
    NB_REASON_INDEFINITE,            /* a negative curvature or pivot: the operator or preconditioner is indefinite */
    NB_REASON_NOT_POSITIVE_DEFINITE, /* a Cholesky pivot was not positive; see the row */
    NB_REASON_SINGULAR,              /* a pivot was zero; see the row */
    NB_REASON_BREAKDOWN,             /* a division by zero in a Krylov recurrence, or rows that the method cannot see */
    NB_REASON_STAGNATED,             /* no better point was found, or what a solver took for converged is not */
    NB_REASON_NAN,                   /* the system held a NaN or an infinity */
    NB_REASON_REFUSED,               /* no solve: the run ended with a fault, such as bad input */
    NB_REASON_TIME_LIMIT,            /* it was ended for taking too long */
    NB_REASON_CRASHED,               /* its process crashed or ended the program */
    NB_REASON_INFEASIBLE,            /* a certificate shows that there is no solution */
    NB_REASON_RAY,                   /* a pivoting method came to a ray, which proves nothing here */
    NB_REASON_CYCLED,                /* a pivoting method came to a basis that it had before */
    NB_REASON_INCONSISTENT,          /* the right-hand side is outside the operator's range: the residual is least */
    NB_REASON_FRICTION_LAG, /* the passes asked for ended, and friction is of other normal forces than the end's */
    NB_REASON_WEDGED,       /* contacts that stick push against each other, and no solution was found */
    NB_REASON_COUNT
} nb_reason;

/* "converged", "round-off", ...; never NULL */
const char *nb_reason_name(nb_reason reason);

/* all of them, for columns of reasons in a record */
#define NB_REASON_LEGEND                                                                                              \
    "0=none 1=converged 2=exact 3=round-off 4=iterations 5=diverged 6=indefinite 7=not-positive-definite 8=singular " \
    "9=breakdown 10=stagnated 11=nan 12=refused 13=time-limit 14=crashed 15=infeasible 16=ray 17=cycled "             \
    "18=inconsistent 19=friction-lag 20=wedged"

/* 1 where the result can be used as a solution to the tolerance asked for, or the best this precision has */
int nb_reason_converged(nb_reason reason);

/* How steps fell short of their tolerance. */
typedef enum nb_shortfall {
    NB_SHORT_DIVERGED,
    NB_SHORT_LAGGED, /* passes of friction that were asked for ended too early */
    NB_SHORT_STAGNATED,
    NB_SHORT_OF_ITERATIONS,
    NB_SHORT_WITH_ELEMENTS /* of iterations, in a scene with particles */
} nb_shortfall;

#endif
