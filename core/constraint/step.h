/* The NCP of one time step of a world: an nb_problem over bodies and particles, joints and contacts.
 *
 * A step is created once for a run, and begun again for every time step. Positions are never advanced inside it: values
 * come from the state at the start of the step by increments, C(q) = C(q-) + n . (delta a - delta b), so that no digits
 * are lost to world coordinates in f32.
 *
 * Rows are ordered by island, then bilaterals as the world lists its joints, contacts as they were detected; see
 * nb_step_contact_order. After them come those of joint coordinates (coordinate_rows.h), then those of elements and
 * those that somebody adds (nb_step_add_rows). Velocities are those of the nodes: 6 of every body, then 3 of every
 * particle, those without mass included (their u is prescribed).
 *
 * Cavities push: the pressure of each is a force, at the end of the step or linearised at its start, and a dense row of
 * H (step_cavities.c). w is then that of the mass alone, an estimate from above.
 *
 * Source: Macklin et al. 2019, eq. (46)-(60) and section 9.4; H = M without cavities. */
#ifndef NB_SYSTEM_STEP_H
#define NB_SYSTEM_STEP_H

#include "base/real.h"
#include "constraint/added_rows.h"
#include "constraint/problem.h"
#include "contact/contact.h"
#include "model/coordinate.h"
#include "model/world.h"
#include "operator/sum.h"

#define nb_step NB_REAL_NAME(nb_step)
#define nb_step_create NB_REAL_NAME(nb_step_create)
#define nb_step_destroy NB_REAL_NAME(nb_step_destroy)
#define nb_step_begin NB_REAL_NAME(nb_step_begin)
#define nb_step_contact_point NB_REAL_NAME(nb_step_contact_point)
#define nb_step_set_contacts NB_REAL_NAME(nb_step_set_contacts)
#define nb_step_keep_to_errors NB_REAL_NAME(nb_step_keep_to_errors)
#define nb_step_may_be_shared NB_REAL_NAME(nb_step_may_be_shared)
#define nb_step_begin_beside NB_REAL_NAME(nb_step_begin_beside)
#define nb_step_hand_over NB_REAL_NAME(nb_step_hand_over)
#define nb_step_add_rows NB_REAL_NAME(nb_step_add_rows)
#define nb_step_problem NB_REAL_NAME(nb_step_problem)
#define nb_step_of NB_REAL_NAME(nb_step_of)
#define nb_step_world NB_REAL_NAME(nb_step_world)
#define nb_step_contacts NB_REAL_NAME(nb_step_contacts)
#define nb_step_contact_order NB_REAL_NAME(nb_step_contact_order)
#define nb_step_bilateral_order NB_REAL_NAME(nb_step_bilateral_order)
#define nb_step_name_row NB_REAL_NAME(nb_step_name_row)
#define nb_step_coordinate_row NB_REAL_NAME(nb_step_coordinate_row)
#define nb_step_coordinate_count NB_REAL_NAME(nb_step_coordinate_count)
#define nb_step_momentum_node NB_REAL_NAME(nb_step_momentum_node)
#define nb_step_momentum_errors NB_REAL_NAME(nb_step_momentum_errors)
#define nb_step_contact_directions NB_REAL_NAME(nb_step_contact_directions)

#define nb_step_world NB_REAL_NAME(nb_step_world)

#define nb_step_arrays NB_REAL_NAME(nb_step_arrays)
#define nb_step_range NB_REAL_NAME(nb_step_range)
#define nb_step_arrays_of NB_REAL_NAME(nb_step_arrays_of)
#define nb_step_range_of NB_REAL_NAME(nb_step_range_of)
#define nb_step_joint_starts NB_REAL_NAME(nb_step_joint_starts)

typedef struct nb_step nb_step;

nb_status nb_step_create(nb_step **step);
void nb_step_destroy(nb_step *step);

/* Begins the step of length h [s] from the world's present state with these contacts. Afterwards the iterate is zero
 * (u of bodies without mass as prescribed, u = 0 for the others, z = 0). The world and the contacts are borrowed until
 * the next begin. */
nb_status nb_step_begin(nb_step *step, const nb_world *world, const nb_contacts *contacts, double h,
                        nb_geometry geometry);

/* Steps begun from now on whose rows are all linear leave out what errors do not need: islands, and of contacts their
 * blocks and their part of the operator's diagonal. */
void nb_step_keep_to_errors(nb_step *step);

/* Begins the step that `rows`, where it may be shared, was just begun with, over the same rows: J, frictions, effective
 * masses, and the operator with its scratch are borrowed until the next begin of either; u, z and what comes of them
 * are the step's own. May be: all rows are linear, and there are no rows but joints' and contacts' of bodies. */
int nb_step_may_be_shared(const nb_step *rows);
nb_status nb_step_begin_beside(nb_step *step, const nb_step *rows);

