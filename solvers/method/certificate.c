#include "certificate.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 40
};

/* whether the impulses of the present iterate are a certificate */
static int is_certificate(const nb_interior *s) {
    const double least = NB_REAL_BITS == 64 ? 1e8 : 1e3;
    const nb_conic *c = s->conic;
    double work = 0, largest = 0; /* p.q and |W p| */
    for (int32_t r = 0; r < c->rows; r++) {
        work += s->x[r] * c->q[r];
        largest = fmax(largest, fabs(s->v[r] - c->q[r]));
    }
    return -work >= least * largest;
}

nb_status nb_certificate_find(nb_interior *s, int *found) {
    nb_status status = NB_OK;
    nb_conic *c = s->conic;
    *found = 0;
    nb_conic_make_frictionless(c);
    nb_interior_start(s, 1, 1);
    for (int k = 0; k < MOST_STEPS && c->contacts > 0; k++) {
        double error = nb_interior_look(s);
        *found = is_certificate(s);
        if (*found || error <= 1e-6 || c->outcome->newton_iterations >= c->settings->newton_iterations) break;
        nb_conic_begin_aside(c, NB_PHASE_CERTIFICATE);
        NB_TRY(nb_interior_step(s));
        NB_TRY(nb_conic_end(c, 0, s->dx_best));
        if (!(s->alpha > 0)) break;
    }
out:
    return status;
}
