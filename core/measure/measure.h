/* The harness's measures of an iterate: one set, in m/s, independent of the scaling, the method and the precision of
 * the run. They are always evaluated in double, on a problem of the harness's own, so that no method judges itself. (Of
 * the rows of a step that are all linear there is one copy where the method has them in double, too: no method writes
 * them.)
 *
 *     e_n = |min(a, w z_n)|                      normal complementarity, a = C_n/h + (e/h^2) z_n
 *     e_f = |w_f (z_f - Proj(z_f - v_t/w_f))|    friction, Proj onto the disc of radius mu z_n
 *                                                (of (z_1, z_2/ratio) and (v_1, ratio v_2) for a ratio other than 1)
 *     e_b = |c_b + E lambda|/h                   joints
 *     e_m = |M^-1 g|                             momentum, that of rotation times the radius of gyration; with cavities
 *                                                |H^-1 g|: along their stiff directions a force is little velocity
 *
 * The natural-map error is the largest of all. Where friction obeys another law (model/friction_law.h), e_n and e_f are
 * that law's, and the same by Coulomb's law is kept beside. Source: core/errors.md, "Measures".
 *
 * Where the solution (u*, z*) of a world's step is known, there are the true errors besides, both velocities:
 *
 *     |u - u*|                        of the velocities
 *     |M^-1 (J^T z - J*^T z*)|        of the forces, modulo the null space of J^T
 *
 * in the norm |v| = sqrt(v . M v / total mass). With J = J* the second is sqrt((z - z*) . D (z - z*) / total mass), the
 * seminorm of the Delassus operator D: it is the same for every z* (and z) among those that redundant contacts leave
 * open, and where momentum is balanced it is the first. Where two solutions with other velocities are known, there are
 * no errors, but the distance |u - u*| from each. Source: core/errors.md, "The true error". */
#ifndef NB_MEASURE_H
#define NB_MEASURE_H

#include <stdint.h>

#include "base/status.h"
#include "contact/contact.h"
#include "file_data.h"
#include "measure/largest_error.h"
#include "measure/natural_map.h"
#include "model/world.h"
#include "snapshot.h"

typedef struct nb_errors {
    double complementarity;             /* largest e_n [m/s] */
    double friction;                    /* largest e_f [m/s] */
    double bilateral;                   /* largest e_b [m/s] */
    double momentum;                    /* largest e_m [m/s] */
    double penetration;                 /* largest -C_n [m], at least 0 */
    double natural_map;                 /* the largest of the first four: of the law that is to be solved */
    double coulomb;                     /* the same of Coulomb's law of friction, whatever law is to be solved [m/s] */
    nb_natural_map file;                /* of a problem file, in its own measures; NaN for the steps of a world */
    double velocity_error, force_error; /* against the reference [m/s]; NaN where there is none, or two solutions */
    double distance[2];                 /* of the velocities from each of two solutions [m/s]; NaN: no two are known */
    nb_largest_error largest;           /* where the natural map is largest, where the measure looks for it */
} nb_errors;

typedef struct nb_measure nb_measure;
struct nb_problem_f64; /* constraint/problem.h */
struct nb_step_f64;    /* constraint/step.h */

/* For the steps of a world. */
nb_status nb_measure_create(nb_measure **measure);
/* For a problem file, whose arrays are borrowed until the measure is destroyed. */
nb_status nb_measure_create_file(const nb_file_data *data, nb_measure **measure);
/* For a problem made elsewhere, in double; borrowed until the measure is destroyed, and no method may work on it. */
nb_status nb_measure_create_problem(struct nb_problem_f64 *problem, nb_measure **measure);
void nb_measure_destroy(nb_measure *measure);

/* Begins the step that nb_step_begin began with the same arguments. */
nb_status nb_measure_begin(nb_measure *measure, const nb_world *world, const nb_contacts *contacts, double h,
                           nb_geometry geometry);

/* The same, over the rows of the step that was just begun, borrowed until that one's next begin, where they may be
 * shared (constraint/step.h). `rows` NULL: there are none in double. */
nb_status nb_measure_begin_beside(nb_measure *measure, const struct nb_step_f64 *rows, const nb_world *world,
                                  const nb_contacts *contacts, double h, nb_geometry geometry);

/* Goes on with these contacts of the same step, in place of those it was begun with (nb_problem_detect). A reference is
 * dropped: it solves the step without them. */
nb_status nb_measure_set_contacts(nb_measure *measure, const nb_contacts *contacts);

/* Where the next iterate is written, u [velocities] and z [rows] (in the order of the step's rows): the measure's own.
 */
void nb_measure_own_iterate(nb_measure *measure, double **u, double **z);
/* Errors of the iterate that was written there. */
void nb_measure_evaluate(nb_measure *measure, nb_errors *errors);
/* The same where the momentum's error is at most `most` [m/s] or NaN, and returns 1. Else returns 0 and leaves `errors`
 * as they were: the natural map is larger than `most`. */
int nb_measure_evaluate_within(nb_measure *measure, double most, nb_errors *errors);

/* What else to look for, at the cost of another look at all rows; at first nothing. */
typedef enum nb_look {
    NB_LOOK_FOR_NOTHING,
    NB_LOOK_FOR_LARGEST, /* the largest error, `largest` */
    NB_LOOK_FOR_CONTACTS /* and the error of each contact */
} nb_look;
void nb_measure_look(nb_measure *measure, nb_look look);

/* Errors of each contact, joint row and body of the last iterate measured [m/s]: contact_error [contacts, 2] of normal
 * and friction in the order of rows, bilateral_error [bilaterals] in the order of the world's joints' rows
 * (nb_step_bilateral_order), momentum_error [bodies]. The largest of all is the natural map, but for rows of elements
 * and momenta of particles. contact_mode [contacts]: an nb_contact_mode each. All are those of a snapshot with room for
 * them. For the steps of a world. */
void nb_measure_each(const nb_measure *measure, nb_snapshot *snapshot);

/* The errors of a solution of the step that was kept. */
void nb_measure_solution_errors(nb_measure *measure, const nb_snapshot *solution, nb_errors *errors);

/* Holds the iterates of the step begun against this solution of it, from here until the next begin. */
nb_status nb_measure_set_reference(nb_measure *measure, const nb_snapshot *solution);

/* Takes the distances of the iterates from two solutions of it in place of errors, from here until the next begin. */
nb_status nb_measure_set_solutions(nb_measure *measure, const nb_snapshot *first, const nb_snapshot *second);

/* u~ + M^-1 J^T z of the last iterate measured [bodies, 6], the velocities that its forces make. Where a reference is
 * set, or two solutions. */
const double *nb_measure_velocities_of_forces(const nb_measure *measure);

/* c_b/h, C_n/h and v_t of the last iterate measured [rows]; owned by the measure */
const double *nb_measure_values(const nb_measure *measure);

#endif
