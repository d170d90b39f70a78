/* What the smoothing comes to in a state: how fast contacts creep, and below which step equations have one solution
 * (private to methods). */
#ifndef NB_PENALTY_STATE_H
#define NB_PENALTY_STATE_H

#include "model/world.h"
#include "penalty_rows.h"

#define nb_penalty_state_of NB_REAL_NAME(nb_penalty_state_of)
#define nb_penalty_state_describe NB_REAL_NAME(nb_penalty_state_describe)

/* A contact sticks where it has friction and slips at less than eps. */
typedef struct nb_penalty_state {
    double creep;         /* largest slip of contacts that stick [m/s]; NaN: none does */
    double creep_bound;   /* eps (1 - sqrt(1 - r)) [m/s] of the largest r below; NaN: none does */
    double share;         /* r = F/(mu lambda) < 1: of its friction that a contact that sticks carries */
    double stribeck_step; /* [s] below which a step has one solution at every load: for each node alone, the least of
                             nb_stribeck_step over the sum of its contacts; INFINITY: at every step */
} nb_penalty_state;

/* Of the problem's last evaluate, whose impulses are nb_penalty_rows_impulses. `scratch` [nodes]. */
nb_penalty_state nb_penalty_state_of(const nb_penalty_rows *rows, const nb_problem *problem, const nb_world *world,
                                     double *scratch);

/* A line about it: the creep of what sticks, and a warning where h is beyond `stribeck_step` [s]; "" where there is
 * neither. */
void nb_penalty_state_describe(const nb_penalty_state *state, const nb_smoothed_friction *law, double h,
                               double stribeck_step, char *text, size_t size);

#endif
