/* Where bodies are, from the rows of their contacts alone: systems know no places. Of a contact's three rows, whose
 * directions D are orthonormal, a body's part of J is D and (r x D), r from its centre to the contact, so that
 * r = 1/2 sum of D x (r x D); two bodies in contact are r_a - r_b apart. Private to solvers/precond. */
#ifndef NB_PRECOND_PLACES_H
#define NB_PRECOND_PLACES_H

#include "operator/system.h"

#define nb_places_of_rows NB_REAL_NAME(nb_places_of_rows)

/* x [nodes][3], each up to a translation of all bodies that contacts join it to [m]; zero where none joins it. */
nb_status nb_places_of_rows(const nb_delassus *rows, double *x);

#endif
