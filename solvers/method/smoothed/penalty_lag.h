/* The normal forces that lagged friction is of, and how far they are from those that come of it (private to methods).
 */
#ifndef NB_PENALTY_LAG_H
#define NB_PENALTY_LAG_H

#include "model/world.h"
#include "penalty_contacts.h"
#include "penalty_rows.h"

#define nb_penalty_lag NB_REAL_NAME(nb_penalty_lag)
#define nb_penalty_lag_reserve NB_REAL_NAME(nb_penalty_lag_reserve)
#define nb_penalty_lag_clear NB_REAL_NAME(nb_penalty_lag_clear)
#define nb_penalty_lag_start NB_REAL_NAME(nb_penalty_lag_start)
#define nb_penalty_lag_update NB_REAL_NAME(nb_penalty_lag_update)
#define nb_penalty_lag_find NB_REAL_NAME(nb_penalty_lag_find)
#define nb_penalty_lag_carry NB_REAL_NAME(nb_penalty_lag_carry)

/* [contacts] each, in the order of their rows */
typedef struct nb_penalty_lag {
    int32_t contacts;
    real *normal;       /* forces that friction is of [N] */
    real *gap, *before; /* at the step's start, or as they were last found, and a step before [m] */
    real *carried;      /* private */
    double largest;     /* [N] change of a normal force, as last found */
    int64_t capacity[4];
} nb_penalty_lag; /* starts as all zeros */

/* Room for the contacts that the problem has. */
nb_status nb_penalty_lag_reserve(nb_penalty_lag *lag, const nb_problem *problem);
void nb_penalty_lag_clear(nb_penalty_lag *lag);

/* The gaps of the step's start (nb_penalty_start_gaps). */
void nb_penalty_lag_start(nb_penalty_lag *lag, nb_problem *problem, const nb_world *world);

/* The normal forces of the gaps, `continued` 1: from those a step before. */
void nb_penalty_lag_update(nb_penalty_lag *lag, const nb_smoothed_friction *law, int continued);

/* The gaps of the problem's last evaluate, and the largest change of a normal force. Returns the largest force [N]. */
double nb_penalty_lag_find(nb_penalty_lag *lag, const nb_problem *problem, const nb_smoothed_friction *law);

/* The normal forces of the contacts that were just found, by features. */
nb_status nb_penalty_lag_carry(nb_penalty_lag *lag, nb_penalty_contacts *contacts, nb_problem *problem);

#endif
