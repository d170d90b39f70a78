/* The contacts that a method has found itself (pair_state.h), on the harness's list of contacts of the step: each
 * pair of sets has one, at its p, with its normal and impulse. Those of detection stay, without impulses, so that the
 * harness measures this method's velocities by the same contacts as any other's (private to solvers/method). */
#ifndef NB_METHOD_FOUND_CONTACTS_H
#define NB_METHOD_FOUND_CONTACTS_H

#include "constraint/step.h"
#include "measure/measure.h"
#include "method/pair_state.h"

#define nb_found_contacts NB_REAL_NAME(nb_found_contacts)
#define nb_found_contacts_begin NB_REAL_NAME(nb_found_contacts_begin)
#define nb_found_contacts_give NB_REAL_NAME(nb_found_contacts_give)
#define nb_found_contacts_clear NB_REAL_NAME(nb_found_contacts_clear)

typedef struct nb_found_contacts {
    const nb_contacts *detected; /* those that the step began with; borrowed */
    nb_contacts list;            /* both, sorted; the step's and the measure's until the next step */
    int32_t *pair;               /* [list.count] -1: detected */
    int64_t pair_capacity;
} nb_found_contacts; /* starts as all zeros */

/* Begins the step that a problem is. */
void nb_found_contacts_begin(nb_found_contacts *found, nb_problem *p);

/* Gives the step's problem and the measure the contacts, velocities and impulses of the pairs as last evaluated. */
nb_status nb_found_contacts_give(nb_found_contacts *found, const nb_pair_problem *pairs, nb_problem *p,
                                 nb_measure *measure);

void nb_found_contacts_clear(nb_found_contacts *found);

#endif
