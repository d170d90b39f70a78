/* Pairs of bodies whose contacts differ from the rule, which is: bodies with a joint between them have none, and two
 * others have the geometric mean of their coefficients of friction. */
#ifndef NB_MODEL_PAIR_H
#define NB_MODEL_PAIR_H

#include <stdint.h>

#include "base/status.h"
#include "model/world.h"

/* Copies `pair`. Bodies that are not there or the same, a second pair of the same two, and a friction below 0 are
 * NB_ERROR_INPUT. */
nb_status nb_world_add_pair(nb_world *world, const nb_pair *pair);

/* the pair of these two, or NULL (borrowed) */
const nb_pair *nb_world_pair(const nb_world *world, int32_t a, int32_t b);

/* the coefficient of friction of a contact between bodies a and b */
double nb_world_friction(const nb_world *world, int32_t a, int32_t b);

/* the derivative of that coefficient, `mu` > 0, by the one of `body`; 0 where the pair has its own */
double nb_world_friction_slope(const nb_world *world, double mu, int32_t body, int32_t other);

/* Two bodies each that no contact is detected between. Starts as all zeros. */
typedef struct nb_separated {
    uint64_t *keys; /* [count] sorted */
    int64_t count, capacity;
} nb_separated;

nb_status nb_separated_list(nb_separated *list, const nb_world *world);
int nb_separated_has(const nb_separated *list, int32_t a, int32_t b);
void nb_separated_clear(nb_separated *list);

#endif
