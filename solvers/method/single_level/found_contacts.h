/* The contacts that a method has found itself (pair_state.h), as those of the step: each pair of sets has one, at its
 * p, with its normal and impulse. What detection finds where bodies come to be joins them, without impulses, so that
 * the harness does not take the method's word for what touches. What the step began with is none of them: a normal that
 * is fixed in the world calls a sphere that rolls over an edge deep in it (private to solvers/method/single_level). */
#ifndef NB_SINGLE_LEVEL_FOUND_CONTACTS_H
#define NB_SINGLE_LEVEL_FOUND_CONTACTS_H

#include "constraint/step.h"
#include "measure/measure.h"
#include "pair_state.h"

#define nb_found_contacts NB_REAL_NAME(nb_found_contacts)
#define nb_found_contacts_write NB_REAL_NAME(nb_found_contacts_write)
#define nb_found_contacts_clear NB_REAL_NAME(nb_found_contacts_clear)

typedef struct nb_found_contacts {
    nb_contacts list; /* one a pair, sorted; borrowed by the step until its next begin */
} nb_found_contacts;  /* starts as all zeros */

/* Gives the step's problem and the measure the contacts, velocities and impulses of the pairs as last evaluated. */
nb_status nb_found_contacts_write(nb_found_contacts *found, const nb_pair_problem *pairs, nb_problem *p,
                                  nb_measure *measure);

void nb_found_contacts_clear(nb_found_contacts *found);

#endif