/* Begins the step again with these contacts, from the same state, with the same length and geometry. They were found
 * where bodies come to be, and their points brought back to the start with the bodies (contact/detection.h). */
nb_status nb_step_set_contacts(nb_step *step, const nb_contacts *contacts);

/* Ends the step: puts the contacts that its last verification found at its end into this list, if there was one
 * (nb_detection_hand_over). */
void nb_step_hand_over(nb_step *step, nb_contacts *contacts);

/* Adds rows to all steps that begin from now on; borrowed until the step is destroyed. A measure of such steps is made
 * by nb_measure_create_problem, over a step that was given the same. NB_ERROR_UNSUPPORTED where there are packs enough:
 * NB_SUM_PACKS less those of joints and contacts. */
nb_status nb_step_add_rows(nb_step *step, nb_step_rows *rows);

/* The problem; owned by the step. */
nb_problem *nb_step_problem(nb_step *step);
/* the step that a problem is; NULL where it is none */
nb_step *nb_step_of(nb_problem *problem);

/* the world as it stands at the start of the step, and the step's length [s] */
const nb_world *nb_step_world(const nb_step *step, double *h);

/* the contacts that the step has: those it was begun with, or also what was detected since (nb_problem_detect) */
const nb_contacts *nb_step_contacts(const nb_step *step);

/* order[i]: the index, in that list, of the contact in row block i; [contacts], owned by the step */
const int32_t *nb_step_contact_order(const nb_step *step);

/* The point on the first body of the contact in row block i, at the start of the step. Contacts that were found where
 * bodies come to be (nb_step_set_contacts) and are linear have the arms of there: their point is that of the body
 * which the iterate takes to the arm's end. */
nb_vec3 nb_step_contact_point(const nb_step *step, int32_t i);

/* order[r]: the place of bilateral row r among the rows of the world's joints, one joint after the other; islands put
 * them in another order from step to step. [bilaterals], owned by the step */
const int32_t *nb_step_bilateral_order(const nb_step *step);

/* What a row is of: its contact in the order of rows, its joint of the world, or its element row, and the nodes:
 * bodies, particles counted behind them; -1: the world, or none. */
void nb_step_name_row(const nb_step *step, int32_t row, int32_t *index, int32_t nodes[2]);

/* How many rows are of joint coordinates (model/coordinate.h): the first of those behind contacts. */
int32_t nb_step_coordinate_count(const nb_step *step);
/* what the i-th of them is of */
const nb_coordinate_row *nb_step_coordinate_row(const nb_step *step, int32_t i);

/* The node of the largest momentum error of the last evaluate; -1 where it is zero. */
int32_t nb_step_momentum_node(const nb_step *step);
/* The momentum error of each body by the last evaluate [bodies]; 0 of those that are not dynamic. */
void nb_step_momentum_errors(const nb_step *step, double *error);

/* For a device that makes the step by itself: its arrays at the start of the step, borrowed. Those of rows are in the
 * order of the problem's. */
typedef struct nb_step_arrays {
    int32_t bodies;
    const nb_inverse_mass *inverse_mass; /* [bodies] */
    const real *u_free;                  /* [bodies][6] u~; particles follow */
    const nb_contact_rows *contacts;     /* [contacts] frames and bodies; the arms are those of the iterate */
    /* [contacts][8] arms on a and b, C_n/h, 1 where arms turn; NULL: arms are in `contacts`. The arm on a kinematic b
     * is longer, and C_n/h less the normal part of that (model/carried.h). */
    const real *start;
    const real *rate;                  /* [contacts] where `start` is NULL: C_n/h */
    const nb_jacobian_row *bilaterals; /* [bilaterals] at the iterate */
    const real *bilateral_rate;        /* [bilaterals] c_b/h */
} nb_step_arrays;

/* the rows of an island, half-open, and its bodies with mass */
typedef struct nb_step_range {
    int32_t bilateral_begin, bilateral_end, contact_begin, contact_end;
    const int32_t *dynamic;
    int32_t dynamic_count;
} nb_step_range;

/* How each row from `row` on of the joint that it begins moves (constraint/joint_formulas.h): `start`
 * [6][NB_JOINT_NUMBERS] and `motion` [6], an nb_joint_motion each. Returns their number. */
int nb_step_joint_starts(const nb_step *step, int32_t row, int32_t *motion, real *start);

void nb_step_arrays_of(const nb_step *step, nb_step_arrays *arrays);
/* `island` -1: the whole step */
void nb_step_range_of(const nb_step *step, int32_t island, nb_step_range *range);

/* the normal and the two tangents of contact i (row order), in the world [3][3] */
void nb_step_contact_directions(const nb_step *step, int32_t i, double directions[3][3]);

#endif
