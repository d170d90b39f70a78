/* Contacts as they are where the iterate leads: their normals, points and gaps in the place of those of the step's
 * start (private to methods). Distances of particles, spheres and vertices to planes and to each other's smooth shapes
 * are exact there, and turn with what slides. */
#ifndef NB_PENALTY_CONTACTS_H
#define NB_PENALTY_CONTACTS_H

#include "constraint/problem.h"
#include "contact/list.h"
#include "measure/measure.h"

#define nb_penalty_contacts NB_REAL_NAME(nb_penalty_contacts)
#define nb_penalty_contacts_find NB_REAL_NAME(nb_penalty_contacts_find)
#define nb_penalty_contacts_depth NB_REAL_NAME(nb_penalty_contacts_depth)
#define nb_penalty_contacts_carry NB_REAL_NAME(nb_penalty_contacts_carry)
#define nb_penalty_contacts_clear NB_REAL_NAME(nb_penalty_contacts_clear)

typedef struct nb_penalty_contacts {
    nb_contacts *found;          /* as detected; NULL before the first */
    nb_contacts *list[2];        /* that of the step, and the next one */
    int now;                     /* which of them the step has */
    const nb_contacts *before;   /* the contacts that the step had before the last find; borrowed */
    int32_t *order, order_count; /* private from here: [order_count] nb_step_contact_order of these */
    real *of_item;               /* [order_count] scratch */
    nb_body *bodies;             /* the world's at the end of the step */
    nb_particle *particles;
    real *velocity; /* [velocities] the iterate's, while the step begins again */
    int64_t order_capacity, item_capacity, body_capacity, particle_capacity, velocity_capacity;
} nb_penalty_contacts; /* starts as all zeros */

void nb_penalty_contacts_clear(nb_penalty_contacts *contacts);

/* Gives the problem, which is a step, and the measure the contacts of the world with everything moved by the iterate's
 * velocities, those closer than `tolerance` [m] or the world's margin. `keep` 1: and of the contacts that the step had,
 * those that are not among them, as they are. Such sets only grow. Their rows have at the iterate the gaps that
 * were found, and its arms: where contacts are linear (problem.h), rows are linearised there. u stays, z is zero, and
 * the problem is to be evaluated. *same: they are the features that it had, in the same rows, and so is the pattern. */
nb_status nb_penalty_contacts_find(nb_penalty_contacts *contacts, nb_problem *problem, nb_measure *measure,
                                   double tolerance, int keep, int *same);

/* How deep bodies and particles are in each other where the iterate leads [m], at least 0. */
nb_status nb_penalty_contacts_depth(nb_penalty_contacts *contacts, nb_problem *problem, double *depth);

/* to [contacts of the problem] = from [contacts before the last find], by features; 0 of new ones */
void nb_penalty_contacts_carry(nb_penalty_contacts *contacts, nb_problem *problem, const real *from, real *to);

#endif
