/* The NCP of one time step of a world: an nb_problem over rigid bodies, joints and contacts.
 *
 * A step is made once for a run and begun anew for every time step. Positions are never advanced inside it: values come
 * from the state at the start of the step by increments, C(q) = C(q-) + n . (delta a - delta b), so that no digits are
 * lost to world coordinates in f32.
 *
 * Rows are ordered by island, then bilaterals as the world lists its joints, contacts as they were detected; see
 * nb_step_contact_order. Velocities: 6 a body, all bodies, those without mass included (their u is prescribed).
 *
 * Source: Macklin et al. 2019, eq. (46)-(60) and section 9.4; H = M. */
#ifndef NB_SYSTEM_STEP_H
#define NB_SYSTEM_STEP_H

#include "base/real.h"
#include "collision/contact.h"
#include "model/world.h"
#include "ncp/problem.h"

#define nb_step NB_REAL_NAME(nb_step)
#define nb_step_create NB_REAL_NAME(nb_step_create)
#define nb_step_destroy NB_REAL_NAME(nb_step_destroy)
#define nb_step_begin NB_REAL_NAME(nb_step_begin)
#define nb_step_problem NB_REAL_NAME(nb_step_problem)
#define nb_step_contact_order NB_REAL_NAME(nb_step_contact_order)
#define nb_step_bilateral_order NB_REAL_NAME(nb_step_bilateral_order)
#define nb_step_contact_directions NB_REAL_NAME(nb_step_contact_directions)

typedef struct nb_step nb_step;

nb_status nb_step_create(nb_step **step);
void nb_step_destroy(nb_step *step);

/* Begins the step of length h [s] from the world's present state with these contacts. Afterwards the iterate is zero
 * (u of bodies without mass as prescribed, u = 0 for the others, z = 0). The world is borrowed until the next begin. */
nb_status nb_step_begin(nb_step *step, const nb_world *world, const nb_contacts *contacts, double h, int frozen);

/* The problem; owned by the step. */
nb_problem *nb_step_problem(nb_step *step);

/* order[i]: the index, in the detected list, of the contact in row block i; [contacts], owned by the step */
const int32_t *nb_step_contact_order(const nb_step *step);

/* order[r]: the place of bilateral row r among the rows of the world's joints, one joint after the other; islands put
 * them in another order from step to step. [bilaterals], owned by the step */
const int32_t *nb_step_bilateral_order(const nb_step *step);

/* the normal and the two tangents of contact i (row order), in the world [3][3] */
void nb_step_contact_directions(const nb_step *step, int32_t i, double directions[3][3]);

#endif
