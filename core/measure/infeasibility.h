/* How far a world as it stands is from what its contacts and rigid joints ask for: I(q) of Anitescu and Hart. */
#ifndef NB_INFEASIBILITY_H
#define NB_INFEASIBILITY_H

#include "contact/contact.h"
#include "model/world.h"
#include "snapshot.h"

/* of the contact margin: penetration that solvers' tolerances leave */
#define NB_PENETRATION_SHARE 1e-2

typedef struct nb_infeasibility {
    double penetration; /* deepest [m], at least 0 */
    double joints;      /* largest error of a rigid row of translation or distance, or of a limit of displacement [m] */
} nb_infeasibility;

/* `contacts` lends scratch memory, and keeps its list (nb_contacts_deepest). */
nb_status nb_infeasibility_of(const nb_world *world, nb_contacts *contacts, nb_infeasibility *infeasibility);

/* The deepest penetration of the state [m], at least 0, detected there; NaN where that fails, or the state is
 * not one of this world. `world` has its shapes.
 * Contacts of shapes that detection does not know (model/shape.h) count by their own gaps. */
double nb_penetration_of(const nb_world *world, const nb_snapshot *state);

/* The most that a solved step may leave of bodies' penetration [m], as its rows hold contacts to second order: the
 * largest angle that a body turns by, times the way that its points and others go. Spheres do not count: of their
 * contacts a linear row holds the distance, or more. Particles do not count either. */
double nb_penetration_left(const nb_world *world, const nb_snapshot *state);

/* Whether a solved step leaves none: not where a linearised step takes part of it back, and not by a contact model. */
int nb_penetration_is_taken_back(const nb_scene_settings *settings);

/* What a solved step may leave of penetration in all [m]: NB_PENETRATION_SHARE of the contact margin, what compliant
 * contacts give way by, nb_penetration_left, and what --verify-contacts allows. NaN where it is not taken
 * back. */
double nb_penetration_allowed(const nb_world *world, const nb_snapshot *state);

#endif
