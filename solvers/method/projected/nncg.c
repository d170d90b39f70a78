#include "nncg.h"

#include <string.h>

#include "base/memory.h"

NB_PRECISIONS(f32, f64);

nb_status nb_nncg_make(const nb_sweep *sweep, real *more, int64_t count, nb_nncg *nncg) {
    nb_status status;
    const nb_projected *s = sweep->problem;
    const nb_nncg made = {.x = {s->z, sweep->velocity, more},
                          .length = {s->rows, sweep->velocity ? nb_nodes_length(s->p->exact->mass->nodes) : 0, count}};
    *nncg = made;
    for (int k = 0; k < NB_NNCG_PARTS; k++) {
        NB_TRY(NB_ALLOCATE(made.length[k], &nncg->before[k]));
        NB_TRY(NB_ALLOCATE(made.length[k], &nncg->direction[k]));
    }
    status = NB_OK;
out:
    return status;
}

void nb_nncg_clear(nb_nncg *nncg) {
    for (int k = 0; k < NB_NNCG_PARTS; k++) {
        nb_free(nncg->before[k]);
        nb_free(nncg->direction[k]);
    }
    *nncg = (nb_nncg){0};
}

void nb_nncg_restart(nb_nncg *nncg) {
    nncg->square = 0;
    for (int k = 0; k < NB_NNCG_PARTS; k++) {
        const size_t size = (size_t)nncg->length[k] * sizeof(real);
        if (size == 0) continue;
        memcpy(nncg->before[k], nncg->x[k], size);
        memset(nncg->direction[k], 0, size);
    }
}

void nb_nncg_step(nb_nncg *nncg) {
    double square = 0;
    for (int64_t i = 0; i < nncg->length[0]; i++) {
        const double d = (double)(nncg->x[0][i] - nncg->before[0][i]);
        square += d * d;
    }
    const double beta = nncg->square > 0 ? square / nncg->square : 0;
    const real kept = beta > 1 ? 0 : 1, share = beta > 1 ? 0 : (real)beta;
    for (int k = 0; k < NB_NNCG_PARTS; k++) {
        real *restrict x = nncg->x[k], *restrict before = nncg->before[k], *restrict p = nncg->direction[k];
        for (int64_t i = 0; i < nncg->length[k]; i++) {
            const real d = x[i] - before[i], push = share * p[i];
            x[i] += push;
            p[i] = kept * (push + d);
            before[i] = x[i];
        }
    }
    nncg->square = square;
}
