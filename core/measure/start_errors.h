/* How far a world as it stands is from where a run may begin: bodies in each other, ends of joints apart, and joints
 * beyond their limits. The first step takes these back at once, with speeds and energies that nothing else accounts
 * for. */
#ifndef NB_START_ERRORS_H
#define NB_START_ERRORS_H

#include <stddef.h>

#include "model/world.h"

/* [rad] by which ends of a joint may be turned at the start; of lengths NB_PENETRATION_SHARE of the contact margin */
#define NB_START_TURN 1e-3

typedef struct nb_start_errors {
    double penetration; /* deepest [m], at least 0; a contact thickness is no part of it */
    int32_t a, b;       /* whose it is, where it is above 0: bodies, or particles counted behind them */
    double apart;       /* largest error of a joint's rigid rows of translation or distance, or way beyond
                           the limits of a displacement [m] */
    double turned;      /* the same of rotations [rad] */
    int32_t apart_joint, turned_joint; /* whose they are, where they are above 0 */
    int apart_limit, turned_limit;     /* 1: of limits */
} nb_start_errors;

/* Shapes that detection does not know do not count, and neither does a motor's own row. NB_ERROR_MEMORY, and what
 * nb_contacts_detect fails by. */
nb_status nb_start_errors_of(const nb_world *world, nb_start_errors *errors);

/* What is beyond the share, with its bodies and joints by their numbers, in a line without a full stop; "" where
 * nothing is. */
void nb_start_errors_describe(const nb_world *world, const nb_start_errors *errors, char *text, size_t size);

#endif
