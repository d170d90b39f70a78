/* Solves a time step to convergence, for the true errors of those who solve it otherwise. */
#ifndef NB_ANALYSIS_CONVERGE_H
#define NB_ANALYSIS_CONVERGE_H

#include "contact/contact.h"
#include "model/world.h"
#include "record/run.h"
#include "reference_solution.h"

#define NB_REFERENCE_TOLERANCE 1e-11 /* natural-map error that both methods are asked for [m/s] */

/* The solution of the step of length h that begins now, in double, whatever the precision of the run: both methods are
 * asked for it. `own` is the method whose iterates are to be held against it (or NULL): the other one's solution is
 * taken then, since a method's distance to itself says nothing; else the more accurate one. Where one of them does not
 * converge from zero, it is started from the other's solution, and must stay there.
 *
 * Where they come to solutions that are apart (nb_reference_solution_apart), both are kept, interior-point's first,
 * whatever `own` is.
 *
 * There is a solution where the natural map is at most NB_REFERENCE_REACHED. Where neither reaches that, or `own` alone
 * does, reference->solution.q stays NULL, and used.natural_map_error is that of the better one. The world is left as it
 * was. An earlier content of *reference is dropped; the caller clears it. The attempts at the step that was solved last
 * are kept, since runs of a comparison ask for the same one by one: not for several threads at once. */
nb_status nb_converge(nb_world *world, const nb_contacts *contacts, double h, nb_geometry geometry, const char *own,
                      nb_reference_solution *reference);

/* Looks at the end of a run that has a reference. Where that is a solution apart from the reference, the last step has
 * two, whatever the reference's methods agreed on: the run's own becomes the second one, and the true errors of the
 * step's rows, which are then none, become their distances from the first one. */
nb_status nb_run_take_second_solution(nb_run *run);

#endif
