/* The scalars of PCR (vector_backend.h) between its passes: one source for conjugate.c and for devices that run whole
 * iterations by themselves. */
#ifndef NB_LINEAR_PCR_H
#define NB_LINEAR_PCR_H

#include "linear/stops.h"

#define nb_pcr_state NB_REAL_NAME(nb_pcr_state)
#define nb_pcr_decide NB_REAL_NAME(nb_pcr_decide)
#define nb_pcr_step NB_REAL_NAME(nb_pcr_step)
#define nb_pcr_advance NB_REAL_NAME(nb_pcr_advance)
#define nb_pcr_check NB_REAL_NAME(nb_pcr_check)

typedef struct nb_pcr_state {
    nb_stops stops;
    double alpha;    /* of the step that x lags behind by */
    double beta;     /* of the next direction */
    double zaz;      /* z . A z */
    double weighted; /* z . P^-1 z, the squared norm of the residual */
    double bound;    /* that another norm of the residual has to come to; negative: there is no other */
    int32_t iterations, most;
    nb_reason reason; /* NB_REASON_NONE: go on */
} nb_pcr_state;

/* whether to go on from this residual */
NB_FN void nb_pcr_decide(nb_pcr_state *s) {
    s->reason = nb_stops_at_residual(&s->stops, s->weighted, s->iterations, s->most);
    if (s->reason == NB_REASON_NONE) s->reason = nb_stops_at_curvature(&s->stops, s->zaz, s->weighted, s->weighted);
}

/* after x += alpha d, d = z + beta d, ad = A z + beta ad, which left ad . P ad: the length of the next step */
NB_FN void nb_pcr_step(nb_pcr_state *s, double square) {
    s->alpha = square > 0 ? s->zaz / square : 0;
    if (!(square > 0)) s->reason = NB_REASON_BREAKDOWN; /* though z . A z is not zero: a product under- or overflowed */
}

/* after z -= alpha P ad, with the new residual and the new z . A z */
NB_FN void nb_pcr_advance(nb_pcr_state *s, double weighted, double zaz) {
    s->weighted = weighted;
    s->beta = zaz / s->zaz;
    s->zaz = zaz;
    s->iterations++;
    nb_pcr_decide(s);
}

/* and then with the other norm */
NB_FN void nb_pcr_check(nb_pcr_state *s, double norm) {
    if (s->reason != NB_REASON_DIVERGED && norm <= s->bound) s->reason = NB_REASON_CONVERGED;
}

#endif
