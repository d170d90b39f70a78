/* How far a world as it stands is from what its contacts and rigid joints ask for: I(q) of Anitescu and Hart. */
#ifndef NB_INFEASIBILITY_H
#define NB_INFEASIBILITY_H

#include "contact/contact.h"
#include "model/world.h"

typedef struct nb_infeasibility {
    double penetration; /* deepest [m], at least 0 */
    double joints;      /* largest error of a rigid row of translation or distance [m] */
} nb_infeasibility;

/* `contacts` lends scratch memory, and keeps its list (nb_contacts_deepest). */
nb_status nb_infeasibility_of(const nb_world *world, nb_contacts *contacts, nb_infeasibility *infeasibility);

#endif
