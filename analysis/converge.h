/* Solves a time step to convergence, for the true errors of those who solve it otherwise. */
#ifndef NB_ANALYSIS_CONVERGE_H
#define NB_ANALYSIS_CONVERGE_H

#include "collision/contact.h"
#include "model/world.h"
#include "reference.h"

#define NB_REFERENCE_TOLERANCE 1e-11 /* natural-map error that a reference is to reach [m/s] */

/* The solution of the step of length h that begins now, in double, whatever the precision of the run: both methods are
 * asked for it, the one that comes farther gives it, and the other says whether it found the same. The world is left as
 * it was. An earlier content of *reference is dropped; the caller clears it. Where neither converges the reference is
 * the best there is, and says so (natural_map_error). */
nb_status nb_converge(nb_world *world, const nb_contacts *contacts, double h, int frozen, nb_reference *reference);

#endif
