#include "penalty_lag.h"

#include <string.h>
#include <tgmath.h>

#include "base/largest.h"
#include "base/memory.h"
#include "penalty_start.h"

NB_PRECISIONS(f32, f64);

nb_status nb_penalty_lag_reserve(nb_penalty_lag *l, const nb_problem *p) {
    nb_status status;
    l->contacts = nb_penalty_rows_contacts(p);
    NB_TRY(NB_RESERVE(l->contacts, &l->capacity[0], &l->normal));
    NB_TRY(NB_RESERVE(l->contacts, &l->capacity[1], &l->gap));
    NB_TRY(NB_RESERVE(l->contacts, &l->capacity[2], &l->before));
    NB_TRY(NB_RESERVE(l->contacts, &l->capacity[3], &l->carried));
out:
    return status;
}

void nb_penalty_lag_clear(nb_penalty_lag *l) {
    nb_free(l->normal);
    nb_free(l->gap);
    nb_free(l->before);
    nb_free(l->carried);
    *l = (nb_penalty_lag){0};
}

void nb_penalty_lag_start(nb_penalty_lag *l, nb_problem *p, const nb_world *world) {
    nb_penalty_start_gaps(p, world, l->gap, l->before);
}

void nb_penalty_lag_update(nb_penalty_lag *l, const nb_smoothed_friction *law, int continued) {
    for (int32_t i = 0; i < l->contacts; i++) {
        l->normal[i] = nb_penalty_force(law, l->gap[i]);
        if (continued) l->normal[i] = nb_smoothed_extrapolated(l->normal[i], nb_penalty_force(law, l->before[i]));
    }
}

double nb_penalty_lag_find(nb_penalty_lag *l, const nb_problem *p, const nb_smoothed_friction *law) {
    double most = 0;
    l->largest = 0;
    nb_penalty_rows_gaps(p, l->gap);
    for (int32_t i = 0; i < l->contacts; i++) {
        const real now = nb_penalty_force(law, l->gap[i]);
        nb_raise(&l->largest, (double)fabs(now - l->normal[i]));
        nb_raise(&most, (double)fmax(now, l->normal[i]));
    }
    return most;
}

nb_status nb_penalty_lag_carry(nb_penalty_lag *l, nb_penalty_contacts *contacts, nb_problem *p) {
    nb_status status;
    const int32_t before = l->contacts;
    if (before > 0) memcpy(l->carried, l->normal, (size_t)before * sizeof *l->normal);
    NB_TRY(nb_penalty_lag_reserve(l, p));
    nb_penalty_contacts_carry(contacts, p, l->carried, l->normal);
out:
    return status;
}
